"""Each AWS call of each flow fails in turn; then the world does what it would do, and nobody is stuck.

A call fails in three ways: it is refused; it is carried out and its answer is lost; it is carried out and the function
dies. Then clients send again and sync, machines try again, and the sweeper comes by (Clients and Machines of the
infra.local.testing). In the end the tournament is over, and everybody's rating has changed once, by what the rules say.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from infra.local.aws import FunctionError
from infra.local.testing import (
    GRACE_MS,
    INTRO_MS,
    PLAYERS,
    TOURNAMENT_MACHINE,
    TURN_GRACE_MS,
    WINDOW_MS,
    Clients,
    Crash,
    Game,
    Machines,
    Player,
    World,
    client_error,
    wrong,
)
from tests.integration.conftest import Scenes, on_both

REFUSED, LOST, CRASH = "refused", "lost", "crash"
ALIKE = {"PostToConnection", "Query"}
"""Of several such calls in a row only the first fails: pushes side by side, looks for lobbies in each language."""
READS = {"GetItem", "BatchGetItem", "Query", "GetConnection"}


class Fault:
    """Has the call of that number fail, counted from now on."""

    def __init__(self, world: World, number: int, mode: str) -> None:
        self.fired = False
        self._number, self._mode = number, mode
        self._count = 0
        self._lock = threading.Lock()
        self._target: Mapping[str, Any] | None = None
        self._hooks = [world.on_call(self._before), world.on_call(self._after, after=True)]

    def mend(self) -> None:
        for hook in self._hooks:
            hook.close()

    def _before(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        with self._lock:
            self._count += 1
            if self._count != self._number:
                return
            self._target, self.fired = params, True
        if self._mode == REFUSED:
            raise client_error("InternalServerError", operation, status=500)

    def _after(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        if params is self._target:
            if self._mode == LOST:
                raise ReadTimeoutError(endpoint_url=f"https://{service}")
            raise Crash(operation)


Act = Callable[[Game, Machines], None]


def _message(action: str, **fields: Any) -> Callable[[Player], None]:
    return lambda player: _attempt(lambda: player.send(action, "again", **fields))


def _attempt(act: Callable[[], Any]) -> None:
    with suppress(FunctionError, Crash):
        act()


# The flows: what happens first, with a call failing, and what its client does then.


def guess(game: Game, machines: Machines) -> None:
    duel = game.duels[0]
    _twice(game.to_move(duel), "guess", duel=duel["duel_id"], turn=len(duel["rows"]) + 1, word=wrong(duel))


def solve(game: Game, machines: Machines) -> None:
    duel = game.duels[0]
    _twice(game.to_move(duel), "guess", duel=duel["duel_id"], turn=len(duel["rows"]) + 1, word=duel["word"])
    machines.run(lambda: game.over)


def skip(game: Game, machines: Machines) -> None:
    duel = game.duels[0]
    machines.run(lambda: len(game.duel(duel["duel_id"])["rows"]) == 1)


def skip_of_one_who_is_gone(game: Game, machines: Machines) -> None:
    duel = game.duels[0]
    player = game.to_move(duel)
    player.drop(notice=False)
    machines.run(lambda: player.state["connection_id"] is None)


def leave(game: Game, machines: Machines) -> None:
    _twice(game.waiting(game.duels[0]), "leave", what="tournament")


def drop(game: Game, machines: Machines) -> None:
    _attempt(game.to_move(game.duels[0]).drop)


def come_back(game: Game, machines: Machines) -> None:
    player = game.waiting(game.duels[0])
    _attempt(player.drop)
    player.connection_id = game.world.connection_id()
    _twice(player, "hello", token=player.token)


def forfeit(game: Game, machines: Machines) -> None:
    player = game.waiting(game.duels[0])
    _attempt(lambda: game.world.forfeit(player.id, player.state["epoch"]))


def sweep(game: Game, machines: Machines) -> None:
    _attempt(game.world.sweep)


def settle(game: Game, machines: Machines) -> None:
    rounds = len(game.state["rounds"])
    machines.run(lambda: game.over or len(game.state["rounds"]) > rounds)


def nothing(game: Game) -> None:
    pass


def gone_for_a_minute(game: Game) -> None:
    game.waiting(game.duels[0]).drop()
    game.world.sleep(WINDOW_MS)


def all_solved(game: Game) -> None:
    for duel in game.duels:
        game.solve(duel["duel_id"])


def sync(game: Game, machines: Machines) -> None:
    _twice(game.to_move(game.duels[0]), "sync")


def watch(game: Game, machines: Machines) -> None:
    out = next(player for player in game.all if player.state["watching"] == game.id)
    _twice(out, "watch", duel=game.duels[0]["duel_id"])
    _twice(out, "unwatch")


def _twice(player: Player, action: str, **fields: Any) -> None:
    """Send it, and if no answer comes but `internal`, once more."""
    _attempt(lambda: player.send(action, "first", **fields))
    answers = [frame for frame in player.frames if frame.get("ref") == "first"]
    if not answers or answers[-1].get("code") == "internal":
        _attempt(lambda: player.send(action, "second", **fields))


FLOWS: dict[str, tuple[str, Callable[[Game], None], Act]] = {
    "guess": ("final", nothing, guess),
    "solve": ("final", nothing, solve),
    "skip": ("final", nothing, skip),
    "skip of one who is gone": ("final", nothing, skip_of_one_who_is_gone),
    "leave": ("final", nothing, leave),
    "leave of four": ("semifinal", nothing, leave),
    "drop": ("final", nothing, drop),
    "come back": ("final", nothing, come_back),
    "forfeit": ("semifinal", gone_for_a_minute, forfeit),
    "sweep": ("semifinal", gone_for_a_minute, sweep),
    "settle and open": ("semifinal", all_solved, settle),
    "watch": ("final", nothing, watch),
    "sync": ("final", nothing, sync),
}
"""Where it begins, what happens first, and what happens while a call fails."""


def play(scenes: Scenes, flow: str, number: int, mode: str) -> bool:
    """Play the flow with that call failing, and on to the end; whether the flow had so many calls."""
    game, machines, act = _stage(scenes, flow)
    clients = Clients(game)
    fault = Fault(game.world, number, mode)
    act(game, machines)
    fault.mend()
    clients.sync()
    machines.run(lambda: game.over, clients=clients)
    game.assert_ended_right()
    game.world.disturbed.close()
    return fault.fired


def positions(scenes: Scenes, flow: str) -> list[tuple[int, str]]:
    """The calls of the flow when nothing fails: number and operation; of pushes side by side only the first."""
    game, machines, act = _stage(scenes, flow)
    with game.world.backend.aws.recorded() as calls:
        act(game, machines)
    game.world.disturbed.close()
    operations = [call.operation for call in calls]
    return [
        (index + 1, operation)
        for index, operation in enumerate(operations)
        if operation not in ALIKE or operations[index - 1] != operation
    ]


def _stage(scenes: Scenes, flow: str) -> tuple[Game, Machines, Act]:
    scene, prepare, act = FLOWS[flow]
    game: Game = getattr(scenes, scene)()
    machines = Machines(game.world)
    machines.run(lambda: machines.parked)
    prepare(game)
    return game, machines, act


@pytest.mark.parametrize("mode", [REFUSED, pytest.param(LOST, marks=pytest.mark.slow), CRASH])
@pytest.mark.parametrize("flow", FLOWS)
def test_a_tournament_outlives_any_failing_call(scenes: Scenes, flow: str, mode: str) -> None:
    for number, operation in positions(scenes, flow):
        if mode == REFUSED or operation not in READS:
            try:
                play(scenes, flow, number, mode)
            except BaseException as error:
                raise AssertionError(f"call {number} ({operation}) {mode}: {error}") from error


# Before there is a tournament


def join(game: Game) -> None:
    _twice(game.all[-1], "join", language="en")


def leave_lobby(game: Game) -> None:
    _twice(game.all[0], "leave", what="lobby")


def new_player(game: Game) -> None:
    player = Player(game.world, game.world.connection_id())
    _attempt(lambda: player.send("hello", "first"))
    if not any(frame["type"] == "welcome" for frame in player.frames):
        player = Player(game.world, game.world.connection_id())
        player.hello()
    else:
        player.id = player.last("welcome")["you"]["player_id"]
        player.token = player.last("welcome")["token"]
    _twice(player, "rename", nickname="Ada Lovelace")
    _twice(player, "rename", nickname="Ada Lovelace")
    assert player.state["nickname"] == "Ada Lovelace"


LOBBY_FLOWS = {"join": join, "leave lobby": leave_lobby, "new player": new_player}


@pytest.mark.parametrize("mode", [REFUSED, LOST, CRASH])
@pytest.mark.parametrize("flow", LOBBY_FLOWS)
def test_a_lobby_outlives_any_failing_call(scenes: Scenes, world: World, flow: str, mode: str) -> None:
    """Afterwards everybody sits where their record says, and a full lobby has its tournament with a clock."""
    game = scenes.lobby()
    with world.backend.aws.recorded() as calls:
        LOBBY_FLOWS[flow](game)
    for number, operation in enumerate([call.operation for call in calls], start=1):
        if mode != REFUSED and operation in READS:
            continue
        game = scenes.lobby()
        fault = Fault(world, number, mode)
        LOBBY_FLOWS[flow](game)
        fault.mend()
        seated = {seat["player_id"]: key for key, lobby in world.lobbies().items() for seat in lobby["seats"]}
        for tournament_id, item in world.items("TournamentsTable").items():
            seated |= {entrant["player_id"]: tournament_id for entrant in item["state"]["entrants"]}
        assert {player.id: player.state["game"] for player in game.all if player.state["game"]} == seated
        assert len(seated) == {"join": PLAYERS, "leave lobby": PLAYERS - 2, "new player": PLAYERS - 1}[flow], number
        if flow == "join":
            _assert_clock_starts(game)


def _assert_clock_starts(game: Game) -> None:
    """At once, or by a sync or the sweeper as soon as it stands out."""
    machines = Machines(game.world)
    machines.run(lambda: machines.parked)
    late_ms = game.world.now_ms - game.state["rounds"][-1]["starts_at_ms"]
    assert late_ms <= GRACE_MS + 60_000
    for player in game.all:
        player.ask("sync")
    game.world.disturbed.close()


@on_both
def test_a_tournament_whose_clock_was_never_started_is_rescued_by_the_sweeper(scenes: Scenes, world: World) -> None:
    game = scenes.lobby()
    hook = world.on_call(_fail_always("StartExecution", "StateMachineDoesNotExist"))
    assert game.all[-1].ask("join", language="en")["code"] == "internal"
    hook.close()
    assert not world.started(TOURNAMENT_MACHINE)
    world.sleep(INTRO_MS + GRACE_MS)
    assert world.sweep()["rescued"] == 0, "not before it stands out"
    world.sleep(1)
    assert world.sweep()["rescued"] == 1
    (start,) = world.started(TOURNAMENT_MACHINE)
    assert start.input == {"tournament_id": game.id}
    world.sleep(60_000)
    Machines(world).run(lambda: len(game.duels[0]["rows"]) > 2)


def test_a_tournament_whose_clock_was_never_started_is_rescued_by_a_sync(scenes: Scenes, world: World) -> None:
    game = scenes.lobby()
    hook = world.on_call(_fail_always("StartExecution", "ThrottlingException"))
    game.all[-1].ask("join", language="en")
    hook.close()
    world.sleep(INTRO_MS + GRACE_MS + 1)
    shown = game.all[0].ask("sync")
    assert shown["duels"][0]["turn"] == 1, "the first turn can still be played"
    assert [start.input for start in world.started(TOURNAMENT_MACHINE)] == [{"tournament_id": game.id}]


@pytest.mark.parametrize("times", [1, 10])
@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError", "ConditionalCheckFailed"])
def test_a_transaction_that_conflicts_is_tried_again(scenes: Scenes, world: World, code: str, times: int) -> None:
    """Only a failed condition that is still true after reading again means no."""
    game = scenes.lobby()
    left = Counter({"TransactWriteItems": times})
    world.on_call(_cancelled(left, code))
    assert game.all[-1].ask("join", language="en")["lobby"]["started"]
    assert left["TransactWriteItems"] == 0


@pytest.mark.parametrize("times", [1, 10])
@pytest.mark.parametrize(
    "code",
    [
        "TransactionConflictException",
        "ThrottlingException",
        "ProvisionedThroughputExceededException",
        "ConditionalCheckFailedException",
    ],
)
def test_a_write_that_conflicts_is_tried_again(scenes: Scenes, world: World, code: str, times: int) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    left = Counter({"UpdateItem": times})

    def fail(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if left[operation] > 0:
            left[operation] -= 1
            raise client_error(code, operation)

    world.on_call(fail)
    assert game.to_move(duel).guess(duel, wrong(duel))["type"] == "duel"
    assert left["UpdateItem"] == 0
    assert len(game.duel(duel["duel_id"])["rows"]) == 1


def test_a_transaction_with_one_real_fault_among_conflicts_is_no_conflict(scenes: Scenes, world: World) -> None:
    game = scenes.lobby()
    left = Counter({"TransactWriteItems": 1})
    world.on_call(_cancelled(left, "TransactionConflict", "ValidationError"))
    before = world.everything()
    assert game.all[-1].ask("join", language="en")["code"] == "internal"
    assert world.everything() == before


@pytest.mark.parametrize("code", ["TaskTimedOut", "TaskDoesNotExist", "InvalidToken", "ThrottlingException"])
@pytest.mark.parametrize("operation", ["SendTaskHeartbeat", "SendTaskSuccess"])
def test_a_clock_that_cannot_be_told_is_no_error(scenes: Scenes, world: World, operation: str, code: str) -> None:
    """Lost heartbeats and successes cost early wake-ups and nothing else."""
    game = scenes.final()
    machines, clients = Machines(world), Clients(game)
    machines.run(lambda: machines.parked)
    hook = world.on_call(_fail_always(operation, code))
    duel = game.duels[0]
    world.sleep(10_000)
    assert game.to_move(duel).guess(duel, wrong(duel))["type"] == "duel"
    if operation == "SendTaskSuccess":
        clients.act()
        assert game.duel(duel["duel_id"])["phase"] == "over"
    rows = len(game.duel(duel["duel_id"])["rows"])
    world.sleep_until(duel["deadline_ms"])
    machines.run(lambda: machines.entered["SkipTurn"] > 0)
    assert len(game.duel(duel["duel_id"])["rows"]) == rows, "an early wake-up skips nothing"
    hook.close()
    machines.run(lambda: game.over, clients=clients)
    game.assert_ended_right()


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServerError"])
def test_an_early_alarm_is_set_anew_although_its_machine_cannot_be_told_at_once(
    scenes: Scenes, world: World, code: str
) -> None:
    """A lost heartbeat makes the alarm early; the task that finds time left fails until it has told its machine so."""
    game = scenes.final()
    machines = Machines(world, sweep_seconds=None)
    machines.run(lambda: machines.parked)
    lost = world.on_call(_fail_always("SendTaskHeartbeat", code))
    left = Counter({"SendTaskFailure": 2})
    world.on_call(_fail_first(left, code))
    duel = game.duels[0]
    world.sleep(10_000)
    assert game.to_move(duel).guess(duel, wrong(duel))["type"] == "duel"
    lost.close()
    due_ms = game.duel(duel["duel_id"])["deadline_ms"] + TURN_GRACE_MS
    machines.run(lambda: len(game.duel(duel["duel_id"])["rows"]) == 2)
    assert left["SendTaskFailure"] == 0
    assert world.now_ms <= due_ms + 1_000
    machines.run(lambda: game.over, clients=Clients(game))
    game.assert_ended_right()


# Connections that are gone, slow or throttled


def test_one_dead_one_throttled_and_one_slow_connection_hold_up_nobody(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    dead, throttled, slow, *others = game.all
    dead.drop(notice=False)
    duel = next(duel for duel in game.duels if {dead.id, throttled.id, slow.id}.isdisjoint(duel["players"]))
    everybody_else_has_it = threading.Event()
    told: set[str] = set()

    def throttle(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if params.get("ConnectionId") == throttled.connection_id:
            raise client_error("LimitExceededException", operation, status=429)

    def hang(connection_id: str) -> None:
        if connection_id == slow.connection_id:
            assert everybody_else_has_it.wait(30)
        told.add(connection_id)
        if told >= {player.connection_id for player in others if player.id not in duel["players"]}:
            everybody_else_has_it.set()

    world.on_call(throttle)
    world.connections.on_post = hang
    with world.in_parallel():
        game.solve(duel["duel_id"])
    for player in (slow, *others):
        assert player.last("duel")["duel"]["over"]
    assert dead.state["connection_id"] is None, "410 counts as the connection's end"
    assert throttled.state["connection_id"] == throttled.connection_id
    assert [start.input["player_id"] for start in world.started("ReconnectMachine")] == [dead.id]


def test_a_410_of_a_connection_that_was_replaced_means_nothing(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    player = game.waiting(duel)
    old = player.connection_id
    fresh = Player(world, world.connection_id(), player.id, player.token)
    fresh.hello()
    world.disconnected(old)
    game.to_move(duel).guess(duel, wrong(duel))
    assert player.state["connection_id"] == fresh.connection_id
    assert fresh.last("duel")["duel"]["turn"] == 2


def test_silence_counts_as_a_lost_connection(scenes: Scenes, world: World) -> None:
    """No answer to the question that comes with the skipped turn (R28)."""
    game = scenes.begun()
    duel = game.duels[0]
    player = game.to_move(duel)
    world.connections.fall_silent(player.connection_id)
    Machines(world).run(lambda: player.id in game.state["rounds"][-1]["leavers"])
    assert world.now_ms >= duel["deadline_ms"] + WINDOW_MS


def test_a_loss_that_cannot_be_recorded_spoils_no_guess_and_is_found_when_the_turn_runs_out(
    scenes: Scenes, world: World
) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    mover, other = game.to_move(duel), game.waiting(duel)
    other.drop(notice=False)
    hook = world.on_call(_fail_always("TransactWriteItems", "InternalServerError"))
    assert mover.guess(duel, wrong(duel))["type"] == "duel"
    hook.close()
    assert other.state["connection_id"] is not None
    world.run_out(game.duel(duel["duel_id"]))
    world.skip(duel["duel_id"])
    assert other.state["connection_id"] is None


def test_a_connection_whose_record_has_expired_is_nobodys(world: World) -> None:
    """A row that DynamoDB has not deleted yet does not exist for us."""
    player = world.player()
    world.sleep(2 * 24 * 3_600_000 - 1_000)
    assert player.ask("sync")["type"] == "state"
    world.sleep(2_000)
    assert player.refused("sync") == "not_signed_in"


def _fail_always(operation: str, code: str) -> Callable[[str, str, Mapping[str, Any]], None]:
    def fail(service: str, called: str, params: Mapping[str, Any]) -> None:
        if called == operation:
            raise client_error(code, called)

    return fail


def _fail_first(left: Counter[str], code: str) -> Callable[[str, str, Mapping[str, Any]], None]:
    """Return a hook that fails as many calls of each operation as are left."""

    def fail(service: str, called: str, params: Mapping[str, Any]) -> None:
        if left[called] > 0:
            left[called] -= 1
            raise client_error(code, called)

    return fail


def _cancelled(left: Counter[str], *codes: str) -> Callable[[str, str, Mapping[str, Any]], None]:
    def fail(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if left[operation] > 0:
            left[operation] -= 1
            error = client_error("TransactionCanceledException", operation)
            answer: Any = error.response
            reasons = [{"Code": code, "Message": "made by a test"} for code in codes]
            answer["CancellationReasons"] = [
                *reasons,
                *[{"Code": "None"}] * (len(params["TransactItems"]) - len(codes)),
            ]
            raise error

    return fail
