"""Look for a game: a seat in the fullest lobby that fits, or in a new one (R23, R24, R26)."""

import secrets

from .. import clock, words
from ..protocol import messages
from ..protocol.errors import ErrorCode
from ..protocol.requests import Join
from ..rules.lobby import Lobby, Seat, fullest, open_lobby, take_seats
from ..rules.player import Player, check_free, take_seat
from ..rules.rating import WINDOW
from ..store import (
    DOORS,
    LOBBIES,
    PLAYERS,
    Change,
    Create,
    Door,
    OpenedLobby,
    Stored,
    Write,
    commit,
    load,
    load_many,
    open_lobbies,
    retry_conflicts,
)
from . import announce, merge_lobbies, start_tournament
from .audience import leave_audience
from .refused import Refused
from .screen import read
from .session import Call, signed_in

DOOR_MS = 10_000
"""How long a new lobby is remembered at the door: far longer than an index lags."""


def join(call: Call, request: Join) -> messages.LobbyChanged:
    """Seat the player, and start the tournament if that was the last seat. Sent again it is answered alike.

    Raises Refused: UNKNOWN_LANGUAGE; RuleError: IN_LOBBY (of another language), IN_TOURNAMENT.
    """
    if request.language not in words.languages():
        raise Refused(ErrorCode.UNKNOWN_LANGUAGE, field="language")
    player, lobby, opened = retry_conflicts(lambda: _take_seat(call, request.language))
    if player.watching is not None:
        leave_audience(player.player_id, read(player).duels)
    if lobby.value.started:
        clock.start_tournament(lobby.value.lobby_id)
    players = load_many(PLAYERS, [seat.player_id for seat in lobby.value.seats])
    answer = announce.lobby(lobby, players, answered=call.connection_id)
    if opened:
        merged = merge_lobbies.merge_lobbies(lobby.value.lobby_id, answered=call.connection_id)
        return merged or answer
    return answer


def _take_seat(call: Call, language: str) -> tuple[Player, Stored[Lobby], bool]:
    """Returns the player as they were, the lobby, and whether it was opened for this."""
    player = signed_in(call)
    already = _seat_taken(player.value, language)
    if already is not None:
        return player.value, already, False
    party = (_seat(player.value),)
    found = open_lobbies(language, player.value.rating, WINDOW)
    lobby = fullest((stored.value for stored in found), language, party)
    door: Stored[Door] | None = None
    if lobby is None:
        door, found = _look_through_door(language)
        lobby = fullest((stored.value for stored in found), language, party)
    if lobby is None:
        return player.value, _open_lobby(player, language, door), True
    before = next(stored for stored in found if stored.value == lobby)
    after = take_seats(lobby, party)
    seated: list[Write] = [
        Change(LOBBIES, before, after),
        Change(PLAYERS, player, take_seat(player.value, lobby.lobby_id)),
    ]
    if after.started:
        players = load_many(PLAYERS, [seat.player_id for seat in after.seats])
        seated += start_tournament.writes(after, players)
    return player.value, commit(*seated)[0], False


def _seat_taken(player: Player, language: str) -> Stored[Lobby] | None:
    """The lobby of a player who has a seat in one of that language already; None for one who is free (R26).

    Raises RuleError: IN_LOBBY, IN_TOURNAMENT for one who is elsewhere.
    """
    lobby = load(LOBBIES, player.game) if player.game is not None else None
    if lobby is None:
        # In no game, or in a lobby that has expired.
        return None
    if lobby.value.open and lobby.value.language == language and lobby.value.has(player.player_id):
        return lobby
    check_free(player, lobby=lobby.value.open)
    return None


def _look_through_door(language: str) -> tuple[Stored[Door] | None, list[Stored[Lobby]]]:
    """The language's door, and the lobbies opened through it just now, read consistently."""
    door = load(DOORS, f"door.{language}")
    if door is None:
        return None, []
    recent = load_many(LOBBIES, [opened.lobby_id for opened in door.value.opened])
    return door, list(recent.values())


def _open_lobby(player: Stored[Player], language: str, door: Stored[Door] | None) -> Stored[Lobby]:
    """Open a lobby, unless somebody else has since the door was read (then Conflict)."""
    now_ms = clock.now_ms()
    lobby = open_lobby("g" + secrets.token_hex(10), language, (_seat(player.value),), now_ms)
    recent = tuple(opened for opened in (door.value.opened if door else ()) if now_ms - opened.at_ms < DOOR_MS)
    through = Door(language, (*recent, OpenedLobby(lobby.lobby_id, now_ms)))
    stored: Stored[Lobby]
    stored, *_ = commit(
        Create(LOBBIES, lobby),
        Change(PLAYERS, player, take_seat(player.value, lobby.lobby_id)),
        Create(DOORS, through) if door is None else Change(DOORS, door, through),
    )
    return stored


def _seat(player: Player) -> Seat:
    return Seat(player.player_id, player.nickname, player.rating, player.player_id, player.rating)
