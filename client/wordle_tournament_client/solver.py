"""Which word to guess: what the board says, held against the word lists. Pure functions; chance is an argument."""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from wordle_tournament import words
from wordle_tournament.protocol.messages import Row
from wordle_tournament.rules.marks import Marks, mark

# How many words are weighed against how many that could be the secret: some milliseconds.
WEIGHED = 30
AGAINST = 120


def consistent(word: str, rows: Iterable[Row]) -> bool:
    """Whether `word` could be the secret: every row on the board, of either player, would be marked as it is."""
    return all(row.word is None or mark(row.word, word) == tuple(row.marks) for row in rows)


def choose(
    language: str, length: int, rows: Sequence[Row], skill: float, rng: random.Random, refused: Collection[str] = ()
) -> str | None:
    """A canonical word to guess next, none of those `refused`; None if there is no word left.

    With probability `skill` (0 to 1) one that could be the secret, chosen well: among some of those it is the one
    whose marks tell most of the others apart. Otherwise any word of the list, whatever the board says.
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
        """The expected number of words still possible after this guess, but for a constant factor."""
        sizes: Counter[Marks] = Counter(mark(word, secret) for secret in against)
        return sum(size * size for size in sizes.values())

    return min(weighed, key=left_over)


def invalid(language: str, length: int, rng: random.Random) -> str:
    """What somebody clumsy types: too short, with a sign that is no letter, or letters that make no word."""
    letters = [tile.letter for tile in words.languages()[language].tiles]
    typed = "".join(rng.choices(letters, k=length))
    while typed in words.guesses(language, length):
        typed = "".join(rng.choices(letters, k=length))
    return rng.choice([typed, typed[1:], typed[:-1] + "?"])
