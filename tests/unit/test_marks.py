"""R17: how the letters of a guess are marked."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordle_tournament.rules.marks import Mark, Marks, mark

SIGNS = {Mark.CORRECT: "G", Mark.PRESENT: "Y", Mark.ABSENT: "-"}


def signs(marks: Marks) -> str:
    return "".join(SIGNS[sign] for sign in marks)


# Few letters, so that they are often repeated.
PAIRS = st.integers(4, 6).flatmap(
    lambda length: st.tuples(
        st.text("abcd", min_size=length, max_size=length), st.text("abcd", min_size=length, max_size=length)
    )
)


def naive_marks(guess: str, word: str) -> str:
    """R17 once more, by counting for each letter on its own instead of crossing off."""
    found = ""
    for index, letter in enumerate(guess):
        if word[index] == letter:
            found += "G"
            continue
        copies = sum(letter == wanted for wanted in word)
        paid_in_place = sum(given == wanted == letter for given, wanted in zip(guess, word, strict=True))
        paid_from_left = sum(guess[i] == letter and word[i] != letter for i in range(index))
        found += "Y" if copies - paid_in_place - paid_from_left > 0 else "-"
    return found


@pytest.mark.parametrize(
    ("word", "guess", "expected"),
    [
        ("maxim", "mamma", "GGY--"),
        ("dread", "added", "YY-YG"),
        ("words", "woods", "GG-GG"),
        ("those", "geese", "---GG"),
        ("award", "adore", "GY-G-"),
        ("terse", "steer", "YYYYY"),
        ("otter", "ttttt", "-GG--"),
        ("abcd", "dcba", "YYYY"),
        ("aabb", "bbaa", "YYYY"),
        ("aaab", "baaa", "YGGY"),
        ("planet", "planet", "GGGGGG"),
        ("planet", "fuzzic", "------"),
        ("қала", "алақ", "YYYY"),
        ("straße", "traßes", "YYYYYY"),
    ],
)
def test_a_letter_is_marked_as_often_as_the_word_holds_it(word: str, guess: str, expected: str) -> None:
    assert signs(mark(guess, word)) == expected


def test_a_right_place_is_paid_before_a_letter_further_left() -> None:
    assert signs(mark("abbb", "cccb")) == "---G"


def test_what_is_left_is_paid_from_the_left() -> None:
    assert signs(mark("eebc", "wxye")) == "Y---"


@pytest.mark.parametrize("guess", ["cran", "cranes", ""])
def test_a_guess_of_another_length_is_no_guess(guess: str) -> None:
    with pytest.raises(ValueError, match="letters"):
        mark(guess, "crane")


@given(PAIRS)
def test_marks_are_those_of_a_naive_marker(pair: tuple[str, str]) -> None:
    guess, word = pair
    assert signs(mark(guess, word)) == naive_marks(guess, word)


@given(PAIRS)
def test_a_letter_is_correct_exactly_where_it_is_the_words(pair: tuple[str, str]) -> None:
    guess, word = pair
    assert [sign is Mark.CORRECT for sign in mark(guess, word)] == [
        given == wanted for given, wanted in zip(guess, word, strict=True)
    ]


@given(PAIRS)
def test_each_letter_is_paid_by_the_fewer_of_its_copies_in_guess_and_word(pair: tuple[str, str]) -> None:
    guess, word = pair
    paid = Counter(letter for letter, sign in zip(guess, mark(guess, word), strict=True) if sign is not Mark.ABSENT)
    assert paid == Counter(guess) & Counter(word)


@given(st.permutations("abbccc"), st.permutations("abbccc"))
def test_an_anagram_has_no_absent_letter(guess: list[str], word: list[str]) -> None:
    assert Mark.ABSENT not in mark("".join(guess), "".join(word))


@given(PAIRS)
def test_only_the_word_itself_is_all_correct(pair: tuple[str, str]) -> None:
    guess, word = pair
    assert (set(mark(guess, word)) == {Mark.CORRECT}) == (guess == word)
