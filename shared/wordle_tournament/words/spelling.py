"""From what a player typed to a canonical word: one rule for all languages, driven by their specs."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from wordle_tournament.words.refusal import Refusal, WordRefused
from wordle_tournament.words.specs import SPECS

# No word of six tiles needs more code points than this, in whatever form it is sent. Only
# so much of a text is ever looked at: composing marks takes quadratic time on hostile input.
_LONGEST_TEXT = 64
# Soft hyphen, zero-width space, byte order mark: invisible, and pasted along with words.
_INVISIBLE = dict.fromkeys((0x00AD, 0x200B, 0xFEFF))


@dataclass(frozen=True, slots=True)
class _Spelling:
    """How one language is read: canonical letters by accepted spelling, and what finds these."""

    canonical: Mapping[str, str]
    pattern: re.Pattern[str]


@cache
def _spelling(language: str) -> _Spelling:
    spec = SPECS[language]
    canonical = {}
    for letter in spec.alphabet:
        for mark in spec.folded_marks:
            composed = unicodedata.normalize("NFC", letter + mark)
            if len(composed) == 1:
                canonical[composed] = letter
    canonical |= spec.variants
    canonical |= {letter: letter for letter in spec.alphabet}
    longest_first = sorted(canonical, key=len, reverse=True)
    return _Spelling(
        canonical,
        re.compile("|".join(map(re.escape, longest_first)) + "|(.)", re.DOTALL),
    )


def normalise(language: str, text: str) -> str:
    """The canonical word for any accepted spelling of it: any case, composed or not.

    Raises WordRefused with UNKNOWN_LETTER for anything that the language does not write,
    or WRONG_LENGTH for a text that is too long to be a word at all. Takes any string;
    raises KeyError for a language that is not ours.
    """
    spelling = _spelling(language)
    stripped = text.strip()
    shortened = unicodedata.normalize("NFC", stripped[:_LONGEST_TEXT].translate(_INVISIBLE))

    def canonical(found: re.Match[str]) -> str:
        if unknown := found[1]:
            raise WordRefused(Refusal.UNKNOWN_LETTER, letter=_printable(unknown))
        return spelling.canonical[found[0]]

    word = spelling.pattern.sub(canonical, shortened.lower())
    if len(stripped) > _LONGEST_TEXT:
        raise WordRefused(Refusal.WRONG_LENGTH)
    return word


def _printable(character: str) -> str:
    return character if character.isprintable() else f"U+{ord(character):04X}"
