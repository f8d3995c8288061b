"""Dutch: hunspell-nl (OpenTaal), whose entries include inflected forms: simplemma tells these."""

from functools import partial

from wordlists.builder.by_frequency import Recipe, is_base, plain_forms, rarest

RECIPE = Recipe(
    language="nl",
    forms=partial(plain_forms, "nl"),
    may_be_drawn=is_base,
    rarest=rarest(3.0, 3.0, 3.0),
    witness_below=3.6,
)
