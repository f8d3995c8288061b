"""Seats for a party, a single player or a whole group: all at once or not at all (R23, R24, R29)."""

import secrets
from collections.abc import Iterable, Mapping
from enum import Enum

from .. import chance, clock
from ..rules.lobby import Lobby, Seat, choose, fullest_first, open_lobby, take_seats
from ..rules.player import Player, take_seat
from ..rules.rating import WINDOW
from ..rules.tournament import PLAYERS as SEATS
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
)
from . import start_tournament

Party = tuple[Seat, ...]

DOOR_MS = 10_000
"""How long a new lobby is remembered at the door: far longer than an index lags."""


DOOR_LOBBIES = 16
"""How many are remembered there at most, in a rush."""
LOOK_AT = 16
"""How many of the fullest lobbies in the index are looked at as they are."""


class Outcome(Enum):
    """How a party comes to sit in a lobby."""

    JOINED = "joined"
    OPENED = "opened"
    AGAIN = "again"
    """It sat there already."""


def seat_party(
    language: str, party: Party, players: Mapping[str, Stored[Player]], losses: int, *also: Write
) -> tuple[Stored[Lobby], Outcome]:
    """Seat the party in the fullest lobby that fits, or in a new one, under the condition of `also`.

    `players` are the records of its members, who are free; `losses` says how many times others were quicker. A full
    lobby's tournament starts in the same commit. Returns the lobby, and whether it was joined or opened. Raises
    Conflict when anything has changed meanwhile.
    """
    if len(party) == SEATS:
        full = open_lobby(_new_id(), language, party, clock.now_ms())
        return _commit(None, full, party, players, *also), Outcome.JOINED
    found = {stored.value.lobby_id: stored for stored in open_lobbies(language, party[0].party_rating, WINDOW)}
    fitting = fullest_first((stored.value for stored in found.values()), language, party)
    door = None
    if losses or not fitting:
        door, found = as_they_are(language, [lobby.lobby_id for lobby in fitting[:LOOK_AT]])
        fitting = fullest_first((stored.value for stored in found.values()), language, party)
    lobby = choose(fitting, losses, chance.rng)
    if lobby is None:
        new = open_lobby(_new_id(), language, party, clock.now_ms())
        return _commit(None, new, party, players, _through_door(door, new), *also), Outcome.OPENED
    return _commit(found[lobby.lobby_id], take_seats(lobby, party), party, players, *also), Outcome.JOINED


def as_they_are(language: str, lobby_ids: Iterable[str]) -> tuple[Stored[Door] | None, dict[str, Stored[Lobby]]]:
    """The language's door, and the lobbies as they are now: those asked for, and those that were opened just now.

    The index lags: it shows neither the seats that were just taken nor the lobbies that only the door remembers.
    """
    door = load(DOORS, f"door.{language}")
    recent = [opened.lobby_id for opened in door.value.opened] if door else []
    return door, load_many(LOBBIES, {*recent, *lobby_ids})


def _commit(
    before: Stored[Lobby] | None,
    after: Lobby,
    party: Party,
    players: Mapping[str, Stored[Player]],
    *also: Write,
) -> Stored[Lobby]:
    writes: list[Write] = [Create(LOBBIES, after) if before is None else Change(LOBBIES, before, after)]
    for seat in party:
        player = players[seat.player_id]
        writes.append(Change(PLAYERS, player, take_seat(player.value, after.lobby_id)))
    if after.started:
        everybody = load_many(PLAYERS, [seat.player_id for seat in after.seats])
        writes += start_tournament.writes(after, everybody)
    stored: Stored[Lobby] = commit(*writes, *also)[0]
    return stored


def _through_door(door: Stored[Door] | None, lobby: Lobby) -> Write:
    """One lobby of a language is opened at a time: whoever looked before somebody else went through looks again."""
    recent = tuple(
        opened for opened in (door.value.opened if door else ()) if lobby.opened_at_ms - opened.at_ms < DOOR_MS
    )
    through = Door(lobby.language, (*recent, OpenedLobby(lobby.lobby_id, lobby.opened_at_ms))[-DOOR_LOBBIES:])
    return Create(DOORS, through) if door is None else Change(DOORS, door, through)


def _new_id() -> str:
    return "g" + secrets.token_hex(10)
