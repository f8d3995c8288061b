"""Shorten a failing history: leave out faults until the failure needs every one that is left (delta debugging).

The method is ddmin of Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence


def shortened(faults: Sequence[str], fails: Callable[[Sequence[str]], bool]) -> list[str]:
    """Return a part of the faults with which `fails` is still True, and is not without any one of them."""
    left, parts = list(faults), 2
    if left and fails([]):
        return []
    while len(left) > 1:
        size = -(-len(left) // parts)
        pieces = [left[start : start + size] for start in range(0, len(left), size)]
        for index, piece in enumerate(pieces):
            rest = [one for other, others in enumerate(pieces) if other != index for one in others]
            if parts == 2 and fails(piece):  # of two halves each is the rest of the other
                left = piece
                break
            if fails(rest):
                left, parts = rest, max(parts - 1, 2)
                break
        else:
            if parts >= len(left):
                break
            parts = min(len(left), 2 * parts)
    return left
