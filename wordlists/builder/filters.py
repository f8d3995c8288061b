"""Judgements on words that more than one language needs."""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
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


class Counts:
    """How common a word is in one language, however wordfreq spells it."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._shares: defaultdict[str, float] = defaultdict(float)
        self._by_canonical: defaultdict[str, float] = defaultdict(float)
        for word, zipf in sources.commonness(language).items():
            self._shares[self._key(word)] += 10**zipf
            if (fits := fitting(language, word)) is not None:
                self._by_canonical[fits] += 10**zipf

    def words(self) -> Iterator[tuple[str, float]]:
        """Every word as wordfreq has it."""
        yield from sources.commonness(self._language).items()

    def commonness(self, written: str, others: Iterable[str] = ()) -> float:
        """The Zipf value of a spelling.

        If wordfreq does not have it, it counts what is spelled in a way that none of the `others` is.
        """
        share = self._shares.get(self._key(written), 0.0)
        if not share and (word := fitting(self._language, written)) is not None:
            taken = sum(self._shares.get(key, 0.0) for key in {self._key(other) for other in others})
            share = self._by_canonical.get(word, 0.0) - taken
        return round(math.log10(share), 2) if share > 1 else -math.inf

    def _key(self, word: str) -> str:
        """wordfreq's tokens are case-folded, and some have ligatures: this looks a word up and never makes one."""
        return unicodedata.normalize("NFC", word.casefold()).translate(_SAME_LETTERS)


_SAME_LETTERS = str.maketrans({"ĳ": "ij", "œ": "oe", "æ": "ae", "ё": "е"})


@cache
def own_names(language: str) -> frozenset[str]:
    """Return the words that the language's own dictionary has with a capital, as they are written."""
    return frozenset(sources.hunspell(sources.HUNSPELL_NAMES[language]).capitalised())


def stem_in(language: str, written: str, unfit: Collection[str]) -> bool:
    """Whether the lemma of a word is one of the unfit ones, or a word of that person or thing is (Ficker: ficken)."""
    if language not in sources.COUNTED:
        return False
    lemma = canonical(language, sources.lemma(language, written))
    return lemma is not None and lemma in unfit


def is_only_name(language: str, written: str) -> bool:
    """Whether the language's own dictionary has the word with a capital, or most others do."""
    name = written.capitalize()
    return name in own_names(language) or written.upper() in own_acronyms(language) or names_elsewhere()[name] >= 2


@cache
def own_acronyms(language: str) -> frozenset[str]:
    """Return the words that the language's own dictionary has in capitals."""
    return frozenset(e.word for e in sources.hunspell(sources.HUNSPELL_NAMES[language]).entries if e.word.isupper())


@cache
def names_elsewhere() -> Counter[str]:
    """Of seven dictionaries in Latin script, how many have a word with a capital, as it is written."""
    count: Counter[str] = Counter()
    for other in _NAMES_FROM:
        count.update(sources.hunspell(sources.HUNSPELL_NAMES[other]).capitalised())
    return count


def foreign_script(language: str, words: Iterable[str]) -> list[str]:
    """Words with a letter of another script than the language's: a list has none."""
    script = _script(languages()[language].tiles[0].letter)
    return [word for word in words if any(_script(letter) != script for letter in word)]


def _script(letter: str) -> str:
    return unicodedata.name(letter).partition(" ")[0]
