"""Each language's own facts, and how to draft its lists."""

from collections.abc import Callable, Mapping
from functools import partial

from wordlists.builder import by_frequency
from wordlists.builder.languages import de, en, es, fr, id_, it, kk, nl, pl, pt, ru, uk, uz
from wordlists.builder.material import Draft, Say

_RECIPES = (module.RECIPE for module in (en, id_, de, es, fr, it, nl, pl, pt, ru, uk))

DRAFTERS: Mapping[str, Callable[[Say], Draft]] = {
    **{recipe.language: partial(by_frequency.draft, recipe) for recipe in _RECIPES},
    "kk": kk.draft,
    "uz": uz.draft,
}
