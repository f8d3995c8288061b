"""What is stored but is no part of the game."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Connection:
    """A WebSocket connection and the player who signed in on it."""

    connection_id: str
    player_id: str


@dataclass(frozen=True, slots=True)
class OpenedLobby:
    lobby_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Door:
    """A language's door. Whoever opens a lobby goes through it, so that two at once do not open two (R24)."""

    language: str
    opened: tuple[OpenedLobby, ...] = ()


@dataclass(frozen=True, slots=True)
class Finished:
    """A tournament that a player has finished; `rating` is theirs from then on."""

    tournament_id: str
    at_ms: int
    place: int
    rating_change: int
    rating: int


@dataclass(frozen=True, slots=True)
class History:
    """A player's record: the best place ever, and the last tournaments, newest first."""

    player_id: str
    best_place: int | None
    recent: tuple[Finished, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """What operators can switch while the game runs."""

    queue_open: bool = True


RECENT = 50
"""How many tournaments a record keeps."""


def add_to_history(history: History | None, player_id: str, finished: Finished) -> History:
    """The player's record with one more tournament."""
    if history is None:
        return History(player_id, finished.place, (finished,))
    return History(
        player_id, min(history.best_place or finished.place, finished.place), (finished, *history.recent)[:RECENT]
    )


def without(history: History, tournament_id: str) -> History:
    """The record without a tournament that was voided; the best place is that of those it still has."""
    recent = tuple(finished for finished in history.recent if finished.tournament_id != tournament_id)
    best = min((finished.place for finished in recent), default=None)
    return History(history.player_id, best, recent)
