"""Drawing secret words (R12, R33)."""

import random
from collections import Counter

import pytest

from wordle_tournament.words import LENGTHS, answers, draw_answer, languages


@pytest.mark.thorough
def test_all_answers_are_equally_likely() -> None:
    words = answers("it", 4)
    rng = random.Random(7)
    drawn = Counter(draw_answer("it", 4, (), rng) for _ in range(50 * len(words)))
    assert drawn.keys() == set(words)
    # Chi squared over its degrees of freedom is 1 for a fair draw.
    deviation = sum((drawn[word] - 50) ** 2 / 50 for word in words) / (len(words) - 1)
    assert 0.8 < deviation < 1.2


@pytest.mark.parametrize("language", list(languages()))
def test_a_used_word_is_not_drawn_again(language: str) -> None:
    for length in LENGTHS:
        words = list(answers(language, length))
        assert draw_answer(language, length, words[1:], random.Random(1)) == words[0]


def test_the_same_seed_draws_the_same_word() -> None:
    assert draw_answer("uk", 5, set(), random.Random(3)) == draw_answer("uk", 5, set(), random.Random(3))
