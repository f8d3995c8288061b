"""`python -m wordlists.builder [language ...]`: build the lists of all or some languages."""

import sys
import time
from collections import Counter

from wordle_tournament.words import LENGTHS
from wordlists.builder.languages import DRAFTERS
from wordlists.builder.material import Draft
from wordlists.builder.output import ROOT, Lists, finish, write
from wordlists.builder.review import Review

# On a small shared machine.
_SECONDS_EACH = 15


def main(chosen: list[str]) -> None:
    """Build and write each language, telling what is being done."""
    codes = chosen or list(DRAFTERS)
    _tell(f"Building {', '.join(codes)}: about {len(codes) * _SECONDS_EACH} seconds.")
    started = time.monotonic()

    for number, code in enumerate(codes, 1):

        def say(stage: str, heading: str = f"{number}/{len(codes)} {code}") -> None:
            _tell(f"[{time.monotonic() - started:4.0f} s] {heading}: {stage}")

        draft = DRAFTERS[code](say)
        say("review, check and write")
        lists = finish(code, draft, Review.read(code, ROOT / code / "review"))
        write(code, lists)
        say(_summary(draft, lists))
    _tell(f"Done in {time.monotonic() - started:.0f} seconds.")


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _summary(draft: Draft, lists: Lists) -> str:
    counts = " ".join(
        f"{length}: {sum(len(w) == length for w in lists.answers)}/{sum(len(w) == length for w in lists.guesses)}"
        for length in LENGTHS
    )
    dropped = " ".join(f"{reason} {count}" for reason, count in sorted(Counter(draft.dropped.values()).items()))
    return f"answers/guesses of {counts}; headwords that are no answers: {dropped or '-'}"


if __name__ == "__main__":
    main(sys.argv[1:])
