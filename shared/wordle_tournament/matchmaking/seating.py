"""Seats once they are taken: telling the lobby, starting its tournament, merging it (R1, R24)."""

from .. import clock, log, timers, words
from ..delivery import announce, views
from ..delivery.audience import leave_audience
from ..delivery.screen import read
from ..delivery.session import Call
from ..errors import ErrorCode, GameError
from ..protocol import messages
from ..rules.lobby import Lobby
from ..rules.player import Player
from ..store import PLAYERS, TOURNAMENTS, Versioned, load, load_many
from . import merging, starting
from .seats import Outcome


def check_language(language: str) -> None:
    """Raises GameError(UNKNOWN_LANGUAGE)."""
    if language not in words.languages():
        raise GameError(ErrorCode.UNKNOWN_LANGUAGE, field="language")


def seated(call: Call, party: list[Player], lobby: Versioned[Lobby], outcome: Outcome) -> messages.LobbyChanged:
    """Tell everybody in the lobby, start the clock if it is full, and merge it if it was just opened.

    `party` are those who were seated, as they were before. Returns the answer for the connection that asked; one who
    had the seat already is answered, and nobody else disturbed.
    """
    log.about(tournament_id=lobby.value.lobby_id)
    if outcome is Outcome.AGAIN:
        if lobby.value.started:
            # Whoever took the last seat may have died before the clock ran.
            timers.start_tournament(lobby.value.lobby_id)
        at_ms = clock.now_ms()
        players = load_many(PLAYERS, [seat.player_id for seat in lobby.value.seats])
        return messages.LobbyChanged(now_ms=at_ms, lobby=views.lobby(lobby, players))
    starting.begin(lobby)
    for player in party:
        if player.watching is not None:
            leave_audience(player.player_id, read(player).duels)
    answer, _ = announce.lobby(lobby, answered=call.connection_id)
    if outcome is Outcome.OPENED:
        return merging.merge_lobbies(lobby.value.lobby_id, answered=call.connection_id) or answer
    return answer


def waits(lobby: Versioned[Lobby]) -> bool:
    """Whether those in the lobby still wait: for players, or for the first turns of its tournament."""
    tournament = load(TOURNAMENTS, lobby.value.lobby_id) if lobby.value.started else None
    if tournament is None:
        return lobby.value.open
    return len(tournament.value.rounds) == 1 and clock.now_ms() < tournament.value.round.starts_at_ms
