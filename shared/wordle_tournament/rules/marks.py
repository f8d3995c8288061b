"""The marks of a guess against the secret word (R17)."""

from collections import Counter
from enum import StrEnum


class Mark(StrEnum):
    """The mark of one letter of a guess."""

    CORRECT = "correct"
    PRESENT = "present"
    ABSENT = "absent"


Marks = tuple[Mark, ...]


def mark(guess: str, word: str) -> Marks:
    """Mark every letter of `guess`, a canonical word as long as `word`.

    A letter is marked at most as often as the word contains it: correct ones first, then present ones from the left
    (R17). Raises ValueError if the lengths differ.
    """
    if len(guess) != len(word):
        raise ValueError(f"a guess of {len(guess)} letters against a word of {len(word)}")
    left = Counter(wanted for given, wanted in zip(guess, word, strict=True) if given != wanted)
    marks = []
    for given, wanted in zip(guess, word, strict=True):
        if given == wanted:
            marks.append(Mark.CORRECT)
        elif left[given] > 0:
            left[given] -= 1
            marks.append(Mark.PRESENT)
        else:
            marks.append(Mark.ABSENT)
    return tuple(marks)
