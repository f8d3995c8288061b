"""Why a guess is not played (R14)."""

from enum import StrEnum


class Refusal(StrEnum):
    """The reasons, as clients see them."""

    WRONG_LENGTH = "wrong_length"
    UNKNOWN_LETTER = "unknown_letter"
    NOT_IN_WORD_LIST = "not_in_word_list"


class WordRefused(Exception):
    """A word that cannot be played, and why.

    `letter` is set for UNKNOWN_LETTER: the first one that the language lacks, printable
    (a control character or lone surrogate reads `U+0000`). `expected_length` is set for
    WRONG_LENGTH, except when the text is too long to be a word of any length.
    The message is for developers and never repeats the word.
    """

    def __init__(
        self,
        reason: Refusal,
        *,
        letter: str | None = None,
        expected_length: int | None = None,
    ) -> None:
        self.reason = reason
        self.letter = letter
        self.expected_length = expected_length
        super().__init__(_sentence(reason, letter, expected_length))


def _sentence(reason: Refusal, letter: str | None, expected_length: int | None) -> str:
    match reason:
        case Refusal.UNKNOWN_LETTER:
            return f"The language has no letter {letter}."
        case Refusal.WRONG_LENGTH if expected_length is None:
            return "The text is too long to be a word."
        case Refusal.WRONG_LENGTH:
            return f"The word must have {expected_length} letters."
        case Refusal.NOT_IN_WORD_LIST:
            return "The word is not in the word list."
