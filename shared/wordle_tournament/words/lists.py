"""The word lists: the secret words and the words that may be guessed (R12, R14, R33).

Lists are committed text files, `wordlists/<language>/{answers,guesses}-<length>.txt`, sorted by
code point; each is read on its first use and kept. No word is ever logged.
"""

import random
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import overload

from ..errors import ErrorCode, GameError
from .language import languages
from .spelling import normalise

LENGTHS = (4, 5, 6)

# Beside the package's parent directory: the repository's root, or /opt in the Lambda layer.
ROOT = Path(__file__).resolve().parents[3] / "wordlists"


class WordList(Sequence[str]):
    """Sorted words of one length, kept as the one string of the file and found by binary search.

    Loading takes one read and makes no object per word, which keeps a cold start short.
    """

    __slots__ = ("_line", "_text", "_width")

    def __init__(self, text: str, width: int) -> None:
        self._text = text
        self._width = width
        self._line = width + len("\n")

    def __len__(self) -> int:
        return len(self._text) // self._line

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        start = range(len(self))[index] * self._line
        return self._text[start : start + self._width]

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.place(word) is not None

    def place(self, word: str) -> int | None:
        """Return the index of the word, or None if the list does not have it."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            start = middle * self._line
            found = self._text[start : start + self._width]
            if found == word:
                return middle
            if found < word:
                low = middle + 1
            else:
                high = middle
        return None


def answers(language: str, length: int) -> WordList:
    """Return the secret words of a language and length, canonical and sorted."""
    return _list("answers", language, length)


def guesses(language: str, length: int) -> WordList:
    """Return all words that may be guessed, canonical and sorted; every answer is among them."""
    return _list("guesses", language, length)


@cache
def slurs(language: str) -> frozenset[str]:
    """Return the words of the language that may not be guessed though they exist, canonical: no list has them."""
    path = ROOT / languages()[language].code / "slurs.txt"
    return frozenset(path.read_text(encoding="utf-8").split())


def check_guess(language: str, length: int, text: str) -> str:
    """Return the canonical word of a guess that may be played (R14).

    Letters are checked first, then the length, then the list; only a word that is not in the list is looked up among
    the slurs. Raises GameError: UNKNOWN_LETTER, WRONG_LENGTH, WORD_NOT_ALLOWED, NOT_IN_WORD_LIST. Its message never
    repeats the word.
    """
    word = normalise(language, text)
    if len(word) != length:
        raise GameError(ErrorCode.WRONG_LENGTH, f"The word must have {length} letters.", field="word")
    if word not in guesses(language, length):
        if word in slurs(language):
            raise GameError(ErrorCode.WORD_NOT_ALLOWED, "The word is a slur, so no board shows it.", field="word")
        raise GameError(ErrorCode.NOT_IN_WORD_LIST, "The word is not in the word list.", field="word")
    return word


def draw_answer(language: str, length: int, used: Collection[str], rng: random.Random) -> str:
    """Draw a secret word; all that are not in `used` are equally likely (R12). Raises ValueError if all are used.

    The unused words are counted and not listed: an index among them is drawn, and then moved past the used ones.
    """
    words = answers(language, length)
    taken = sorted({place for word in used if len(word) == length and (place := words.place(word)) is not None})
    drawn = rng.randrange(len(words) - len(taken))
    for place in taken:
        if place > drawn:
            break
        drawn += 1
    return words[drawn]


def display(language: str, word: str) -> str:
    """Return the real spelling of an answer, with its accents, capitals and digraphs."""
    written = _written(language).get(word)
    if written is not None:
        return written
    labels = {tile.letter: tile.label for tile in languages()[language].tiles}
    return "".join(labels[letter] for letter in word)


@cache
def _list(kind: str, language: str, length: int) -> WordList:
    path = ROOT / languages()[language].code / f"{kind}-{length}.txt"
    return WordList(path.read_text(encoding="utf-8"), length)


@cache
def _written(language: str) -> Mapping[str, str]:
    path = ROOT / languages()[language].code / "display.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)
