"""Portuguese: both dictionaries may be guessed; the European one tags what can be an answer."""

import re
from collections.abc import Iterator

from wordlists.builder.by_frequency import Recipe, plain_forms, rarest
from wordlists.builder.material import Form

_DRAWN = re.compile(r"CAT=(a_nc|nc|adj|v|adv|card|pind|ppos|pdem)")


def _forms() -> Iterator[Form]:
    yield from plain_forms("pt_PT")
    yield from plain_forms("pt_BR")


def _may_be_drawn(form: Form) -> bool:
    return form.is_base and _DRAWN.search(form.tags) is not None


RECIPE = Recipe(
    language="pt",
    forms=_forms,
    may_be_drawn=_may_be_drawn,
    rarest=rarest(3.1, 3.1, 3.1),
    witness_below=9.0,
)
