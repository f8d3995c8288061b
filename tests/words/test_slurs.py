"""R14: slurs may be no guess. Their code is their own, their message does not repeat them, and no answer is one."""

import pytest

from wordle_tournament import words
from wordle_tournament.errors import ErrorCode, GameError

CODES = sorted(words.languages())


@pytest.mark.parametrize("language", CODES)
def test_no_slur_may_be_guessed_or_drawn(language: str) -> None:
    assert words.slurs(language)
    for word in words.slurs(language):
        with pytest.raises(GameError) as refused:
            words.check_guess(language, len(word), word)
        assert refused.value.code is ErrorCode.WORD_NOT_ALLOWED
        assert refused.value.field == "word"
        assert word not in (refused.value.message or "")
    for length in words.LENGTHS:
        assert words.slurs(language).isdisjoint(words.answers(language, length))
        assert words.slurs(language).isdisjoint(words.guesses(language, length))


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("en", "nigger"),
        ("en", "kikes"),
        ("de", "kanake"),
        ("fr", "negre"),
        ("pl", "szkop"),
        ("ru", "жиды"),
        ("uk", "кацап"),
    ],
)
def test_these_are_slurs(language: str, word: str) -> None:
    assert word in words.slurs(language)


@pytest.mark.parametrize(
    ("language", "word"),
    [
        *(("en", "dyke"), ("en", "retard"), ("en", "shit"), ("en", "chink"), ("es", "negro"), ("nl", "kanker")),
        *(("pl", "pedał"), ("fr", "pedale"), ("de", "japsen"), ("it", "merda"), ("id", "cebong")),
    ],
)
def test_a_word_with_another_main_use_and_plain_profanity_may_be_guessed(language: str, word: str) -> None:
    assert words.check_guess(language, len(word), word) == word
