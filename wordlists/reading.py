"""`python -m wordlists.reading show|record|open`: the two readings of every answer, and what they found.

    show de 5                 the answers of a list as they are written, to be read
    record de 1 doubts.tsv    what the first reading found: `word<TAB>doubtful|wrong<TAB>reason`, the rest is fit
    open de                   the words on which the readings disagree, or that a reading has not seen

`review/verdicts.tsv` has a line for each word: the word, the verdict of the first reading and of the second, what
was settled, and the reason. A word that both readings call fit is settled as `fit`, one that neither does as `drop`;
the others are `open` until somebody writes `fit` or `drop` there. The builder leaves out what is settled as `drop`.
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from wordle_tournament.words import LENGTHS, answers, display, normalise

ROOT = Path(__file__).resolve().parent
NOT_READ, FIT, DROP, OPEN = "-", "fit", "drop", "open"
VERDICTS = frozenset([FIT, "doubtful", "wrong"])
READINGS = 2


@dataclass(frozen=True, slots=True)
class Line:
    """The knowledge of one word; `readings` are the verdicts in order."""

    word: str
    readings: tuple[str, ...] = (NOT_READ,) * READINGS
    settled: str = OPEN
    reason: str = ""

    def read(self, number: int, verdict: str, reason: str) -> "Line":
        """The line after one more reading; a word that somebody has settled stays so."""
        readings = tuple(verdict if i == number else old for i, old in enumerate(self.readings, 1))
        reasons = [*filter(None, self.reason.split("; "))]
        if reason and reason not in reasons:
            reasons.append(reason)
        settled = self.settled if self.settled != OPEN else _settle(readings)
        return replace(self, readings=readings, settled=settled, reason="; ".join(reasons))


def _settle(readings: tuple[str, ...]) -> str:
    if NOT_READ in readings:
        return OPEN
    if all(verdict == FIT for verdict in readings):
        return FIT
    return OPEN if FIT in readings else DROP


def load(language: str, root: Path = ROOT) -> dict[str, Line]:
    """The verdicts of a language, by canonical word; none if it was never read."""
    return read_verdicts(root / language / "review" / "verdicts.tsv")


def read_verdicts(path: Path) -> dict[str, Line]:
    """The verdicts in one file; none if there is no such file."""
    if not path.exists():
        return {}
    lines = {}
    for row in path.read_text(encoding="utf-8").splitlines():
        word, *readings, settled, reason = row.split("\t")
        lines[word] = Line(word, tuple(readings), settled, reason)
    return lines


def save(language: str, lines: dict[str, Line], root: Path = ROOT) -> None:
    """Write the verdicts, sorted by code point."""
    path = root / language / "review" / "verdicts.tsv"
    rows = ("\t".join([line.word, *line.readings, line.settled, line.reason]) for _, line in sorted(lines.items()))
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8", newline="\n")


def record(language: str, number: int, doubts: dict[str, tuple[str, str]], root: Path = ROOT) -> int:
    """Add one reading of all the answers that there are now; returns how many are not fit.

    Raises ValueError if a doubted word is no answer: it was misspelled, or another build was read.
    """
    present = {word for length in LENGTHS for word in answers(language, length)}
    if strangers := doubts.keys() - present:
        raise ValueError(f"{language}: no answers: {sorted(strangers)}")
    lines = load(language, root)
    for word in present:
        verdict, reason = doubts.get(word, (FIT, ""))
        lines[word] = lines.get(word, Line(word)).read(number, verdict, reason)
    save(language, lines, root)
    return len(doubts)


def read_doubts(language: str, path: Path) -> dict[str, tuple[str, str]]:
    """A reader's list: word as it is written, verdict, reason. Raises ValueError for another verdict."""
    doubts = {}
    for row in path.read_text(encoding="utf-8").splitlines():
        if not row.strip() or row.startswith("#"):
            continue
        word, verdict, reason = [*row.split("\t"), "", ""][:3]
        if verdict not in VERDICTS - {FIT}:
            raise ValueError(f"{path}: {word}: the verdict is doubtful or wrong, not {verdict!r}")
        doubts[normalise(language, word)] = (verdict, reason)
    return doubts


def unsettled(language: str, root: Path = ROOT) -> list[Line]:
    """The answers that are not settled as fit, as they are now."""
    lines = load(language, root)
    present = [word for length in LENGTHS for word in answers(language, length)]
    return [line for word in present if (line := lines.get(word, Line(word))).settled != FIT]


def main(command: str, language: str, *rest: str) -> None:
    """Run one of the three commands."""
    match command, rest:
        case "show", [length]:
            sys.stdout.write(" ".join(display(language, word) for word in answers(language, int(length))) + "\n")
        case "record", [number, path]:
            found = record(language, int(number), read_doubts(language, Path(path)))
            sys.stdout.write(f"{language}: reading {number} recorded, {found} words are not fit.\n")
        case "open", []:
            for line in unsettled(language):
                sys.stdout.write("\t".join([line.word, *line.readings, line.settled, line.reason]) + "\n")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
