"""R19-R21: what a place is worth."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordle_tournament.rules import rating
from wordle_tournament.rules.rating import Outcome

# By place 1 to 8, as published.
PUBLISHED = [25, 18, 11, 4, -4, -11, -18, -25]
RATINGS = st.lists(st.integers(-2_000, 5_000), min_size=8, max_size=8)
PLACES = st.lists(st.integers(1, 8), min_size=8, max_size=8)


def others(index: int, places: list[int], ratings: list[int]) -> list[tuple[int, Outcome]]:
    return [(ratings[i], Outcome.of(places[index], places[i])) for i in range(8) if i != index]


def changes(places: list[int], ratings: list[int] | None = None) -> list[int]:
    ratings = ratings or [1000] * 8
    return [rating.change(ratings[index], others(index, places, ratings)) for index in range(8)]


def test_everyone_starts_at_1000() -> None:
    assert rating.START == 1000


def test_a_better_place_is_a_win_a_worse_one_a_loss_and_the_same_half() -> None:
    assert [Outcome.of(2, other).value for other in (1, 2, 3)] == [0, 0.5, 1]


@pytest.mark.parametrize("level", [1000, 0, -730, 12, 2844])
def test_equal_ratings_give_the_published_table_at_any_level(level: int) -> None:
    assert changes([1, 2, 3, 4, 5, 6, 7, 8], [level] * 8) == PUBLISHED


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([1, 1, 3, 4, 5, 6, 7, 8], [21, 21, 11, 4, -4, -11, -18, -25]),
        ([1, 2, 3, 4, 5, 6, 7, 7], [25, 18, 11, 4, -4, -11, -21, -21]),
        ([1] * 8, [0] * 8),
        ([1, 1, 1, 1, 5, 5, 5, 5], [14] * 4 + [-14] * 4),
        ([1, 2, 2, 2, 2, 2, 2, 2], [25] + [-4] * 7),
        ([1, 1, 1, 4, 5, 6, 7, 8], [18, 18, 18, 4, -4, -11, -18, -25]),
        # Groups of one, two, one, one, one and two.
        ([1, 2, 2, 4, 5, 6, 7, 7], [25, 14, 14, 4, -4, -11, -21, -21]),
    ],
)
def test_shared_places_at_equal_ratings(places: list[int], expected: list[int]) -> None:
    assert changes(places) == expected


def test_nobody_is_given_points_to_make_the_rounded_changes_sum_to_zero() -> None:
    assert sum(changes([1, 1, 3, 4, 5, 6, 7, 8])) == -1


@pytest.mark.parametrize(("place", "expected"), [(1, 5), (8, -45)])
def test_a_favourite_gains_little_and_loses_much(place: int, expected: int) -> None:
    # 1400 against seven of 1000 is expected to win 10/11 of each: 50 * 1/11 and 50 * -10/11.
    places = [place, *(number for number in range(1, 9) if number != place)]
    assert changes(places, [1400] + [1000] * 7)[0] == expected


@pytest.mark.parametrize(("place", "expected"), [(1, 45), (8, -5)])
def test_an_underdog_gains_much_and_loses_little(place: int, expected: int) -> None:
    places = [place, *(number for number in range(1, 9) if number != place)]
    assert changes(places, [600] + [1000] * 7)[0] == expected


def test_it_is_rounded_once_after_adding_the_seven() -> None:
    # Each of seven wins over an equal brings 3.57: rounded one by one they would make 28.
    assert rating.change(1000, [(1000, Outcome.ABOVE)] * 7) == 25


@given(st.integers(-3_000, 6_000), st.integers(-3_000, 6_000))
def test_what_one_is_expected_to_win_the_other_is_expected_to_lose(own: int, opponent: int) -> None:
    assert math.isclose(rating.expected(own, opponent) + rating.expected(opponent, own), 1)


@pytest.mark.parametrize(("lead", "expected"), [(0, "1/2"), (400, "10/11"), (-400, "1/11"), (800, "100/101")])
def test_400_points_are_odds_of_ten_to_one(lead: int, expected: str) -> None:
    assert math.isclose(rating.expected(1000 + lead, 1000), Fraction(expected))


@given(PLACES, RATINGS)
def test_the_unrounded_changes_of_all_eight_sum_to_zero(places: list[int], ratings: list[int]) -> None:
    parts = [rating.part(ratings[index], *other) for index in range(8) for other in others(index, places, ratings)]
    assert abs(math.fsum(parts)) < 1e-9


@given(PLACES, RATINGS)
def test_a_change_is_elo_with_k_50_over_seven_opponents(places: list[int], ratings: list[int]) -> None:
    for index, change in enumerate(changes(places, ratings)):
        total = sum(
            (1 if places[index] < places[i] else 0 if places[index] > places[i] else 0.5)
            - 1 / (1 + math.pow(10, (ratings[i] - ratings[index]) / 400))
            for i in range(8)
            if i != index
        )
        assert abs(change - 50 * total / 7) <= 0.5 + 1e-9


@given(RATINGS)
def test_no_change_is_above_fifty_points(ratings: list[int]) -> None:
    assert all(abs(change) <= 50 for change in changes([1, 2, 3, 4, 5, 6, 7, 8], ratings))


@given(st.integers(0, 2_000), st.integers(0, 2_000), st.sampled_from(Outcome))
def test_it_pays_no_less_against_the_higher_rated(one: int, other: int, outcome: Outcome) -> None:
    lower, higher = sorted((one, other))
    assert rating.part(1000, higher, outcome) >= rating.part(1000, lower, outcome)


def test_beating_the_higher_rated_brings_more_and_losing_to_the_lower_rated_costs_more() -> None:
    assert rating.part(1000, 1200, Outcome.ABOVE) > rating.part(1000, 800, Outcome.ABOVE)
    assert rating.part(1000, 800, Outcome.BELOW) < rating.part(1000, 1200, Outcome.BELOW)


@pytest.mark.parametrize("far", [10**6, -(10**6)])
def test_no_rating_is_too_far_off_to_reckon_with(far: int) -> None:
    assert rating.change(1000, [(far, Outcome.SAME)] * 7) == (25 if far > 0 else -25)
