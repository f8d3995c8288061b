"""The reviewed words of a language, kept in its `review/` folder so that they survive a rebuild.

Each file holds words, one or more a line, in standard spelling; text after a `#` is a comment.
`add-answers`, `drop-answers` and `add-guesses` correct the lists. `slurs` are words that hurt: they
are never drawn, and adding one is an error; they may be guessed. `harmless` are words of this
language that happen to be spelled like an English slur.
"""

from dataclasses import dataclass
from pathlib import Path

from wordle_tournament.words import normalise
from wordlists import reading


@dataclass(frozen=True, slots=True)
class Review:
    """Canonical words; the added ones by how they are written."""

    add_answers: dict[str, str]
    drop_answers: frozenset[str]
    add_guesses: frozenset[str]
    slurs: frozenset[str]
    harmless: frozenset[str]

    @classmethod
    def read(cls, language: str, directory: Path) -> "Review":
        """The review of one language; a file that is not there counts as empty."""

        def words(name: str) -> dict[str, str]:
            path = directory / f"{name}.txt"
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            written = [w for line in text.splitlines() for w in line.partition("#")[0].split()]
            return {normalise(language, word): word for word in written}

        settled = _settled_as_drop(directory)
        added = words("add-answers")
        review = cls(
            # The readings are younger than the hand lists.
            add_answers={word: written for word, written in added.items() if word not in settled},
            drop_answers=frozenset(words("drop-answers")) | settled,
            add_guesses=frozenset(words("add-guesses")) | (added.keys() & settled),
            slurs=frozenset(words("slurs")),
            harmless=frozenset(words("harmless")),
        )
        if clash := review.add_answers.keys() & (review.drop_answers | review.slurs):
            raise ValueError(f"{directory}: added and dropped as well: {sorted(clash)}")
        return review


def _settled_as_drop(directory: Path) -> frozenset[str]:
    lines = reading.read_verdicts(directory / "verdicts.tsv")
    return frozenset(word for word, line in lines.items() if line.settled == reading.DROP)
