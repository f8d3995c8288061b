"""The reports of the bots while they play, and the figures of each step made of them: pure, for any number of workers.

Times are seconds of the machine's monotonic clock, which all processes of one machine share; durations milliseconds.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

BOTH = "guess to both players"
"""The duration from sending a guess until both players have received the board with its row."""
LATE_MS = 3000
"""A skipped turn that players see later than this after its deadline is late (grace and sweeper included)."""
UNANSWERED = "unanswered"
SERVERS_FAULT = frozenset({"busy", "internal", "throttled", UNANSWERED})
"""The codes of answers that no rule explains."""


class Answered(NamedTuple):
    """A request was answered, or never: `code` is the error's code, UNANSWERED, or empty for a success."""

    at: float
    request: str
    took_ms: float
    code: str


class Guessed(NamedTuple):
    """A bot has sent a guess for that turn of that duel."""

    at: float
    duel_id: str
    turn: int


class Seen(NamedTuple):
    """One of the duel's two players has received the board with the row of that turn."""

    at: float
    duel_id: str
    turn: int
    player_id: str


class Skipped(NamedTuple):
    """A player has received a skipped turn, so long after its deadline."""

    at: float
    late_ms: float


class Lost(NamedTuple):
    """A guess that was sent before the deadline was answered as too late."""

    at: float


class Ended(NamedTuple):
    """A bot's tournament is over."""

    at: float
    tournament_id: str


class Counted(NamedTuple):
    """The messages of a worker since it last counted, its processor time, and how long its loop made others wait."""

    at: float
    sent: int
    received: int
    bots: int
    cpu_seconds: float
    lag_ms: float


Event = Answered | Guessed | Seen | Skipped | Lost | Ended | Counted


class Latency(NamedTuple):
    """How long something took: percentiles in milliseconds of `number` times."""

    number: int
    p50: float
    p95: float
    p99: float
    longest: float


def latency(durations_ms: Sequence[float]) -> Latency | None:
    """Return the percentiles (nearest rank) of the durations, or None without any."""
    if not durations_ms:
        return None
    ordered = sorted(durations_ms)

    def rank(share: float) -> float:
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    return Latency(len(ordered), rank(0.5), rank(0.95), rank(0.99), ordered[-1])


@dataclass(slots=True)
class Step:
    """The figures of one step of the ramp: so many tournaments at once, for so many seconds."""

    tournaments: int
    seconds: float = 0.0
    took_ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By request type, and under BOTH."""
    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Refusals by request type and code."""
    answered: int = 0
    skipped_ms: list[float] = field(default_factory=list)
    lost: int = 0
    guesses: int = 0
    ended: set[str] = field(default_factory=set)
    sent: int = 0
    received: int = 0
    bots: int = 0
    generator_seconds: float = 0.0
    lag_ms: float = 0.0
    server_seconds: float | None = None
    """Processor time of the server, where it is a process of this machine."""
    server_bytes: int | None = None

    @property
    def late(self) -> int:
        """The number of skipped turns that were seen late."""
        return sum(one > LATE_MS for one in self.skipped_ms)

    @property
    def faults(self) -> int:
        """The number of answers that are the server's fault."""
        return sum(count for (_, code), count in self.codes.items() if code in SERVERS_FAULT)

    def fault(self, limit_ms: float) -> str | None:
        """Return why this step is beyond what the server carries, or None."""
        both = latency(self.took_ms.get(BOTH, ()))
        if both is None:
            return "no guess reached both players"
        if both.p95 > limit_ms:
            return f"5 % of the guesses took over {both.p95:.0f} ms to reach both players"
        if self.faults > self.answered / 100:
            return f"{self.faults} of {self.answered} requests failed"
        if self.late > 0:
            return f"{self.late} skipped turns were late"
        if self.lost > 0:
            return f"{self.lost} guesses in time were lost"
        return None


class Measure:
    """Collects the events of all workers, and gives them to the step that runs."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._sent: dict[tuple[str, int], float] = {}
        self._seen: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)

    def begin(self, tournaments: int) -> Step:
        """Begin the next step. A request under way counts where it ends."""
        self.steps.append(Step(tournaments))
        return self.steps[-1]

    def take(self, events: Iterable[Event]) -> None:
        """Add events to the step that runs. They may come in any order, those of one guess from several workers."""
        step = self.steps[-1]
        for event in events:
            match event:
                case Answered():
                    step.answered += 1
                    step.took_ms[event.request].append(event.took_ms)
                    if event.code:
                        step.codes[event.request, event.code] += 1
                case Guessed():
                    step.guesses += 1
                    self._sent.setdefault((event.duel_id, event.turn), event.at)
                    self._pair(step, (event.duel_id, event.turn))
                case Seen():
                    self._seen[event.duel_id, event.turn].setdefault(event.player_id, event.at)
                    self._pair(step, (event.duel_id, event.turn))
                case Skipped():
                    step.skipped_ms.append(event.late_ms)
                case Lost():
                    step.lost += 1
                case Ended():
                    step.ended.add(event.tournament_id)
                case Counted():
                    step.sent += event.sent
                    step.received += event.received
                    step.generator_seconds += event.cpu_seconds
                    step.lag_ms = max(step.lag_ms, event.lag_ms)

    def _pair(self, step: Step, turn: tuple[str, int]) -> None:
        sent, seen = self._sent.get(turn), self._seen.get(turn, {})
        if sent is not None and len(seen) == 2:
            step.took_ms[BOTH].append(max(0.0, max(seen.values()) - sent) * 1000)
            del self._sent[turn], self._seen[turn]


def knee(steps: Sequence[Step], limit_ms: float) -> Step | None:
    """Return the last step before the first one that is beyond what the server carries; None if that is the first."""
    good: Step | None = None
    for step in steps:
        if step.fault(limit_ms) is not None:
            return good
        good = step
    return good
