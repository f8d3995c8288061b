"""Uzbek in Latin script: uzbek_morph's tagged forms, ranked by how many forms the web text has.

No frequency list of Uzbek is packaged. Forms of the web text count if they are a known root and
up to four suffixes. All words here are canonical, so that oʻ gʻ sh ch are single letters.
"""

import re
from collections import Counter, defaultdict

from wordle_tournament.errors import GameError
from wordle_tournament.words import normalise
from wordlists.builder import filters, sources
from wordlists.builder.material import Answer, Draft, Say, most_common_first

_FEWEST_FORMS = 8
_DRAWN = {"N", "ADJ", "ADV", "V", "NUM", "PRO", "PRON"}
_ENDINGS = (
    "lar|ni|ning|ga|ka|qa|da|dan|i|si|im|ing|imiz|ingiz|m|ng|miz|ngiz|li|siz|lik|çi|dir|man|"
    "san|mi|di|gan|kan|qan|ib|b|sa|dagi|niki|gaça|day|dek|roq|ça|çilik|la|lan|laş|laştir|lantir|"
    "moq|iş|ş|uvçi|ar|r|adi|ydi|may|ma|dim|ding|dik|aman|yman|yapti|yap|ayotgan|yotgan"
)
# Shorter and rarer ones: words with these may be guessed, but say little about how common the root is.
_MORE_ENDINGS = (
    "sin|ay|y|a|in|gin|gani|gunça|guvçi|adigan|ydigan|masdan|il|t|gaz|kaz|qaz|giz|kiz|qiz|u|v|yam|oq|ku|mas|lab|moqda|"
    "gina|kina|qina|kaça|qaça|gim|gi|mikan|sang|sak|sam|gil|imda|iy|viy|doş|kor|dor|siman|namo|boz|xona"
)
_SUFFIXES = re.compile(f"(?:{_ENDINGS}){{1,4}}")
_ANY_SUFFIXES = re.compile(f"(?:{_ENDINGS}|{_MORE_ENDINGS}){{1,4}}")
# Final consonants that soften before a vowel, and the verb "to be", which is endings only.
_SOFT = {"k": "g", "q": "ğ"}
_TO_BE = frozenset(
    [
        "edi",
        "edim",
        "eding",
        "edik",
        "edingiz",
        "edilar",
        "ekan",
        "ekanman",
        "emas",
        "emasman",
        "emish",
        "esa",
        "emişkin",
    ]
)
# Players who leave the mark out type these for oʻ and gʻ.
_UNMARKED = {"o": "ö", "g": "ğ"}


def draft(say: Say) -> Draft:
    """Read, normalise, filter and rank Uzbek."""
    say("read")
    tagged: defaultdict[str, set[str]] = defaultdict(set)
    forms: set[str] = set()
    for lemma, form, tags in sources.uzbek_tagged():
        if base := _word(lemma):
            tagged[base].add(tags.split(";")[0] if lemma == form else "")
        if inflected := _word(form):
            forms.add(inflected)
    lemmas = {word for written in sources.uzbek_lemmas() if (word := _word(written))}
    in_use = {word for written in sources.web_words("uzb") if written.islower() and (word := _word(written))}
    say("find roots")
    family, parsed = _families({r for r in tagged.keys() | lemmas if len(r) >= 3}, in_use)
    say("filter and rank")
    guesses = frozenset(
        word
        for word, _ in filters.playable("uz", tagged.keys() | forms | parsed | (lemmas & in_use) | _TO_BE)
        if filters.has_vowel(word)
    )
    answers = [
        Answer(word, word, family[word])
        for word, _ in filters.playable("uz", sorted(tagged.keys() & in_use & lemmas))
        if filters.has_vowel(word)
        and tagged[word] & _DRAWN
        and family[word] >= _FEWEST_FORMS
        and not _is_unmarked(word, family)
        and not _is_possessive(word, family)
    ]
    return Draft(guesses, most_common_first(answers), {})


def _word(written: str) -> str | None:
    try:
        return normalise("uz", written) or None
    except GameError:
        return None


def _families(roots: set[str], in_use: set[str]) -> tuple[Counter[str], set[str]]:
    """How many words in use each root explains, and all the words that some root explains."""
    verbs = {root.removesuffix("moq") for root in roots if root.endswith("moq") and len(root) > 4}
    softened = _softened(roots)
    family: Counter[str] = Counter()
    parsed: set[str] = set()
    for word in in_use:
        if word in roots:
            family[word] += 1
            parsed.add(word)
        for end in range(2, len(word)):
            root = word[:end]
            if (root in roots or root in verbs) and _ANY_SUFFIXES.fullmatch(word, end):
                parsed.add(word)
                if not _SUFFIXES.fullmatch(word, end):
                    continue
                if root in roots:
                    family[root] += 1
                if root in verbs:
                    family[root + "moq"] += 1
            elif root in softened and word[end] in "aiou" and _ANY_SUFFIXES.fullmatch(word, end):
                parsed.add(word)
    return family, parsed


def _softened(roots: set[str]) -> set[str]:
    """How roots look before a vowel: yurak, yurag-; ogʻiz, ogʻz-."""
    softened = {root[:-1] + _SOFT[root[-1]] for root in roots if root[-1] in _SOFT}
    for root in roots:
        if len(root) in (4, 5) and root[-2] in "iu" and root[-1] not in "aeiouö" and root[-3] not in "aeiouö":
            softened.add(root[:-2] + root[-1])
    return softened


def _is_unmarked(word: str, family: Counter[str]) -> bool:
    """Typed without the mark of oʻ or gʻ: the word with it is used more."""
    return any(
        family[word[:i] + _UNMARKED[letter] + word[i + 1 :]] > family[word]
        for i, letter in enumerate(word)
        if letter in _UNMARKED
    )


def _is_possessive(word: str, family: Counter[str]) -> bool:
    if not word.endswith("i"):
        return False
    owners = (word.removesuffix("i"), word.removesuffix("si"))
    return any(family[owner] > family[word] for owner in owners)
