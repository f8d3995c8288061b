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


def test_the_rules_are_numbered_from_1_to_35() -> None:
    assert [int(number) for number, _ in RULES] == list(range(1, 36))


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
