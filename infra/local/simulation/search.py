"""Look for a seed that breaks a rule, and shorten its history."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from infra.local.simulation.engine import Engine
from infra.local.simulation.faults import KINDS
from infra.local.simulation.history import History, Outcome
from infra.local.simulation.shrink import shortened


@dataclass(frozen=True)
class Shortened:
    """The shortest history of a seed that still breaks the rule."""

    faults: list[str]
    outcome: Outcome
    tried: int
    """The histories that were played to find it."""


LONGEST_SECONDS = 120
"""The processor time for which a history is shortened at most."""
LATER_MINUTES = 5
"""A shortened history that has not failed so long after the first one did is taken for one that does not fail."""


def play(
    engine: Engine,
    seed: int,
    only: Collection[str] | None = None,
    kinds: Collection[str] = tuple(KINDS),
    minutes: float | None = None,
) -> Outcome:
    """Play the history of a seed: with the faults in `only` if it is given, and for so many virtual minutes."""
    return History(engine, seed, only, kinds, minutes).run()


def shorten(engine: Engine, failed: Outcome, kinds: Collection[str] = tuple(KINDS)) -> Shortened:
    """Leave out of a history that failed as many faults as possible, so that it still fails in the same way.

    Whole kinds of faults go first, then parts of what is left.
    """
    tried, wanted, minutes = 0, signature(failed.failure), failed.minutes + LATER_MINUTES
    end = time.process_time() + LONGEST_SECONDS

    def fails(faults: Sequence[str]) -> bool:
        nonlocal tried
        if time.process_time() > end:
            return False
        tried += 1
        return signature(play(engine, failed.seed, faults, kinds, minutes).failure) == wanted

    faults = list(failed.struck)
    for kind in sorted(failed.counts, key=lambda kind: -failed.counts[kind]):
        without = [fault for fault in faults if not fault.startswith(f"{kind} @")]
        if len(without) < len(faults) and fails(without):
            faults = without
    faults = shortened(faults, fails)
    return Shortened(faults, play(engine, failed.seed, faults, kinds, minutes), tried)


def signature(failure: str) -> str:
    """Return the failure without ids and numbers: two with the same one are taken for the same."""
    return re.sub(r"[a-z]?[0-9a-f]{8,}|\d+", "#", failure)
