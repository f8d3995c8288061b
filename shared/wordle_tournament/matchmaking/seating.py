"""The steps after a party was seated: notify the lobby, start its tournament, merge it (R1, R24)."""

from typing import assert_never

from .. import clock, log, parallel, timers, words
from ..delivery import announce, views
from ..delivery.audience import leave_audience, leave_audiences
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
    """Check that the game has the language. Raises GameError(UNKNOWN_LANGUAGE)."""
    if language not in words.languages():
        raise GameError(ErrorCode.UNKNOWN_LANGUAGE, field="language")


def seated(call: Call, party: list[Player], lobby: Versioned[Lobby], outcome: Outcome) -> messages.LobbyChanged:
    """Notify everybody in the lobby, start the timer if it is full, and merge it if it was just opened.

    `party` are the seated players as they were before. Return the answer for the connection that asked. If the party
    had the seats already, nobody else is notified.
    """
    log.about(tournament_id=lobby.value.lobby_id)
    if outcome is Outcome.AGAIN:
        if lobby.value.started:
            # The request that took the last seat may have crashed before it started the timer.
            timers.start_tournament(lobby.value.lobby_id)
        with announce.best_effort():
            for seat in lobby.value.seats:
                if seat.watched is not None and seat.player_id in {player.player_id for player in party}:
                    leave_audiences(seat.player_id, seat.watched)
        at_ms = clock.now_ms()
        players = load_many(PLAYERS, [seat.player_id for seat in lobby.value.seats])
        return messages.LobbyChanged(now_ms=at_ms, lobby=views.lobby(lobby, players))
    beginning = parallel.start(lambda: starting.begin(lobby)) if lobby.value.started else None
    with announce.best_effort():
        for player in party:
            if player.watching is not None:
                leave_audience(player.player_id, read(player).duels)
    answer, _ = announce.lobby(lobby, answered=call.connection_id)
    if beginning is not None:
        beginning.result()
    match outcome:
        case Outcome.OPENED:
            with announce.best_effort():
                return merging.merge_lobbies(lobby.value.lobby_id, answered=call.connection_id) or answer
        case Outcome.JOINED:
            pass
        case _:
            assert_never(outcome)
    return answer


def waits(lobby: Versioned[Lobby]) -> bool:
    """Return True if the players in the lobby still wait, for others or for the first turns of their tournament."""
    tournament = load(TOURNAMENTS, lobby.value.lobby_id) if lobby.value.started else None
    if tournament is None:
        return lobby.value.open
    return len(tournament.value.rounds) == 1 and clock.now_ms() < tournament.value.round.starts_at_ms
