"""A rush of one language and rating on a model of DynamoDB: all are seated, in few attempts (R24)."""

import itertools
import statistics

import pytest

from tools.bench.rush import rush, steady
from wordle_tournament.rules.tournament import PLAYERS


@pytest.mark.thorough
def test_a_hundred_joins_a_second_are_served() -> None:
    arrivals_ms = steady(100, seconds=5)
    figures = rush(arrivals_ms)
    assert len(figures.waits_ms) == len(arrivals_ms) > 400, "nobody is told that the server is busy"
    assert statistics.mean(figures.attempts) < 5
    assert figures.wait_ms(0.95) < 1000
    assert figures.tournaments * PLAYERS + sum(figures.waiting) == len(arrivals_ms)
    assert all(one + other > PLAYERS for one, other in itertools.combinations(figures.waiting, 2))


@pytest.mark.parametrize("size", [8, 60])
def test_a_crowd_at_one_instant_plays(size: int) -> None:
    figures = rush([0.0] * size)
    assert len(figures.waits_ms) == size
    assert sum(figures.waiting) < 2 * PLAYERS
    assert all(one + other > PLAYERS for one, other in itertools.combinations(figures.waiting, 2))


def test_without_a_rush_the_fullest_lobby_is_taken_at_the_first_attempt() -> None:
    figures = rush([second * 1000.0 for second in range(20)])
    assert figures.attempts == [1] * 20
    assert (figures.tournaments, figures.waiting) == (2, [4])
