"""docs/rules.md: every rule is there once, and its figures are those of the code."""

import re

import pytest

from tools.asyncapi import ROOT
from wordle_tournament.rules import rating
from wordle_tournament.rules.marks import mark
from wordle_tournament.rules.tournament import PLAYERS

PAGE = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
RULES = re.findall(r"^- \*\*R(\d+) (.*?)(?=^- \*\*R|^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
MARKED = re.findall(r"^\| ([A-Z]+) \| ([A-Z]+) \| ([a-z, ]+) \|$", PAGE, re.MULTILINE)


def test_the_rules_are_numbered_without_a_gap() -> None:
    assert [int(number) for number, _ in RULES] == list(range(1, len(RULES) + 1))


def test_the_contents_of_the_page_list_every_rule() -> None:
    listed = [re.findall(r"R(\d+)", line) for line in re.findall(r"^- \[.*\]\(#.*\): (.*)$", PAGE, re.MULTILINE)]
    numbers = {number for ends in listed for number in range(int(ends[0]), int(ends[-1]) + 1)}
    assert numbers == {int(number) for number, _ in RULES}, "the list at the top of docs/rules.md is wrong"


def cited(*folders: str) -> set[int]:
    """Return the numbers of the rules that the Python files of the folders cite, alone or in a range of two."""
    found: set[int] = set()
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        for first, last in re.findall(r"\bR(\d+)(?:-R(\d+))?\b", path.read_text(encoding="utf-8")):
            found.update(range(int(first), int(last or first) + 1))
    return found


def test_every_rule_is_cited_by_the_code_that_decides_it() -> None:
    known = cited("shared/wordle_tournament/rules", "shared/wordle_tournament/words")
    lacking = [f"R{number}" for number, _ in RULES if int(number) not in known]
    assert not lacking, f"cite {', '.join(lacking)} in a docstring of shared/wordle_tournament/rules (or words)"


def test_every_rule_is_cited_by_a_test() -> None:
    known = cited("tests/unit", "tests/words", "tests/integration")
    lacking = [f"R{number}" for number, _ in RULES if int(number) not in known]
    assert not lacking, f"cite {', '.join(lacking)} in a test of tests/unit that shows it"


@pytest.mark.parametrize("folder", ["shared", "functions", "client", "tests"])
def test_no_code_cites_a_rule_that_is_not_on_the_page(folder: str) -> None:
    unknown = [f"R{number}" for number in sorted(cited(folder)) if number > len(RULES)]
    assert not unknown, f"{folder} cites {', '.join(unknown)}: add them to docs/rules.md"


@pytest.mark.parametrize(("number", "text"), RULES, ids=[f"R{number}" for number, _ in RULES])
def test_every_rule_says_whether_it_was_given_or_decided(number: str, text: str) -> None:
    assert "(given)" in text or "(decided)" in text


def test_the_marks_shown_are_those_of_the_code() -> None:
    assert len(MARKED) == 6
    for word, guess, marks in MARKED:
        assert ", ".join(mark(guess, word)) == marks


def test_the_rating_changes_shown_are_those_of_the_code() -> None:
    shown = [int(points) for points in re.findall(r"[+-]\d+(?= \|)", PAGE)]
    places = range(1, PLAYERS + 1)
    assert shown == [
        rating.change(rating.START, [(rating.START, rating.Outcome.of(own, other)) for other in places if other != own])
        for own in places
    ]
