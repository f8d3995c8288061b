"""The introduction lasts at least 5.5 seconds for a client on a good line, however slowly a round opens (R3)."""

import itertools
from collections.abc import Mapping
from typing import Any

import pytest

from infra.local.testing import GRACE_MS, INTRO_MS, TURN_MS, Crash, Game, Machines, World
from tests.integration.conftest import Scenes

SHORTEST_MS = 5_500


def introductions(game: Game) -> list[int]:
    """Return how long each player sees the pairings of the newest round: from its first frame until it begins."""
    number = game.state["rounds"][-1]["number"]
    seen = []
    for player in game.all:
        shown = [frame for frame in player.frames if frame["type"] == "tournament"]
        told = [frame for frame in shown if frame["tournament"]["round"] == number and not frame["tournament"]["over"]]
        seen.append(told[-1]["tournament"]["starts_at_ms"] - told[0]["now_ms"])
    return seen


def slow(world: World, ms: int, times: int = 1_000) -> None:
    """Let the next transactions take so long."""
    left = itertools.repeat(ms, times)

    def wait(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if operation == "TransactWriteItems":
            world.sleep(next(left, 0))

    world.on_call(wait, after=True)


def assert_whole_turns(game: Game) -> None:
    """Assert that the duels that run begin with the round, and that their first turns are whole."""
    starts_at_ms = game.state["rounds"][-1]["starts_at_ms"]
    for duel in game.duels:
        assert (duel["starts_at_ms"], duel["deadline_ms"]) == (starts_at_ms, starts_at_ms + TURN_MS)


@pytest.mark.parametrize(("ms", "times"), [(400, 1_000), (750, 1), (750, 1_000), (4_200, 1_000), (20_000, 1)])
def test_a_round_that_opens_slowly_is_introduced_in_full(scenes: Scenes, world: World, ms: int, times: int) -> None:
    game = scenes.semifinal()
    slow(world, ms, times)
    for duel in game.duels:
        game.solve(duel["duel_id"])
    wait_seconds = world.advance(game.id)["wait_seconds"]
    assert min(introductions(game)) >= SHORTEST_MS
    assert_whole_turns(game)
    assert (game.state["rounds"][-1]["starts_at_ms"] - world.now_ms) <= wait_seconds * 1000


def test_a_round_that_opens_in_time_is_written_once(scenes: Scenes, world: World) -> None:
    game = scenes.semifinal()
    for duel in game.duels:
        game.solve(duel["duel_id"])
    writes: list[str] = []
    world.on_call(lambda service, operation, params: writes.append(operation), after=True)
    slow(world, 500)
    world.advance(game.id)
    assert writes.count("TransactWriteItems") == 1


@pytest.mark.parametrize("ms", [700, 5_900, 6_100, 15_000])
def test_the_first_round_is_introduced_in_full_when_the_timer_starts_late(
    scenes: Scenes, world: World, ms: int
) -> None:
    game = scenes.lobby()
    game.all[-1].ask("join", language="en")
    world.sleep(ms)
    world.advance(game.id)
    assert min(introductions(game)) >= SHORTEST_MS
    assert_whole_turns(game)


def test_an_opening_that_died_before_it_was_announced_is_introduced_in_full(scenes: Scenes, world: World) -> None:
    game = scenes.semifinal()
    for duel in game.duels:
        game.solve(duel["duel_id"])

    def die(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if operation == "TransactWriteItems":
            raise Crash

    with world.on_call(die, after=True), pytest.raises(Crash):
        world.advance(game.id)
    world.sleep(4_000)
    world.advance(game.id)
    assert min(introductions(game)) >= SHORTEST_MS
    assert_whole_turns(game)


def test_a_round_that_was_never_announced_is_introduced_when_it_is_rescued(scenes: Scenes, world: World) -> None:
    game = scenes.lobby()
    game.all[-1].ask("join", language="en")
    world.sleep(INTRO_MS + GRACE_MS + 1)
    game.all[0].ask("sync")
    assert min(introductions(game)) >= SHORTEST_MS


def test_a_second_timer_moves_no_round_that_has_begun(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    before = game.duels
    world.sleep(1_000)
    world.advance(game.id)
    assert game.duels == before


def test_a_duel_that_ended_in_the_introduction_is_not_moved(scenes: Scenes, world: World) -> None:
    game = scenes.lobby()
    game.all[-1].ask("join", language="en")
    leaver = game.all[0]
    leaver.ask("leave", what="tournament")
    over = next(duel for duel in game.duels if leaver.id in duel["players"])
    world.sleep(3_000)
    world.advance(game.id)
    assert game.duel(over["duel_id"]) == over
    moved = [duel for duel in game.duels if duel["phase"] != "over"]
    assert {duel["starts_at_ms"] for duel in moved} == {world.now_ms + INTRO_MS}


def test_a_whole_tournament_with_slow_openings_has_whole_introductions(scenes: Scenes, world: World) -> None:
    game = scenes.introduction()
    slow(world, 800)
    machines = Machines(world)
    machines.run(lambda: len(game.state["rounds"]) == 3)
    machines.run(lambda: machines.parked and world.now_ms >= game.state["rounds"][-1]["starts_at_ms"])
    assert min(introductions(game)) >= SHORTEST_MS
