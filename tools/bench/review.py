"""The processor time of a review, for the boards that exclude fewest words."""

import time
from collections import Counter

from wordle_tournament import words
from wordle_tournament.rules.duel import Row
from wordle_tournament.rules.marks import mark
from wordle_tournament.rules.review import possible

ROWS = 12


def milliseconds() -> float:
    """Return the CPU time of the longest review: of twelve guesses with the rarest letters, in each list of answers."""
    return max(_milliseconds(language, length) for language in words.languages() for length in words.LENGTHS)


def _milliseconds(language: str, length: int) -> float:
    answers = words.answers(language, length)
    known_by = Counter(letter for word in answers for letter in set(word))
    rarest = sorted(words.guesses(language, length), key=lambda word: sum(known_by[letter] for letter in set(word)))
    rows = [Row("p", guess, mark(guess, answers[0])) for guess in rarest[:ROWS]]
    began = time.process_time()
    possible(answers, rows)
    return (time.process_time() - began) * 1000
