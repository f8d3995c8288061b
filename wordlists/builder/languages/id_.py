"""Indonesian: hunspell-id; much everyday language is missing there and comes from the review."""

from functools import partial

from wordlists.builder.by_frequency import Recipe, is_base, plain_forms, rarest

RECIPE = Recipe(
    language="id",
    forms=partial(plain_forms, "id_ID"),
    may_be_drawn=is_base,
    rarest=rarest(3.25, 3.25, 3.25),
    witness_below=3.6,
)
