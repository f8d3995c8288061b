"""Measures the nickname filter: `python -m wordlists.nickname_report`. Needs the extra `words`.

Names: lists made with one half of the names are tried on the other half, and the lists in use on all names. Slurs: each
entry of `hate.txt` in eight disguises; a name that no player may have (two letters, over twenty) is left out.
"""

import sys
from collections.abc import Iterable, Iterator

from wordle_tournament.words import blocked, languages
from wordlists.builder import nicknames

_DIGITS = str.maketrans({"i": "1", "e": "3", "o": "0", "a": "4", "о": "0", "з": "3"})


def disguises(entry: str) -> Iterator[str]:
    """Yield what players make of a word to pass a filter."""
    word = entry.replace("-", " ")
    yield word
    yield word.upper()
    yield word.translate(_DIGITS)
    yield f"{word}88"
    yield f"Big {word}"
    yield f"xX{word}Xx"
    yield word[:2] + word[1] * 2 + word[2:]
    yield " ".join(word.replace(" ", ""))


def main() -> None:
    """Print the shares of names and of slurs that are refused."""
    everybody = {name for name in nicknames.given_names() | nicknames.surnames() if len(name) >= 3}
    _say("names, lists in use:", _share(everybody))
    for half in (0, 1):
        with nicknames.using(nicknames.build([half])):
            unseen = [name for name in everybody if nicknames.in_half(name, 1 - half)]
            _say(f"names of half {1 - half}, lists made with half {half}:", _share(unseen))
    for language in languages():
        probes = [d for entry in nicknames.hand(language, "hate") for d in disguises(entry) if 3 <= len(d) <= 20]
        _say(f"slurs in disguise, {language}:", _share(probes))


def _say(what: str, share: str) -> None:
    sys.stdout.write(f"{what} {share}\n")
    sys.stdout.flush()


def _share(names: Iterable[str]) -> str:
    tried = sorted(set(names))
    refused = sum(map(blocked.is_blocked, tried))
    return f"{refused:,} of {len(tried):,} refused, {100 * refused / len(tried):.3f} %"


if __name__ == "__main__":
    main()
