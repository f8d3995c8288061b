"""French: hunspell-fr, which says of each entry what part of speech it is."""

import re
from collections.abc import Iterator

from wordlists.builder.by_frequency import Recipe, plain_forms, rarest
from wordlists.builder.material import Form

# Proper names, signs and abbreviations.
_NO_WORD = re.compile(r"po:(npr|patr|prn|sign|symb)|po:.*(unit|abr)")
_DRAWN = re.compile(r"po:(nom|adj|adv|v|nb)")


def _forms() -> Iterator[Form]:
    return (form for form in plain_forms("fr") if not _NO_WORD.search(form.tags))


def _may_be_drawn(form: Form) -> bool:
    return form.is_base and _DRAWN.search(form.tags) is not None


RECIPE = Recipe(
    language="fr",
    forms=_forms,
    may_be_drawn=_may_be_drawn,
    rarest=rarest(3.2, 3.2, 3.2),
    witness_below=3.6,
)
