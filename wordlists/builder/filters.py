"""Judgements on words that more than one language needs."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from wordle_tournament.errors import GameError
from wordle_tournament.words import LENGTHS, languages, normalise
from wordlists.builder import sources

# In a dictionary of single letters a word is never longer than its tiles (œ makes it shorter).
LONGEST_WRITTEN = max(LENGTHS)

_ROMAN = re.compile(r"(?=[mdclxvi])m{0,4}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")
_VOWELS = frozenset("aeiouyäöüóąęаеиоуыэюяєіїәёөұүі")
_NAMES_FROM = ("en", "es", "fr", "it", "nl", "pl", "pt")


def playable(language: str, written: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The normalise stage: (canonical, written) of each word that fits a board."""
    for word in written:
        if (canonical := fitting(language, word)) is not None:
            yield canonical, word


def fitting(language: str, written: str) -> str | None:
    """The canonical word, or None if the language cannot write it or it has a wrong length."""
    word = canonical(language, written)
    return word if word is not None and len(word) in LENGTHS else None


def canonical(language: str, written: str) -> str | None:
    """The canonical word of whatever length, or None if the language cannot write it."""
    try:
        return normalise(language, written)
    except GameError:
        return None


def is_plain(written: str) -> bool:
    """Lower case letters only: no name, abbreviation, hyphen or apostrophe."""
    return written.islower() and written.isalpha()


def is_roman_number(word: str) -> bool:
    return _ROMAN.fullmatch(word) is not None


def has_vowel(word: str) -> bool:
    """Words without one are abbreviations."""
    return not _VOWELS.isdisjoint(word)


@cache
def own_names(language: str) -> frozenset[str]:
    """Canonical words that the language's own dictionary has with a capital."""
    if language == "de":
        return frozenset()  # every noun has one
    dictionary = sources.hunspell(sources.HUNSPELL_NAMES[language])
    return frozenset(word for word, _ in playable(language, dictionary.capitalised()))


@cache
def names_elsewhere(language: str) -> Counter[str]:
    """Of seven dictionaries in Latin script, how many have a canonical word with a capital."""
    count: Counter[str] = Counter()
    for other in _NAMES_FROM:
        capitalised = sources.hunspell(sources.HUNSPELL_NAMES[other]).capitalised()
        count.update({word for word, _ in playable(language, capitalised)})
    return count


def foreign_script(language: str, words: Iterable[str]) -> list[str]:
    """Words with a letter of another script than the language's: a list has none."""
    script = _script(languages()[language].tiles[0].letter)
    return [word for word in words if any(_script(letter) != script for letter in word)]


def _script(letter: str) -> str:
    return unicodedata.name(letter).partition(" ")[0]
