"""Drawing secret words (R12, R33)."""

import random
from collections import Counter

import pytest

from wordle_tournament.words import LENGTHS, answers, draw_answer, languages
from wordle_tournament.words.lists import WordList


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


@pytest.mark.parametrize(("language", "length"), [("en", 5), ("kk", 4), ("uk", 6)])
def test_each_unused_word_has_one_of_the_equally_likely_numbers(language: str, length: int) -> None:
    words = list(answers(language, length))
    used = {words[0], words[1], words[7], words[-2], words[-1], "no answer", *answers(language, 10 - length)[:3]}
    unused = [word for word in words if word not in used]
    assert [draw_answer(language, length, used, _Drawn(number, len(unused))) for number in range(len(unused))] == unused


def test_with_all_words_used_none_is_drawn() -> None:
    with pytest.raises(ValueError, match="empty range"):
        draw_answer("en", 4, answers("en", 4), random.Random(1))


def test_a_draw_takes_one_word_from_the_list_however_long_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tournament draws some 20 words, so a million of them must not read whole lists each time."""
    words = answers("en", 5)
    used, taken = words[100:110], []
    get = WordList.__getitem__

    def counted(self: WordList, index: int) -> str:
        taken.append(index)
        return str(get(self, index))

    monkeypatch.setattr(WordList, "__getitem__", counted)
    draw_answer("en", 5, used, random.Random(1))
    assert len(taken) == 1


class _Drawn(random.Random):
    """A generator whose only number is known."""

    def __init__(self, number: int, of: int) -> None:
        super().__init__(1)
        self._number, self._of = number, of

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        assert (start, stop, step) == (self._of, None, 1)
        return self._number
