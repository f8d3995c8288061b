"""`python -m wordlists.coverage de text.conllu ...`: the share of running words in tagged text that may be guessed.

Reads CoNLL-U files, as the Universal Dependencies treebanks are. Counts tokens of 4 to 6 tiles that consist of the
language's letters; left out are proper nouns, Roman numbers, and what the treebank marks as foreign, as a typing error
or as an abbreviation. A contraction (French `du`, Italian `dirlo`) counts once, as it is written.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from wordle_tournament.errors import GameError
from wordle_tournament.words import LENGTHS, guesses, normalise

_NO_WORDS = frozenset(["PROPN", "PUNCT", "SYM", "X"])
_MARKED = ("Foreign=Yes", "Typo=Yes", "Abbr=Yes")
_ROMAN = re.compile("[IVXLCDM]{2,}e?")
_REFUSED_SHOWN = 60


class Token(NamedTuple):
    """One written token: its text, and whether it is a word of the language."""

    text: str
    counts: bool


def tokens(lines: Iterable[str]) -> Iterator[Token]:
    """The written tokens of a CoNLL-U file."""
    covered: dict[int, list[list[str]]] = {}
    contraction: list[str] | None = None
    last = 0
    for line in lines:
        columns = line.rstrip("\n").split("\t")
        if line.startswith("#") or len(columns) < 10 or "." in columns[0]:
            continue
        number = columns[0]
        if "-" in number:
            contraction, last = columns, int(number.partition("-")[2])
            covered[last] = []
        elif contraction is not None and int(number) <= last:
            covered[last].append(columns)
            if int(number) == last:
                yield Token(contraction[1], all(_is_word(part) for part in covered.pop(last)))
                contraction = None
        else:
            yield Token(columns[1], _is_word(columns))


def _is_word(columns: list[str]) -> bool:
    marks = columns[5] + "|" + columns[9]
    if _ROMAN.fullmatch(columns[1]):
        return False
    return columns[3] not in _NO_WORDS and not any(mark in marks for mark in _MARKED)


def measure(language: str, found: Iterable[Token]) -> tuple[Counter[int], Counter[int], Counter[str]]:
    """How many running words of each length there are, how many may be guessed, and which may not."""
    accepted = {length: frozenset(guesses(language, length)) for length in LENGTHS}
    met: Counter[int] = Counter()
    taken: Counter[int] = Counter()
    refused: Counter[str] = Counter()
    for token in found:
        if not token.counts or not token.text.isalpha():
            continue
        try:
            word = normalise(language, token.text)
        except GameError:
            continue
        if len(word) not in LENGTHS:
            continue
        met[len(word)] += 1
        if word in accepted[len(word)]:
            taken[len(word)] += 1
        else:
            refused[token.text] += 1
    return met, taken, refused


def main(language: str, paths: list[str]) -> None:
    """Print a row of the table in docs/words.md, then the most frequent words that are refused."""
    lines = (line for path in paths for line in Path(path).read_text(encoding="utf-8").splitlines())
    met, taken, refused = measure(language, tokens(lines))
    shares = " | ".join(f"{100 * taken[n] / met[n]:.2f} % of {met[n]}" for n in LENGTHS)
    sys.stdout.write(f"| {language} | {shares} | {100 * taken.total() / met.total():.2f} % |\n")
    sys.stdout.write(" ".join(word for word, _ in refused.most_common(_REFUSED_SHOWN)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
