"""A review of a board: the number of words that were still possible before and after each row."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from .duel import Row
from .marks import Mark


def possible(words: Iterable[str], rows: Sequence[Row]) -> list[int]:
    """Return how many of `words` fit the board before its first row and after each row.

    A word fits a row if the row's guess would be marked against that word as it is marked on the board (R17). The words
    are all as long as the guesses; one of them holds no line break. A skipped row excludes nothing.
    """
    # One pattern for each row over all words at once: a comparison for each word and letter takes ten times as long.
    fitting = list(words)
    counts = [len(fitting)]
    seen: set[str] = set()
    for row in rows:
        if row.word is not None and row.word not in seen:
            seen.add(row.word)
            fitting = re.findall(_pattern(row.word, row.marks), "\n".join(fitting), re.MULTILINE)
        counts.append(len(fitting))
    return counts


def _pattern(guess: str, marks: Sequence[Mark]) -> str:
    """Return a pattern that matches exactly the words against which the guess would be marked so."""
    least = Counter(letter for letter, mark in zip(guess, marks, strict=True) if mark is not Mark.ABSENT)
    no_more = {letter for letter, mark in zip(guess, marks, strict=True) if mark is Mark.ABSENT}
    ahead = "".join(f"(?={_times(letter, count)})" for letter, count in least.items())
    ahead += "".join(f"(?!{_times(letter, least[letter] + 1)})" for letter in sorted(no_more))
    places = (
        re.escape(letter) if mark is Mark.CORRECT else f"[^{re.escape(letter)}\n]"
        for letter, mark in zip(guess, marks, strict=True)
    )
    return f"^{ahead}{''.join(places)}$"


def _times(letter: str, count: int) -> str:
    return f".*{re.escape(letter)}" * count
