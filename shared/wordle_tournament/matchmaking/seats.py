"""Seats for a party (a single player or a whole group), all at once or not at all (R23, R24, R29)."""

import secrets
from collections.abc import Iterable, Mapping
from enum import Enum

from .. import clock, randomness
from ..rules.lobby import Lobby, Seat, choose, fullest_first, open_lobby, take_seats
from ..rules.player import Player, take_seat
from ..rules.rating import WINDOW
from ..rules.tournament import PLAYERS as SEATS
from ..store import (
    LOBBIES,
    PLAYERS,
    RECENT_LOBBIES,
    Change,
    OpenedLobby,
    RecentLobbies,
    Versioned,
    Write,
    commit,
    load,
    load_many,
    open_lobbies,
    put,
)
from . import starting

Party = tuple[Seat, ...]

RECENT_MS = 10_000
"""The time for which a language's record of recent lobbies keeps a new one: far longer than the index lags."""
RECENT_AT_MOST = 16
"""The most lobbies that this record keeps, under contention."""
LOAD_FRESH = 16
"""The number of the fullest lobbies of the index that are loaded consistently."""


class Outcome(Enum):
    """The way in which a party got its seats."""

    JOINED = "joined"
    OPENED = "opened"
    AGAIN = "again"
    """The party had these seats already."""


def seat_party(
    language: str, party: Party, players: Mapping[str, Versioned[Player]], losses: int, *extra_writes: Write
) -> tuple[Versioned[Lobby], Outcome]:
    """Seat the party in the fullest lobby that fits, or in a new one, in one commit with `extra_writes`.

    `players` are the records of its members, who are free; `losses` counts the races for a seat that the party has
    lost so far. A full lobby's tournament starts in the same commit. Return the lobby, and whether it was joined or
    opened. Raises Conflict if anything has changed meanwhile.
    """
    if len(party) == SEATS:
        full = open_lobby(_new_id(), language, party, clock.now_ms())
        return _commit(None, full, party, players, *extra_writes), Outcome.JOINED
    found = {stored.value.lobby_id: stored for stored in open_lobbies(language, party[0].party_rating, WINDOW)}
    fitting = fullest_first((stored.value for stored in found.values()), language, party)
    recent = None
    if losses or not fitting:
        recent, found = load_fresh(language, [lobby.lobby_id for lobby in fitting[:LOAD_FRESH]])
        fitting = fullest_first((stored.value for stored in found.values()), language, party)
    lobby = choose(fitting, losses, randomness.rng)
    if lobby is None:
        new = open_lobby(_new_id(), language, party, clock.now_ms())
        return _commit(None, new, party, players, _record_opening(recent, new), *extra_writes), Outcome.OPENED
    return _commit(found[lobby.lobby_id], take_seats(lobby, party), party, players, *extra_writes), Outcome.JOINED


def load_fresh(
    language: str, lobby_ids: Iterable[str]
) -> tuple[Versioned[RecentLobbies] | None, dict[str, Versioned[Lobby]]]:
    """Return the language's record of recent lobbies, and with a consistent read those lobbies and `lobby_ids`.

    The index lags: it shows neither seats that were just taken nor lobbies that were just opened.
    """
    recent = load(RECENT_LOBBIES, language)
    recent_ids = [opened.lobby_id for opened in recent.value.opened] if recent else []
    return recent, load_many(LOBBIES, {*recent_ids, *lobby_ids})


def _commit(
    before: Versioned[Lobby] | None,
    after: Lobby,
    party: Party,
    players: Mapping[str, Versioned[Player]],
    *extra_writes: Write,
) -> Versioned[Lobby]:
    lobby_write = put(LOBBIES, before, after)
    writes: list[Write] = [lobby_write]
    for seat in party:
        player = players[seat.player_id]
        writes.append(Change(PLAYERS, player, take_seat(player.value, after.lobby_id)))
    if after.started:
        entrants = load_many(PLAYERS, [seat.player_id for seat in after.seats])
        writes += starting.writes(after, entrants)
    return commit(*writes, *extra_writes)[lobby_write]


def _record_opening(before: Versioned[RecentLobbies] | None, lobby: Lobby) -> Write:
    """Return the write that records the new lobby.

    Openings of one language are serialised: of two that read the same record, the second conflicts and loads again.
    """
    recent = tuple(
        opened for opened in (before.value.opened if before else ()) if lobby.opened_at_ms - opened.at_ms < RECENT_MS
    )
    opened = (*recent, OpenedLobby(lobby.lobby_id, lobby.opened_at_ms))[-RECENT_AT_MOST:]
    after = RecentLobbies(lobby.language, opened)
    return put(RECENT_LOBBIES, before, after)


def _new_id() -> str:
    return "g" + secrets.token_hex(10)
