"""The machines' definitions as texts: well formed, bounded in time, and silent about words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from statelint.linter import Linter  # type: ignore[import-untyped]

from infra.local import template

MACHINES = template.load().machines
DEFINITIONS: dict[str, Any] = {key: json.loads(machine.definition) for key, machine in MACHINES.items()}


def states(definition: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, state in definition["States"].items():
        yield name, state
        if state["Type"] == "Map":
            yield from states(state["ItemProcessor"])


STATES = [
    pytest.param(state, id=f"{machine}-{name}")
    for machine, definition in DEFINITIONS.items()
    for name, state in states(definition)
]
TASKS = [one for one in STATES if one.values[0]["Type"] == "Task"]  # type: ignore[index]


@pytest.mark.parametrize("machine", MACHINES)
def test_a_machine_is_valid(machine: str) -> None:
    assert Linter().validate(DEFINITIONS[machine]) == []


@pytest.mark.parametrize("machine", MACHINES)
def test_a_machine_ends_in_time(machine: str) -> None:
    """The longest tournament there can be: 12 rounds of 12 turns of 30 s, with 6 s before each; a third more."""
    longest = {"TournamentMachine": 12 * (12 * 30 + 6), "ReconnectMachine": 60}[machine]
    assert longest * 4 / 3 < DEFINITIONS[machine]["TimeoutSeconds"]


@pytest.mark.parametrize("task", TASKS)
def test_a_task_ends_in_time_and_is_tried_again(task: dict[str, Any]) -> None:
    assert "TimeoutSeconds" in task
    assert any(retry["ErrorEquals"] == ["States.ALL"] and retry["MaxAttempts"] > 1 for retry in task["Retry"])
    assert all(
        retry.get("JitterStrategy") == "FULL" and retry["MaxDelaySeconds"] <= 30
        for retry in task["Retry"]
        if retry["MaxAttempts"]
    )


@pytest.mark.parametrize("state", STATES)
def test_every_catch_keeps_the_input(state: dict[str, Any]) -> None:
    assert all(catcher["ResultPath"] is None for catcher in state.get("Catch", []))


def test_no_fault_leaves_an_iteration() -> None:
    (play_duels,) = [state for _, state in states(DEFINITIONS["TournamentMachine"]) if state["Type"] == "Map"]
    for name, state in play_duels["ItemProcessor"]["States"].items():
        if state["Type"] == "Task":
            assert state["Catch"][-1]["ErrorEquals"] == ["States.ALL"], name


@pytest.mark.parametrize(
    ("waiting", "own_end"),
    [("DuelTurn", ("DynamoDb.ConditionalCheckFailedException", "DuelOver")), ("NextTurn", ("AlarmNotSet", "SkipTurn"))],
)
def test_a_missed_heartbeat_is_caught_by_both_of_its_names(waiting: str, own_end: tuple[str, str]) -> None:
    (state,) = [state for name, state in states(DEFINITIONS["TournamentMachine"]) if name == waiting]
    caught = {error: one["Next"] for one in state["Catch"] for error in one["ErrorEquals"]}
    assert caught["States.HeartbeatTimeout"] == caught["States.Timeout"] == "NextTurn"
    error, following = own_end
    assert caught[error] == following
    (never_again,) = [retry for retry in state["Retry"] if retry["MaxAttempts"] == 0]
    assert set(never_again["ErrorEquals"]) == {"States.HeartbeatTimeout", "States.Timeout", error}


def test_a_duels_item_never_enters_the_history() -> None:
    """R18: UpdateItem would return the board and its word if asked to."""
    (duel_turn,) = [state for name, state in states(DEFINITIONS["TournamentMachine"]) if name == "DuelTurn"]
    assert "ReturnValues" not in duel_turn["Parameters"]
    assert "ReturnValuesOnConditionCheckFailure" not in duel_turn["Parameters"]
