"""Additions to the protocol are told from changes that would break a client of the last release."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tools import protocol_changes
from tools.protocol_changes import BASELINE, compare

Schemas = dict[str, Any]
OLD: Schemas = json.loads(BASELINE.read_text(encoding="utf-8"))["schemas"]


def test_no_change_breaks_a_client_of_the_last_release(capsys: pytest.CaptureFixture[str]) -> None:
    assert protocol_changes.main([]) == 0
    assert "frame question" in capsys.readouterr().out


def test_the_same_schemas_have_no_changes() -> None:
    assert compare(OLD, copy.deepcopy(OLD)) == []


def _without(name: str) -> Callable[[Schemas], object]:
    return lambda schemas: schemas.pop(name)


def _set(value: Any, *path: str) -> Callable[[Schemas], object]:
    def change(schemas: Schemas) -> None:
        for step in path[:-1]:
            schemas = schemas[step]
        schemas[path[-1]] = value

    return change


def _add(name: str, field: str, required: bool = False) -> Callable[[Schemas], object]:
    def change(schemas: Schemas) -> None:
        schemas[name]["properties"][field] = {"type": "string"}
        if required:
            schemas[name]["required"].append(field)

    return change


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (_without("Watch"), "request watch is gone"),
        (_without("Presence"), "frame presence is gone"),
        (_add("Guess", "reason", required=True), "guess: Guess.reason"),
        (lambda new: new["Guess"]["properties"].pop("word"), "guess: Guess.word is gone"),
        (lambda new: new["Match"]["properties"].pop("length"), "tournament: Match.length is gone"),
        (lambda new: new["Leave"]["required"].remove("what"), None),
        (lambda new: new["You"]["required"].remove("rating"), "profile: You.rating is not in every frame any more"),
        (_set("number", "Guess", "properties", "turn", "type"), "guess: Guess.turn has another type"),
        (_set(7, "Guess", "properties", "turn", "maximum"), "guess: Guess.turn takes less: maximum is 7"),
        (_set(20, "Guess", "properties", "turn", "maximum"), None),
        (lambda new: new["LeaveWhat"]["enum"].remove("lobby"), "leave: LeaveWhat without lobby"),
        (lambda new: new["LeaveWhat"]["enum"].append("group"), None),
        (lambda new: new["Mark"]["enum"].append("close"), "duel: Mark: close"),
        (lambda new: new["ErrorCode"]["enum"].append("tired"), None),
        (_add("Guess", "reason"), None),
        (_add("Welcome", "weather", required=True), None),
    ],
)
def test_a_breaking_change_is_told_from_an_addition(change: Callable[[Schemas], object], text: str | None) -> None:
    new = copy.deepcopy(OLD)
    change(new)
    breaking = [one.text for one in compare(OLD, new) if one.breaking]
    if text is None:
        assert breaking == []
    else:
        assert text in breaking
