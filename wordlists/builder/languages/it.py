"""Italian: hunspell-it. Short headwords are few, so rarer ones are taken than elsewhere."""

from functools import partial

from wordlists.builder.by_frequency import Recipe, is_base, plain_forms, rarest

RECIPE = Recipe(
    language="it",
    forms=partial(plain_forms, "it_IT"),
    may_be_drawn=is_base,
    rarest=rarest(2.8, 2.9, 2.9),
    witness_below=3.6,
)
