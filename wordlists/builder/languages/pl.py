"""Polish: hunspell-pl (sjp.pl), whose entries include inflected forms: simplemma tells these."""

from functools import partial

from wordlists.builder.by_frequency import Recipe, is_base, plain_forms, rarest

RECIPE = Recipe(
    language="pl",
    forms=partial(plain_forms, "pl_PL"),
    may_be_drawn=is_base,
    rarest=rarest(3.1, 3.1, 3.1),
    witness_below=9.0,
)
