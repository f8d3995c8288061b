"""The sparse indexes. There is no scan."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeVar

from .. import parallel
from ..config import settings
from ..rules.lobby import Waiting
from .aggregates import ALL
from .errors import retry_read, translated
from .load import is_alive
from .records import LobbyRecord, PlayerRecord, TournamentRecord
from .shards import MOST_SHARDS, partition

R = TypeVar("R")

HAIR = 0.001
"""A margin for the means of groups, which are floats. The rules decide on the edge; the query must not miss it."""
AT_MOST = 200
"""The most items of a page. A player is seated in the fullest of so many lobbies, the nearest in rating (R24)."""


def waiting_lobbies(language: str, rating: float, window: float) -> list[Waiting]:
    """Return the lobbies of a language that wait for players, whose rating is at most `window` from `rating`.

    The index lags a little. Of each partition it returns AT_MOST; if there are more, those nearest to `rating`.
    """
    return _each(settings().shards, lambda shard: _waiting(partition(language, shard), rating, window))


def all_waiting_lobbies(language: str, shard: int | None = None) -> Iterator[str]:
    """Yield the lobbies of a language that wait, or seem to, page by page: of one partition, or of all.

    With the first partition come those that only the index of 1.0.0 shows, which its code has written. An id may come
    twice. Raises Conflict or StoreError.
    """
    for number in _shards(shard):
        yield from _ids(LobbyRecord.waiting, partition(language, number), LobbyRecord.lobby_id)
    if not shard:
        yield from _ids(LobbyRecord.open, language, LobbyRecord.lobby_id)


def away_players(before_ms: int, shard: int | None = None) -> Iterator[str]:
    """Yield the players with a seat or a group who have been away since before that time, page by page.

    Of one partition, or of all; raises Conflict or StoreError.
    """
    for number in _shards(shard):
        before = PlayerRecord.away_since_ms < before_ms
        yield from _ids(PlayerRecord.away, partition(ALL, number), PlayerRecord.player_id, before)


def running_tournaments() -> int:
    """Return the number of running tournaments. The index lags a little."""
    with translated():
        return sum(int(TournamentRecord.running.count(partition(ALL, shard))) for shard in range(MOST_SHARDS))


def overdue_tournaments(now_ms: int, shard: int | None = None) -> Iterator[str]:
    """Yield the running tournaments whose round has been due for a while, by OVERDUE_GRACE_MS, page by page.

    Of one partition, or of all; raises Conflict or StoreError.
    """
    for number in _shards(shard):
        due = TournamentRecord.due_at_ms < now_ms
        yield from _ids(TournamentRecord.running, partition(ALL, number), TournamentRecord.tournament_id, due)


def _shards(shard: int | None) -> range:
    return range(MOST_SHARDS) if shard is None else range(shard, shard + 1)


def _ids(index: Any, key: str, attribute: Any, condition: Any = None) -> Iterator[str]:
    """Yield the ids in a partition of an index. Between two pages others may move."""
    start: Any = None
    while True:
        page = retry_read(partial(_page, index, key, condition, start))
        for record in page.records:
            yield getattr(record, attribute.attr_name)
        if page.last is None:
            return
        start = page.last


class _Page(NamedTuple):
    records: list[Any]
    last: Any


def _page(index: Any, key: str, condition: Any, start: Any) -> _Page:
    with translated():
        found = index.query(key, condition, limit=AT_MOST, last_evaluated_key=start)
        return _Page(list(found), found.last_evaluated_key)


def _waiting(key: str, rating: float, window: float) -> list[Waiting]:
    low, high = rating - window - HAIR, rating + window + HAIR
    found = _rows(key, LobbyRecord.rating.between(low, high))
    if len(found) == AT_MOST:
        # There may be more. Those nearest to the rating are on both sides of it.
        above, below = parallel.at_once(
            partial(_rows, key, LobbyRecord.rating.between(rating, high)),
            partial(_rows, key, LobbyRecord.rating.between(low, rating), upwards=False),
        )
        both = {record.lobby_id: record for record in (*above, *below)}
        found = sorted(both.values(), key=lambda record: abs(record.rating - rating))[:AT_MOST]
    return [
        Waiting(record.lobby_id, float(record.rating), int(record.seats_taken), int(record.opened_at_ms))
        for record in found
        if is_alive(record)
    ]


def _rows(key: str, condition: Any, *, upwards: bool = True) -> list[Any]:
    return _all(lambda: LobbyRecord.waiting.query(key, condition, limit=AT_MOST, scan_index_forward=upwards))


def _each(shards: int, read: Callable[[int], list[R]]) -> list[R]:
    """Read that many partitions at the same time."""
    return [one for found in parallel.each(partial(read, shard) for shard in range(shards)) for one in found]


def _all(query: Callable[[], Iterable[R]]) -> list[R]:
    """Return all records of the query. Raises Conflict or StoreError."""

    def read() -> list[R]:
        with translated():
            return list(query())

    return retry_read(read)
