"""Lobbies, in which players wait for a tournament, and the conditions to wait together (R1, R23-R26).

A *party* is seated as one: a single player, or a group of friends. The rating window applies to the party's rating (a
mean for a group), and a party is never split.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from ..errors import ErrorCode, GameError
from .question import Question
from .rating import WINDOW
from .tournament import PLAYERS

SPREADS_AFTER = 2
"""The number of seat races that a party loses before it spreads."""
WIDEST = 8
"""The most lobbies over which parties spread that compete for seats of one language and rating."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A player in a lobby, with the party they came in and that party's rating.

    `moved_from` are the lobbies from which mergers have moved the player here; `watched` is the tournament that the
    player watched until then (R10).
    """

    player_id: str
    nickname: str
    rating: int
    party: str
    party_rating: float
    moved_from: tuple[str, ...] = ()
    watched: str | None = None


@dataclass(frozen=True, slots=True)
class Lobby:
    """A lobby as it is stored. Its rating is that of its opener and does not change (R24)."""

    lobby_id: str
    language: str
    rating: float
    opened_at_ms: int
    seats: tuple[Seat, ...] = ()
    started: bool = False
    merged_into: str | None = None
    question: Question | None = None
    """The last question whether the waiting players are there (R28)."""

    @property
    def open(self) -> bool:
        """True if the lobby waits for players: somebody has a seat, and it has neither started nor been merged away."""
        return bool(self.seats) and not self.started and self.merged_into is None

    @property
    def full(self) -> bool:
        return len(self.seats) == PLAYERS

    @property
    def taken(self) -> int:
        """The number of seats that are taken."""
        return len(self.seats)

    def has(self, player_id: str) -> bool:
        return any(seat.player_id == player_id for seat in self.seats)

    def is_known_to(self, player_id: str, lobby_id: str) -> bool:
        """Return True if that id is the lobby's, or that of one from which the player was moved here."""
        return lobby_id == self.lobby_id or any(
            seat.player_id == player_id and lobby_id in seat.moved_from for seat in self.seats
        )

    def has_party(self, party: str) -> bool:
        return any(seat.party == party for seat in self.seats)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A lobby as the index of waiting lobbies shows it: enough to choose one by, and perhaps out of date."""

    lobby_id: str
    rating: float
    taken: int
    opened_at_ms: int


def near(rating: float, other: float) -> bool:
    """Return True if the two ratings may meet: they are at most 200 points apart (R23, R24)."""
    # Means of groups are floats: 1200 2/3 - 1000 2/3 comes out a hair above 200, and the edge is inside.
    return abs(rating - other) <= WINDOW + 1e-6


def fits(lobby: Lobby, language: str, party: tuple[Seat, ...]) -> bool:
    """Return True if the whole party may take seats in the lobby (R23, R29)."""
    return (
        lobby.open
        and lobby.language == language
        and len(lobby.seats) + len(party) <= PLAYERS
        and near(lobby.rating, party[0].party_rating)
        # A stale read may still show a seat that a player of the party has left.
        and not any(lobby.has(seat.player_id) for seat in party)
    )


def fullest_first(lobbies: Iterable[Lobby], language: str, party: tuple[Seat, ...]) -> list[Lobby]:
    """Return the lobbies that fit, the fullest first; among equals the longest-waiting one is first (R24)."""
    return sorted((lobby for lobby in lobbies if fits(lobby, language, party)), key=_by_fullness)


def shown_fullest_first(lobbies: Iterable[Waiting], party: tuple[Seat, ...]) -> list[Waiting]:
    """Return those lobbies of the party's language that fit by what the index shows, in the same order (R23, R24)."""
    fitting = (
        lobby for lobby in lobbies if lobby.taken + len(party) <= PLAYERS and near(lobby.rating, party[0].party_rating)
    )
    return sorted(fitting, key=_by_fullness)


def _by_fullness(lobby: Lobby | Waiting) -> tuple[int, int, str]:
    return -lobby.taken, lobby.opened_at_ms, lobby.lobby_id


def choose(fitting: Sequence[Lobby], losses: int, lately: int, rng: Random) -> Lobby | None:
    """Return the lobby to take of those that fit, given with the fullest first; None to open a new one (R24).

    This is the fullest, unless there is contention: after SPREADS_AFTER lost races pick uniformly among the 2, 4, 8
    fullest lobbies, twice as many after every loss, and from the first of these on among at least `lately`: so many
    lobbies were opened just now, and are filled at the same time. An index past the end of the list means: open a new
    lobby.
    """
    spreads = max(losses - SPREADS_AFTER + 1, 0)
    width = max(min(1 << spreads, WIDEST), lately) if spreads else 1
    place = rng.randrange(width)
    return fitting[place] if place < len(fitting) else None


def open_lobby(lobby_id: str, language: str, party: tuple[Seat, ...], now_ms: int) -> Lobby:
    """Return a new lobby with the party in it and the party's rating (R24). A party of eight starts (R1, R31)."""
    return Lobby(lobby_id, language, party[0].party_rating, now_ms, party, started=len(party) == PLAYERS)


def take_seats(lobby: Lobby, party: tuple[Seat, ...]) -> Lobby:
    """Seat the party. A full lobby starts (R1). Raises ValueError if the party does not fit."""
    if not fits(lobby, lobby.language, party):
        raise ValueError("the party does not fit into the lobby")
    seats = (*lobby.seats, *party)
    return replace(lobby, seats=seats, started=len(seats) == PLAYERS)


def party_of(lobby: Lobby, player_id: str) -> tuple[str, ...]:
    """Return the members of the player's party, the player too; none if the player has no seat."""
    parties = {seat.party for seat in lobby.seats if seat.player_id == player_id}
    return tuple(seat.player_id for seat in lobby.seats if seat.party in parties)


def leave_seat(lobby: Lobby, player_id: str) -> Lobby:
    """Give back the seats of the player's whole party, without penalty before the start (R25).

    A party is never split, so a member who leaves takes the group out of the search (R29). Raises GameError: TOO_LATE
    once the lobby has started, NOT_IN_LOBBY if the player has no seat.
    """
    party = party_of(lobby, player_id)
    if not party:
        raise GameError(ErrorCode.NOT_IN_LOBBY, "You are not in a lobby.")
    if lobby.started:
        raise GameError(ErrorCode.TOO_LATE, "The tournament has started.")
    return replace(lobby, seats=tuple(seat for seat in lobby.seats if seat.player_id not in party))


def can_move(source: Lobby, target: Lobby) -> bool:
    """Return True if everybody in `source` may move to `target` (R24)."""
    return (
        source.lobby_id != target.lobby_id
        and source.open
        and target.open
        and source.language == target.language
        and len(source.seats) + len(target.seats) <= PLAYERS
        and all(near(seat.party_rating, target.rating) for seat in source.seats)
    )


def movers(source: Lobby, target: Lobby) -> tuple[Seat, ...]:
    """Return the seats that move from `source` to `target`: all, if they may; else whole parties that exactly fill it.

    A target is filled only if it is at least as full as the source (R24). Return no seats if nobody may move.
    """
    if can_move(source, target):
        return source.seats
    free = PLAYERS - len(target.seats)
    waiting = source.lobby_id != target.lobby_id and source.open and target.open and source.language == target.language
    if not waiting or len(target.seats) < len(source.seats):
        return ()
    filling: dict[int, tuple[Seat, ...]] = {0: ()}
    for party in dict.fromkeys(seat.party for seat in source.seats):
        seats = tuple(seat for seat in source.seats if seat.party == party)
        if near(seats[0].party_rating, target.rating):
            for size, chosen in list(filling.items()):
                filling.setdefault(size + len(seats), chosen + seats)
    return filling.get(free, ())


def merge_plan(lobby: Lobby, others: Iterable[Lobby]) -> tuple[Lobby, Lobby] | None:
    """Return the best merger that `lobby` can be part of, as (source, target); None if there is none (R24).

    The fullest result first, then the fewest players who move.
    """
    pairs = [pair for other in others for pair in ((lobby, other), (other, lobby))]
    moves = [(len(seats), pair) for pair in pairs if (seats := movers(*pair))]
    best = min(
        moves,
        key=lambda move: (
            -move[0] - len(move[1][1].seats),
            move[0],
            move[1][1].opened_at_ms,
            move[1][1].lobby_id,
        ),
        default=None,
    )
    return best[1] if best else None


def merge(source: Lobby, target: Lobby) -> tuple[Lobby, Lobby]:
    """Move the `movers` from `source` to `target`. A full target starts. Raises ValueError if nobody may move."""
    moving = movers(source, target)
    if not moving:
        raise ValueError("the lobbies cannot be one")
    staying = tuple(seat for seat in source.seats if seat not in moving)
    moved = (replace(seat, moved_from=(*seat.moved_from, source.lobby_id)) for seat in moving)
    seats = (*target.seats, *moved)
    return (
        replace(source, seats=staying, merged_into=None if staying else target.lobby_id),
        replace(target, seats=seats, started=len(seats) == PLAYERS),
    )


def rename_seat(lobby: Lobby, player_id: str, nickname: str) -> Lobby:
    """Show the player under another nickname while they wait (R35)."""
    return replace(
        lobby,
        seats=tuple(replace(seat, nickname=nickname) if seat.player_id == player_id else seat for seat in lobby.seats),
    )
