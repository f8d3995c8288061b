"""Portuguese: both dictionaries may be guessed; the European one tags what can be an answer."""

import re
from collections.abc import Iterator
from functools import cache

from wordlists.builder import filters, sources
from wordlists.builder.by_frequency import Recipe, plain_forms, rarest
from wordlists.builder.material import Form

_DRAWN = re.compile(r"CAT=(a_nc|nc|adj|v|adv|card|pind|ppos|pdem)")

# A silent c or p, written until 2009 in Portugal.
_SILENT = re.compile(r"c(?=[cçt])|p(?=[cçt])")
# Said in Portugal, so still written there.
_STILL_WRITTEN = frozenset(["facto", "secção"])


def _forms() -> Iterator[Form]:
    yield from plain_forms("pt_PT")
    yield from plain_forms("pt_BR")


def _may_be_drawn(form: Form) -> bool:
    return form.is_base and _DRAWN.search(form.tags) is not None


@cache
def _spelled_in_brazil() -> frozenset[str]:
    return frozenset(form.written for form in sources.hunspell("pt_BR").forms(filters.LONGEST_WRITTEN))


def _is_old(written: str) -> bool:
    """Whether a silent letter makes it a spelling of before the agreement (acção)."""
    if written in _spelled_in_brazil() or written in _STILL_WRITTEN:
        return False
    return any(written[: at.start()] + written[at.end() :] in _spelled_in_brazil() for at in _SILENT.finditer(written))


RECIPE = Recipe(
    language="pt",
    forms=_forms,
    may_be_drawn=_may_be_drawn,
    rarest=rarest(3.1, 3.1, 3.1),
    witness_below=9.0,
    is_misspelled=_is_old,
)
