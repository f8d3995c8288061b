"""`python -m wordlists.report`: how many words each list has, and samples of the answers to judge by eye."""

import random
import sys

from wordle_tournament.words import LENGTHS, answers, display, guesses, languages

_SAMPLE = 10


def lines() -> list[str]:
    """The report as a table in Markdown; the samples are the same until the lists change."""
    rng = random.Random(0)
    table = ["| language | length | answers | guesses | sample of the answers |", "|---|---|---|---|---|"]
    for code in languages():
        for length in LENGTHS:
            drawn = answers(code, length)
            sample = ", ".join(display(code, word) for word in rng.sample(drawn, _SAMPLE))
            table.append(f"| {code} | {length} | {len(drawn)} | {len(guesses(code, length))} | {sample} |")
    return table


if __name__ == "__main__":
    sys.stdout.write("\n".join(lines()) + "\n")
