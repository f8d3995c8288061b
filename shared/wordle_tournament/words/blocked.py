"""The nickname filter: slurs, hate names, phrases and obscenities of all languages (R35).

The lists in `wordlists/nicknames/` are folded: lower case, no accents, no apostrophes, German ß as ss, one Cyrillic
letter for those that differ in a detail only. `whole` are words, `exact` words that count without an ending only,
`phrases` are several words, `anywhere` are roots that no innocent word or name contains, `partners` are the plain words
that blocked words are joined to, and `allowed` are innocent words and names that the rules below would refuse.
docs/words.md says how the lists are made and measured.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import groupby

from .lists import ROOT

SHORTEST_ROOT = 4
"""A blocked word of fewer letters has no compound: too many names begin with it."""
SHORTEST_STEM = 6
"""A blocked word of fewer letters has no other endings than the plurals that the lists hold."""
LONGEST_SHORT = 6
SHORTEST_PHRASE = 6
"""Words that make a blocked word only together: `Ana L` is a name, `Sieg Heil` is not."""

_LETTERS = str.maketrans(
    {
        **dict.fromkeys("'’‘ʻʼ`´ʹʺ", ""),
        "\u0131": "i",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "і": "и",
        "є": "е",
        "ґ": "г",
        "э": "е",
        "ә": "а",
        "ғ": "г",
        "қ": "к",
        "ң": "н",
        "ө": "о",
        "ұ": "у",
        "ү": "у",
        "һ": "х",
        "ы": "и",
    }
)
_LATIN_DIGITS = (str.maketrans("013456789", "oieasgtbg"), str.maketrans("013456789", "oleasgtbg"))
_CYRILLIC_DIGITS = (str.maketrans("01346", "оизчб"), str.maketrans("03461", "озчбл"))
_LATIN_ENDINGS = (
    *(
        "s",
        "z",
        "es",
        "zz",
        "x",
        "n",
        "en",
        "er",
        "ers",
        "ed",
        "in",
        "ing",
        "ish",
        "y",
        "ie",
        "as",
        "os",
        "ow",
        "om",
        "ami",
        "em",
    ),
    *("inho", "inha", "ito", "ita", "je", "tje", "lar", "ler", "nya", "mu", "ku"),
)
# Many names end so: the stem must be longer by a letter.
_ENDS_NAMES = frozenset(_LATIN_ENDINGS) - {"s", "es"}
_CYRILLIC_ENDINGS = (
    *("а", "и", "у", "е", "о", "ом", "ем", "ои", "ам", "ов", "ев", "ами", "ах", "ие", "ии", "ая", "ое", "ого", "ую"),
    *("ик", "ики", "ка", "ки", "ок", "ив", "ям", "ями", "лар", "лер", "дар", "дер", "тар", "тер"),
)
_WORDS = re.compile(r"[^ \-_]+")
_HUMPS = re.compile(r"(?<=[^\W\d_A-ZА-Я])(?=[A-ZА-ЯЁІЇЄҐ])|(?<=\d)(?=[^\W\d])|(?<=[^\W\d])(?=\d)")


def is_blocked(name: str) -> bool:
    """Return True if a nickname holds a slur, a hate name or an obscenity of any of the languages.

    Digits count as the letters they stand for and as nothing, a repeated letter as one. A blocked word is found alone,
    with an ending, in a compound, spelled out letter by letter, and a root of it inside any word.
    """
    words = [found[0] for found in _WORDS.finditer(unicodedata.normalize("NFC", name))]
    if _is_allowed("".join(map(fold, words))):
        return False
    for word in words:
        if any(_is_word_blocked(reading) for reading in _readings(word)):
            return True
        if any(_is_word_blocked(reading) for hump in _HUMPS.split(word) for reading in _readings(hump)):
            return True
    humps = [part for word in words for part in _HUMPS.split(word)]
    return any(_is_phrase_blocked(parts) for parts in (*_phrase_readings(words), [fold(part) for part in humps]))


def fold(text: str) -> str:
    """Return the text in the spelling of the lists: what players vary to pass a filter is gone."""
    lower = unicodedata.normalize("NFC", text).lower().replace("ñ", "ny")
    plain = "".join(c for c in unicodedata.normalize("NFKD", lower) if not unicodedata.combining(c))
    return plain.translate(_LETTERS)


def _readings(word: str) -> Iterator[str]:
    """Yield what a word with digits may stand for."""
    folded = fold(word)
    yield folded
    yield folded.strip("x")
    if any(c.isdecimal() for c in folded) and not folded.isdecimal():
        bare = folded.strip("0123456789")
        digits = _CYRILLIC_DIGITS if re.search("[а-я]", folded) else _LATIN_DIGITS
        yield bare
        yield re.sub(r"\d", "", folded)
        yield from (form.translate(table) for form in (folded, bare) for table in digits)


def _phrase_readings(words: list[str]) -> Iterator[list[str]]:
    """Yield what neighbouring words with digits may stand for."""
    folded = [fold(word).strip("x") or "x" for word in words]
    yield [fold(word) for word in words]
    yield [word.strip("0123456789") for word in folded if not word.isdecimal()]
    yield from ([word.translate(table) for word in folded] for table in (_LATIN_DIGITS[0], _CYRILLIC_DIGITS[0]))


def _is_word_blocked(word: str) -> bool:
    if _is_allowed(word):
        return False
    return (
        word in _list("exact")
        or _is_listed(word, "whole")
        or _has_ending(word)
        or _has_root(word)
        or _is_compound(word)
    )


def _is_phrase_blocked(parts: list[str]) -> bool:
    """Return True if neighbouring words make a blocked one together."""
    for start in range(len(parts)):
        for end in range(start + 2, len(parts) + 1):
            joined = "".join(parts[start:end])
            spelled = all(len(part) == 1 for part in parts[start:end])
            long = len(joined) >= SHORTEST_PHRASE or joined == "1488"
            if _is_allowed(joined) or not (spelled or long):
                continue
            if (
                _is_listed(joined, "anywhere")
                or _is_listed(joined, "phrases")
                or (spelled and _is_word_blocked(joined))
            ):
                return True
    return False


def _is_allowed(word: str) -> bool:
    return word in _list("allowed")


def _has_ending(word: str) -> bool:
    for ending in _CYRILLIC_ENDINGS if re.search("[а-я]", word) else _LATIN_ENDINGS:
        stem = word.removesuffix(ending)
        least = SHORTEST_STEM + (ending in _ENDS_NAMES)
        if stem != word and len(stem) >= least and _is_listed(stem, "whole"):
            return True
    return False


def _has_root(word: str) -> bool:
    return any(
        _is_listed(word[start:end], "anywhere")
        for start in range(len(word))
        for end in range(start + SHORTEST_ROOT, len(word) + 1)
    )


def _is_compound(word: str) -> bool:
    """Return True for a blocked word joined to another one, or to a plain word that is often joined to one."""
    for cut in range(2, len(word) - 1):
        first, second = word[:cut], word[cut:]
        first_blocked = _can_join(first, second) and _is_listed(first, "whole")
        second_blocked = _can_join(second, first) and (_is_listed(second, "whole") or _has_ending(second))
        if first_blocked and (second_blocked or second in _list("partners")):
            return True
        if second_blocked and first in _list("partners"):
            return True
    return False


def _can_join(word: str, other: str) -> bool:
    """Return True if a blocked word is long enough to be told apart in a compound with the other."""
    return len(word) >= (SHORTEST_ROOT if len(other) >= SHORTEST_ROOT else SHORTEST_PHRASE)


def _is_listed(word: str, name: str) -> bool:
    """Return True if the list has the word, or has it with fewer letters where `word` repeats one.

    In a short word only a letter that stands three times is repeated: `Annal` is a name.
    """
    letters, runs = squeeze(word)
    return any(
        all(
            run == least or (run > least and (run > 2 or name == "anywhere" or sum(entry) > LONGEST_SHORT))
            for least, run in zip(entry, runs, strict=True)
        )
        for entry in _runs(name).get(letters, ())
    )


def squeeze(word: str) -> tuple[str, tuple[int, ...]]:
    """Return the word without repeated letters, and how often each letter is repeated."""
    groups = [(letter, len(list(run))) for letter, run in groupby(word)]
    return "".join(letter for letter, _ in groups), tuple(run for _, run in groups)


@cache
def _runs(name: str) -> Mapping[str, list[tuple[int, ...]]]:
    found: dict[str, list[tuple[int, ...]]] = {}
    for word in _list(name):
        letters, runs = squeeze(word)
        found.setdefault(letters, []).append(runs)
    return found


@cache
def _list(name: str) -> frozenset[str]:
    return load(name)


def _read(name: str) -> frozenset[str]:
    return frozenset((ROOT / "nicknames" / f"{name}.txt").read_text(encoding="utf-8").split())


load: Callable[[str], frozenset[str]] = _read
"""Return the words of one of the filter's lists. The builder puts lists that it has just made in its place."""


def forget() -> None:
    """Read the lists anew, for the builder that makes them."""
    _list.cache_clear()
    _runs.cache_clear()
