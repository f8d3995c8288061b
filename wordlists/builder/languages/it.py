"""Italian: hunspell-it, which makes many headwords (casa, giorno) from others by rule."""

from functools import partial

from wordlists.builder import sources
from wordlists.builder.by_frequency import Recipe, is_base_or_known, plain_forms, rarest

_INFINITIVES = ("are", "ere", "ire")


def _is_shortened(written: str) -> bool:
    """Whether it is an infinitive without its last vowel (voler bene)."""
    whole = f"{written}e"
    return (
        written.endswith("r")
        and whole.endswith(_INFINITIVES)
        and not sources.main_tags("it").get(written, "").startswith("N")  # star
        and sources.is_known("it", whole)
        and sources.is_base_form("it", whole)
        and sources.commonness("it").get(whole, 0.0) > sources.commonness("it").get(written, 0.0)
    )


RECIPE = Recipe(
    language="it",
    forms=partial(plain_forms, "it_IT"),
    may_be_drawn=partial(is_base_or_known, "it"),
    more=("italian",),
    rarest=rarest(3.0, 3.0, 3.0),
    witness_below=3.6,
    is_misspelled=_is_shortened,
)
