"""The last stages: apply the review, check, write."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from wordle_tournament.words import LENGTHS, languages, normalise
from wordlists.builder import filters, sources
from wordlists.builder.material import Answer, Draft, most_common_first
from wordlists.builder.review import Review

ROOT = Path(__file__).resolve().parents[1]

# Words used at least this often (Zipf 3: once in a million words) should be guessable.
_IN_USE = 3.0
# Headwords used at least this often should be answers.
_EVERYDAY = 4.0
_CYRILLIC = frozenset(["ru", "uk", "kk"])
_BY_SCRIPT = {
    code: [other for other in sources.SLURS_BY_LANGUAGE if (other in _CYRILLIC) == (code in _CYRILLIC)]
    for code in languages()
}
# A letter or pair of letters in this share of the guesses must be in a fortieth as large a share of the answers.
# Not the last pair: the endings of plurals and verbs are no part of headwords.
_COMMON_PIECE = 0.01
_LEAST_OF_PIECE = 40

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
    """Words in use that cannot be guessed: should be names and abbreviations only."""
    missing_answers: tuple[str, ...]
    """Everyday headwords that are no answers, the most common first, each with the reason."""


def finish(language: str, draft: Draft, review: Review) -> Lists:
    """Apply the review to a draft. Raises ValueError if the result is not fit to be played."""
    blocked = _blocked(language, review)
    refused = _refused(language)
    answers = {answer.word: answer.written for answer in draft.answers}
    answers |= review.add_answers
    unfit = blocked | refused | (_slurs_of_script(language) - review.harmless - review.add_answers.keys())
    flagged = sources.not_suggested(language)
    unfit |= {word for word, written in answers.items() if written in flagged} - review.harmless
    unfit |= {w for w, written in answers.items() if filters.stem_in(language, written, unfit)} - review.harmless
    reasons = {answer: reason for answer, reason in draft.dropped.items() if answer.word not in review.add_answers}
    for answer in draft.answers:
        if answer.word in unfit:
            reasons[answer] = "unfit"
        elif answer.word in review.drop_answers:
            reasons[answer] = "review"
    for word in review.drop_answers | unfit:
        answers.pop(word, None)
    guesses = (draft.guesses | review.add_guesses | answers.keys()) - refused
    lists = Lists(guesses, answers, blocked, _missing(language, guesses), _missing_answers(reasons))
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
    # Apart, since these hold wordfreq's data and have its terms.
    reports = directory / "reports"
    reports.mkdir(exist_ok=True)
    _write(reports / "missing.txt", lists.missing)
    _write_lines(reports / "missing-answers.txt", lists.missing_answers)


def _write(path: Path, lines: Iterable[str]) -> None:
    _write_lines(path, sorted(lines))


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def _blocked(language: str, review: Review) -> frozenset[str]:
    """Canonical words that may never be drawn, nor make up a nickname: these are not bound to a board's lengths."""
    blocked = (_slurs(language, language) - review.harmless) | review.slurs
    if language not in _CYRILLIC | {"en"}:
        blocked |= _slurs("en", language) - review.harmless
    return frozenset(blocked)


def _refused(language: str) -> frozenset[str]:
    """The slurs that are no guesses either, as `nicknames` wrote them last."""
    path = ROOT / language / "slurs.txt"
    return frozenset(path.read_text(encoding="utf-8").split()) if path.exists() else frozenset()


def _slurs_of_script(language: str) -> frozenset[str]:
    """The packaged slurs of all languages that are written alike, as far as they are words here."""
    return frozenset(word for other in _BY_SCRIPT[language] for word in _slurs(other, language))


def _slurs(packaged: str, language: str) -> frozenset[str]:
    """One language's packaged slurs as canonical words of another, as far as that can write them."""
    words = (filters.canonical(language, written) for written in sources.packaged_slurs(packaged))
    return frozenset(word for word in words if word is not None and len(word) >= _SHORTEST_SLUR)


def _missing(language: str, guesses: frozenset[str]) -> frozenset[str]:
    if language not in sources.COUNTED:
        return frozenset()
    everyday = (w for w, zipf in sources.commonness(language).items() if zipf >= _IN_USE)
    return frozenset(word for word, _ in filters.playable(language, everyday)) - guesses


def _missing_answers(reasons: Mapping[Answer, str]) -> tuple[str, ...]:
    everyday = most_common_first(answer for answer in reasons if answer.commonness >= _EVERYDAY)
    return tuple(f"{answer.commonness:.2f}\t{answer.written}\t{reasons[answer]}" for answer in everyday)


def _check(language: str, lists: Lists) -> None:
    if foreign := filters.foreign_script(language, lists.guesses):
        raise ValueError(f"{language}: letters of another script: {sorted(foreign)[:5]}")
    for word, written in lists.answers.items():
        if normalise(language, written) != word:
            raise ValueError(f"{language}: {written} is not a way to write {word}")
    for length in LENGTHS:
        if not any(len(word) == length for word in lists.answers):
            raise ValueError(f"{language}: no answers of {length} letters")
    if absent := absent_pieces(lists.guesses, lists.answers):
        raise ValueError(f"{language}: common in guesses and nearly absent from answers: {absent}")


def absent_pieces(guesses: Collection[str], answers: Collection[str]) -> list[str]:
    """The letters and pairs of letters that are common in guesses and nearly absent from answers.

    A spelling that a filter cannot look up shows like this: no Dutch answer had an ij.
    """
    in_guesses, in_answers = _shares(guesses), _shares(answers)
    return sorted(
        piece
        for piece, share in in_guesses.items()
        if share >= _COMMON_PIECE and in_answers.get(piece, 0.0) < share / _LEAST_OF_PIECE
    )


def _shares(words: Collection[str]) -> dict[str, float]:
    count = Counter(piece for word in words for piece in {*word, *map("".join, pairwise(word[:-1]))})
    return {piece: number / len(words) for piece, number in count.items()}
