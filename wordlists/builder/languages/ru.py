"""Russian: hunspell-ru."""

from functools import partial

from wordlists.builder.by_frequency import Recipe, is_base, plain_forms, rarest

RECIPE = Recipe(
    language="ru",
    forms=partial(plain_forms, "ru_RU"),
    may_be_drawn=is_base,
    rarest=rarest(3.2, 3.2, 3.2),
    witness_below=9.0,
    latin=False,
)
