"""A rush of one language and rating on a model of DynamoDB: all are seated, in few attempts (R24)."""

import itertools
import statistics

import pytest

from tools.bench.rush import COLD_MS, Figures, rush, steady
from wordle_tournament.rules.rating import WINDOW
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


def assert_one_for_each_window(figures: Figures) -> None:
    """At most one lobby is unfilled within a rating window once the rush is over."""
    ratings = [rating for rating, _ in figures.unfilled]
    assert all(abs(one - other) > WINDOW for one, other in itertools.combinations(ratings, 2))


@pytest.mark.thorough
def test_a_thousand_joins_a_second_are_seated_over_eight_shards() -> None:
    arrivals_ms = steady(1000, seconds=1)
    figures = rush(arrivals_ms, shards=8)
    assert len(figures.waits_ms) == len(arrivals_ms) > 900
    assert figures.wait_ms(0.5) < 500
    assert figures.wait_ms(0.99) < 2000
    assert_one_for_each_window(figures)


@pytest.mark.slow
def test_a_thousand_joins_a_second_of_many_ratings_are_seated_over_eight_shards() -> None:
    arrivals_ms = steady(1000, seconds=2)
    figures = rush(arrivals_ms, shards=8, spread=200, cold_ms=COLD_MS)
    assert len(figures.waits_ms) == len(arrivals_ms) > 1900
    assert figures.wait_ms(0.5) < 500
    assert figures.wait_ms(0.99) < 2000
    assert_one_for_each_window(figures)
