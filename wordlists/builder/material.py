"""The data that the stages hand to each other."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

Say = Callable[[str], None]
"""Tells the developer what the builder is doing."""


@dataclass(frozen=True, slots=True)
class Form:
    """One word form, as a dictionary has it.

    `stem` is the entry that it was made from, `tags` that entry's morphological description,
    `is_base` whether the form is the entry itself.
    """

    written: str
    stem: str
    tags: str = ""
    is_base: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A word that may be drawn: canonical, as it is written, and how common (only to compare)."""

    word: str
    written: str
    commonness: float


@dataclass(frozen=True, slots=True)
class Draft:
    """A language's lists before the review, all lengths together.

    `dropped` are the words that some source calls headwords, each with the filter that dropped it.
    """

    guesses: frozenset[str]
    answers: tuple[Answer, ...]
    dropped: dict[Answer, str]


def most_common_first(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """The rank stage: by commonness, ties by code point, so that each run gives the same order."""
    return tuple(sorted(answers, key=lambda answer: (-answer.commonness, answer.word)))
