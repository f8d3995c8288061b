"""Elo by final place (R19-R22)."""

import math
from collections.abc import Iterable
from enum import Enum

START = 1000
K = 50
OPPONENTS = 7
WINDOW = 200
"""The greatest distance in points between a player's rating and a lobby's, inclusive (R23, R24)."""


class Outcome(Enum):
    """A final place compared with another: it counts as a duel won, drawn or lost (R19)."""

    ABOVE = 1.0
    SAME = 0.5
    BELOW = 0.0

    @classmethod
    def of(cls, own_place: int, other_place: int) -> "Outcome":
        """Return the outcome of two places, of which the smaller number is better."""
        if own_place == other_place:
            return cls.SAME
        return cls.ABOVE if own_place < other_place else cls.BELOW


def expected(own: int, opponent: int) -> float:
    """Return the score that Elo expects of `own` against `opponent`, from 0 to 1 (R21)."""
    # Beyond this cap the power would overflow a float. No player can reach such a rating.
    exponent = max(-300.0, min(300.0, (opponent - own) / 400))
    return float(1 / (1 + 10**exponent))


def part(own: int, opponent: int, outcome: Outcome) -> float:
    """Return the unrounded part of a rating change that comes from one opponent, in points."""
    return K / OPPONENTS * (outcome.value - expected(own, opponent))


def change(own: int, opponents: Iterable[tuple[int, Outcome]]) -> int:
    """Return the rating change in points from the seven opponents' ratings and outcomes, rounded once (R21)."""
    return round(math.fsum(part(own, rating, outcome) for rating, outcome in opponents))
