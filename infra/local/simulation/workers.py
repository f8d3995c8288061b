"""A process that plays histories for another one: it loads the handlers once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from infra.local.simulation.engine import Engine
from infra.local.simulation.history import Outcome
from infra.local.simulation.search import Shortened, play, shorten


@dataclass
class _Process:
    engine: Engine | None = None


_process = _Process()


def start() -> None:
    """Load the handlers. They stay for as long as the process lives."""
    engine = Engine()
    engine.__enter__()
    _process.engine = engine


def play_seeds(seeds: Iterable[int], kinds: tuple[str, ...]) -> list[Outcome]:
    """Play the seeds. Only a history that failed keeps its lines."""
    assert _process.engine is not None
    outcomes = []
    for seed in seeds:
        outcome = play(_process.engine, seed, kinds=kinds)
        if not outcome.failure:
            outcome.lines.clear()
        outcomes.append(outcome)
    return outcomes


def shorten_seed(failed: Outcome, kinds: tuple[str, ...]) -> Shortened:
    """Shorten a history that failed."""
    assert _process.engine is not None
    return shorten(_process.engine, failed, kinds)
