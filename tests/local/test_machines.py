"""The real state machines, run in memory and by moto against a duels table, with fake functions for their tasks.

The fakes know just enough: a tournament is a list of rounds, a round a list of duel ids. Nothing here
asserts how long anything took; what restarts a clock is told by how often it ran out.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

import boto3
import pytest
from botocore.exceptions import ClientError

from infra.local.aws import Emulator
from infra.local.backend import Execution, LocalBackend
from infra.local.template import Template

TOURNAMENT = "T1"
MACHINE = "TournamentMachine"
Value = TypeVar("Value")
THROTTLED: Any = {
    "Error": {"Code": "ThrottlingException", "Message": "slow down"},
    "ResponseMetadata": {"HTTPStatusCode": 400, "RequestId": "r"},
}


class FakeTournament:
    """The tasks' functions over a list of rounds; every wait lasts a second unless told otherwise."""

    def __init__(self, rounds: list[list[str]], *, skips_to_end: int = 1) -> None:
        self.rounds = rounds
        self.skips_to_end = skips_to_end
        self.wait_seconds = 0
        self.heartbeat_seconds: Mapping[str, int] = {}
        self.skips_wanted: Mapping[str, int] = {}
        """Skips after which a duel waits for minutes, so that their number does not depend on the machine's speed.
        SkipTurn says so, as for a duel in the middle of a turn: NextTurn's clock is always the one of its input."""
        self.skips: Counter[str] = Counter()
        self.asked: dict[str, str] = {}
        """By duel whose alarm SkipTurn was to set anew: the token that the duel had then."""
        self.hurry: Mapping[str, str] = {}
        """Replacements in the machine's definition, so that a test need not wait for long."""
        self.failing: Callable[[str], None] = lambda duel_id: None
        self.backend: LocalBackend

    # -- the functions ---------------------------------------------------------------------------

    def advance_round(self, event: Any, context: Any) -> Any:
        assert event == {"task": "advance_round", "tournament_id": TOURNAMENT}
        for duel_ids in self.rounds:
            phases = [self.phase(duel_id) for duel_id in duel_ids]
            if all(phase == "over" for phase in phases):
                continue
            for duel_id, phase in zip(duel_ids, phases, strict=True):
                if phase is None:
                    self.write(duel_id, "playing")
            return {
                "tournament_id": TOURNAMENT,
                "over": False,
                "wait_seconds": self.wait_seconds,
                "duels": [self.duel(one) for one in duel_ids if self.phase(one) == "playing"],
            }
        return {"tournament_id": TOURNAMENT, "over": True, "wait_seconds": 0, "duels": []}

    def next_turn(self, event: Any, context: Any) -> Any:
        duel_id, token = event["duel_id"], event["task_token"]
        seconds = self.heartbeat_seconds.get(duel_id, 1)
        assert event == {"task": "next_turn", "task_token": token, **self.input(duel_id, seconds)}
        self.failing(duel_id)
        states = boto3.client("stepfunctions")
        if not self.skip(duel_id):
            states.send_task_failure(taskToken=token, error="AlarmNotSet")
        elif self.phase(duel_id) == "over":
            states.send_task_success(taskToken=token, output="{}")
        else:
            self.park(duel_id, token)
            # moto starts the task's clock after this call, and takes no heartbeat before.
            with suppress(ClientError):
                states.send_task_heartbeat(taskToken=token)
        return {}

    def skip_turn(self, event: Any, context: Any) -> Any:
        duel_id = event["duel_id"]
        assert event == {"task": "skip_turn", "duel_id": duel_id, "tournament_id": TOURNAMENT}
        self.failing(duel_id)
        self.asked[duel_id] = self._token(duel_id)
        self.skip(duel_id)
        return self.duel(duel_id)

    def skip(self, duel_id: str) -> bool:
        """Skip the turn unless the duel is over or skipped often enough. Return True if it was skipped."""
        if self.phase(duel_id) == "over" or self.skipped_enough(duel_id):
            return False
        self.skips[duel_id] += 1
        if self.skips[duel_id] >= self.skips_to_end:
            self.write(duel_id, "over")
        return True

    def skipped_enough(self, duel_id: str) -> bool:
        return self.skips[duel_id] >= self.skips_wanted.get(duel_id, sys.maxsize)

    def duel(self, duel_id: str) -> Any:
        return self.input(duel_id, 300 if self.skipped_enough(duel_id) else self.heartbeat_seconds.get(duel_id, 1))

    def input(self, duel_id: str, heartbeat_seconds: int) -> Any:
        return {"duel_id": duel_id, "tournament_id": TOURNAMENT, "heartbeat_seconds": heartbeat_seconds}

    # -- the duels -------------------------------------------------------------------------------

    def _key(self, duel_id: str) -> Any:
        return {"TableName": self.table, "Key": {"duel_id": {"S": duel_id}}}

    @property
    def table(self) -> str:
        return str(self.backend.template.tables["DuelsTable"]["TableName"])

    def item(self, duel_id: str) -> Any:
        found = boto3.client("dynamodb").get_item(**self._key(duel_id), ConsistentRead=True)
        return found.get("Item", {})

    def phase(self, duel_id: str) -> str | None:
        phase: str | None = self.item(duel_id).get("phase", {}).get("S")
        return phase

    def write(self, duel_id: str, phase: str) -> None:
        boto3.client("dynamodb").update_item(
            **self._key(duel_id),
            UpdateExpression="SET phase = :phase",
            ExpressionAttributeValues={":phase": {"S": phase}},
        )

    def park(self, duel_id: str, token: str) -> None:
        boto3.client("dynamodb").update_item(
            **self._key(duel_id),
            UpdateExpression="SET task_token = :token",
            ExpressionAttributeValues={":token": {"S": token}},
        )

    # -- the players -----------------------------------------------------------------------------

    def token(self, duel_id: str, but: str = "") -> str:
        """The machine's token for the duel, once it is there and another one than `but`."""
        return until(lambda: self._token(duel_id) if self._token(duel_id) != but else "")

    def _token(self, duel_id: str) -> str:
        return str(self.item(duel_id).get("task_token", {}).get("S", ""))

    def guess(self, duel_id: str) -> None:
        boto3.client("stepfunctions").send_task_heartbeat(taskToken=self.token(duel_id))

    def solve(self, duel_id: str) -> None:
        token = self.token(duel_id)
        self.write(duel_id, "over")
        boto3.client("stepfunctions").send_task_success(taskToken=token, output="{}")

    # -- running ---------------------------------------------------------------------------------

    def begin(self) -> None:
        self.backend.start_execution(MACHINE, TOURNAMENT, {"tournament_id": TOURNAMENT})

    def end(self) -> Execution:
        def ended() -> Execution | None:
            (execution,) = self.backend.executions(MACHINE)
            return execution if execution.status != "RUNNING" else None

        return until(ended)


def until(look: Callable[[], Value | None], seconds: float = 60) -> Value:
    """Return the result of `look` as soon as there is one."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
    return found


def hurried(template: Template, replacements: Mapping[str, str]) -> Template:
    machine = template.machines[MACHINE]
    definition = machine.definition
    for old, new in replacements.items():
        assert old in definition
        definition = definition.replace(old, new)
    faster = replace(machine, definition=definition)
    return replace(template, machines={**template.machines, MACHINE: faster})


@pytest.fixture(params=["memory", "moto"])
def emulator(request: pytest.FixtureRequest) -> Emulator:
    chosen: Emulator = request.param
    return chosen


@pytest.fixture
def play(emulator: Emulator) -> Iterator[Callable[[FakeTournament], FakeTournament]]:
    running: list[LocalBackend] = []

    def start(tournament: FakeTournament) -> FakeTournament:
        tournament.backend = LocalBackend(
            handlers={
                "advance_round": tournament.advance_round,
                "next_turn": tournament.next_turn,
                "skip_turn": tournament.skip_turn,
            },
            emulator=emulator,
        )
        tournament.backend.template = hurried(tournament.backend.template, tournament.hurry)
        tournament.backend.start()
        running.append(tournament.backend)
        return tournament

    yield start
    for backend in running:
        backend.stop()


Play = Callable[[FakeTournament], FakeTournament]


def test_rounds_follow_each_other_until_it_is_over(play: Play) -> None:
    tournament = FakeTournament([["a", "b"], ["c"]])
    tournament.heartbeat_seconds = dict.fromkeys("abc", 300)
    play(tournament)
    tournament.begin()
    for duel_id in ("a", "b", "c"):
        tournament.solve(duel_id)

    execution = tournament.end()

    assert execution.status == "SUCCEEDED"
    assert Counter(execution.entered) == {
        "AdvanceRound": 3,
        "IsOver": 3,
        "Introduce": 2,
        "PlayDuels": 2,
        "DuelTurn": 3,
        "Over": 1,
    }
    assert not tournament.skips


def test_a_guess_restarts_the_clock(play: Play) -> None:
    """While the idle duel's clock of a second runs out six times, the busy one's of four seconds never does."""
    tournament = FakeTournament([["busy", "idle"]], skips_to_end=6)
    tournament.heartbeat_seconds = {"busy": 4}
    play(tournament)
    tournament.begin()
    tournament.token("busy")
    while tournament.phase("idle") == "playing":
        tournament.guess("busy")
        time.sleep(0.05)
    tournament.solve("busy")

    execution = tournament.end()

    assert tournament.skips == {"idle": 6}
    assert execution.entered.count("NextTurn") == 6  # and the guesses cost nothing
    assert "SkipTurn" not in execution.entered


def test_a_skipped_duel_waits_again_with_a_new_token(play: Play) -> None:
    tournament = play(FakeTournament([["a"]], skips_to_end=99))
    tournament.skips_wanted = {"a": 2}
    tokens = []
    tournament.failing = lambda duel_id: tokens.append(tournament.token(duel_id))
    tournament.begin()
    # The fourth alarm skips nothing. Then the seconds that skip_turn returned are taken: nothing but the solving ends
    # that wait.
    until(lambda: len(tokens) == 4)
    tokens.append(tournament.token("a", but=tokens[2]))
    assert tokens[2] == tokens[3]  # SkipTurn has none of its own
    assert len(set(tokens)) == 4
    tournament.solve("a")

    execution = tournament.end()

    assert execution.status == "SUCCEEDED"
    assert tournament.skips["a"] == 2
    assert duels_states(execution) == ["DuelTurn", "NextTurn", "NextTurn", "NextTurn", "SkipTurn", "DuelTurn"]


def duels_states(execution: Execution) -> list[str]:
    """Return the states that the one duel has entered."""
    around = {"AdvanceRound", "IsOver", "Introduce", "PlayDuels", "Over"}
    return [state for state in execution.entered if state not in around]


def test_a_duel_that_ended_by_a_skip_ends_its_own_wait(play: Play) -> None:
    tournament = play(FakeTournament([["a"]], skips_to_end=2))
    tournament.begin()

    execution = tournament.end()

    assert execution.status == "SUCCEEDED"
    assert duels_states(execution) == ["DuelTurn", "NextTurn", "NextTurn"]


def test_a_guess_after_a_skip_restarts_the_clock_too(play: Play) -> None:
    tournament = FakeTournament([["busy", "idle"]], skips_to_end=99)
    tournament.heartbeat_seconds = {"busy": 3}
    tournament.skips_wanted = {"busy": 1}
    play(tournament)
    tournament.begin()
    until(lambda: tournament.skips["busy"] == 1 or None)
    enough = tournament.skips["idle"] + 5
    while tournament.skips["idle"] < enough:
        # A heartbeat before the task waits is lost; the next one is not.
        with suppress(ClientError):
            tournament.guess("busy")
        time.sleep(0.05)
    tournament.solve("busy")
    tournament.skips_to_end = 1

    execution = tournament.end()

    assert execution.status == "SUCCEEDED"
    assert "SkipTurn" not in execution.entered


def test_a_lost_success_is_noticed_at_the_next_wake_up(play: Play) -> None:
    tournament = play(FakeTournament([["a"]], skips_to_end=99))
    tournament.begin()
    tournament.token("a")
    tournament.write("a", "over")

    execution = tournament.end()

    assert execution.status == "SUCCEEDED"
    assert duels_states(execution) == ["DuelTurn", "NextTurn", "SkipTurn", "DuelTurn", "DuelOver"]
    failed = [one["taskFailedEventDetails"] for one in execution.history if one["type"] == "TaskFailed"]
    assert [one["error"] for one in failed] == ["AlarmNotSet", "DynamoDb.ConditionalCheckFailedException"]


def test_a_failing_duel_harms_no_other_and_is_taken_up_again(play: Play) -> None:
    tournament = FakeTournament([["bad", "good"]], skips_to_end=1)
    # More often than NextTurn retries (once, for this test), so that the iteration has to survive it.
    tournament.hurry = {'"MaxAttempts": 5': '"MaxAttempts": 1', '"Seconds": 10': '"Seconds": 1'}
    failures = iter(range(2))

    def fail(duel_id: str) -> None:
        if duel_id == "bad" and next(failures, None) is not None:
            raise RuntimeError("no luck")

    tournament.failing = fail
    tournament.heartbeat_seconds = {"good": 300}
    play(tournament)
    tournament.begin()
    until(lambda: tournament.phase("bad") == "over" or None)
    assert tournament.phase("good") == "playing"
    tournament.solve("good")

    execution = tournament.end()

    assert execution.status == "SUCCEEDED"
    assert execution.entered.count("CatchBreath") == 1
    assert execution.entered.count("PlayDuels") == 1


def test_a_throttled_token_is_stored_again(play: Play) -> None:
    tournament = play(FakeTournament([["a"]]))
    throttles = iter(range(2))

    def throttle(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if "ConditionExpression" in params and next(throttles, None) is not None:
            raise ClientError(THROTTLED, operation)

    with tournament.backend.aws.on_call(throttle):
        tournament.begin()
        tournament.solve("a")
        execution = tournament.end()

    assert execution.status == "SUCCEEDED"


def test_starting_twice_is_one_tournament(play: Play) -> None:
    tournament = play(FakeTournament([["a"]]))
    tournament.begin()
    tournament.begin()
    tournament.solve("a")
    tournament.end()

    with pytest.raises(ClientError, match="ExecutionAlreadyExists"):
        tournament.begin()
    assert len(tournament.backend.executions()) == 1


def test_a_whole_tournament_stays_within_its_budget(play: Play) -> None:
    """The budget: 9 rounds, 20 duels, 28 skips in at most 92 transitions.

    Played for real with fewer rounds: transitions are linear in rounds, duels and skips, so two small
    tournaments give the coefficients of a large one.
    """

    def transitions(rounds: list[list[str]], skips: int) -> int:
        tournament = play(FakeTournament(rounds, skips_to_end=99))
        duel_ids = [duel_id for duels in rounds for duel_id in duels]
        tournament.skips_wanted = dict.fromkeys(duel_ids, 0) | {duel_ids[0]: skips}
        tournament.heartbeat_seconds = dict.fromkeys(duel_ids[1:], 300)
        tournament.begin()
        if skips:
            # Its last alarm skips nothing, and sets a long one.
            until(lambda: tournament.asked)
            tournament.token(duel_ids[0], but=tournament.asked[duel_ids[0]])
        for duel_id in duel_ids:
            tournament.solve(duel_id)
        counted = len(tournament.end().entered)
        assert sum(tournament.skips.values()) == skips
        tournament.backend.stop()
        return counted

    base = transitions([["a"]], 0)
    per_round = transitions([["a"], ["b"]], 0) - base - 1
    per_duel = transitions([["a", "b"]], 0) - base
    per_skip = transitions([["a"]], 2) - transitions([["a"]], 1)

    assert base + 8 * per_round + 19 * per_duel + 28 * per_skip <= 92


def test_the_reconnect_window_asks_to_forfeit_once(emulator: Emulator) -> None:
    forfeits: list[Any] = []
    forfeited = threading.Event()

    def forfeit(event: Any, context: Any) -> Any:
        forfeits.append(event)
        if len(forfeits) == 1:
            raise RuntimeError("once is not enough")
        forfeited.set()
        return {}

    with LocalBackend(handlers={"end_reconnect_window": forfeit}, emulator=emulator) as backend:
        backend.start_execution("ReconnectMachine", "P1-3", {"player_id": "P1", "epoch": 3, "seconds": 1})
        assert forfeited.wait(60)
        until(lambda: backend.executions("ReconnectMachine")[0].status == "SUCCEEDED" or None)
        (execution,) = backend.executions()

    assert forfeits == [{"task": "end_reconnect_window", "player_id": "P1", "epoch": 3}] * 2
    assert execution.entered == ["Wait", "Forfeit"]


def test_nothing_runs_on_after_the_end_of_its_account(emulator: Emulator) -> None:
    called = threading.Event()

    def next_turn(event: Any, context: Any) -> Any:
        called.set()
        return event

    tournament = FakeTournament([["a"]])
    handlers = {"advance_round": tournament.advance_round, "next_turn": next_turn}
    tournament.backend = LocalBackend(handlers=handlers, emulator=emulator)
    tournament.backend.start()
    tournament.begin()
    tournament.token("a")
    tournament.backend.stop()

    with LocalBackend(handlers={"next_turn": next_turn}, emulator=emulator) as backend:
        assert not called.wait(2)
        assert backend.executions() == []
