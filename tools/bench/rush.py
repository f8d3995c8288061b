"""Compute how many players a second get a seat in one language and rating, with a model of DynamoDB.

The game's own code runs, matchmaking and merging with their retries; the store below it is a model, and so is time.
Latencies are assumed (milliseconds, below); nobody has measured them on AWS. The figures show how the wait grows with
the rush, and where it ends. `make bench` prints them.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import random
import statistics
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from rich.console import Console
from rich.table import Column, Table

from wordle_tournament import clock, randomness
from wordle_tournament.delivery import announce
from wordle_tournament.matchmaking import merging, seats, starting
from wordle_tournament.rules.lobby import Lobby, Seat, Waiting
from wordle_tournament.rules.player import Player
from wordle_tournament.store import (
    PLAYERS,
    Change,
    Committed,
    Conflict,
    Create,
    Versioned,
    Write,
    errors,
    retry_conflicts,
)

READ_MS = 4.0
QUERY_MS = 6.0
PREPARE_MS = 5.0
"""Until a transaction has checked its conditions and holds its items; then it can no longer fail."""
TRANSACTION_MS = 15.0
INDEX_LAG_MS = 50.0
PUSH_MS = 10.0
"""The time that a function needs after it has taken a seat, to tell the players in the lobby."""
COLD_MS = 700.0
"""A new environment: what loading the function takes, without SnapStart, with room for Lambda's own part."""
JITTER = 0.3
"""Each latency varies by up to this share of itself."""
RATES = (5, 20, 50, 100, 200)
CROWDS = (8, 60, 200)


class Timeline:
    """The model's time. One thread runs at a time, and each `pause` hands over to the thread that is due next."""

    def __init__(self) -> None:
        self.now_ms = 0.0
        self._queue: list[tuple[float, int, threading.Semaphore | Callable[[], None]]] = []
        self._order = itertools.count()
        self._idle = threading.Semaphore(0)

    def at(self, at_ms: float, act: threading.Semaphore | Callable[[], None]) -> None:
        heapq.heappush(self._queue, (at_ms, next(self._order), act))

    def pause(self, ms: float) -> None:
        """Pause the thread that runs."""
        turn = threading.Semaphore(0)
        self.at(self.now_ms + ms, turn)
        self._idle.release()
        turn.acquire()

    def start(self, at_ms: float, act: Callable[[], None]) -> None:
        """Run `act` in a thread of its own from that time on."""

        def run() -> None:
            try:
                act()
            finally:
                self._idle.release()

        self.at(at_ms, threading.Thread(target=run, daemon=True).start)

    def run(self) -> None:
        """Run until nothing is left to happen."""
        while self._queue:
            self.now_ms, _, act = heapq.heappop(self._queue)
            if isinstance(act, threading.Semaphore):
                act.release()
                self._idle.acquire()
            elif getattr(act, "__name__", "") == "start":
                act()
                self._idle.acquire()
            else:
                act()


class Model:
    """The store: reads are consistent, transactions atomic, two at once on one item conflict, and the index lags."""

    def __init__(self, seed: int, shards: int) -> None:
        self.shards = shards
        self.time = Timeline()
        self.rng = random.Random(seed)
        self.items: dict[str, Versioned[Any]] = {}
        self.index: dict[str, Versioned[Lobby]] = {}
        self.held: set[str] = set()
        self.calls: Counter[str] = Counter()
        self.cold_ms = 0.0
        self.free = 0
        """Warm environments of the function that no invocation is using."""

    def begin(self) -> None:
        """Take a warm environment, or wait for a new one."""
        if not self.cold_ms:
            return
        if self.free:
            self.free -= 1
        else:
            self._take("cold start", self.cold_ms)

    def end(self) -> None:
        """Give the environment back."""
        self.free += 1

    def sweep(self) -> None:
        """Merge the lobbies that are left, as the sweeper does."""
        for key, stored in list(self.items.items()):
            if isinstance(stored.value, Lobby) and stored.value.open:
                merging.merge_lobbies(key)

    def load(self, table: Any, aggregate_id: str) -> Versioned[Any] | None:
        self._take("read", READ_MS)
        return self.items.get(table.stored_key(aggregate_id))

    def load_many(self, table: Any, aggregate_ids: Iterable[str]) -> dict[str, Versioned[Any]]:
        keys = {aggregate_id: table.stored_key(aggregate_id) for aggregate_id in aggregate_ids}
        if keys:
            self._take("read", READ_MS)
        return {aggregate_id: self.items[key] for aggregate_id, key in keys.items() if key in self.items}

    def waiting_lobbies(self, language: str, rating: float, window: float) -> list[Waiting]:
        self._take("query", QUERY_MS)
        near = [
            Waiting(stored.value.lobby_id, stored.value.rating, stored.value.taken, stored.value.opened_at_ms)
            for stored in self.index.values()
            if stored.value.open and abs(stored.value.rating - rating) <= window
        ]
        return sorted(near, key=lambda lobby: abs(lobby.rating - rating))[: 200 * self.shards]

    def commit(self, *writes: Write) -> Committed:
        keys = {write.table.key_of(write.value): write for write in writes if isinstance(write, Create | Change)}
        self._take("transaction", PREPARE_MS)
        if self.held & keys.keys() or any(not self._holds(key, write) for key, write in keys.items()):
            self._take("conflict", PREPARE_MS)
            raise Conflict("TransactionConflict")
        self.held |= keys.keys()
        self.time.pause(self._about(TRANSACTION_MS - PREPARE_MS))
        self.held -= keys.keys()
        written: dict[Write, Versioned[Any]] = {}
        for key, write in keys.items():
            stored = Versioned(write.value, write.before.version + 1 if isinstance(write, Change) else 1)
            self.items[key] = stored
            written[write] = stored
            if isinstance(write.value, Lobby):
                self.time.at(self.time.now_ms + self._about(INDEX_LAG_MS), self._indexed(key, stored))
        return Committed(written)

    def _holds(self, key: str, write: Create[Any, Any] | Change[Any, Any]) -> bool:
        current = self.items.get(key)
        if isinstance(write, Create):
            return current is None
        return current is not None and current.version == write.before.version

    def _indexed(self, key: str, stored: Versioned[Lobby]) -> Callable[[], None]:
        def show() -> None:
            if key not in self.index or self.index[key].version < stored.version:
                self.index[key] = stored

        return show

    def _take(self, kind: str, ms: float) -> None:
        self.calls[kind] += 1
        self.time.pause(self._about(ms))

    def _about(self, ms: float) -> float:
        return ms * self.rng.uniform(1 - JITTER, 1 + JITTER)


@dataclass
class Figures:
    """The results of the players who joined."""

    waits_ms: list[float] = field(default_factory=list)
    attempts: list[int] = field(default_factory=list)
    busy: int = 0
    waiting: list[int] = field(default_factory=list)
    """How many players wait in each open lobby at the end."""
    unfilled: list[tuple[float, int]] = field(default_factory=list)
    """The same with the ratings of the lobbies."""
    cold_starts: int = 0
    tournaments: int = 0
    transactions: int = 0
    """All transactions, with those that failed and those that merge."""

    @property
    def seated(self) -> float:
        """The share of players who got a seat with their first request."""
        return len(self.waits_ms) / (len(self.waits_ms) + self.busy)

    def wait_ms(self, share: float) -> float:
        return sorted(self.waits_ms)[int(share * (len(self.waits_ms) - 1))]


def rush(
    arrivals_ms: Iterable[float], seed: int = 1, *, shards: int = 1, spread: float = 0, cold_ms: float = 0
) -> Figures:
    """Let a player come at each of these times, and run until nothing happens any more; then sweep.

    `spread` is the standard deviation of their ratings around 1000. With `cold_ms` no environment of the function is
    warm at the start: a join that finds none free waits so long for a new one.
    """
    model, figures = Model(seed, shards), Figures()
    model.cold_ms = cold_ms
    ratings = random.Random(seed + 1)
    with _in_place_of_the_store(model):
        for number, at_ms in enumerate(arrivals_ms):
            rating = max(0, round(ratings.gauss(1000, spread)))
            player = Player(f"p{number}", "hash", "Name", 0, rating=rating)
            model.items[player.player_id] = Versioned(player, 1)
            model.time.start(at_ms, _joiner(model, figures, player))
        model.time.run()
        model.time.start(model.time.now_ms + 1000, model.sweep)
        model.time.run()
    lobbies = [stored.value for stored in model.items.values() if isinstance(stored.value, Lobby)]
    figures.unfilled = sorted((lobby.rating, len(lobby.seats)) for lobby in lobbies if lobby.open)
    figures.waiting = sorted(seats for _, seats in figures.unfilled)
    figures.cold_starts = model.calls["cold start"]
    figures.tournaments = sum(lobby.started for lobby in lobbies)
    figures.transactions = model.calls["transaction"]
    assert sum(len(lobby.seats) for lobby in lobbies) == len(figures.waits_ms), "everybody sits in one place"
    return figures


def _joiner(model: Model, figures: Figures, player: Player) -> Callable[[], None]:
    seat = Seat(player.player_id, player.nickname, player.rating, player.player_id, player.rating)

    def join() -> None:
        came_ms, attempts = model.time.now_ms, itertools.count(1)
        made = 0

        def move() -> tuple[Versioned[Lobby], Any]:
            nonlocal made
            made = next(attempts)
            # The reads that identify the player: connection, player, settings.
            model.load(PLAYERS, player.player_id)
            stored = model.load(PLAYERS, player.player_id)
            assert stored is not None
            return seats.seat_party("en", (seat,), {player.player_id: stored}, made - 1)

        model.begin()
        try:
            lobby, outcome = retry_conflicts(move)
        except Conflict:
            figures.busy += 1
            model.end()
            return
        figures.waits_ms.append(model.time.now_ms - came_ms)
        figures.attempts.append(made)
        model.time.pause(PUSH_MS)
        if outcome is seats.Outcome.OPENED:
            merging.merge_lobbies(lobby.value.lobby_id)
        model.end()

    return join


@contextlib.contextmanager
def _in_place_of_the_store(model: Model) -> Iterator[None]:
    """Give the modules that seat and merge the model's store and time. Nothing is pushed, and no words are drawn."""
    with contextlib.ExitStack() as exit_:
        for module in (seats, merging):
            for name in ("load", "load_many", "waiting_lobbies", "commit"):
                exit_.enter_context(mock.patch.object(module, name, getattr(model, name)))
        exit_.enter_context(mock.patch.object(seats, "settings", return_value=_Shards(model.shards)))
        exit_.enter_context(mock.patch.object(errors, "time", _Sleep(model)))
        exit_.enter_context(mock.patch.object(randomness, "rng", model.rng))
        exit_.enter_context(mock.patch.object(announce, "lobby", return_value=(None, set())))
        exit_.enter_context(mock.patch.object(clock, "now_ms", side_effect=lambda: int(model.time.now_ms)))
        exit_.enter_context(mock.patch.object(starting, "writes", return_value=[]))
        for module, name in (
            (errors, "count"),
            (merging, "count"),
            (merging, "logger"),
            (starting, "begin"),
        ):
            exit_.enter_context(mock.patch.object(module, name))
        yield


@dataclass
class _Shards:
    """Stand in for the settings."""

    shards: int


@dataclass
class _Sleep:
    """Stand in for the module `time`."""

    model: Model

    def sleep(self, seconds: float) -> None:
        self.model.time.pause(seconds * 1000)


def steady(a_second: float, seconds: float = 10, seed: int = 1) -> list[float]:
    """Return random arrivals, so many a second on average."""
    rng = random.Random(seed)
    times = itertools.accumulate(rng.expovariate(a_second / 1000) for _ in itertools.count())
    return list(itertools.takewhile(lambda at_ms: at_ms < seconds * 1000, times))


def table() -> Table:
    """Return figures for a steady rush, and for crowds that come at one instant."""
    title = "Joins in one language and rating (modelled by tools/bench/rush.py); waits: median, 95 % and longest"
    figures_table = _table(title)
    rushes = [(f"{rate} a second", steady(rate)) for rate in RATES]
    crowds = [(f"{size} at once", [0.0] * size) for size in CROWDS]
    for name, arrivals_ms in rushes + crowds:
        _add(figures_table, name, rush(arrivals_ms), len(arrivals_ms))
    return figures_table


def million() -> Table:
    """Return figures for a thousand joins a second in one language, over one shard and over eight."""
    figures_table = _table("A thousand joins a second in one language for two seconds, from cold")
    arrivals_ms = steady(1000, seconds=2)
    for name, shards, spread in (
        ("one rating, 1 shard", 1, 0.0),
        ("one rating, 8 shards", 8, 0.0),
        ("ratings 1000 ± 200, 8 shards", 8, 200.0),
    ):
        figures = rush(arrivals_ms, shards=shards, spread=spread, cold_ms=COLD_MS)
        _add(figures_table, name, figures, len(arrivals_ms))
    return figures_table


def _table(title: str) -> Table:
    waits = Column("wait in s: median, 95 %, 99 %, longest", no_wrap=True)
    return Table(Column("arrivals", no_wrap=True), "seated", "attempts", "transactions", waits, "left", title=title)


def _add(figures_table: Table, name: str, figures: Figures, players: int) -> None:
    waits = ", ".join(f"{figures.wait_ms(share) / 1000:.2f}" for share in (0.5, 0.95, 0.99, 1))
    figures_table.add_row(
        name,
        f"{figures.seated:.1%}",
        f"{statistics.mean(figures.attempts):.1f}",
        f"{figures.transactions / players:.1f}",
        waits,
        " + ".join(map(str, figures.waiting)) or "nobody",
    )


if __name__ == "__main__":
    console = Console(width=120)
    console.print(table())
    console.print(million())
