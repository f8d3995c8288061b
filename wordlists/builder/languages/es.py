"""Spanish: hunspell-es."""

from functools import partial

from wordlists.builder.by_frequency import Recipe, is_base, plain_forms, rarest

RECIPE = Recipe(
    language="es",
    forms=partial(plain_forms, "es_ES"),
    may_be_drawn=is_base,
    more=("spanish",),
    rarest=rarest(3.1, 3.1, 3.1),
    witness_below=9.0,
)
