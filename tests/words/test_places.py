"""Every place that must name a language names it. A failure says which file to edit (CONTRIBUTING.md)."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from wordle_tournament.words import LENGTHS, languages
from wordlists.builder.languages import DRAFTERS

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "wordlists"
FOLDERS = {path.name for path in LISTS.iterdir() if list(path.glob("answers-*.txt"))}
FILES = [f"{kind}-{length}.txt" for kind in ("answers", "guesses") for length in LENGTHS] + [
    "display.tsv",
    "blocked.txt",
    "slurs.txt",
    "review/drop-answers.txt",
]


def in_tables(page: Path) -> set[str]:
    """Return the codes in the first column of the page's tables."""
    cells = re.findall(r"^\| ([a-z]{2}(?:, [a-z]{2})*) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {code for cell in cells for code in cell.split(", ")}


PLACES: dict[str, tuple[str, Callable[[], set[str]]]] = {
    "spec": ("shared/wordle_tournament/words/specs.py lacks a LanguageSpec for it", lambda: set(languages())),
    "lists": ("wordlists/<code>/ lacks the built lists: run `python -m wordlists.builder <code>`", lambda: FOLDERS),
    "recipe": ("wordlists/builder/languages/__init__.py has no recipe for it", lambda: set(DRAFTERS)),
    "licence": ("wordlists/LICENSES.md has no row for it", lambda: in_tables(LISTS / "LICENSES.md")),
    "confidence": ("wordlists/README.md has no row for it", lambda: in_tables(LISTS / "README.md")),
    "spelling": ("docs/words.md has no row for it", lambda: in_tables(ROOT / "docs" / "words.md")),
    "rule": (
        "R32 in docs/rules.md does not list it",
        lambda: set(re.findall(r"\(([a-z]{2})\)", (ROOT / "docs" / "rules.md").read_text(encoding="utf-8"))),
    ),
}


@pytest.mark.parametrize("code", sorted(set(languages()) | FOLDERS))
@pytest.mark.parametrize("place", PLACES)
def test_a_language_is_named_everywhere(place: str, code: str) -> None:
    lacking, named = PLACES[place]
    assert code in named(), f"language {code}: {lacking}"


@pytest.mark.parametrize("place", PLACES)
def test_no_place_names_a_language_that_is_not_there(place: str) -> None:
    extra = PLACES[place][1]() - (set(languages()) | FOLDERS)
    assert not extra, f"{PLACES[place][0].split()[0]} names {sorted(extra)}, which have no LanguageSpec and no lists"


@pytest.mark.parametrize("code", list(languages()))
@pytest.mark.parametrize("name", FILES)
def test_a_language_has_every_file(code: str, name: str) -> None:
    assert (LISTS / code / name).exists(), f"wordlists/{code}/{name} is missing: `python -m wordlists.builder {code}`"


def test_the_readme_counts_the_languages() -> None:
    told = re.search(r"\b(\d+) languages\b", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert told is not None
    assert int(told[1]) == len(languages()), "README.md counts the languages wrongly"
