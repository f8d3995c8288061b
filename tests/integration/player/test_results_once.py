"""`result` arrives once, and twice only after a crash (R9, R27)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import pytest

from infra.local.aws import FunctionError
from infra.local.testing import WINDOW_MS, Clients, Crash, Game, Machines, Player, World
from tests.integration.conftest import Scenes

Way = Callable[[Player], object]


def forfeit(player: Player) -> None:
    player.drop()
    player.world.sleep(WINDOW_MS)
    player.world.forfeit(player.id, player.state["epoch"])


def be_swept(player: Player) -> None:
    player.drop()
    player.world.sleep(WINDOW_MS)
    player.world.sweep()


WAYS: dict[str, Way] = {
    "leave": lambda player: player.ask("leave", what="tournament"),
    "deleteMe": lambda player: player.ask("deleteMe", confirm=True),
    "forfeit": forfeit,
    "sweep": be_swept,
}


def results(player: Player) -> int:
    """How many results the player has been sent."""
    return len([frame for frame in player.frames if frame["type"] == "result"])


def started(game: Game) -> Machines:
    """The machines, with a token in the duel. Taking up a round that runs, they repeat the results before it."""
    machines = Machines(game.world)
    machines.run(lambda: machines.parked)
    return machines


def end(machines: Machines, clients: Clients | None = None) -> None:
    machines.run(lambda: machines.entered["Over"] > 0, clients=clients)


@pytest.mark.parametrize("way", WAYS)
def test_a_leave_that_ends_a_tournament_brings_one_result(scenes: Scenes, world: World, way: str) -> None:
    game = scenes.final()
    machines = started(game)
    goer, winner = game.to_move(game.duels[0]), game.waiting(game.duels[0])
    WAYS[way](goer)
    assert game.over
    end(machines)
    assert results(winner) == 1
    assert results(goer) <= 1
    assert machines.entered["NextTurn"] == 0, "the timer was told"


def test_a_leave_in_the_introduction_brings_one_result(scenes: Scenes, world: World) -> None:
    game = scenes.semifinal()
    game.finish_round()
    machines = Machines(world)
    machines.run(lambda: machines.entered["Introduce"] > 0)
    goer, winner = (game.players[one] for one in game.duels[0]["players"])
    goer.ask("leave", what="tournament")
    end(machines)
    assert (results(goer), results(winner)) == (1, 1)


def test_a_tournament_played_to_its_end_brings_one_result(scenes: Scenes, world: World) -> None:
    game = scenes.final()
    machines = started(game)
    sides = [game.players[one] for one in game.duels[0]["players"]]
    end(machines, Clients(game))
    assert [results(side) for side in sides] == [1, 1]
    assert not game.state["results_told"], "the timer needs no note of its own"


def test_the_timer_that_comes_while_the_end_is_being_told_waits(scenes: Scenes, world: World) -> None:
    """It comes by itself when another duel of the round has just ended."""
    game = scenes.final()
    goer, winner = game.to_move(game.duels[0]), game.waiting(game.duels[0])
    timer: list[dict[str, Any]] = []

    def come(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if game.over and not timer:
            timer.append({})
            timer[0] = world.backend.invoke_task("advance_round", tournament_id=game.id)

    hook = world.on_call(come, after=True)
    goer.ask("leave", what="tournament")
    hook.close()
    assert (timer[0]["over"], timer[0]["duels"]) == (False, [])
    assert timer[0]["wait_seconds"] > 0
    assert world.advance(game.id)["over"]
    assert results(winner) == 1


def test_after_a_crash_the_timer_tells_the_end(scenes: Scenes, world: World) -> None:
    game = scenes.final()
    machines = started(game)
    winner = game.waiting(game.duels[0])

    def die(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if game.over:
            raise Crash(operation)

    hook = world.on_call(die, after=True)
    with suppress(Crash, FunctionError):
        game.to_move(game.duels[0]).send("leave", "first", what="tournament")
    hook.close()
    assert game.over
    assert results(winner) == 0
    end(machines)
    assert results(winner) == 1
