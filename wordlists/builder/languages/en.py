"""English: SCOWL's huge lists may be guessed; answers are base forms that are in its small list.

hunspell makes words such as `remind` or `always` from others by rule, so simplemma vouches for these.
"""

from collections.abc import Iterator
from functools import cache

from wordlists.builder import filters, sources
from wordlists.builder.by_frequency import Recipe, is_base_or_known, plain_forms, rarest
from wordlists.builder.material import Form

_LISTS = ("american-english-huge", "british-english-huge")


@cache
def _words(*lists: str) -> frozenset[str]:
    return frozenset(w for name in lists for w in sources.dict_words(name) if filters.is_plain(w))


def _huge() -> frozenset[str]:
    return _words(*_LISTS)


def _forms() -> Iterator[Form]:
    yield from (Form(word, word) for word in _huge())
    # Peoples and the like are nouns: names have no plural in these lists.
    capitalised = {w for name in _LISTS for w in sources.dict_words(name) if w.istitle() and w.isalpha()}
    yield from (Form(word.lower(), word) for word in capitalised if f"{word}s" in capitalised)
    yield from plain_forms("en_US")


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us")) and word[:-1] in _huge()


def _may_be_drawn(form: Form) -> bool:
    return (
        form.written in _words("american-english-small")
        and not _is_plural(form.written)
        and is_base_or_known("en", form)
    )


RECIPE = Recipe(language="en", forms=_forms, may_be_drawn=_may_be_drawn, rarest=rarest(3.0, 3.0, 3.0))
