"""Whether a written word is a headword, and what share of its use is that of the headword.

A word is a headword if any source says so: the dictionary (`claimed`), simplemma's table, or the language's analyser.
Many headwords are spelled like a form of another word. How much of the use is the headword's then comes from the
analyser if it counts (Lexique, OpenCorpora), else from the forms that cannot be mistaken: a noun whose plural is never
met is not what the word is used for.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from wordlists.builder import analysers, filters, sources
from wordlists.builder.analysers import Reading

# A headword's other forms are met at least this often, relative to the word (Zipf).
_FAMILY = 1.3
_LEAST_SHARE = 0.25
# A word this common (Zipf) that the dictionary and simplemma's table call a headword is one.
_EVERYDAY = 4.3
# Forms that are read to weigh the words they are of.
_IN_USE = 2.6
_LONGEST = 11
# Rarer ones are no family of any word that is common enough.
_IN_FAMILY = 1.7


@dataclass(frozen=True, slots=True)
class Judgement:
    """`vouched` means that the analyser knows the word as a common headword; `written` is its proper spelling."""

    share: float
    vouched: bool
    written: str
    objection: str | None = None


class Headwords:
    """Judges the words of one language."""

    def __init__(self, language: str, words: Iterable[str], counts: filters.Counts) -> None:
        self._language = language
        self._counts = counts
        self._family: defaultdict[str, float] = defaultdict(lambda: -math.inf)
        self._only: defaultdict[str, float] = defaultdict(float)
        self._judged: dict[tuple[str, bool], Judgement] = {}
        words = set(words)
        if language == "ru":
            words |= {word.replace("ё", "е") for word in words}
        self._readings = analysers.read(language, words | self._met())
        self._weigh()

    def judge(self, written: str, *, claimed: bool) -> Judgement:
        """Judge one written word; `claimed` says that the dictionary has it as an entry."""
        key = written, claimed
        if key not in self._judged:
            self._judged[key] = self._judge(written, claimed)
        return self._judged[key]

    def is_called_headword(self, written: str) -> bool:
        """Whether simplemma's table or the analyser calls it one."""
        return sources.is_base_form(self._language, written) or any(
            reading.is_base for reading in self._readings.get(written, [])
        )

    def has_family(self, written: str) -> bool:
        """Whether other forms of the word are met."""
        return self._family[written.lower()] >= self._counts.commonness(written) - _FAMILY

    def _met(self) -> set[str]:
        """The words in use, of all lengths: only where the weights below need them."""
        if self._language in {"fr", "de"}:
            return set()
        return {w for w, zipf in self._counts.words() if zipf >= _IN_USE and len(w) <= _LONGEST and w.isalpha()}

    def _weigh(self) -> None:
        for word, zipf in self._counts.words():
            if zipf < _IN_FAMILY:
                continue
            readings = self._readings.get(word) or self._readings.get(word.capitalize()) or []
            lemmas = {reading.lemma.lower() for reading in readings}
            table = sources.lemma(self._language, word).lower()
            for lemma in lemmas | {table}:
                if lemma != word:
                    self._family[lemma] = max(self._family[lemma], zipf)
            if len(lemmas) == 1:
                self._only[next(iter(lemmas))] += 10**zipf

    def _judge(self, written: str, claimed: bool) -> Judgement:
        if self._language == "ru":  # it is the analyser that tells where ё belongs
            written = written.replace("ё", "е")
        readings = self._readings.get(written, [])
        itself = sources.is_base_form(self._language, written)
        main = main_use(self._language, written)
        if not readings:
            return self._unread(written, itself=itself, claimed=claimed, main=main)
        bases = [r for r in readings if r.is_base]
        if not bases:
            if all(r.is_name for r in readings):
                return Judgement(0, False, written, "name")
            if any("abbreviation" in r.marks for r in readings):
                return Judgement(0, False, written, "abbreviation")
            if any("fragment" in r.marks for r in readings):
                return Judgement(0, False, written, "fragment")
            if self._language == "id" and itself and claimed:
                return Judgement(1, False, written)
            only_verb = all(r.kind == "verb" for r in readings)
            if self._is_backed(written, main, itself=itself, claimed=claimed, only_verb=only_verb):
                return Judgement(0.5, False, written)
            return Judgement(0, False, written, "inflected")
        if self._language == "id" and not claimed:
            return Judgement(0, False, written, "inflected")
        if self._language in {"ru", "uk"} and not claimed and any(r.is_name for r in readings):
            return Judgement(0, False, written, "name")
        if self._language == "de" and written[0].isupper() and not claimed:
            return Judgement(0, False, written, "inflected")
        for mark in ("vulgar", "old", "abbreviation"):
            if all(mark in r.marks for r in bases):
                return Judgement(1, True, written, mark)
        share = self._share(written, readings, bases, main, sure=itself and claimed)
        spelled = _spelled(written, bases)
        if share < _LEAST_SHARE:
            names = any(r.is_name for r in readings)
            return Judgement(share, False, spelled, "name" if names else "inflected")
        # Indonesian names are in the analyser like any noun.
        return Judgement(share, main != "name" and self._language != "id", spelled)

    def _is_backed(self, written: str, main: str | None, *, itself: bool, claimed: bool, only_verb: bool) -> bool:
        """Whether the other sources may overrule an analyser that has forms of other words only."""
        if main == "base" and only_verb and self._language in {"es", "it"}:
            return True  # a noun that the analyser lacks (uscita)
        if not itself or not claimed or main == "form" or self._language == "fr":
            return False
        everyday = self._counts.commonness(written) >= _EVERYDAY
        return everyday or main == "base" or self._language == "pt" or self.has_family(written)

    def _unread(self, written: str, *, itself: bool, claimed: bool, main: str | None) -> Judgement:
        """The analyser does not know the word: the dictionary and simplemma's table must agree."""
        if not itself or not (claimed or main == "base"):
            return Judgement(0, False, written, "inflected")
        if main == "form" and (self._language in {"es", "it"} or not self.has_family(written)):
            return Judgement(0, False, written, "inflected")
        if main in {"name", "foreign"} and not self.has_family(written):
            return Judgement(0, False, written, main)
        everyday = self._counts.commonness(written) >= _EVERYDAY
        if (
            self._language == "de"
            and not everyday
            and is_form_of_noun_or_adjective(written)
            and not self.has_family(written)
        ):
            return Judgement(0, False, written, "rare homograph")
        return Judgement(1, False, written)

    def _share(
        self, written: str, readings: list[Reading], bases: list[Reading], main: str | None, *, sure: bool
    ) -> float:
        if self._language == "fr":
            return sum(r.share or 0 for r in bases) / (sum(r.share or 0 for r in readings) or 1)
        others = {r.lemma.lower() for r in readings} - {r.lemma.lower() for r in bases}
        if not others or main == "base":
            return 1.0
        own = sum(self._only[r] for r in {r.lemma.lower() for r in bases})
        share = (own + 1) / (own + sum(self._only[lemma] for lemma in others) + 1)
        if any(r.kind == "other" for r in bases):  # adverbs and the like have no forms to weigh them by
            counted = [r.share for r in bases if r.kind == "other" and self._language == "ru"]
            share = max(share, sum(each or 0 for each in counted) if counted else 0.5)
        if sure or (main != "form" and self._language in {"es", "it", "pt"} and self.has_family(written)):
            share = max(share, 0.8 if sure else 0.5)
        return share


@cache
def _with_yo() -> frozenset[str]:
    return frozenset(entry.word for entry in sources.hunspell("ru_RU").entries if "ё" in entry.word)


def _spelled(written: str, bases: list[Reading]) -> str:
    """Return the proper spelling of a headword: of two, the one with ё if the dictionary has it (not бытиё)."""
    main = max(bases, key=lambda r: r.share or 0)
    same = [r.written for r in bases if r.lemma == main.lemma and "ё" in r.written and r.written in _with_yo()]
    return (same[0] if same else main.written) or written


_SPANISH_FORMS = re.compile("NCP|V[MSA][^N]")
_DUTCH_FORMS = re.compile(r".*mv|.*,verv|V\((?!.*inf)")
_GERMAN_FORMS = frozenset(["NNS", "ADJA", "VVPP", "VVIZU", "VMFIN", "VAFIN"])


def is_form_of_noun_or_adjective(written: str) -> bool:
    """Whether a German word in -n, a verb as such, is a form of a noun (Kanten) or an adjective (rauen) as well."""
    if not written.islower() or not written.endswith("n"):
        return False
    as_noun = analysers.german_noun_forms().get(written.capitalize(), set()) - {written.capitalize()}
    tags = sources.main_tags("de")
    return bool(as_noun) or tags.get(written.removesuffix("en"), "").startswith("ADJ")


def main_use(language: str, written: str) -> str | None:
    """Return the most frequent use of the word: base, form, name or foreign; None where that is not known."""
    if language not in {"es", "it", "nl", "de"}:
        return None
    tags = sources.main_tags(language)
    # Names are in the lexicons with their capital only.
    tag = tags.get(written) or tags.get(written.capitalize())
    if tag is None:
        return None
    if tag.startswith(("NP", "NNP", "NE", "N(eigen")):
        return "name"
    if tag.startswith(("FM", "Misc(vreemd")):
        return "foreign"
    itself = sources.is_base_form(language, written)
    match language:
        case "es":
            return "form" if _SPANISH_FORMS.match(tag) else "base" if itself or tag[0] == "N" else None
        case "it":  # VB is any form of a verb
            return "form" if tag == "NNS" or tag[:3] in {"VBN", "VBG"} else "base" if itself or tag == "NN" else None
        case "nl":
            return "form" if _DUTCH_FORMS.match(tag) else "base"
        case _:
            return "form" if tag in _GERMAN_FORMS else "base"
