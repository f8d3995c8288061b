"""Ukrainian: hunspell-uk. Words with an apostrophe are no letters only, hence in no list."""

from functools import partial

from wordlists.builder.by_frequency import Recipe, is_base, plain_forms, rarest

RECIPE = Recipe(
    language="uk",
    forms=partial(plain_forms, "uk_UA"),
    may_be_drawn=is_base,
    more=("ukrainian",),
    rarest=rarest(3.2, 3.2, 3.2),
    latin=False,
)
