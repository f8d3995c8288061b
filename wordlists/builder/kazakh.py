"""The endings of Kazakh words, as regular expressions: which words of the web text are forms of known ones.

Endings agree with the vowels of the stem (back or front) and follow in a set order. It does no harm that the
expressions accept too many forms, since only words met in text are looked at.
"""

import re
from collections.abc import Iterable

_BACK = frozenset("аоұыяёу")
_FRONT = frozenset("әеөүіэ")

# With {} for what differs: back endings have the first letter of each pair, front endings the second.
_PLURAL = "(?:[лдт]Aр)?"
_POSSESSIVE = "(?:Iм|Iң|м|ң|сI|I|IмIз|мIз|IңIз|ңIз)?"
_CASE = "(?:[ндт]Iң|[ҒК]A|нA|A|[ндт]I|н|н?[дт]A|[дтн]Aн|[мбп]ен)?"
_MORE = "(?:(?:ҒI)?(?:мIн|бIн|пIн|сIң|сIз|мIз|бIз|пIз|мI|бI|пI|шI|шA)?)"
_DERIVED = "(?:[лдт]IҚ|шIлIҚ|[лдт]I|сIз|шI|[дт]Aй|рAҚ|IрAҚ|шA)?"
_NOUN = f"{_DERIVED}{_PLURAL}{_POSSESSIVE}{_CASE}{_MORE}"
_VOICE = "(?:Iл|л|Iн|н|Iс|с|[дт]Iр|т|ҒIз|КIз)?"
_NOT = "(?:[мбп]A)?"
_PERSON = "(?:мIн|пIн|бIн|м|сIң|ң|сIз|ңIз|мIз|пIз|бIз|Қ|дI|тI)?"
_VERB = (
    f"{_VOICE}{_NOT}(?:[дт]I(?:м|ң|Қ|ңIз)?|сA(?:м|ң|Қ|ңIз)?|(?:Ғ|К)Aн{_NOUN}|I?п{_PERSON}|[Aй]{_PERSON}|[Aй]тIн|"
    f"йдI|(?:Aр|р|с){_PERSON}|у{_NOUN}|сIн|A?йIҚ|A?йIн|шI|I?ңIз|I?ң|ушI|ҒIш|КIш|ҒAлI|КAлI|[мбп]AҚ|ҒAй|мAс|бAс|пAс)?"
)


def _both(pattern: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    back = {"A": "а", "I": "ы", "Ғ": "ғ", "К": "қ", "Қ": "қ"}
    front = {"A": "е", "I": "і", "Ғ": "г", "К": "к", "Қ": "к"}
    return tuple(re.compile("".join(table.get(c, c) for c in pattern)) for table in (back, front))  # type: ignore[return-value]


_NOUNS, _VERBS = _both(_NOUN), _both(_VERB)
_SOFT = {"п": "б", "қ": "ғ", "к": "г"}
_HARD = {soft: hard for hard, soft in _SOFT.items()}


def parse(words: Iterable[str], stems: Iterable[str]) -> dict[str, set[str]]:
    """The words that are a stem with endings, each with the stems that it may be of."""
    nouns: dict[str, set[str]] = {}
    verbs: dict[str, set[str]] = {}
    for stem in stems:
        nouns.setdefault(stem, set()).add(stem)
        if stem[-1:] in _SOFT:
            nouns.setdefault(stem[:-1] + _SOFT[stem[-1]], set()).add(stem)
        if stem.endswith("у") and len(stem) >= 3:
            for root in _verb_roots(stem[:-1]):
                verbs.setdefault(root, set()).add(stem)
    found: dict[str, set[str]] = {}
    for word in words:
        for end in range(2, len(word) + 1):
            root = word[:end]
            if root in nouns and _fits(_NOUNS, word, end):
                found.setdefault(word, set()).update(nouns[root])
            if root in verbs and _fits(_VERBS, word, end):
                found.setdefault(word, set()).update(verbs[root])
    return found


def _verb_roots(root: str) -> set[str]:
    roots = {root, root + "ы", root + "і"}
    if root[-1:] in _HARD:
        roots.add(root[:-1] + _HARD[root[-1]])
    if root[-1:] == "б":
        roots.add(root[:-1] + "у")  # табу: тауып
    return roots


def _fits(patterns: tuple[re.Pattern[str], re.Pattern[str]], word: str, end: int) -> bool:
    last = next((letter for letter in reversed(word[:end]) if letter in _BACK or letter in _FRONT), None)
    back, front = patterns
    return (last not in _FRONT and back.fullmatch(word, end) is not None) or (
        last not in _BACK - {"у"} and front.fullmatch(word, end) is not None
    )


# Pronouns have forms of their own.
PRONOUNS = frozenset(
    [
        "мені",
        "менің",
        "маған",
        "менде",
        "менен",
        "менімен",
        "сені",
        "сенің",
        "саған",
        "сенде",
        "сенен",
        "сенімен",
        "оның",
        "оған",
        "онда",
        "одан",
        "онымен",
        "оны",
        "біздің",
        "бізге",
        "бізді",
        "бізде",
        "бізден",
        "бізбен",
        "сіздің",
        "сізге",
        "сізді",
        "сізде",
        "сізден",
        "сізбен",
        "олардың",
        "оларға",
        "оларды",
        "оларда",
        "олардан",
        "олармен",
        "бұның",
        "бұған",
        "бұны",
        "бұнда",
        "бұдан",
        "бұнымен",
        "мұның",
        "мұны",
        "мұнда",
        "мұнан",
        "мұнымен",
        "мұндай",
        "бұндай",
        "мұнша",
        "бұнша",
        "осының",
        "осыған",
        "осыны",
        "осында",
        "осыдан",
        "осындай",
        "осынша",
        "соның",
        "соған",
        "соны",
        "сонда",
        "содан",
        "сонымен",
        "сондай",
        "сонша",
        "мынаның",
        "мынаған",
        "мынаны",
        "мынада",
        "мынадан",
        "мынандай",
        "мынадай",
        "мынау",
        "мында",
        "мына",
        "анау",
        "анаған",
        "анадан",
        "анда",
        "андай",
        "кімнің",
        "кімге",
        "кімді",
        "кімде",
        "кімнен",
        "кіммен",
        "ненің",
        "неге",
        "нені",
        "неде",
        "неден",
        "немен",
        "нелер",
        "қайда",
        "қайдан",
        "қайсы",
        "қайсысы",
        "қалай",
        "қандай",
        "қанша",
        "қашан",
        "өзім",
        "өзің",
        "өзі",
        "өзіміз",
        "өзіңіз",
        "өздері",
        "өзімнің",
        "өзіңнің",
        "өзінің",
        "өзіме",
        "өзіңе",
        "өзіне",
        "өзімді",
        "өзіңді",
        "өзін",
        "өзінде",
        "өзінен",
        "өзімен",
        "өзге",
        "бәрі",
        "бәріміз",
        "барша",
        "бәрін",
        "бәріне",
        "бәрінің",
        "бәрінен",
        "мыналар",
        "аналар",
        "солар",
        "осылар",
        "сендер",
        "сіздер",
        "мінекей",
        "әне",
        "міне",
        "әлгі",
        "ешкім",
        "ештеңе",
        "ешбір",
        "әркім",
        "бірдеңе",
    ]
)
