"""The filter and rank stages for languages whose words wordfreq counts: all but Kazakh and Uzbek."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from wordle_tournament.words import LENGTHS
from wordlists.builder import filters, sources
from wordlists.builder.material import Answer, Draft, Form, Say, most_common_first

# Used this much more in English (Zipf): an English word that the dictionary happens to have.
_LOAN = 0.8
# A word that the own dictionary or the English one has as a name too must be this common.
_COMMON_DESPITE_NAME = 4.0
_NAME_IN_MOST_DICTIONARIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The differences between these languages.

    `forms` yields all that may be guessed. `may_be_drawn` says of which forms an answer can be
    made, before commonness and the other filters. `rarest` is the least Zipf value of an answer
    by length (3 is once in a million words). Answers rarer than `witness_below` must be in
    simplemma's table as well.
    """

    language: str
    forms: Callable[[], Iterable[Form]]
    may_be_drawn: Callable[[Form], bool]
    rarest: Mapping[int, float]
    witness_below: float = 0.0
    latin: bool = True


def rarest(four: float, five: float, six: float) -> Mapping[int, float]:
    """Thresholds by length."""
    return dict(zip(LENGTHS, (four, five, six), strict=True))


def plain_forms(name: str) -> Iterator[Form]:
    """The forms of a hunspell dictionary without names, abbreviations and hyphens."""
    forms = sources.hunspell(name).forms(filters.LONGEST_WRITTEN)
    return (form for form in forms if filters.is_plain(form.written))


def is_base(form: Form) -> bool:
    """The usual rule: an answer is a headword of the dictionary."""
    return form.is_base


def is_base_or_known(language: str, form: Form) -> bool:
    """For dictionaries that make some headwords by rule: simplemma's table may vouch for a word.

    Forms of other words are dropped later, by the same table.
    """
    return form.is_base or sources.is_known(language, form.written)


def draft(recipe: Recipe, say: Say) -> Draft:
    """Read, expand, normalise, filter and rank one language."""
    guesses: set[str] = set()
    candidates: defaultdict[str, set[str]] = defaultdict(set)
    say("read and expand")
    for form in recipe.forms():
        word = filters.fitting(recipe.language, form.written)
        if word is None or (recipe.latin and filters.is_roman_number(word)):
            continue
        guesses.add(word)
        if recipe.may_be_drawn(form):
            candidates[word].add(form.written)
    say("filter and rank")
    judge = _Judge(recipe)
    answers: list[Answer] = []
    dropped: defaultdict[str, list[str]] = defaultdict(list)
    for word in sorted(candidates):
        answer, objection = judge(word, candidates[word])
        if objection is None:
            answers.append(answer)
        else:
            dropped[objection].append(word)
    return Draft(frozenset(guesses), most_common_first(answers), dict(dropped))


class _Judge:
    """Says of a candidate why it is no answer, or None if it is."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._commonness = sources.commonness(recipe.language)
        self._english = sources.commonness("en")
        self._own_names = filters.own_names(recipe.language)

    def __call__(self, word: str, spellings: Iterable[str]) -> tuple[Answer, str | None]:
        bases = [w for w in sorted(spellings) if sources.is_base_form(self._recipe.language, w)]
        # wordfreq is case-folded throughout; this looks a word up and never makes one.
        uses = {w: 10 ** self._commonness.get(w.casefold(), -math.inf) for w in bases}
        common = round(math.log10(sum(uses.values()) or 1e-9), 2)
        written = max(bases, key=lambda w: uses[w], default=word)
        return Answer(word, written, common), self._objection(word, bases, common)

    def _objection(self, word: str, bases: list[str], common: float) -> str | None:
        recipe = self._recipe
        if not bases:
            return "inflected"
        if common < recipe.rarest[len(word)]:
            return "rare"
        if not filters.has_vowel(word):
            return "abbreviation"
        if self._is_name(word, common):
            return "name"
        if self._is_loan(word, common):
            return "english"
        if common < recipe.witness_below and not any(sources.is_known(recipe.language, base) for base in bases):
            return "unwitnessed"
        return None

    def _is_name(self, word: str, common: float) -> bool:
        language = self._recipe.language
        if language == "en":
            return False  # the list that English answers must be in has no names
        if not self._recipe.latin:
            return word in self._own_names and common < _COMMON_DESPITE_NAME
        names = filters.names_elsewhere(language)
        return names[word] >= _NAME_IN_MOST_DICTIONARIES or (
            common < _COMMON_DESPITE_NAME and (word in self._own_names or word in filters.own_names("en"))
        )

    def _is_loan(self, word: str, common: float) -> bool:
        if not self._recipe.latin or self._recipe.language == "en":
            return False
        return self._english.get(word, -math.inf) - common > _LOAN
