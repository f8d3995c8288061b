"""Dutch: hunspell-nl (OpenTaal), whose entries include inflected forms: simplemma tells these.

It writes ĳ as one character, which nobody types and nothing else that is read here does.
"""

from collections.abc import Iterator

from wordlists.builder import filters, sources
from wordlists.builder.by_frequency import Recipe, is_base, rarest
from wordlists.builder.material import Form


def _forms() -> Iterator[Form]:
    for form in sources.hunspell("nl").forms(filters.LONGEST_WRITTEN):
        written = form.written.replace("ĳ", "ij")
        if filters.is_plain(written):
            yield Form(written, form.stem.replace("ĳ", "ij"), form.tags, is_base=form.is_base)


RECIPE = Recipe(
    language="nl",
    forms=_forms,
    may_be_drawn=is_base,
    rarest=rarest(3.0, 3.0, 3.0),
    witness_below=3.6,
)
