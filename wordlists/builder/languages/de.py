"""German: hunspell-de-de and Wikidata's lexemes.

hunspell does not tell nouns from names, so a capitalised word counts only if Wikidata has it.
Wikidata's words are case-folded, so that its ss may stand for ß: those need hunspell's word.
Swiss players write ss for every ß, so these spellings may be guessed.
"""

from collections.abc import Iterator

from wordlists.builder import filters, sources
from wordlists.builder.by_frequency import Recipe, rarest
from wordlists.builder.material import Form


def _forms() -> Iterator[Form]:
    for form in _spelled_forms():
        yield form
        if "ß" in form.written:  # the Swiss spelling is a word of its own length
            yield Form(form.written.replace("ß", "ss"), form.stem)


def _spelled_forms() -> Iterator[Form]:
    nouns, words = sources.wikidata_german("nouns"), sources.wikidata_german("words")
    spelled: set[str] = set()
    for form in sources.hunspell("de_DE").forms(filters.LONGEST_WRITTEN):
        written = form.written
        spelled.add(written.lower())
        is_noun = written[0].isupper() and (form.stem in nouns or written.lower() in words)
        if filters.is_plain(written[0].lower() + written[1:]) and (written[0].islower() or is_noun):
            yield form
    for word in words:
        if word.isalpha() and ("ss" not in word or word in spelled):
            yield Form(word, word)


def _may_be_drawn(form: Form) -> bool:
    if not form.is_base:
        return False
    return form.written[0].islower() or form.stem in sources.wikidata_german("nouns")


RECIPE = Recipe(language="de", forms=_forms, may_be_drawn=_may_be_drawn, rarest=rarest(3.0, 3.0, 3.0))
