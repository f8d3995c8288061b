"""Makes the lists of the nickname filter, and the slurs that no guess may be: `python -m wordlists.builder.nicknames`.

Runs after the word lists are built: it reads them, the hand lists `hate` and `obscene` of each language's `review/`
folder, the packaged lists of obscenities, and lists of given names and surnames. See docs/words.md.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from wordle_tournament.errors import GameError
from wordle_tournament.words import LENGTHS, blocked, languages, normalise
from wordlists.builder import sources

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "nicknames"
REVIEW = FOLDER / "review"

SHORTEST_INSIDE = 7
"""Shorter roots stand inside too many words; the few that do not are in `review/roots.txt`."""
SHORTEST_PACKAGED = 4
PLURALS = {"en": ("s", "z"), "es": ("s", "es"), "fr": ("s",), "nl": ("s",), "pt": ("s", "es")}
"""The plurals of words that are too short for the filter's own endings, in the languages that make them with an s."""
LONGEST_ENDING = 3
"""A word that begins with a root and has at most so many letters more is a form of it."""
EVERYDAY = 2.5
"""Packaged words of this Zipf value in any language are ordinary words that can also hurt; they are no entries."""
COMMON = 2.5
"""Words of this Zipf value are known; an innocent one may hold no root."""


def hand(language: str, name: str) -> Iterator[str]:
    """Yield the entries of a hand list of a language."""
    yield from entries(ROOT / language / "review" / f"{name}.txt")


def entries(path: Path) -> Iterator[str]:
    """Yield the words of a list; what follows a `#` is a comment."""
    for line in path.read_text(encoding="utf-8").splitlines():
        yield from line.partition("#")[0].split()


def spellings(language: str, entry: str) -> Iterator[str]:
    """Yield the folded spellings of an entry: German umlauts may be written with an e."""
    joined = entry.replace("-", "").lower()
    yield blocked.fold(joined)
    if language == "de":
        yield blocked.fold(joined.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue"))


@cache
def given_names() -> frozenset[str]:
    """Return the given names of all sources, folded."""
    found = set()
    lines = (sources.package_files("gender_guesser") / "data/nam_dict.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if not line.startswith("#"):
            found |= _words(re.sub("<.*?>|[+]", "", line[3:29]))
    for name in ("dist.female.first", "dist.male.first"):
        for line in _census(name):
            found |= _words(line.split()[0])
    for name in sources.faker_names("first_name") | sources.mimesis_names("names"):
        found |= _words(name)
    return frozenset(found)


@cache
def surnames() -> frozenset[str]:
    """Return the surnames of all sources, folded; those of the US census are of at least 100 people."""
    found = set()
    for line in _census("dist.all.last"):
        found |= _words(line.split()[0])
    for name in sources.faker_names("last_name") | sources.mimesis_names("surnames"):
        found |= _words(name)
    return frozenset(found)


def _words(name: str) -> set[str]:
    return set(blocked.fold(name).replace("-", " ").split())


def _census(name: str) -> list[str]:
    return (sources.package_files("names") / name).read_text(encoding="utf-8").splitlines()


def in_half(word: str, half: int) -> bool:
    """Return True for about half of all words, always the same ones: lists made with one are tried on the other."""
    return hashlib.sha256(word.encode()).digest()[0] % 2 == half


@cache
def commonness() -> Mapping[str, float]:
    """Return the highest Zipf value that a folded word has in any language."""
    found: dict[str, float] = {}
    for language in sorted(sources.COUNTED):
        for word, zipf in sources.commonness(language).items():
            folded = blocked.fold(word)
            found[folded] = max(zipf, found.get(folded, 0.0))
    return found


@cache
def known_words() -> frozenset[str]:
    """Return the folded words that the roots must not stand inside: all guesses, and common longer words."""
    words = {word for word, zipf in commonness().items() if zipf >= COMMON and word.isalpha()}
    for language in languages():
        for length in LENGTHS:
            lines = (ROOT / language / f"guesses-{length}.txt").read_text(encoding="utf-8").split()
            words |= {blocked.fold(word) for word in lines}
    return frozenset(words)


def build(halves: Collection[int] = (0, 1)) -> dict[str, frozenset[str]]:
    """Return the lists of the filter by name, made from these halves of the names."""
    given = {name for name in given_names() if any(in_half(name, half) for half in halves)}
    family = {name for name in surnames() if any(in_half(name, half) for half in halves)}
    hate = {s for code in languages() for e in hand(code, "hate") if "-" not in e for s in spellings(code, e)}
    obscene = {s for code in languages() for e in hand(code, "obscene") if "-" not in e for s in spellings(code, e)}
    phrases = {
        s
        for code in languages()
        for name in ("hate", "obscene")
        for e in hand(code, name)
        if "-" in e
        for s in spellings(code, e)
    }
    by_hand = hate | obscene
    plurals = {
        s + ending
        for code, endings in PLURALS.items()
        for name in ("hate", "obscene")
        for e in hand(code, name)
        if "-" not in e
        for s in spellings(code, e)
        if blocked.SHORTEST_ROOT <= len(s) <= blocked.SHORTEST_STEM
        for ending in endings
        if (ending != "z" or name == "hate") and s[-1] not in "sz" and (ending != "es" or s[-1] not in "aeiou")
    }
    packaged = {
        s
        for code in sources.SLURS_BY_LANGUAGE
        for w in sources.packaged_slurs(code)
        if w.isalpha()
        for s in spellings(code, w)
    }
    packaged = {
        w
        for w in packaged - by_hand
        if len(w) >= SHORTEST_PACKAGED and w not in family and commonness().get(w, 0.0) < EVERYDAY
    }
    whole = hate | ((obscene | plurals) - given - (plurals & (family | known_words()) - by_hand))
    exact = packaged - given
    harmless = {blocked.fold(e.replace("-", "")) for e in entries(REVIEW / "harmless.txt")}
    roots = {blocked.fold(e) for e in entries(REVIEW / "roots.txt")}
    partners = {blocked.fold(e) for e in entries(REVIEW / "partners.txt")}
    innocent = (known_words() | given | family) - whole - exact
    inside = roots | _rare(by_hand & whole, innocent, roots)
    lists = {
        "whole": frozenset(whole - harmless),
        "exact": frozenset(exact - harmless),
        "phrases": frozenset(phrases),
        "anywhere": frozenset(inside - harmless),
        "partners": frozenset(partners),
        "allowed": frozenset(harmless),
    }
    innocent_names = refused_names(lists, given | family)
    return {**lists, "allowed": frozenset(harmless | innocent_names)}


def _rare(words: Iterable[str], innocent: Iterable[str], roots: Iterable[str]) -> set[str]:
    """Return the words that stand inside no innocent word, other than as its stem.

    A word that holds one of the hand-picked roots is not innocent.
    """
    squeezed: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
    for word in sorted(words):
        if len(word) >= SHORTEST_INSIDE:
            letters, runs = blocked.squeeze(word)
            squeezed.setdefault(letters, []).append((word, runs))
    found: set[str] = set()
    for word in innocent:
        letters, runs = blocked.squeeze(word)
        for start in range(len(letters)):
            for end in range(start + 1, len(letters) + 1):
                for root, least in squeezed.get(letters[start:end], ()):
                    is_stem = start == 0 and len(word) - len(root) <= LONGEST_ENDING
                    repeated = all(a <= b for a, b in zip(least, runs[start:end], strict=True))
                    if repeated and not is_stem and not any(other in word for other in roots):
                        found.add(root)
    return {word for entries in squeezed.values() for word, _ in entries} - found


def refused_names(lists: Mapping[str, frozenset[str]], names: Iterable[str]) -> set[str]:
    """Return the names that the filter refuses although they are no entries themselves."""
    with using(lists):
        return {name for name in names if name not in lists["whole"] | lists["exact"] and blocked.is_blocked(name)}


@contextmanager
def using(lists: Mapping[str, frozenset[str]]) -> Iterator[None]:
    """Let the filter use these lists and not the files."""
    before = blocked.load
    blocked.load = lists.__getitem__
    blocked.forget()
    try:
        yield
    finally:
        blocked.load = before
        blocked.forget()


def slurs_to_refuse(language: str) -> frozenset[str]:
    """Return the words of the language that no guess may be: slurs that its guesses hold, and their forms."""
    roots = {
        normalise(language, entry)
        for entry in hand(language, "hate")
        if "-" not in entry and _writable(language, entry)
    }
    spared = {normalise(language, e) for e in entries(ROOT / language / "review" / "spared.txt")}
    return frozenset(root for root in roots if len(root) in LENGTHS) - spared


def _writable(language: str, entry: str) -> bool:
    try:
        normalise(language, entry)
    except GameError:
        return False
    return True


def write() -> None:
    """Write the lists of the filter and each language's refused words, sorted, and take these from the guesses.

    Raises ValueError if a refused word is an answer.
    """
    for name, words in build().items():
        _write(FOLDER / f"{name}.txt", words)
    for language in languages():
        refused = slurs_to_refuse(language)
        for length in LENGTHS:
            answers = set(entries(ROOT / language / f"answers-{length}.txt"))
            if clash := answers & refused:
                raise ValueError(f"{language}: slurs among the answers: {sorted(clash)}")
            guesses = ROOT / language / f"guesses-{length}.txt"
            _write(guesses, set(entries(guesses)) - refused)
        _write(ROOT / language / "slurs.txt", refused)


def _write(path: Path, words: Iterable[str]) -> None:
    path.write_text("".join(f"{word}\n" for word in sorted(words)), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()
