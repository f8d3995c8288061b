"""Everything that is left to chance, drawn from a seed and a name.

A number depends on the seed and on the name of what it decides, and on nothing that was drawn before. So a fault that
is taken out of a history leaves all other decisions as they were, and the history can be shortened.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, TypeVar

T = TypeVar("T")

_FULL = float(1 << 64)


class Chance:
    """The source of all decisions of one history."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._key = str(seed).encode()

    def number(self, *name: Any) -> float:
        """Return a number from 0 up to 1, without 1: always the same one for this name."""
        return self._bits(name) / _FULL

    def whole(self, low: int, high: int, *name: Any) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return low + self._bits(name) % (high - low + 1)

    def one_of(self, choices: Sequence[T], *name: Any) -> T:
        """Return one of the choices."""
        return choices[self._bits(name) % len(choices)]

    def rng(self, *name: Any) -> random.Random:
        """Return a generator of its own for this name."""
        return random.Random(self._bits(name))

    def _bits(self, name: Sequence[Any]) -> int:
        text = "/".join(map(str, name)).encode()
        return int.from_bytes(blake2b(text, digest_size=8, key=self._key).digest(), "big")
