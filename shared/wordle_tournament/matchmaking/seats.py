"""Seats for a party (a single player or a whole group), all at once or not at all (R23, R24, R29)."""

import math
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum
from typing import TypeAlias

from .. import clock, randomness
from ..config import settings
from ..rules.lobby import (
    Lobby,
    Seat,
    Waiting,
    choose,
    fullest_first,
    open_lobby,
    shown_fullest_first,
    take_seats,
)
from ..rules.player import Player, take_seat
from ..rules.rating import WINDOW
from ..rules.tournament import PLAYERS as SEATS
from ..store import (
    LOBBIES,
    PLAYERS,
    RECENT_LOBBIES,
    Change,
    Conflict,
    OpenedLobby,
    RecentLobbies,
    Versioned,
    Write,
    commit,
    load,
    load_many,
    put,
    recent_lobbies_id,
    waiting_lobbies,
)
from . import starting

Party = tuple[Seat, ...]
Recent: TypeAlias = dict[RecentLobbies, Versioned[RecentLobbies] | None]
"""The records of recent lobbies as they are stored, if they are, by language, band and shard."""

RECENT_MS = 10_000
"""The time for which a record of recent lobbies keeps a new one: far longer than the index lags."""
RECENT_AT_MOST = 16
"""The most lobbies that such a record keeps, under contention."""
LATELY_MS = 500
"""The time in which a lobby fills under contention."""
LOAD_FRESH = 16
"""The number of the fullest lobbies of the index that are loaded consistently, for each shard."""


class Outcome(Enum):
    """The way in which a party got its seats."""

    JOINED = "joined"
    OPENED = "opened"
    AGAIN = "again"
    """The party had these seats already."""


def look(language: str, rating: float) -> list[Waiting]:
    """Return the lobbies of the language that the index shows within the rating window."""
    return waiting_lobbies(language, rating, WINDOW)


def seat_party(
    language: str,
    party: Party,
    players: Mapping[str, Versioned[Player]],
    losses: int,
    *extra_writes: Write,
    shown: list[Waiting] | None = None,
) -> tuple[Versioned[Lobby], Outcome]:
    """Seat the party in the fullest lobby that fits, or in a new one, in one commit with `extra_writes`.

    `players` are the records of its members, who are free; `losses` counts the races for a seat that the party has
    lost so far; `shown` is what `look` returns, if somebody has looked already. A full lobby's tournament starts in
    the same commit. Return the lobby, and whether it was joined or opened. Raises Conflict if anything has changed
    meanwhile.
    """
    if len(party) == SEATS:
        full = open_lobby(_new_id(), language, party, clock.now_ms())
        return _commit(None, full, party, players, *extra_writes), Outcome.JOINED
    waiting = shown_fullest_first(look(language, party[0].party_rating) if shown is None else shown, party)
    recent: Recent = {}
    if losses or not waiting:
        recent, found = load_fresh(language, party[0].party_rating, [one.lobby_id for one in waiting[: load_at_most()]])
    else:
        fullest = load(LOBBIES, waiting[0].lobby_id)
        found = {} if fullest is None else {fullest.value.lobby_id: fullest}
    fitting = fullest_first((stored.value for stored in found.values()), language, party)
    if not fitting and not recent:
        raise Conflict("the lobby that the index showed is not what it was")
    lobby = choose(fitting, losses, opened_lately(recent), randomness.rng)
    if lobby is None:
        new = open_lobby(_new_id(), language, party, clock.now_ms())
        return _commit(None, new, party, players, _record_opening(recent, new), *extra_writes), Outcome.OPENED
    return _commit(found[lobby.lobby_id], take_seats(lobby, party), party, players, *extra_writes), Outcome.JOINED


def load_at_most() -> int:
    """Return the number of the fullest lobbies of the index that are loaded under contention, with a call of 100."""
    return min(LOAD_FRESH * settings().shards, 100 - RECENT_AT_MOST)


def load_fresh(
    language: str, rating: float, lobby_ids: Iterable[str], reach: float = WINDOW
) -> tuple[Recent, dict[str, Versioned[Lobby]]]:
    """Return the recent lobbies of the bands that the window touches, and with a consistent read those and `lobby_ids`.

    The index lags: it shows neither seats that were just taken nor lobbies that were just opened.
    """
    doors = [
        RecentLobbies(language, band=band, shard=shard)
        for band in range(band_of(rating - reach), band_of(rating + reach) + 1)
        for shard in range(settings().shards)
    ]
    stored = load_many(RECENT_LOBBIES, [recent_lobbies_id(door) for door in doors])
    recent = {door: stored.get(recent_lobbies_id(door)) for door in doors}
    now_ms = clock.now_ms()
    recent_ids = [
        opened.lobby_id for one in stored.values() for opened in one.value.opened if now_ms - opened.at_ms < RECENT_MS
    ]
    return recent, load_many(LOBBIES, {*recent_ids, *lobby_ids})


def band_of(rating: float) -> int:
    """Return the band of ratings, as wide as the window, that the rating is in."""
    return math.floor(rating / WINDOW)


def opened_lately(recent: Recent) -> int:
    """Return the number of lobbies that were opened within LATELY_MS: as many are being filled at the same time."""
    since_ms = clock.now_ms() - LATELY_MS
    return sum(opened.at_ms >= since_ms for one in recent.values() if one for opened in one.value.opened)


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


def _record_opening(recent: Recent, lobby: Lobby) -> Write:
    """Return the write that records the new lobby.

    Openings that write the same record are serialised: of two that read it, the second conflicts and loads again.
    """
    own = [door for door in recent if door.band == band_of(lobby.rating)]
    door = own[randomness.rng.randrange(len(own))] if len(own) > 1 else own[0]
    before = recent[door]
    opened = tuple(one for one in (before.value.opened if before else ()) if lobby.opened_at_ms - one.at_ms < RECENT_MS)
    after = replace(door, opened=(*opened, OpenedLobby(lobby.lobby_id, lobby.opened_at_ms))[-RECENT_AT_MOST:])
    return put(RECENT_LOBBIES, before, after)


def _new_id() -> str:
    return "g" + secrets.token_hex(10)
