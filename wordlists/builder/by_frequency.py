"""The filter and rank stages for languages whose words wordfreq counts: all but Kazakh and Uzbek."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from wordle_tournament.words import LENGTHS
from wordlists.builder import analysers, filters, sources
from wordlists.builder.headwords import Headwords
from wordlists.builder.material import Answer, Draft, Form, Say, most_common_first

# Used this much more in English (Zipf): an English word that the dictionary happens to have.
_LOAN = 0.8
# The same, if a good analyser of the language does not know it.
_LIKELY_LOAN = 0.4
# A name that is a word too must be this common, or its other forms must be in use.
_COMMON_DESPITE_NAME = 4.0
_NAME_IN_MOST_DICTIONARIES = 3
# A word that wordfreq counts this often (Zipf) and that another source knows may be guessed.
_WITNESSED = 2.4
# How much rarer (Zipf) the other forms of a German noun may be than the form that another word shares.
_NOUN_FORMS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The differences between these languages.

    `forms` yields all that may be guessed. `may_be_drawn` says of which forms the dictionary itself says that they
    are headwords. `rarest` is the least Zipf value of an answer by length (3 is once in a million words). Answers
    rarer than `witness_below` must be in simplemma's table or known to the analyser. `more` names further lists in
    /usr/share/dict of what may be guessed. `is_misspelled` says which spellings are guesses only: those of another
    time or country, shortened ones, German nouns without their capital.
    """

    language: str
    forms: Callable[[], Iterable[Form]]
    may_be_drawn: Callable[[Form], bool]
    rarest: Mapping[int, float]
    witness_below: float = 0.0
    more: tuple[str, ...] = ()
    latin: bool = True
    is_misspelled: Callable[[str], bool] = lambda _: False


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
    spellings: defaultdict[str, set[str]] = defaultdict(set)
    claimed: set[str] = set()
    say("read and expand")
    for form in chain(recipe.forms(), _listed(recipe.more), _witnessed(recipe)):
        word = filters.fitting(recipe.language, form.written)
        if word is None or (recipe.latin and filters.is_roman_number(word) and not recipe.may_be_drawn(form)):
            continue
        guesses.add(word)
        spellings[word].add(form.written)
        if recipe.may_be_drawn(form):
            claimed.add(form.written)
    say("filter and rank")
    judge = _Judge(recipe, spellings, claimed)
    answers: list[Answer] = []
    dropped: dict[Answer, str] = {}
    for word in sorted(spellings):
        answer, objection = judge(word)
        if objection is None:
            answers.append(answer)
        elif objection != "rare" and any(judge.is_called_headword(w) for w in spellings[word]):
            dropped[answer] = objection
    return Draft(frozenset(guesses), most_common_first(answers), dropped)


def _listed(lists: Iterable[str]) -> Iterator[Form]:
    """The second dictionaries' words, of which nothing is known but that they are words."""
    for name in lists:
        yield from (Form(word, word) for word in sources.dict_words(name) if filters.is_plain(word))


def _witnessed(recipe: Recipe) -> Iterator[Form]:
    """Words in use that no dictionary here has (new loans, mostly), if simplemma's table or the analyser knows them."""
    language = recipe.language
    counts = sources.commonness(language)
    used = {w for w, zipf in counts.items() if zipf >= _WITNESSED and w.isalpha() and filters.fitting(language, w)}
    readings = analysers.read(language, used)
    english = sources.commonness("en")
    for word in sorted(used):
        known = readings.get(word, [])
        if language == "de" or (not known and not sources.is_known(language, word)):
            continue
        if (known and all(r.is_name for r in known)) or filters.is_only_name(language, word):
            continue
        if recipe.latin and not known and english.get(word, -math.inf) - counts[word] > _LOAN:
            continue
        yield Form(word, word)


class _Judge:
    """Says of a canonical word why it is no answer, or None if it is."""

    def __init__(self, recipe: Recipe, spellings: Mapping[str, set[str]], claimed: set[str]) -> None:
        self._recipe = recipe
        self._spellings = spellings
        self._claimed = claimed
        self._counts = filters.Counts(recipe.language)
        self._english = sources.commonness("en")
        least = min(recipe.rarest.values())
        self._common = {
            written: self._counts.commonness(written, group) for group in spellings.values() for written in group
        }
        common = {written for written, zipf in self._common.items() if zipf >= least}
        self._headwords = Headwords(recipe.language, common, self._counts)

    def __call__(self, word: str) -> tuple[Answer, str | None]:
        best: tuple[Answer, str | None] | None = None
        for written in sorted(self._spellings[word]):
            judged = self._spelling(word, written)
            if best is None or self._rank(judged) > self._rank(best):
                best = judged
        assert best is not None
        return best

    def _rank(self, judged: tuple[Answer, str | None]) -> tuple[bool, bool, float, str]:
        answer, objection = judged
        preferred = self._recipe.language == "de" and is_preferred_case(answer.written)
        return objection is None, preferred, answer.commonness, answer.written

    def _spelling(self, word: str, written: str) -> tuple[Answer, str | None]:
        common = self._common[written]
        headword = self._headwords.judge(written, claimed=written in self._claimed)
        used = round(common + math.log10(max(headword.share, 1e-6)), 2)
        objection = self._objection(word, written, common, used)
        return Answer(word, headword.written, used if objection is None else common), objection

    def is_called_headword(self, written: str) -> bool:
        """Whether any source says that it is one."""
        return written in self._claimed or self._headwords.is_called_headword(written)

    def _objection(self, word: str, written: str, common: float, used: float) -> str | None:
        recipe = self._recipe
        least = recipe.rarest[len(word)]
        headword = self._headwords.judge(written, claimed=written in self._claimed)
        if common < least:
            return "rare"
        if recipe.is_misspelled(written):
            return "misspelled"
        if headword.objection is not None:
            return headword.objection
        if used < least:
            return "rare homograph"
        if not filters.has_vowel(word):
            return "abbreviation"
        if self._is_name(written, common, vouched=headword.vouched):
            return "name"
        # Italian loans have no plural of their own: gonna is no loan.
        has_family = recipe.language == "it" and self._headwords.has_family(written)
        own = headword.vouched and (common >= _COMMON_DESPITE_NAME or has_family)
        if not own and self._is_loan(written, common, vouched=headword.vouched):
            return "english"
        if common < recipe.witness_below and not headword.vouched and not sources.is_known(recipe.language, written):
            return "unwitnessed"
        return None

    def _is_name(self, written: str, common: float, *, vouched: bool) -> bool:
        """Compared as it is written: accents and all."""
        language = self._recipe.language
        if language == "de" and written in analysers.german_names():
            return True
        if language == "en" or (language == "de" and written.islower()):
            return False  # the list that English answers must be in has no names
        if language != "de" and written not in self._claimed and filters.is_only_name(language, written):
            return True
        if language == "de" and is_german_noun(written) and common >= _COMMON_DESPITE_NAME:
            return False
        name = written.capitalize()
        own = language != "de" and name in filters.own_names(language)  # every German noun has a capital
        if self._recipe.latin:
            elsewhere = filters.names_elsewhere()[name] >= _NAME_IN_MOST_DICTIONARIES
            in_english = name in filters.own_names("en") and not (language == "de" and is_german_noun(written))
            suspicious = own or elsewhere or in_english
        else:
            elsewhere, suspicious = False, own
        if not suspicious:
            return False
        if vouched and common >= _COMMON_DESPITE_NAME and language == "it":
            return False  # its analyser tells names from nouns
        doubtful = elsewhere or common < _COMMON_DESPITE_NAME
        return doubtful and not ((vouched or language == "de") and self._headwords.has_family(written))

    def _is_loan(self, written: str, common: float, *, vouched: bool) -> bool:
        if not self._recipe.latin or self._recipe.language == "en":
            return False
        unknown = not vouched and self._recipe.language in {"es", "it", "pt", "fr"}
        return self._english.get(written.casefold(), -math.inf) - common > (_LIKELY_LOAN if unknown else _LOAN)


def is_german_noun(written: str) -> bool:
    """Whether every source has the word as a noun: the name that is spelled alike is not what it is used for."""
    tagged = sources.main_tags("de").get(written, "")
    return (
        tagged.startswith("NN")
        and written in sources.wikidata_german("nouns")
        and written in analysers.german_noun_forms().get(written, ())
    )


def is_preferred_case(written: str) -> bool:
    """Of a German noun and another word that differ in the capital only, whether this one is used more."""
    tags = sources.main_tags("de")
    capital, lower = tags.get(written.capitalize(), ""), tags.get(written.lower(), "")
    if lower.startswith("ADJ"):
        return written[0].islower()
    if capital.startswith("NN"):
        # A noun in use is met in other forms, too; Jetzt and Mehr are not.
        counts = sources.commonness("de")
        forms = analysers.german_noun_inflections().get(written.capitalize(), set())
        met = max((counts.get(form.casefold(), 0.0) for form in forms), default=0.0)
        is_noun = not lower or met >= counts.get(written.casefold(), 0.0) - _NOUN_FORMS
        return written[0].isupper() == is_noun
    # Verbs are nouns too (Gehen); other rare nouns (Näher) are not what the word is used for.
    return written[0].islower() and (bool(lower) or sources.is_known("de", written))
