"""The way from a player's input to a canonical word: one rule for all languages, driven by their specs."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ..errors import ErrorCode, GameError
from .specs import SPECS

# No word of six tiles needs more code points than this, in any Unicode form. The rest of a text is
# ignored: composing marks takes quadratic time on hostile input.
_LONGEST_TEXT = 64
# Soft hyphen, zero-width space, byte order mark: invisible, and pasted along with words.
_INVISIBLE = dict.fromkeys((0x00AD, 0x200B, 0xFEFF))


@dataclass(frozen=True, slots=True)
class _Spelling:
    """The spelling of one language: canonical letters by accepted spelling, and the pattern that finds spellings."""

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


def spellings(language: str) -> dict[str, str]:
    """Return the letters for each accepted spelling that is not a letter itself, in lower case and composed."""
    return {spelling: letters for spelling, letters in _spelling(language).canonical.items() if spelling != letters}


def normalise(language: str, text: str) -> str:
    """Return the canonical word of any accepted spelling: any case, composed or not. `text` may be any string.

    Raises GameError: UNKNOWN_LETTER, which names the first letter that the language lacks; WRONG_LENGTH for a text
    that is too long to be a word of any length. Its message never repeats the word. Raises KeyError for a language
    that is not one of ours.
    """
    spelling = _spelling(language)
    stripped = text.strip()
    shortened = unicodedata.normalize("NFC", stripped[:_LONGEST_TEXT].translate(_INVISIBLE))

    def canonical(found: re.Match[str]) -> str:
        if unknown := found[1]:
            letter = _printable(unknown)
            raise GameError(ErrorCode.UNKNOWN_LETTER, f"The language has no letter {letter}.", field="word")
        return spelling.canonical[found[0]]

    word = spelling.pattern.sub(canonical, shortened.lower())
    if len(stripped) > _LONGEST_TEXT:
        raise GameError(ErrorCode.WRONG_LENGTH, "The text is too long to be a word.", field="word")
    return word


def _printable(character: str) -> str:
    """Return the character, or `U+0000` for a control character or a lone surrogate."""
    return character if character.isprintable() else f"U+{ord(character):04X}"
