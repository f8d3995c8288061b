"""The words that a nickname must not contain: slurs and obscenities of all the languages."""

import re
from functools import cache

from ..errors import GameError
from .language import languages
from .lists import ROOT
from .spelling import normalise

JOINERS = " -_"
APOSTROPHES = "'’‘"


def is_blocked(name: str) -> bool:
    """Return True if a word of `name`, or all of it written together, is blocked in any of the languages.

    Only whole words count: a blocked word inside a longer one is allowed. Digits before or after a word are ignored, as
    joiners are. An apostrophe may join, or be part of a letter, as Uzbek types its oʻ and gʻ.
    """
    candidates = set()
    for joiners in (JOINERS, JOINERS + APOSTROPHES):
        parted = name.translate(dict.fromkeys(map(ord, joiners), " "))
        candidates |= {re.sub(r"^\d+|\d+$", "", word) for word in (*parted.split(), parted.replace(" ", ""))}
    for language in languages():
        for candidate in candidates:
            try:
                word = normalise(language, candidate)
            except GameError:
                continue
            if word in _blocked(language):
                return True
    return False


@cache
def _blocked(language: str) -> frozenset[str]:
    return frozenset((ROOT / language / "blocked.txt").read_text(encoding="utf-8").split())
