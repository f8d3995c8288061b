"""A language of the game: its tiles and its keyboard."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from .specs import SPECS
from .spelling import spellings


@dataclass(frozen=True, slots=True)
class Tile:
    """One square of the board: the canonical code point and the label on the key."""

    letter: str
    label: str


@dataclass(frozen=True, slots=True)
class Language:
    """The data that a client needs to draw a board and a keyboard in one language.

    `tiles` are in alphabetical order; `keyboard` holds rows of canonical letters, each
    tile exactly once; `spellings` has the letters for each other accepted spelling, such as e for é.
    """

    code: str
    name: str
    native_name: str
    tiles: tuple[Tile, ...]
    keyboard: tuple[tuple[str, ...], ...]
    spellings: Mapping[str, str]


@cache
def languages() -> Mapping[str, Language]:
    """The game languages (R32) by code, built on the first call."""
    return MappingProxyType(
        {
            code: Language(
                code=code,
                name=spec.name,
                native_name=spec.native_name,
                tiles=tuple(Tile(c, spec.labels.get(c, c)) for c in spec.alphabet),
                keyboard=tuple(tuple(row) for row in spec.keyboard.split()),
                spellings=MappingProxyType(spellings(code)),
            )
            for code, spec in SPECS.items()
        }
    )
