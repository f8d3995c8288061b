"""Choose the word to guess, from the board and the word lists. Pure functions; the random generator is an argument."""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from wordle_tournament import words
from wordle_tournament.protocol.messages import Row
from wordle_tournament.rules.marks import Marks, mark

# How many words are weighed against how many possible secrets; this takes some milliseconds.
WEIGHED = 30
AGAINST = 120


def consistent(word: str, rows: Iterable[Row]) -> bool:
    """Return True if `word` could be the secret: every row of either player would get the marks that it has."""
    return all(row.word is None or mark(row.word, word) == tuple(row.marks) for row in rows)


def choose(
    language: str, length: int, rows: Sequence[Row], skill: float, rng: random.Random, refused: Collection[str] = ()
) -> str | None:
    """Return a canonical word to guess next, except for those `refused`; None if there is no word left.

    With probability `skill` (0 to 1) choose among the words that could be the secret: of a sample, the word whose
    marks tell most of the others apart. Otherwise return any word of the list, whatever the board says.
    """
    if rng.random() < skill:
        possible = [word for word in words.answers(language, length) if word not in refused and consistent(word, rows)]
        if possible:
            return _most_telling(possible, rng)
    every = words.guesses(language, length)
    word = rng.choice(every)
    if word not in refused:
        return word
    return next((word for word in every if word not in refused), None)


def _most_telling(possible: Sequence[str], rng: random.Random) -> str:
    weighed = rng.sample(possible, min(WEIGHED, len(possible)))
    against = rng.sample(possible, min(AGAINST, len(possible)))

    def left_over(word: str) -> int:
        """Return the expected number of words still possible after this guess, times a constant."""
        sizes: Counter[Marks] = Counter(mark(word, secret) for secret in against)
        return sum(size * size for size in sizes.values())

    return min(weighed, key=left_over)


def invalid(language: str, length: int, rng: random.Random) -> str:
    """Return a text that a clumsy player types: too short, with a sign that is no letter, or letters of no word."""
    letters = [tile.letter for tile in words.languages()[language].tiles]
    typed = "".join(rng.choices(letters, k=length))
    while typed in words.guesses(language, length):
        typed = "".join(rng.choices(letters, k=length))
    return rng.choice([typed, typed[1:], typed[:-1] + "?"])
