"""The last stages: apply the review, check, write."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wordle_tournament.words import LENGTHS, languages, normalise
from wordlists.builder import filters, sources
from wordlists.builder.material import Draft
from wordlists.builder.review import Review

ROOT = Path(__file__).resolve().parents[1]

# Words used at least this often (Zipf 4: ten times in a million words) should be guessable.
_EVERYDAY = 4.0
# English slurs are known in every language in Latin script, unless spelled like a word of its own.
_LATIN = frozenset(code for code in languages() if code not in {"en", "ru", "uk", "kk"})

# Shorter packaged ones are abbreviations, and too often a name or plain word of another language (Del, Pau, pot).
_SHORTEST_SLUR = 4


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of one language, as they are written; words are canonical."""

    guesses: frozenset[str]
    answers: dict[str, str]
    """By how they are written."""
    blocked: frozenset[str]
    missing: frozenset[str]
    """Everyday words that cannot be guessed: should be names and abbreviations only."""


def finish(language: str, draft: Draft, review: Review) -> Lists:
    """Apply the review to a draft. Raises ValueError if the result is not fit to be played."""
    blocked = _blocked(language, review)
    answers = {answer.word: answer.written for answer in draft.answers}
    answers |= review.add_answers
    for word in review.drop_answers | blocked:
        answers.pop(word, None)
    guesses = draft.guesses | review.add_guesses | answers.keys()
    lists = Lists(guesses, answers, blocked, _missing(language, guesses))
    _check(language, lists)
    return lists


def write(language: str, lists: Lists) -> None:
    """Write a language's files, sorted by code point, so that each run gives the same bytes."""
    directory = ROOT / language
    directory.mkdir(exist_ok=True)
    for length in LENGTHS:
        for kind, words in (("answers", lists.answers), ("guesses", lists.guesses)):
            _write(directory / f"{kind}-{length}.txt", (w for w in words if len(w) == length))
    labels = {tile.letter: tile.label for tile in languages()[language].tiles}
    _write(
        directory / "display.tsv",
        (
            f"{word}\t{written}"
            for word, written in lists.answers.items()
            if written not in {word, "".join(labels[letter] for letter in word)}
        ),
    )
    _write(directory / "blocked.txt", lists.blocked)
    _write(directory / "missing.txt", lists.missing)


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8", newline="\n")


def _blocked(language: str, review: Review) -> frozenset[str]:
    """Canonical words that may never be drawn, nor make up a nickname: these are not bound to a board's lengths."""
    blocked = _slurs(language, language) | review.slurs
    if language in _LATIN:
        blocked |= _slurs("en", language) - review.harmless
    return frozenset(blocked)


def _slurs(packaged: str, language: str) -> frozenset[str]:
    """One language's packaged slurs as canonical words of another, as far as that can write them."""
    words = (filters.canonical(language, written) for written in sources.packaged_slurs(packaged))
    return frozenset(word for word in words if word is not None and len(word) >= _SHORTEST_SLUR)


def _missing(language: str, guesses: frozenset[str]) -> frozenset[str]:
    if language not in sources.COUNTED:
        return frozenset()
    everyday = (w for w, zipf in sources.commonness(language).items() if zipf >= _EVERYDAY)
    return frozenset(word for word, _ in filters.playable(language, everyday)) - guesses


def _check(language: str, lists: Lists) -> None:
    if foreign := filters.foreign_script(language, lists.guesses):
        raise ValueError(f"{language}: letters of another script: {sorted(foreign)[:5]}")
    for word, written in lists.answers.items():
        if normalise(language, written) != word:
            raise ValueError(f"{language}: {written} is not a way to write {word}")
    for length in LENGTHS:
        if not any(len(word) == length for word in lists.answers):
            raise ValueError(f"{language}: no answers of {length} letters")
