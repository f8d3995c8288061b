"""Each flow with each of its AWS calls failing in four ways; then clients and machines repeat it, and nobody is stuck.

The function dies before the call or after it, the call is throttled, or it is carried out and its answer is lost.
Run with `-s` to see the coverage: flows, calls and cases.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

from infra.local.aws import FunctionError
from infra.local.testing import WINDOW_MS, Clients, Crash, Game, Machines, Player, World, client_error
from infra.local.testing.invariants import Invariants
from tests.integration.conftest import Scenes
from tests.integration.faults.flows import FLOWS, Ready
from wordle_tournament.store.errors import StoreError
from wordle_tournament.words import Language, languages

DIES_BEFORE, DIES_AFTER, THROTTLED, LOST = "dies before", "dies after", "throttled", "answer lost"
WAYS = (DIES_BEFORE, DIES_AFTER, THROTTLED, LOST)
THROTTLING = {"dynamodb": "ThrottlingException", "states": "ThrottlingException"}
READS = {"GetItem", "BatchGetItem", "Query"}
ATTEMPTS = 4
"""A client and a machine send again; four times are more than any single fault can demand."""
UNANSWERED = ("", "busy", "internal")


class Fault:
    """Has the call of that number fail, counted from now on."""

    def __init__(self, world: World, number: int, way: str) -> None:
        self.fired = False
        self._number, self._way, self._count = number, way, 0
        self._target: Mapping[str, Any] | None = None
        self._lock = threading.Lock()
        self._hooks = [world.on_call(self._before), world.on_call(self._after, after=True)]

    def close(self) -> None:
        for hook in self._hooks:
            hook.close()

    def _before(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        with self._lock:
            self._count += 1
            if self._count != self._number:
                return
            self._target, self.fired = params, True
        if self._way == DIES_BEFORE:
            raise Crash(operation)
        if self._way == THROTTLED:
            code = THROTTLING.get(service, "LimitExceededException")
            raise client_error(code, operation, status=400 if service in THROTTLING else 429)

    def _after(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        if params is self._target:
            if self._way == DIES_AFTER:
                raise Crash(operation)
            if self._way == LOST:
                raise ReadTimeoutError(endpoint_url=f"https://{service}")


def attempt(ready: Ready) -> str:
    try:
        return ready.act()
    except (Crash, FunctionError, StoreError, ClientError, BotoCoreError):
        return ""


def cases(operations: list[str], all_cases: bool) -> Iterator[tuple[int, str, str]]:
    """Give each call's number and operation, with each way in which it fails that leaves something else behind.

    Of pushes side by side and of queries in a row only the first fails. To die before a call is to die after the last
    one that wrote something. Unless `all_cases`, reads do not fail: test_throttling.py has those.
    """
    for index, operation in enumerate(operations):
        if index and operation in ("PostToConnection", "Query") and operations[index - 1] == operation:
            continue
        for way in WAYS:
            alike = way == DIES_AFTER if operation in READS else way == DIES_BEFORE
            if (not alike if all_cases else operation not in READS and not alike) or (index, way) == (0, DIES_BEFORE):
                yield index + 1, operation, way


def come_to_rest(world: World) -> None:
    """Let the minute of a lost connection end, with the sweeper before it and after it. A tournament has its timer."""
    for _ in range(2):
        world.sleep(WINDOW_MS + 1_000)
        world.sweep()
    if running(world):
        machines = Machines(world)
        machines.run(lambda: machines.parked or not running(world))
        world.disturbed.close()


def play_on(world: World, players: list[Player]) -> None:
    """Let those who are there play each tournament to its end, with machines and the sweeper."""
    machines = Machines(world)
    for key in running(world):
        known = {player.id: player for player in players if player.id in world.items("PlayersTable")}
        game = Game(world, key, known)
        machines.run(lambda game=game: game.over, clients=Clients(game))  # type: ignore[misc]
    end_ms = world.now_ms + 4 * WINDOW_MS
    machines.at(end_ms, lambda: None)
    machines.run(lambda: world.now_ms >= end_ms)
    world.disturbed.close()


def running(world: World) -> list[str]:
    return [key for key, item in world.items("TournamentsTable").items() if item["state"]["ended_at_ms"] is None]


def sweep(scenes: Scenes, world: World, name: str, to_the_end: bool = False) -> Counter[str]:
    """Run all cases of a flow. Return how many there were of each way."""
    ready = FLOWS[name](scenes, world)
    with world.backend.aws.recorded() as calls:
        expected = attempt(ready)
    assert expected not in UNANSWERED, "the flow works when nothing fails"
    assert ready.holds()
    done: Counter[str] = Counter(flows=1, calls=len(calls))
    for number, operation, way in cases([call.operation for call in calls], to_the_end):
        try:
            case(scenes, world, name, number, way, expected, to_the_end)
        except BaseException as error:
            error.add_note(f"{name}: call {number} ({operation}) {way}")
            raise
        done[way] += 1
    return done


def case(
    scenes: Scenes, world: World, name: str, number: int, way: str, expected: str, to_the_end: bool = False
) -> None:
    world.disturbed.close()
    ready = FLOWS[name](scenes, world)
    invariants = Invariants(world)
    invariants.ratings.update({one.id: one.state["rating"] for one in ready.players if one.state["games"] == 0})
    fault = Fault(world, number, way)
    answer = attempt(ready)
    fault.close()
    assert fault.fired
    for _ in range(ATTEMPTS):
        if answer not in UNANSWERED:
            break
        answer = attempt(ready)
    assert answer == expected
    assert ready.holds()
    invariants.check()
    if way != DIES_AFTER:
        # Its repetition did all of it, or left what a death leaves too.
        return
    if to_the_end:
        play_on(world, ready.players)
    else:
        come_to_rest(world)
    invariants.check()
    invariants.check_at_rest()


@pytest.fixture
def hurried(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Retries do not pause, and the sweeper looks at the lobbies of one language."""
    few: Mapping[str, Language] = {code: one for code, one in languages().items() if code == "en"}
    monkeypatch.setattr("wordle_tournament.play.sweeper.sweep.words.languages", lambda: few)
    monkeypatch.setattr("wordle_tournament.store.errors._pause", lambda attempt: None)
    return world


@pytest.fixture(scope="module")
def done() -> Iterator[Counter[str]]:
    """Count the cases, and print the coverage in the end."""
    counted: Counter[str] = Counter()
    yield counted
    ways = ", ".join(f"{counted[way]} {way}" for way in WAYS)
    total = sum(counted[way] for way in WAYS)
    sys.stdout.write(f"\n{counted['flows']} flows, {counted['calls']} calls, {total} cases: {ways}\n")


@pytest.mark.thorough
@pytest.mark.parametrize("name", FLOWS)
def test_a_flow_outlives_any_failing_call(scenes: Scenes, hurried: World, name: str, done: Counter[str]) -> None:
    """The resend gets the answer of a first request, what was asked for is so, and the rules hold (R1-R31)."""
    done += sweep(scenes, hurried, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOWS)
def test_a_flow_outlives_any_failing_call_to_the_end_of_its_tournament(
    scenes: Scenes, hurried: World, name: str
) -> None:
    """Each read too is throttled and lost. After a death every tournament is played on until it is over."""
    sweep(scenes, hurried, name, to_the_end=True)
