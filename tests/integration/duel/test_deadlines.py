"""The stored deadline is the truth (R15, R17): no message moves a turn's alarm past it, and in time counts."""

import itertools

import pytest
from botocore.config import Config

from infra.local.testing import INTRO_MS, TURN_GRACE_MS, TURN_MS, Game, Machines, World, wrong
from tests.integration.conftest import Scenes
from wordle_tournament import timers


@pytest.mark.parametrize("sweep_seconds", [60, None])
def test_a_guess_sent_again_and_again_does_not_lengthen_the_turn(
    scenes: Scenes, world: World, sweep_seconds: int | None
) -> None:
    """A player sends their old guess every five seconds while it is the opponent's turn, and in their own."""
    game = scenes.final()
    machines = Machines(world, sweep_seconds)
    machines.run(lambda: machines.parked)
    duel = game.duels[0]
    player, word = game.to_move(duel), wrong(duel)
    assert player.guess(duel, word)["type"] == "duel"

    def again() -> None:
        assert player.guess(duel, word, turn=1)["type"] == "duel"
        machines.at(world.now_ms + 5_000, again)

    again()
    began_ms = world.now_ms
    machines.run(lambda: len(game.duel(duel["duel_id"])["rows"]) == 4)
    assert world.now_ms - began_ms <= 3 * (TURN_MS + TURN_GRACE_MS + 2_000)


def test_only_the_delivery_that_plays_the_turn_restarts_its_timer(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    player, word = game.to_move(duel), wrong(duel)
    beats: list[str] = []
    world.on_call(lambda service, operation, params: beats.append(operation), after=True)
    for _ in range(3):
        assert player.guess(duel, word, turn=1)["type"] == "duel"
    assert beats.count("SendTaskHeartbeat") == 1


def test_a_heartbeat_takes_a_second_at_most() -> None:
    config: Config = timers._heartbeat_client().meta.config
    options = vars(config)
    assert options["retries"]["total_max_attempts"] == 1
    assert options["connect_timeout"] + options["read_timeout"] <= 1


def last_turn(game: Game) -> str:
    """Bring the first duel to its last turn. Return its id."""
    duel_id: str = game.duels[0]["duel_id"]
    while len((duel := game.duel(duel_id))["rows"]) < 11:
        assert game.to_move(duel).guess(duel, wrong(duel))["type"] == "duel"
    return duel_id


@pytest.mark.parametrize("late_ms", [0, TURN_GRACE_MS - 1])
@pytest.mark.parametrize("alarm", ["skip", "sweep", "settle", "sync"])
def test_a_guess_received_in_time_counts_although_the_alarm_comes_first(
    scenes: Scenes, world: World, alarm: str, late_ms: int
) -> None:
    """R17: up to the grace later, on the last turn, where the skip would make a draw of the solving word."""
    from wordle_tournament.play.admin import verbs

    game = scenes.begun()
    duel_id = last_turn(game)
    duel = game.duel(duel_id)
    player = game.to_move(duel)
    world.sleep_until(duel["deadline_ms"] + late_ms)
    match alarm:
        case "skip":
            assert world.skip(duel_id) == 1
        case "sweep":
            world.sweep()
        case "settle":
            verbs.settle(game.id)
        case _:
            game.waiting(duel).ask("sync")
    answer = player.guess(duel, duel["word"], at_ms=duel["deadline_ms"] - 1)
    assert answer["duel"]["winner"] == player.id
    assert answer["duel"]["ending"] == "solved"


def test_a_guess_received_in_time_but_processed_after_the_grace_comes_too_late(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    world.run_out(duel)
    world.skip(duel["duel_id"])
    answer = game.to_move(duel).guess(duel, duel["word"], at_ms=duel["deadline_ms"] - 1)
    assert answer["code"] == "turn_over"


def test_clients_are_told_the_deadline_without_the_grace(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    told = game.to_move(duel).last("duel")["duel"]
    assert told["deadline_ms"] == duel["deadline_ms"] == duel["starts_at_ms"] + TURN_MS
    world.sleep_until(duel["deadline_ms"])
    assert game.to_move(duel).guess(duel, duel["word"])["code"] == "turn_over"


def test_a_slow_write_restarts_no_timer(scenes: Scenes, world: World) -> None:
    """The turn began when the guess was decided on: a heartbeat after a slow write would come too late (seed 136)."""
    game = scenes.begun()
    duel = game.duels[0]
    calls: list[str] = []

    def slow(service: str, operation: str, params: object) -> None:
        calls.append(operation)
        if operation == "UpdateItem":
            world.sleep(1_500)

    world.on_call(slow, after=True)
    assert game.to_move(duel).guess(duel, wrong(duel))["type"] == "duel"
    assert "UpdateItem" in calls
    assert "SendTaskHeartbeat" not in calls


def test_the_seconds_of_a_skip_are_counted_from_its_end(scenes: Scenes, world: World) -> None:
    """Stale connections are recorded after the turn, which took seconds once (seeds 364, 1088)."""
    game = scenes.begun()
    duel = game.duels[0]
    world.connections.closed.update(player.connection_id for player in game.all)
    slow = itertools.count()

    def wait(service: str, operation: str, params: object) -> None:
        if operation == "StartExecution" and not next(slow):
            world.sleep(4_000)

    world.run_out(duel)
    world.on_call(wait, after=True)
    seconds = world.skip(duel["duel_id"])
    assert next(slow) > 0
    alarm_ms = world.now_ms + seconds * 1000
    due_ms = game.duel(duel["duel_id"])["deadline_ms"] + TURN_GRACE_MS
    assert due_ms <= alarm_ms < due_ms + 1_000


def test_the_seconds_of_an_introduction_are_counted_from_the_end_of_its_task(scenes: Scenes, world: World) -> None:
    """Frames and stale connections come after the round has opened (seed 1084)."""
    game = scenes.begun()
    for duel in game.duels:
        game.solve(duel["duel_id"])
    world.connections.closed.add(game.all[0].connection_id)

    def wait(service: str, operation: str, params: object) -> None:
        if operation == "StartExecution":
            world.sleep(4_000)

    world.on_call(wait, after=True)
    answer = world.advance(game.id)
    current = game.state["rounds"][-1]
    begins_ms = world.now_ms + answer["wait_seconds"] * 1000
    assert current["starts_at_ms"] <= begins_ms < current["starts_at_ms"] + 1_000
    assert answer["wait_seconds"] < INTRO_MS / 1000
    assert all(one["heartbeat_seconds"] * 1000 == TURN_MS + TURN_GRACE_MS for one in answer["duels"])
