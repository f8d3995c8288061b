"""Italian: hunspell-it, which makes many headwords (casa, giorno) from others by rule."""

from functools import partial

from wordlists.builder.by_frequency import Recipe, is_base_or_known, plain_forms, rarest

RECIPE = Recipe(
    language="it",
    forms=partial(plain_forms, "it_IT"),
    may_be_drawn=partial(is_base_or_known, "it"),
    more=("italian",),
    rarest=rarest(3.0, 3.0, 3.0),
    witness_below=3.6,
)
