"""Writes rules/characters.py, the characters of nicknames: `python -m tools.nickname_characters` on Python 3.11.

Python 3.11 knows Unicode 14, each later Python more. The table keeps the filter the same on all of them: a letter that
a newer Unicode adds is refused until somebody has looked at it, for some of them show nothing.
"""

import sys
import textwrap
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

UNICODE = "14.0.0"
PATH = Path(__file__).parents[1] / "shared/wordle_tournament/rules/characters.py"
LETTERS = ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")
# Default_Ignorable_Code_Point (fillers, variation selectors, the grapheme joiner, two Khmer vowels), other letters and
# marks without ink (Khitan filler, Duployan selectors, Brahmi and Tifinagh joiners), and the letter that is an emoji.
INVISIBLE = frozenset(
    (
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2139, 0x2D7F, 0x3164, 0xFFA0),
        *(0x1107F, 0x16FE4, 0x1BC9D, 0x1BC9E),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    )
)


def kind(code: int) -> str:
    """Return the table that the code point belongs to, or nothing."""
    category = unicodedata.category(chr(code))
    if code in INVISIBLE:
        return ""
    return "LETTERS" if category in LETTERS else {"Mn": "MARKS", "Mc": "SPACING_MARKS"}.get(category, "")


def ranges() -> Iterator[tuple[str, int, int]]:
    """Yield the table, first and last code point of each run of characters."""
    for name, run in groupby(range(sys.maxunicode + 1), kind):
        codes = list(run)
        if name:
            yield name, codes[0], codes[-1]


def module() -> str:
    """Return the text of the module."""
    tables: dict[str, list[str]] = {"LETTERS": [], "MARKS": [], "SPACING_MARKS": []}
    for name, first, last in ranges():
        tables[name].append(f"{first:X}" if first == last else f"{first:X}-{last:X}")
    parts = [
        f'{name} = """\\\n' + "\n".join(textwrap.wrap(" ".join(runs), 118, break_on_hyphens=False)) + '\n"""\n'
        for name, runs in tables.items()
    ]
    return (
        f'"""The characters of nicknames, of Unicode {UNICODE}. Made by tools/nickname_characters.py."""\n\n'
        + "".join(parts)
    )


if __name__ == "__main__":
    if unicodedata.unidata_version != UNICODE:
        sys.exit(f"This Python has Unicode {unicodedata.unidata_version}, not {UNICODE}.")
    PATH.write_text(module(), encoding="utf-8")
