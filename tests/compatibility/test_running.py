"""A tournament that 1.0.0 left in the middle of its fourth round is played to its end by the code of today."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import jsonschema
import pytest

from infra.local.testing import (
    GRACE_MS,
    RECONNECT_MACHINE,
    TOURNAMENT_MACHINE,
    WINDOW_MS,
    Clients,
    Frame,
    Game,
    Machines,
    Player,
    Start,
    World,
)
from tests.compatibility.conftest import recorded
from tests.compatibility.record import DUELS, GROUPS, PLAYERS, paths

RUNNING: dict[str, Any] = recorded("running")
ROLES: dict[str, str] = RUNNING["roles"]
SWEEP_MS = 60_000


def taken_over(world: World, connected: bool) -> Game:
    """The tournament as it was recorded; its players' connections have outlived the update, or all are lost."""
    for table, items in RUNNING["tables"].items():
        world.write(table, items)
    world.take_over(RUNNING["now_ms"], RUNNING["connections"] if connected else {})
    return Game(
        world,
        RUNNING["tournament_id"],
        {key: Player(world, one["connection_id"], key, one["token"]) for key, one in RUNNING["players"].items()},
    )


@pytest.mark.parametrize("connected", [True, False], ids=["connected", "connections lost"])
@pytest.mark.parametrize("clock", [True, False], ids=["clock goes on", "clock is lost"])
def test_the_tournament_ends_right(world: World, clock: bool, connected: bool) -> None:
    game = taken_over(world, connected)
    before = game.state
    ratings = {player.id: player.state["rating"] for player in game.all}
    restarts: list[int] = []
    world.on_call(lambda service, operation, params: _note_restart(world, operation, params, restarts), after=True)
    machines = Machines(world)
    if clock:
        world.starts[:] = [Start(**start) for start in RUNNING["executions"]]
        (tournament,) = world.started(TOURNAMENT_MACHINE)
        machines.resume(tournament, RUNNING["waits"])
    if connected:
        here = [player for player in game.all if player.id != ROLES["away"]]
        for player in here:
            assert player.ask("sync")["type"] == "state"
    else:
        world.sleep(20_000)
        for player in game.all:
            welcome = player.reconnect()
            with_it = player.id != ROLES["leaver"]
            assert welcome.get("tournament", {}).get("tournament_id") == (game.id if with_it else None)

    # Nobody plays for a minute: turns are skipped, and a player who is away then has left.
    away, waited_ms = game.players[ROLES["away"]], world.now_ms + WINDOW_MS
    machines.run(lambda: away.state["game"] is None or (away.state["connection_id"] and world.now_ms >= waited_ms))
    assert any(len(duel["rows"]) >= 2 for duel in game.duels)
    machines.run(lambda: game.over, clients=Clients(game))

    game.assert_ended_right()
    assert not machines.failures
    assert game.state["rounds"][:3] == before["rounds"][:3]
    # The ratings of those who were out before stay: nothing is applied a second time.
    for role in ("loser", "leaver"):
        assert game.players[ROLES[role]].state["rating"] == ratings[ROLES[role]]
    left = [player_id for one in game.state["rounds"] for player_id in one["leavers"]]
    assert left == ([ROLES["leaver"], ROLES["away"]] if connected else [ROLES["leaver"]])
    if clock:
        assert not restarts
    else:
        duels = [item["state"]["M"] for item in RUNNING["tables"][DUELS] if item["phase"]["S"] == "playing"]
        due_ms = min(int(duel["deadline_ms"]["N"]) for duel in duels)
        assert restarts[0] <= due_ms + GRACE_MS + SWEEP_MS
    assert_group_is_free(game)
    assert_understood(json.loads(text) for text in world.connections.texts)


def test_the_tasks_take_what_executions_of_1_0_0_hold_and_answer_as_these_need(world: World) -> None:
    game = taken_over(world, connected=True)
    wait = next(wait for wait in RUNNING["waits"] if _away_moves(game.duel(wait["duel_id"])))
    world.run_out(game.duel(wait["duel_id"]))
    event = {"duel_id": wait["duel_id"], "tournament_id": game.id}
    answer = world.backend.invoke_task("skip_turn", **event)
    assert answer == {**event, "heartbeat_seconds": answer["heartbeat_seconds"]}
    assert len(game.duel(wait["duel_id"])["rows"]) == 1

    running = world.backend.invoke_task("advance_round", tournament_id=game.id)
    assert (running["tournament_id"], running["over"], running["wait_seconds"]) == (game.id, False, 0)
    assert {duel["duel_id"] for duel in running["duels"]} >= {wait["duel_id"]}
    for duel in running["duels"]:
        assert duel == {**duel, "tournament_id": game.id}
        assert duel["heartbeat_seconds"] >= 1

    (reconnect,) = [start for start in RUNNING["executions"] if start["machine"] == RECONNECT_MACHINE]
    world.sleep(reconnect["input"]["seconds"] * 1000)
    event = {"player_id": reconnect["input"]["player_id"], "epoch": reconnect["input"]["epoch"]}
    assert world.backend.invoke_task("end_reconnect_window", **event)["forfeited"] is True
    assert ROLES["away"] in game.state["rounds"][-1]["leavers"]


def _away_moves(duel: Mapping[str, Any]) -> bool:
    return bool(duel["players"][len(duel["rows"]) % 2] == ROLES["away"])


def _note_restart(world: World, operation: str, params: Mapping[str, Any], restarts: list[int]) -> None:
    if operation == "StartExecution" and params["name"].startswith(RUNNING["tournament_id"]):
        restarts.append(world.now_ms)


def assert_group_is_free(game: Game) -> None:
    """The friends are still a group, and its leader can start the next game."""
    ((group_id, item),) = game.world.items(GROUPS).items()
    members = item["state"]["members"]
    assert len(members) == 3
    for member in members:
        state = game.world.state(PLAYERS, member)
        assert (state["group"], state["game"]) == (group_id, None)
    answer = game.players[ROLES["leader"]].ask("startGroup", language="en")
    assert answer["type"] == "lobby", answer
    assert {player["player_id"] for player in answer["lobby"]["players"]} == set(members)


def assert_understood(frames: Iterable[Frame]) -> None:
    """Clients of 1.0.0 understand the frames: they are of that version's protocol, or of a type that they ignore."""
    protocol = recorded("protocol")
    schemas = {
        kind: {"$ref": f"#/components/schemas/{name}", "components": {"schemas": protocol["schemas"]}}
        for kind, name in protocol["messages"].items()
    }
    kinds = {frozenset(paths(frame) | {frame["type"]}): frame for frame in frames}
    assert {"tournament", "duel", "result", "state", "welcome", "group"} & {frame["type"] for frame in kinds.values()}
    for frame in kinds.values():
        if frame["type"] in ("question", "heard"):
            continue  # since 1.1.0
        jsonschema.Draft7Validator(schemas[frame["type"]]).validate(frame)
