"""Look for a game alone (R23, R24, R26)."""

from itertools import count

from .. import clock, log, words
from ..protocol import messages
from ..protocol.errors import ErrorCode
from ..protocol.requests import Join
from ..rules.lobby import Lobby, Seat
from ..rules.player import Player, check_free
from ..rules.refusal import Refusal, RuleError
from ..store import PLAYERS, TOURNAMENTS, Stored, load, load_many, retry_conflicts
from . import announce, groups, matchmaking, merge_lobbies, queue, start_tournament, views
from .audience import leave_audience
from .matchmaking import Outcome
from .refused import Refused
from .screen import lobby_of, read
from .session import Call, signed_in


def join(call: Call, request: Join) -> messages.LobbyChanged:
    """Seat the player, and start the tournament if that was the last seat. Sent again it is answered alike.

    Raises Refused: UNKNOWN_LANGUAGE, QUEUE_CLOSED; RuleError: IN_LOBBY (of another language), IN_TOURNAMENT, IN_GROUP.
    """
    check_language(request.language)
    losses = count()
    player, lobby, outcome = retry_conflicts(lambda: _take_seat(call, request.language, next(losses)))
    return seated(call, [player], lobby, outcome)


def check_language(language: str) -> None:
    """Raises Refused(UNKNOWN_LANGUAGE)."""
    if language not in words.languages():
        raise Refused(ErrorCode.UNKNOWN_LANGUAGE, field="language")


def seated(call: Call, party: list[Player], lobby: Stored[Lobby], outcome: Outcome) -> messages.LobbyChanged:
    """Tell everybody in the lobby, start the clock if it is full, and merge it if it was just opened.

    `party` are those who were seated, as they were before. Returns the answer for the connection that asked; one who
    had the seat already is answered, and nobody else disturbed.
    """
    log.about(tournament_id=lobby.value.lobby_id)
    if outcome is Outcome.AGAIN:
        if lobby.value.started:
            # Whoever took the last seat may have died before the clock ran.
            clock.start_tournament(lobby.value.lobby_id)
        at_ms = clock.now_ms()
        players = load_many(PLAYERS, [seat.player_id for seat in lobby.value.seats])
        return messages.LobbyChanged(now_ms=at_ms, lobby=views.lobby(lobby, players))
    start_tournament.begin(lobby)
    for player in party:
        if player.watching is not None:
            leave_audience(player.player_id, read(player).duels)
    answer, _ = announce.lobby(lobby, answered=call.connection_id)
    if outcome is Outcome.OPENED:
        return merge_lobbies.merge_lobbies(lobby.value.lobby_id, answered=call.connection_id) or answer
    return answer


def _take_seat(call: Call, language: str, losses: int) -> tuple[Player, Stored[Lobby], Outcome]:
    """Returns the player as they were, the lobby, and how they come to sit in it."""
    player = signed_in(call)
    already = _seat_taken(player.value, language)
    if already is not None:
        return player.value, already, Outcome.AGAIN
    if player.value.group is not None and groups.group_of(player.value) is not None:
        raise RuleError(Refusal.IN_GROUP, "You are in a group; its leader starts.")
    queue.check_open()
    lobby, outcome = matchmaking.seat_party(language, (_seat(player.value),), {player.value.player_id: player}, losses)
    return player.value, lobby, outcome


def _seat_taken(player: Player, language: str) -> Stored[Lobby] | None:
    """The lobby of a player who waits in one of that language already; None for one who is free (R26).

    Raises RuleError: IN_LOBBY, IN_TOURNAMENT for one who is elsewhere.
    """
    lobby = lobby_of(player)
    if lobby is None:
        return None
    if lobby.value.language == language and waits(lobby):
        return lobby
    check_free(player, lobby=lobby.value.open)
    return None


def waits(lobby: Stored[Lobby]) -> bool:
    """Whether those in the lobby still wait: for players, or for the first turns of its tournament."""
    tournament = load(TOURNAMENTS, lobby.value.lobby_id) if lobby.value.started else None
    if tournament is None:
        return lobby.value.open
    return len(tournament.value.rounds) == 1 and clock.now_ms() < tournament.value.round.starts_at_ms


def _seat(player: Player) -> Seat:
    return Seat(player.player_id, player.nickname, player.rating, player.player_id, player.rating)
