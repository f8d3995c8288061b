"""R2, R4, R5, R11: who plays whom, held against every pairing there is."""

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.factories import NAMES, pairing
from wordle_tournament.rules.pairing import Pairing, draw_pairing

# A pairing whatever the order of pairs and of the two in a pair; a bye is a set of one.
Shape = frozenset[frozenset[str]]


def shape(drawn: Pairing) -> Shape:
    return frozenset(map(frozenset, drawn.pairs)) | ({frozenset({drawn.bye})} if drawn.bye else frozenset())


def allowed(players: Sequence[str], last: Pairing | None) -> set[Shape]:
    """R4 and R5 by brute force: cut every order of the players into twos, and keep what the rules let through."""
    every = {
        frozenset(frozenset(order[index : index + 2]) for index in range(0, len(order), 2))
        for order in permutations(players)
    }
    last_shape = shape(last) if last else frozenset()
    last_bye = frozenset({last.bye}) if last and last.bye else None
    without_bye_again = {drawn for drawn in every if last_bye not in drawn}
    rematches = {drawn: len({pair for pair in drawn if len(pair) == 2} & last_shape) for drawn in without_bye_again}
    fewest = min(rematches.values())
    return {drawn for drawn, count in rematches.items() if count == fewest}


def draws(count: int, players: Sequence[str], last: Pairing | None = None, seed: int = 7) -> Iterable[Pairing]:
    rng = random.Random(seed)
    return (draw_pairing(players, last, rng) for _ in range(count))


@st.composite
def rounds(draw: st.DrawFn) -> tuple[list[str], Pairing]:
    """Players who are in, and the round before, in which some took part who are out now."""
    before = draw(st.permutations(NAMES[: draw(st.integers(2, 8))]))
    bye = before[-1] if len(before) % 2 else None
    pairs = [f"{before[index]}{before[index + 1]}" for index in range(0, len(before) - 1, 2)]
    players = draw(st.lists(st.sampled_from(before), min_size=2, unique=True))
    return players, pairing(*pairs, bye=bye)


# Participants


@pytest.mark.parametrize("count", range(2, 9))
def test_everybody_who_is_in_has_a_duel_or_the_one_bye(count: int) -> None:
    for drawn in draws(20, NAMES[:count]):
        taking_part = [player for pair in drawn.pairs for player in pair] + ([drawn.bye] if drawn.bye else [])
        assert sorted(taking_part) == list(NAMES[:count])


@pytest.mark.parametrize("count", range(2, 9))
def test_there_is_a_bye_exactly_when_the_number_is_odd(count: int) -> None:
    assert all((drawn.bye is not None) == (count % 2 == 1) for drawn in draws(20, NAMES[:count]))


def test_the_opponent_is_the_other_of_the_pair() -> None:
    drawn = pairing("ab", "cd", bye="e")
    assert [drawn.opponent(player) for player in "abcdex"] == ["b", "a", "d", "c", None, None]


# Allowed pairings


@pytest.mark.thorough
@given(rounds(), st.integers())
def test_a_pairing_is_one_of_those_the_rules_allow(given_round: tuple[list[str], Pairing], seed: int) -> None:
    players, last = given_round
    assert shape(draw_pairing(players, last, random.Random(seed))) in allowed(players, last)


@pytest.mark.parametrize(
    ("players", "last"),
    [
        ("abcd", pairing("ab", "cd")),
        ("abcdef", pairing("ab", "cd", "ef")),
        ("abcdefgh", pairing("ab", "cd", "ef", "gh")),
        ("abc", pairing("ab", bye="c")),
        ("abcde", pairing("ab", "cd", bye="e")),
        ("abcdefg", pairing("ab", "cd", "ef", bye="g")),
    ],
)
def test_no_rematch_where_one_can_be_avoided(players: str, last: Pairing) -> None:
    assert all(not set(shape(drawn)) & {frozenset(pair) for pair in last.pairs} for drawn in draws(200, players, last))


def test_the_last_two_meet_again_since_they_must() -> None:
    assert [shape(drawn) for drawn in draws(3, "ab", pairing("ab"))] == [frozenset({frozenset("ab")})] * 3


def test_only_the_round_before_counts() -> None:
    # a-b met two rounds ago and c-d in the last one: a-b is open again, where c-d is not among those left.
    assert frozenset("ab") in {pair for drawn in draws(50, "abc", pairing("cd")) for pair in shape(drawn)}


@pytest.mark.parametrize("count", [3, 5, 7])
def test_nobody_has_the_bye_twice_running(count: int) -> None:
    last = draw_pairing(NAMES[:count], None, random.Random(1))
    for drawn in draws(500, NAMES[:count], last):
        assert drawn.bye != last.bye


def test_a_bye_two_rounds_ago_may_come_again() -> None:
    assert "c" in {drawn.bye for drawn in draws(100, "abc", pairing("bc", bye="a"))}


# Equally likely (R4, R11)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("players", "last", "count"),
    [
        ("abcd", None, 3),
        ("abcde", None, 15),
        ("abcdef", None, 15),
        ("abcd", pairing("ab", "cd"), 2),
        ("abcdef", pairing("ab", "cd", "ef"), 8),
        ("abcdef", pairing("ab", "cd", "eg", "fh"), 10),
        ("abcdefgh", pairing("ab", "cd", "ef", "gh"), 60),
        ("abc", pairing("ab", bye="c"), 2),
        ("abcde", pairing("ab", "cd", bye="e"), 8),
        ("abcdefg", pairing("ab", "cd", "ef", bye="g"), 60),
    ],
)
def test_all_allowed_pairings_are_equally_likely(players: str, last: Pairing | None, count: int) -> None:
    every = allowed(players, last)
    assert len(every) == count
    each = 40
    seen = Counter(map(shape, draws(each * count, players, last)))
    assert set(seen) == every
    chi_square = sum((number - each) ** 2 / each for number in seen.values())
    # Mean and deviation of chi-square with count - 1 degrees of freedom.
    assert chi_square < count - 1 + 4 * math.sqrt(2 * (count - 1))


@pytest.mark.thorough
def test_of_all_105_pairings_of_eight_none_is_left_out() -> None:
    assert len({shape(drawn) for drawn in draws(1_500, NAMES)}) == 105


@pytest.mark.parametrize("last", [None, pairing("ab", "cd"), pairing("ba", "dc")])
def test_either_of_a_pair_is_as_likely_to_guess_first(last: Pairing | None) -> None:
    first = Counter(player for drawn in draws(2_000, "abcd", last) for player, _ in drawn.pairs)
    assert all(900 < first[player] < 1_100 for player in "abcd")


def test_who_guesses_first_is_drawn_for_each_pair_on_its_own() -> None:
    orders = Counter(tuple(sorted("".join(pair) for pair in drawn.pairs)) for drawn in draws(2_400, "abcd"))
    assert len(orders) == 12
    assert min(orders.values()) > 140


def test_the_same_chance_draws_the_same_pairing() -> None:
    assert list(draws(5, NAMES)) == list(draws(5, NAMES))
