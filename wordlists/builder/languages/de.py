"""German: hunspell-de-de, with Wikidata's lexemes and German Wiktionary's nouns.

hunspell does not tell nouns from names, so a capitalised word counts only if one of the other two has it.
Wikidata's words are case-folded, so that its ss may stand for ß: those need hunspell's word.
Swiss players write ss for every ß, and older ones ß where it is ss since 1996, so these spellings may be guessed.
"""

from collections.abc import Iterator
from functools import cache

from wordlists.builder import analysers, filters, sources
from wordlists.builder.by_frequency import Recipe, rarest
from wordlists.builder.material import Form


def _forms() -> Iterator[Form]:
    for form in _spelled_forms():
        yield form
        if "ß" in form.written:  # the Swiss spelling is a word of its own length
            yield Form(form.written.replace("ß", "ss"), form.stem)


def _spelled_forms() -> Iterator[Form]:
    nouns, words = sources.wikidata_german("nouns"), sources.wikidata_german("words")
    noun_forms = analysers.german_noun_forms()
    spelled: set[str] = set()
    for form in sources.hunspell("de_DE").forms(filters.LONGEST_WRITTEN):
        written = form.written
        spelled.add(written.lower())
        is_noun = written[0].isupper() and (form.stem in nouns or written.lower() in words or written in noun_forms)
        if filters.is_plain(written[0].lower() + written[1:]) and (written[0].islower() or is_noun):
            yield form
    for word in words:
        if word.isalpha() and ("ss" not in word or word in spelled):
            yield Form(word, word)
    for noun in noun_forms:
        if noun.istitle() and noun.isalpha() and len(noun) <= filters.LONGEST_WRITTEN:
            yield Form(noun, noun)
    for word in sources.dict_words("ogerman"):
        new = word.replace("ß", "ss")
        if new != word and (new in noun_forms or sources.is_known("de", new)):
            yield Form(word, word)


def _may_be_drawn(form: Form) -> bool:
    if form.written[0].islower():
        return form.is_base
    if form.is_base and form.stem in sources.wikidata_german("nouns"):
        return True
    # Wiktionary has many rare nouns: those in use are met in corpora, too.
    return form.written in analysers.german_noun_forms().get(form.written, ()) and sources.main_tags("de").get(
        form.written, ""
    ).startswith("NN")


@cache
def _spelled_today() -> frozenset[str]:
    forms = {form.written for form in sources.hunspell("de_DE").forms(filters.LONGEST_WRITTEN)}
    return frozenset(forms | {written.capitalize() for written in forms})


def _is_misspelled(written: str) -> bool:
    """Whether it is Swiss (Grösse), older than the reform (Schloß), or a noun without its capital (hahn)."""
    if written in _spelled_today():
        return False
    if "ss" in written or "ß" in written:
        return True
    return written.islower() and sources.main_tags("de").get(written, "NN").startswith(("N", "FM"))


RECIPE = Recipe(
    language="de",
    forms=_forms,
    may_be_drawn=_may_be_drawn,
    rarest=rarest(3.0, 3.0, 3.0),
    is_misspelled=_is_misspelled,
)
