"""The cost limits of paths, in AWS calls and state transitions; `make bench` shows the same figures."""

import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from infra.local.backend import LocalBackend
from tools.bench import start
from tools.bench.paths import Handlers, measure, transitions


@pytest.fixture(scope="module")
def counted() -> Iterator[dict[str, Counter[str]]]:
    with LocalBackend({"RoundIntroSeconds": "0", "TurnSeconds": "300", "LogLevel": "ERROR"}) as backend:
        found = {path.name: Counter(call.operation for call in path.calls) for path in measure(Handlers(backend))}
        yield {**found, "reference tournament": Counter(transitions=transitions(backend))}


def test_a_guess_reads_once_writes_once_and_tells_the_clock_once(counted: dict[str, Counter[str]]) -> None:
    calls = counted["guess, not ending the duel"]
    assert calls == {"GetItem": 1, "UpdateItem": 1, "SendTaskHeartbeat": 1, "PostToConnection": 2}


def test_the_guess_that_ends_a_duel_costs_the_same_with_task_success(counted: dict[str, Counter[str]]) -> None:
    calls = counted["guess ending the duel"]
    assert calls == {"GetItem": 1, "UpdateItem": 1, "SendTaskSuccess": 1, "PostToConnection": 8}


def test_a_join_is_one_query_and_one_transaction(counted: dict[str, Counter[str]]) -> None:
    calls = counted["join a lobby that has a seat"]
    assert calls["Query"] == calls["TransactWriteItems"] == 1
    # The sender (connection, player), whether the queue is open, the lobby that the index shows, and its players.
    assert calls["GetItem"] <= 4
    assert calls["BatchGetItem"] <= 1
    assert set(calls) <= {"Query", "TransactWriteItems", "GetItem", "BatchGetItem", "PostToConnection"}


def test_the_reference_tournament_stays_within_its_transitions(counted: dict[str, Counter[str]]) -> None:
    assert 80 < counted["reference tournament"]["transitions"] <= 92


def test_guess_loads_what_it_needs_and_no_more() -> None:
    """A cold start falls into somebody's 30 seconds."""
    loaded = start.modules_of_guess()
    rooms = ("wordle_tournament.play.", "wordle_tournament.lifecycle", "wordle_tournament.matchmaking")
    assert {name for name in loaded if name.startswith(rooms)} == {
        "wordle_tournament.play.duel",
        "wordle_tournament.play.duel.guess",
    }
    delivery = {name.rpartition(".")[2] for name in loaded if name.startswith("wordle_tournament.delivery.")}
    assert delivery == {"announce", "audience", "flooding", "groups", "questions", "session", "views"}
    assert loaded - start.modules_of_guess_alone() == {"duel"}, "the other routes of its function cost a guess nothing"
    libraries = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names
    assert libraries.isdisjoint({"aws_xray_sdk", "requests", "jsonschema", "moto", "infra"})
