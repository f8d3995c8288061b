"""The sparse indexes. There is no scan."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from ..rules.lobby import Lobby
from .aggregates import ALL
from .errors import retry_read, translated
from .load import Versioned, is_alive, read_versioned
from .records import LobbyRecord, PlayerRecord, TournamentRecord

R = TypeVar("R")

HAIR = 0.001
"""A margin for the means of groups, which are floats. The rules decide on the edge; the query must not miss it."""
AT_MOST = 200
"""The most items that a query returns. The fullest of so many lobbies is full enough for one player."""


def open_lobbies(language: str, rating: float, window: float) -> list[Versioned[Lobby]]:
    """Return open lobbies of a language whose rating is at most `window` from `rating`. The index lags a little."""
    between = LobbyRecord.rating.between(rating - window - HAIR, rating + window + HAIR)
    records = _all(lambda: LobbyRecord.open.query(language, between, limit=AT_MOST))
    return [read_versioned(record) for record in records if is_alive(record)]


def away_players(before_ms: int) -> list[str]:
    """Return the players with a seat or a group who have been away since before that time."""
    records = _all(lambda: PlayerRecord.away.query(ALL, PlayerRecord.away_since_ms < before_ms, limit=AT_MOST))
    return [record.player_id for record in records]


def running_tournaments() -> int:
    """Return the number of running tournaments. The index lags a little."""
    with translated():
        return int(TournamentRecord.running.count(ALL))


def overdue_tournaments(now_ms: int) -> list[str]:
    """Return the running tournaments whose round has been due for a while, by OVERDUE_GRACE_MS."""
    records = _all(lambda: TournamentRecord.running.query(ALL, TournamentRecord.due_at_ms < now_ms, limit=AT_MOST))
    return [record.tournament_id for record in records]


def _all(query: Callable[[], Iterable[R]]) -> list[R]:
    """Return all records of the query. Raises Conflict or StoreError."""

    def read() -> list[R]:
        with translated():
            return list(query())

    return retry_read(read)
