"""Kazakh: hunspell-kk, ranked by how many forms of a word the web text has.

No frequency list of Kazakh is packaged. A word that people use is met in many of its forms.
Many of the dictionary's entries are themselves forms of others; the endings tell.
"""

from collections import Counter, defaultdict

from wordlists.builder import filters, kazakh, sources
from wordlists.builder.material import Answer, Draft, Say, most_common_first

_FEWEST_FORMS = 6
# Of a word that the dictionary lacks.
_FEWEST_FORMS_OF_ROOT = 4
_SHORTEST_ROOT, _LONGEST_ROOT = 3, 9
# Long enough for the forms that make up a word's family.
_LONGEST_FORM = 14

_ENDINGS = (
    "сы сі ын ін ға ге қа ке да де та те ды ді ты ті ны ні ған ген қан кен ып іп са се мен пен "
    "бен лар лер дар дер тар тер дан ден тан тен ша ше"
)
# Final consonants that soften before a vowel, by what they become.
_HARDENED = {"б": "п", "ғ": "қ", "г": "к"}


def draft(say: Say) -> Draft:
    """Read, expand, normalise, filter and rank Kazakh."""
    say("read and expand")
    in_use = frozenset(word for word in sources.web_words("kaz") if word.islower())
    stems: set[str] = set()
    forms: set[str] = set()
    inflected_from: defaultdict[str, set[str]] = defaultdict(set)
    family: Counter[str] = Counter()
    for form in sources.hunspell("kk_KZ").forms(_LONGEST_FORM):
        if not filters.is_plain(form.written):
            continue
        forms.add(form.written)
        if form.is_base:
            stems.add(form.written)
        else:
            inflected_from[form.written].add(form.stem)
        if form.written in in_use:
            family[form.stem] += 1
    say("filter and rank")
    parsed = kazakh.parse({word for word, _ in filters.playable("kk", in_use)}, _roots(in_use, stems))
    guesses = frozenset(word for word, _ in filters.playable("kk", forms | parsed.keys() | kazakh.PRONOUNS))
    answers = [
        Answer(word, written, family[written])
        for word, written in filters.playable("kk", sorted(stems & in_use))
        if family[written] >= _FEWEST_FORMS and written not in inflected_from and not _is_inflected(written, stems)
    ]
    return Draft(guesses, most_common_first(answers), {})


def _roots(in_use: frozenset[str], stems: set[str]) -> set[str]:
    """The dictionary's entries, and what the web text has with so many endings that it must be a word, too."""
    new = {word for word in in_use - stems if _SHORTEST_ROOT <= len(word) <= _LONGEST_ROOT and "һ" not in word}
    family: Counter[str] = Counter()
    known = kazakh.parse(in_use, stems).keys()
    for word, roots in kazakh.parse(in_use - known, new).items():
        for root in roots - {word}:
            family[root] += 1
    return stems | {word for word, count in family.items() if count >= _FEWEST_FORMS_OF_ROOT}


def _is_inflected(word: str, stems: set[str]) -> bool:
    """Whether the ending makes it a form of another entry: possessive, case, verb form."""
    if word[-1] in "ыі" and (_is_softened(word[:-1], stems) or word[:-2] + word[-1] + word[-2] in stems):
        return True
    for ending in _ENDINGS.split():
        rest = word.removesuffix(ending)
        if len(rest) < len(word) and (
            (len(rest) >= 3 and rest in stems)
            or (ending in {"ын", "ін"} and _is_softened(rest, stems, also_hard=False))
        ):
            return True
    # Imperatives and converbs beside a verbal noun in у.
    if word[-1] in "ае" and word[:-1] + "у" in stems:
        return True
    return word + "у" in stems and (word[-1] in "ае" or (len(word) >= 4 and word[-1] not in "ыі"))


def _is_softened(rest: str, stems: set[str], *, also_hard: bool = True) -> bool:
    if also_hard and rest in stems:
        return True
    return rest[-1:] in _HARDENED and rest[:-1] + _HARDENED[rest[-1]] in stems
