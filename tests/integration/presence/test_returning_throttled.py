"""Coming back does not fail because a table is busy for a moment (R28). See also faults/test_throttling.py."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from infra.local.testing import Player, World, client_error
from tests.integration.conftest import Scenes

READS = ("GetItem", "BatchGetItem", "Query")
CALLS = (*READS, "UpdateItem", "PutItem", "TransactWriteItems")
HELLOS = 90


class Throttle:
    """Throttles a share of these operations at random, and counts them."""

    def __init__(self, world: World, operations: tuple[str, ...], share: float) -> None:
        self.throttled: Counter[str] = Counter()
        self._operations, self._share, self._rng = operations, share, random.Random(11)
        self.hook = world.on_call(self._look)

    def _look(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        if operation in self._operations and self._rng.random() < self._share:
            self.throttled[operation] += 1
            raise client_error("ProvisionedThroughputExceededException", operation)


@pytest.mark.parametrize("operations", [READS, CALLS], ids=["reads", "all"])
def test_with_every_twentieth_call_throttled_no_hello_fails(
    scenes: Scenes, world: World, operations: tuple[str, ...]
) -> None:
    game = scenes.begun()
    leader, friend = game.all[:2]
    friend.ask("joinGroup", invite=leader.ask("createGroup")["group"]["invite"])
    throttle = Throttle(world, operations, 0.05)
    for number in range(HELLOS):
        player = (*game.all, None)[number % 9]
        if player is None:
            Player(world, world.connection_id()).hello()
        else:
            player.reconnect()
    assert throttle.throttled.total() > HELLOS / 4
    assert set(throttle.throttled) >= {"GetItem", "BatchGetItem"}
