"""Measuring how many running words may be guessed."""

import pytest

from wordlists.coverage import Token, measure, tokens


def line(number: str, text: str, part: str = "NOUN", marks: str = "_") -> str:
    return "\t".join([number, text, text, part, "_", marks, "0", "root", "_", "_"])


def test_names_foreign_words_and_errors_do_not_count() -> None:
    found = tokens(
        [
            "# text = House Paris rue teh",
            line("1", "House"),
            line("2", "Paris", "PROPN"),
            line("3", "rue", marks="Foreign=Yes"),
            line("4", "teh", marks="Typo=Yes"),
            line("5", "XVIII", "NUM"),
        ]
    )
    assert list(found) == [
        Token("House", True),
        Token("Paris", False),
        Token("rue", False),
        Token("teh", False),
        Token("XVIII", False),
    ]


def test_a_contraction_counts_once_as_it_is_written() -> None:
    found = tokens(
        [line("1-2", "dirlo", "_"), line("1", "dir", "VERB"), line("2", "lo", "PRON"), line("3", "bene", "ADV")]
    )
    assert list(found) == [Token("dirlo", True), Token("bene", True)]


@pytest.mark.parametrize(("text", "taken"), [("House", 1), ("houze", 0)])
def test_the_share_is_of_words_that_fit_a_board(text: str, taken: int) -> None:
    words = [Token(text, True), Token("a", True), Token("12345", True), Token("Paris", False)]
    met, accepted, refused = measure("en", words)
    assert (met.total(), accepted.total()) == (1, taken)
    assert set(refused) == (set() if taken else {"houze"})
