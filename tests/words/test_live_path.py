"""Every answer, typed as a player might, is accepted on the way a guess takes and marked all correct."""

import random
import unicodedata
from collections import Counter

import pytest

from wordle_tournament import words
from wordle_tournament.matchmaking.starting import draw_word
from wordle_tournament.rules.duel import LENGTHS
from wordle_tournament.rules.marks import Mark, mark
from wordle_tournament.rules.tournament import PLAYERS, Entrant, Timing, start


def upper(word: str) -> str:
    """Upper case as keyboards have it: a sharp s stays one letter (`str.upper` makes two of it)."""
    return word.replace("ß", "ẞ").upper()


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("language", sorted(words.languages()))
def test_every_answer_is_accepted_however_typed_and_solves(language: str, length: int) -> None:
    for answer in words.answers(language, length):
        shown = words.display(language, answer)
        for typed in (
            answer,
            upper(answer),
            upper(answer[0]) + answer[1:],
            unicodedata.normalize("NFD", answer),
            shown,
        ):
            word = words.check_guess(language, length, typed)
            assert mark(word, answer) == (Mark.CORRECT,) * length


@pytest.mark.thorough
@pytest.mark.parametrize("language", sorted(words.languages()))
def test_each_length_is_drawn_a_third_of_the_time(language: str) -> None:
    """R12. 250 first rounds of 4 duels with a fixed seed: 333 of each expected, 15 the standard deviation."""
    rng = random.Random(12)
    entrants = [Entrant(f"p{number}", f"Player {number}", 1000) for number in range(PLAYERS)]
    lengths: Counter[int] = Counter()
    for number in range(250):
        _, duels = start(f"g{number}", language, entrants, Timing(), draw_word(language), rng, 0)
        lengths.update(len(duel.word) for duel in duels)
        assert len({duel.word for duel in duels}) == len(duels)
    assert set(lengths) == set(LENGTHS)
    assert all(270 < count < 397 for count in lengths.values())
