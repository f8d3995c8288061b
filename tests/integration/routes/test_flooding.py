"""A connection that floods is told so and closed, on every route that reaches a function; nobody else notices."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.local import template
from infra.local.testing import World
from wordle_tournament.delivery import flooding
from wordle_tournament.rules.flooding import MOST, ONE_IN, WINDOW_MS

ROUTES = sorted(template.load().routes.keys() - {"$connect", "$disconnect"})
BAD = {"no JSON": "{", "no route": '{"action": "win"}', "a wrong field": '{"action": "ping", "n": 1}'}


@pytest.fixture
def counted(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a world in which each message belongs to the sample."""
    monkeypatch.setattr(flooding, "draw", lambda: 0.0)
    return world


@pytest.fixture
def connection_id(world: World) -> str:
    """Return a connection on which nobody has signed in."""
    return world.connection_id()


def codes(world: World, connection_id: str) -> list[str]:
    return [frame["code"] for frame in world.connections.frames[connection_id] if frame["type"] == "error"]


def set_count(world: World, connection_id: str, count: int) -> None:
    key = f"{connection_id}#{world.now_ms // WINDOW_MS}"
    world.edit("ConnectionsTable", key, "SET messages = :count", {":count": {"N": str(count)}})


@pytest.mark.parametrize("route", ROUTES)
def test_every_route_counts_and_closes(counted: World, connection_id: str, route: str) -> None:
    """Also where the message is refused: each of them has cost an invocation. No right is missing for it."""
    set_count(counted, connection_id, MOST - 2)
    counted.receive(connection_id, json.dumps({"action": route}), route)
    assert "flooding" not in codes(counted, connection_id)
    assert connection_id not in counted.connections.closed
    counted.receive(connection_id, json.dumps({"action": route}), route)
    assert codes(counted, connection_id)[-1] == "flooding"
    assert connection_id in counted.connections.closed
    assert counted.backend.denials == []


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_a_flood_of_bad_frames_ends_with_the_fortieth(counted: World, connection_id: str, body: str) -> None:
    for _ in range(MOST):
        assert connection_id not in counted.connections.closed
        counted.receive(connection_id, body)
    assert connection_id in counted.connections.closed
    assert codes(counted, connection_id).count("flooding") == 1


def test_only_the_sample_costs_a_call(world: World, connection_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chances = iter([number / ONE_IN for number in range(ONE_IN)])
    monkeypatch.setattr(flooding, "draw", lambda: next(chances))
    with world.calls_in_a_row() as calls:
        for _ in range(ONE_IN):
            world.receive(connection_id, '{"action": "ping"}')
    assert [call.operation for call in calls if call.operation != "PostToConnection"] == ["UpdateItem"]


def test_the_count_comes_after_the_frames_and_the_error_before_the_end(counted: World) -> None:
    player, other = counted.players(2)
    player.ask("join", language="en")
    other.ask("join", language="en")
    set_count(counted, other.connection_id, MOST - 1)
    with counted.calls_in_a_row() as calls:
        other.ask("leave", what="lobby")
    last = [call.operation for call in calls][-3:]
    assert last == ["UpdateItem", "PostToConnection", "DeleteConnection"]
    assert counted.connections.frames[other.connection_id][-2]["type"] == "left"


def test_each_minute_starts_from_nothing_and_each_connection_has_its_own(counted: World, connection_id: str) -> None:
    """So a connection of two hours stays open, however many messages it has sent in all."""
    counted.sleep_until(counted.now_ms // WINDOW_MS * WINDOW_MS + WINDOW_MS)
    for _ in range(120):
        for _ in range(MOST - 1):
            counted.receive(connection_id, '{"action": "ping"}')
        counted.sleep(WINDOW_MS)
    assert connection_id not in counted.connections.closed
    counts = {key: item for key, item in counted.items("ConnectionsTable").items() if "#" in key}
    assert {int(item["messages"]) for item in counts.values()} == {MOST - 1}
    assert all(item["expires_at"] * 1000 > int(key.partition("#")[2]) * WINDOW_MS for key, item in counts.items())


def test_signing_in_again_does_not_start_the_count_anew(counted: World) -> None:
    player = counted.player()
    for _ in range(MOST - 1):
        player.hello()
    assert player.connection_id in counted.connections.closed


@pytest.fixture
def without_counts(counted: World) -> Iterator[World]:
    """Return a world in which no count can be written."""

    def fail(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if operation == "UpdateItem" and "#" in str(params.get("Key")):
            raise ClientError({"Error": {"Code": "InternalServerError", "Message": "no"}}, operation)

    with counted.on_call(fail):
        yield counted


def test_a_count_that_fails_changes_nothing_for_the_player(without_counts: World) -> None:
    player = without_counts.player()
    assert player.ask("ping")["type"] == "pong"
    assert player.connection_id not in without_counts.connections.closed
