"""The committed lists, each word of them (R12, R14, R33)."""

import unicodedata
from pathlib import Path

import pytest

from wordle_tournament.words import LENGTHS, answers, check_guess, display, guesses, languages
from wordlists.builder.output import absent_pieces

ROOT = Path(__file__).resolve().parents[2] / "wordlists"

# The least that every language has, by length. English, German, French, Spanish and Russian have many more.
FEWEST_ANSWERS = {4: 300, 5: 500, 6: 750}
FEWEST_GUESSES = {4: 1_800, 5: 5_500, 6: 6_500}

each_list = pytest.mark.parametrize(
    ("language", "length"), [(code, length) for code in languages() for length in LENGTHS]
)
each_language = pytest.mark.parametrize("language", list(languages()))


@each_list
def test_there_are_enough_words(language: str, length: int) -> None:
    assert len(answers(language, length)) >= FEWEST_ANSWERS[length]
    assert len(guesses(language, length)) >= FEWEST_GUESSES[length]


@each_list
def test_lists_are_sorted_unique_canonical_and_of_their_length(language: str, length: int) -> None:
    alphabet = {tile.letter for tile in languages()[language].tiles}
    for words in (list(answers(language, length)), list(guesses(language, length))):
        assert words == sorted(set(words))
        assert {len(word) for word in words} == {length}
        assert set("".join(words)) <= alphabet
        assert all(unicodedata.is_normalized("NFC", word) for word in words)


@each_list
def test_files_have_one_line_a_word_and_nothing_else(language: str, length: int) -> None:
    for kind, words in (("answers", answers(language, length)), ("guesses", guesses(language, length))):
        text = (ROOT / language / f"{kind}-{length}.txt").read_bytes().decode("utf-8")
        assert text == "".join(f"{word}\n" for word in words)


@pytest.mark.thorough
@each_list
def test_every_answer_may_be_guessed_however_it_is_typed(language: str, length: int) -> None:
    for word in answers(language, length):
        written = display(language, word)
        for text in (word, written):
            # A client's upper case makes SS of ß, which is another word: ẞ is its capital.
            capital = text.replace("ß", "ẞ").upper()
            for typed in (text, capital, text.title(), text.capitalize(), f" {text}\n"):
                assert check_guess(language, length, typed) == word
                assert check_guess(language, length, unicodedata.normalize("NFD", typed)) == word


@each_list
def test_no_letter_of_another_script(language: str, length: int) -> None:
    scripts = {unicodedata.name(letter).partition(" ")[0] for letter in set("".join(guesses(language, length)))}
    assert len(scripts) == 1


@each_language
def test_no_letter_or_pair_common_in_guesses_is_nearly_absent_from_answers(language: str) -> None:
    lists = [[word for length in LENGTHS for word in kind(language, length)] for kind in (guesses, answers)]
    assert absent_pieces(*lists) == []


def test_a_pair_that_no_answer_has_is_told() -> None:
    guessed = ["lijnen", "tijden", "lopen", "laten"] * 10
    assert "ij" in absent_pieces(guessed, ["lopen", "laten"])


@each_language
def test_no_answer_is_on_a_slur_list(language: str) -> None:
    blocked = set((ROOT / language / "blocked.txt").read_text(encoding="utf-8").split())
    assert len(blocked) >= 15
    for length in LENGTHS:
        assert blocked.isdisjoint(answers(language, length))


@each_language
def test_no_reviewed_word_came_back(language: str) -> None:
    dropped = (ROOT / language / "review" / "drop-answers.txt").read_text(encoding="utf-8")
    words = {word for line in dropped.splitlines() if not line.startswith("#") for word in line.split()}
    for length in LENGTHS:
        assert words.isdisjoint(display(language, word) for word in answers(language, length))


@each_language
def test_display_is_kept_for_answers_only_and_differs(language: str) -> None:
    words = {word for length in LENGTHS for word in answers(language, length)}
    for line in (ROOT / language / "display.tsv").read_text(encoding="utf-8").splitlines():
        word, written = line.split("\t")
        assert word in words
        assert written != word
