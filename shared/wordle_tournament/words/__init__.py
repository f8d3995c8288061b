"""The words of the game: its languages, the spelling rules of each, and their lists (R12, R14, R32, R33).

A *canonical* word has one code point per tile, is NFC and lower case, and is what every
other part of the game stores, compares and colours. `normalise` and `check_guess` turn
players' input into canonical words; `display` returns an answer's real spelling.

Standard library only; importing it reads no file. See docs/words.md.
"""

from .blocked import is_blocked
from .language import Language, Tile, languages
from .lists import (
    LENGTHS,
    answers,
    check_guess,
    display,
    draw_answer,
    guesses,
    slurs,
)
from .spelling import normalise

__all__ = [
    "LENGTHS",
    "Language",
    "Tile",
    "answers",
    "check_guess",
    "display",
    "draw_answer",
    "guesses",
    "is_blocked",
    "languages",
    "normalise",
    "slurs",
]
