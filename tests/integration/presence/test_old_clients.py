"""The operator turns old versions of a client away; its players and their games stay."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.testing import Player, World

OLDEST = "page=1.2,python=2"


@pytest.mark.parametrize(
    "software",
    [
        {},
        {"client": "page"},
        {"client_version": "1.0"},
        {"client": "page", "client_version": "1.2"},
        {"client": "page", "client_version": "1.2.0.0"},
        {"client": "page", "client_version": "1.10"},
        {"client": "python", "client_version": "2"},
        {"client": "pages", "client_version": "1.0"},
    ],
    ids=str,
)
def test_what_is_new_enough_or_unknown_is_served(world: World, software: dict[str, Any]) -> None:
    with world.environment(OLDEST_CLIENTS=OLDEST):
        answer = Player(world, world.connection_id()).ask("hello", **software)
    assert answer["type"] == "welcome"


@pytest.mark.parametrize(("client", "version"), [("page", "1.1.99"), ("page", "1"), ("python", "1.999")])
def test_an_old_version_is_refused_and_changes_nothing(world: World, client: str, version: str) -> None:
    player = world.player()
    newcomer = Player(world, world.connection_id())
    with world.environment(OLDEST_CLIENTS=OLDEST):
        calls: list[str] = []
        with world.on_call(lambda _service, operation, _params: calls.append(operation)):
            for token in ({}, {"token": player.token}):
                refusal = newcomer.refused("hello", client=client, client_version=version, **token)
                assert refusal == "client_outdated"
        assert set(calls) <= {"PostToConnection"}
        assert player.ask("ping")["type"] == "pong"
    assert newcomer.ask("hello", client=client, client_version=version, token=player.token)["type"] == "welcome"


def test_saying_what_the_client_is_costs_no_call(world: World) -> None:
    def calls_of(**software: Any) -> int:
        calls: list[str] = []
        with world.on_call(lambda _service, operation, _params: calls.append(operation)):
            Player(world, world.connection_id()).ask("hello", **software)
        return len(calls)

    with world.environment(OLDEST_CLIENTS=OLDEST):
        assert calls_of(client="page", client_version="1.2") == calls_of()


@pytest.mark.parametrize("version", ["", "1.", "v1", "1.2.3.4.5", "1.2-beta", "123456", "\\u0661"])
def test_a_version_is_numbers_with_dots(world: World, version: str) -> None:
    stranger = Player(world, world.connection_id())
    assert stranger.refused("hello", client="page", client_version=version) == "bad_request"
