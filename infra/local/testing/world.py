"""The deployed backend in this process, with all its surroundings controlled by a test.

Messages go in as API Gateway's events and come out as frames on fake connections. Time stands still unless a test
moves it. The starts of state machines are recorded but no machine runs: `World.advance`, `skip` and `forfeit` run their
tasks by hand, and `Machines` runs them for a whole tournament.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from unittest import mock

import boto3
from botocore.exceptions import ClientError
from pydantic import TypeAdapter

from infra.local.aws import Emulator, FunctionError
from infra.local.backend import LocalBackend
from infra.local.template import Template
from infra.local.testing.connections import FakeConnections, Frame
from infra.local.testing.helpers import wrong
from infra.local.testing.in_turn import InRow, calls_in_a_row, in_turn
from infra.local.testing.items import plain
from infra.local.testing.stopped_time import stopped_time
from wordle_tournament import config, randomness
from wordle_tournament.delivery import flooding
from wordle_tournament.rules.tournament import Tournament, standings

T = TypeVar("T")
OnCall = Callable[[str, str, Mapping[str, Any]], None]

START_MS = 1_800_000_000_000
INTRO_MS = 6_000
TURN_MS = 30_000
TURN_GRACE_MS = 1_000
WINDOW_MS = 60_000
GRACE_MS = 10_000
PLAYERS = 8

TOURNAMENT_MACHINE = "TournamentMachine"
RECONNECT_MACHINE = "ReconnectMachine"


class Crash(BaseException):
    """A function ends in the middle: a time-out, a kill, no memory. No code of the game can catch it."""


@dataclass(frozen=True)
class Start:
    """An execution that was started."""

    machine: str
    name: str
    input: dict[str, Any]


class World:
    """The backend with its surroundings. Use it as a context manager."""

    def __init__(self, seed: int = 1, emulator: Emulator = "memory") -> None:
        self.now_ms = START_MS
        self.rng = random.Random(seed)
        self.backend = LocalBackend(emulator=emulator)
        self.backend.template = idle_machines(self.backend.template)
        self.connections = FakeConnections(lambda: self.now_ms)
        self.starts: list[Start] = []
        self.disturbed = contextlib.ExitStack()
        """Ends the disturbances that a test has added to AWS calls."""
        self._numbers = itertools.count(1)
        self._opened_ms: dict[str, int] = {}
        self._answering = threading.RLock()
        self._exit = contextlib.ExitStack()

    def __enter__(self) -> World:
        with contextlib.ExitStack() as exit_:
            exit_.enter_context(self.backend)
            self._dynamodb = boto3.client("dynamodb")
            self.backend.aws.connections = self.connections
            self.backend.aws.on_call(self._note_start, after=True)
            exit_.enter_context(stopped_time(lambda: self.now_ms))
            self._in_turn = exit_.enter_context(contextlib.ExitStack())
            self._in_turn.enter_context(in_turn())
            exit_.enter_context(mock.patch.object(randomness, "rng", self.rng))
            # No message is counted by chance: tests count calls, and the seed decides the rest.
            exit_.enter_context(mock.patch.object(flooding, "draw", return_value=1.0))
            self._exit = exit_.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()

    # -- faults ----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def environment(self, **variables: str) -> Iterator[None]:
        """Give the functions other settings for a while, as a deployment with other parameters does."""
        with mock.patch.dict(os.environ, variables):
            config.reset()
            yield
        config.reset()

    def on_call(self, callback: OnCall, *, after: bool = False) -> contextlib.ExitStack:
        """Do as LocalAws.on_call, until the test's end at most."""
        hook = self.backend.aws.on_call(callback, after=after)
        self.disturbed.callback(hook.close)
        return hook

    @contextlib.contextmanager
    def in_parallel(self) -> Iterator[None]:
        """Make calls that the game makes in parallel in threads, as a deployment does. Otherwise they come in turn."""
        self._in_turn.close()
        try:
            yield
        finally:
            self._in_turn.enter_context(in_turn())

    def calls_in_a_row(self) -> contextlib.AbstractContextManager[list[InRow]]:
        """Give a list of the AWS calls made in the context, each with its number in the row that it had to wait for."""
        return calls_in_a_row(self.backend.aws)

    def dies_everywhere(self, prepare: Callable[[], T], act: Callable[[T], Any]) -> Iterator[T]:
        """Prepare and act, again and again, each time dying right after another AWS call of the act.

        Yield the prepared value after each death, for a test to see that nobody is stuck. End once the act succeeds.
        Pushes are not counted.
        """
        for number in itertools.count(1):
            calls = itertools.count(1)
            died = threading.Event()

            def die(service: str, operation: str, params: Mapping[str, Any]) -> None:
                if operation != "PostToConnection" and next(calls) == number:  # noqa: B023
                    died.set()  # noqa: B023
                    raise Crash(operation)

            prepared = prepare()
            with self.on_call(die, after=True), contextlib.suppress(Crash, FunctionError):
                act(prepared)
            if not died.is_set():
                assert number > 5, "hardly anything has been called"
                return
            yield prepared

    # -- time ------------------------------------------------------------------------------------

    def sleep(self, ms: int) -> None:
        """Let time pass; nothing happens by itself."""
        self.now_ms += ms

    def sleep_until(self, ms: int) -> None:
        self.now_ms = max(self.now_ms, ms)

    def run_out(self, *duels: Mapping[str, Any]) -> None:
        """Let the current turns of these duels (their states as stored) run out: their deadlines, and the grace."""
        for duel in duels:
            self.sleep_until(duel["deadline_ms"] + TURN_GRACE_MS)

    # -- the clock's functions, by hand ------------------------------------------------------------

    def advance(self, tournament_id: str) -> dict[str, Any]:
        """Run the task between rounds, and then the first step of DuelTurn: park a token in each running duel."""
        answer: dict[str, Any] = self.backend.invoke_task("advance_round", tournament_id=tournament_id)
        self.answer_questions()
        for duel in answer["duels"]:
            self.park(duel["duel_id"])
        return answer

    def park(self, duel_id: str, token: str | None = None) -> bool:
        """Store a token in the duel if it is still on, as the machine's own call does. Return True if it was stored."""
        try:
            self._dynamodb.update_item(
                TableName=self.table("DuelsTable"),
                Key={"duel_id": {"S": duel_id}},
                UpdateExpression="SET task_token = :token",
                ConditionExpression="phase = :playing",
                ExpressionAttributeValues={
                    ":token": {"S": token or f"token-of-{duel_id}"},
                    ":playing": {"S": "playing"},
                },
            )
        except ClientError as error:
            if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
                return False
            raise
        return True

    def skip(self, duel_id: str) -> int:
        """End a turn by its alarm. Return the seconds until the next one."""
        answer = self.backend.invoke_task("skip_turn", duel_id=duel_id, tournament_id=duel_id.split(".")[0])
        self.answer_questions()
        return int(answer["heartbeat_seconds"])

    def next_turn(self, duel_id: str, token: str, heartbeat_seconds: int) -> None:
        """End a turn by its alarm, and let the task with the token be that of the next turn."""
        self.backend.invoke_task(
            "next_turn",
            duel_id=duel_id,
            tournament_id=duel_id.split(".")[0],
            heartbeat_seconds=heartbeat_seconds,
            task_token=token,
        )
        self.answer_questions()

    def forfeit(self, player_id: str, epoch: int) -> bool:
        """End the wait of the reconnect machine. Return True if the player has forfeited."""
        return bool(self.backend.invoke_task("end_reconnect_window", player_id=player_id, epoch=epoch)["forfeited"])

    def sweep(self) -> dict[str, int]:
        found = dict(self.backend.invoke_schedules())
        self.answer_questions()
        return found

    def started(self, machine: str) -> list[Start]:
        return [start for start in self.starts if start.machine == machine]

    # -- players -----------------------------------------------------------------------------------

    def connection_id(self) -> str:
        """Open a new connection through `$connect`. Return its id."""
        connection_id = f"conn{next(self._numbers)}="
        self._opened_ms[connection_id] = self.now_ms
        event = self.event("$connect", connection_id, "CONNECT")
        # Nothing can be pushed from within $connect: the connection exists only afterwards.
        assert self.backend.invoke_route(event) == {"statusCode": 200}
        self.connections.open(connection_id)
        return connection_id

    def player(self, rating: int | None = None) -> Player:
        """Return a new player, signed in."""
        player = Player(self, self.connection_id())
        player.hello()
        if rating is not None:
            self.set_rating(player.id, rating)
        return player

    def players(self, count: int) -> list[Player]:
        return [self.player() for _ in range(count)]

    def set_rating(self, player_id: str, rating: int) -> None:
        self.edit("PlayersTable", player_id, "SET #state.rating = :rating", {":rating": {"N": str(rating)}})

    def edit(self, logical_id: str, key: str, update: str, values: dict[str, Any]) -> None:
        """Change an item without the game; `update` is an update expression, `#state` its state."""
        self._dynamodb.update_item(
            TableName=self.table(logical_id),
            Key={self.backend.template.tables[logical_id]["KeySchema"][0]["AttributeName"]: {"S": key}},
            UpdateExpression=update,
            ExpressionAttributeValues=values,
            **({"ExpressionAttributeNames": {"#state": "state"}} if "#state" in update else {}),
        )

    def tournament(self, players: int = PLAYERS, language: str = "en") -> Game:
        """Return a tournament that has just begun, in its introduction."""
        seated = self.players(players)
        for player in seated:
            player.ask("join", language=language)
        game = Game(self, self.state("PlayersTable", seated[0].id)["game"], {player.id: player for player in seated})
        self.advance(game.id)
        return game

    # -- stored items --------------------------------------------------------------------------

    def table(self, logical_id: str) -> str:
        return str(self.backend.template.tables[logical_id]["TableName"])

    def items(self, logical_id: str) -> dict[str, dict[str, Any]]:
        """Return every item of a table by its key, without a call, as plain values."""
        return {key: plain(item) for key, item in self._stored(logical_id).items()}

    def item(self, logical_id: str, key: str) -> dict[str, Any]:
        """Return one item. Raise KeyError if there is none."""
        return plain(self._stored(logical_id)[key])

    def state(self, logical_id: str, key: str) -> dict[str, Any]:
        """Return the state of one item. Raise KeyError if there is none."""
        state: dict[str, Any] = self.item(logical_id, key)["state"]
        return state

    def _stored(self, logical_id: str) -> dict[str, dict[str, Any]]:
        (key,) = (one["AttributeName"] for one in self.backend.template.tables[logical_id]["KeySchema"])
        return {item[key]["S"]: item for item in self.backend.aws.items(self.table(logical_id))}

    def lobbies(self) -> dict[str, dict[str, Any]]:
        """Return the states of the lobbies that wait, by id."""
        lobbies = {
            key: item["state"] for key, item in self.items("LobbiesTable").items() if not key.startswith("door.")
        }
        return {
            key: lobby
            for key, lobby in lobbies.items()
            if lobby["seats"] and not lobby["started"] and not lobby["merged_into"]
        }

    def everything(self) -> dict[str, Any]:
        """Return all that is stored, to see that nothing has changed."""
        return {logical_id: self.items(logical_id) for logical_id in self.backend.template.tables}

    def save(self) -> Callable[[], None]:
        """Save all tables, starts and connections. Return a function that restores them."""
        restore_tables, restore_connections = self.backend.aws.save(), self.connections.save()
        now_ms, starts = self.now_ms, list(self.starts)

        def restore() -> None:
            restore_tables()
            restore_connections()
            self.now_ms, self.starts[:] = now_ms, starts

        return restore

    def written(self, logical_id: str) -> dict[str, dict[str, Any]]:
        """Return every item of a table by its key, in DynamoDB's JSON: `{"S": ...}` for each value."""
        return self._stored(logical_id)

    def write(self, logical_id: str, items: Iterable[Mapping[str, Any]]) -> None:
        """Put such items into a table."""
        for item in items:
            self._dynamodb.put_item(TableName=self.table(logical_id), Item=item)

    @property
    def opened_ms(self) -> dict[str, int]:
        """When each connection that is open was opened."""
        return {key: self._opened_ms[key] for key in sorted(self.connections.opened - self.connections.closed)}

    def take_over(self, now_ms: int, opened_ms: Mapping[str, int]) -> None:
        """Go on at that time with these connections open. Connections opened from now on have other ids."""
        self.now_ms = now_ms
        self._opened_ms.update(opened_ms)
        self.connections.opened.update(opened_ms)
        self._numbers = itertools.count(1_000_000)

    # -- messages ----------------------------------------------------------------------------------

    def event(
        self, route: str, connection_id: str, event_type: str = "MESSAGE", body: str | None = None, at_ms: int = 0
    ) -> dict[str, Any]:
        """Return an event as API Gateway makes it; `at_ms` is when it received the message."""
        event: dict[str, Any] = {
            "requestContext": {
                "routeKey": route,
                "eventType": event_type,
                "messageDirection": "IN",
                "connectionId": connection_id,
                "connectedAt": self._opened_ms.get(connection_id, START_MS),
                "requestId": f"request{next(self._numbers)}=",
                "extendedRequestId": f"request{next(self._numbers)}=",
                "requestTime": "01/Jan/2027:00:00:00 +0000",
                "requestTimeEpoch": at_ms or self.now_ms,
                "identity": {"sourceIp": "127.0.0.1", "userAgent": "test"},
                "domainName": "local.execute-api.us-east-1.amazonaws.com",
                "stage": "dev",
                "apiId": "local",
            },
            "isBase64Encoded": False,
        }
        if event_type == "MESSAGE":
            event["requestContext"]["messageId"] = f"message{next(self._numbers)}="
        if body is not None:
            event["body"] = body
        return event

    def receive(self, connection_id: str, body: str | None, route: str | None = None, at_ms: int = 0) -> int:
        """Send a message through the route that it selects. Return the status code. Raise FunctionError or Crash."""
        selected = route or self.route(body)
        answer = self.backend.invoke_route(self.event(selected, connection_id, body=body, at_ms=at_ms))
        self.answer_questions()
        return int(answer["statusCode"])

    def answer_questions(self) -> None:
        """Answer the questions whether clients are there, as clients do at once. Silent and closed ones do not."""
        while self.connections.questions:
            with self._answering:
                try:
                    connection_id, asked = self.connections.questions.popleft()
                except IndexError:  # another thread took it
                    return
                if connection_id in self.connections.silent or connection_id in self.connections.closed:
                    continue
                body = json.dumps({"action": "here", **{key: asked[key] for key in ("what", "id", "number")}})
                for _ in range(20):
                    sent = len(self.connections.frames[connection_id])
                    self.backend.invoke_route(self.event("here", connection_id, body=body))
                    answers = self.connections.frames[connection_id][sent:]
                    if not any(frame.get("code") == "busy" for frame in answers):
                        break

    def wait_for_answers(self) -> None:
        """Wait until another thread has answered the questions that it is at."""
        with self._answering:
            pass

    def route(self, body: str | None) -> str:
        try:
            fields = json.loads(body or "")
        except (ValueError, RecursionError):
            return "$default"
        action = fields.get("action") if isinstance(fields, dict) else None
        known = isinstance(action, str) and action in self.backend.template.routes and not action.startswith("$")
        return str(action) if known else "$default"

    def disconnected(self, connection_id: str) -> None:
        """Deliver API Gateway's `$disconnect`, late or not."""
        self.backend.invoke_route(self.event("$disconnect", connection_id, "DISCONNECT"))

    def _note_start(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        if operation == "StartExecution":
            name = str(params["stateMachineArn"]).rsplit(":", 1)[-1]
            (machine,) = (key for key, one in self.backend.template.machines.items() if one.name == name)
            start = Start(machine, params["name"], json.loads(params["input"]))
            if start not in self.starts:
                self.starts.append(start)


_REFS = itertools.count(1)
"""No two messages of a test have the same ref, on any connection."""


@dataclass
class Player:
    """A player and the connection they are on now."""

    world: World
    connection_id: str
    id: str = ""
    token: str = ""
    refs: Iterator[int] = field(default_factory=lambda: _REFS)

    def hello(self) -> Frame:
        """Sign in: as a new player at first, later with the token."""
        welcome = self.ask("hello", token=self.token) if self.token else self.ask("hello")
        assert welcome["type"] == "welcome", welcome
        self.id = welcome["you"]["player_id"]
        self.token = welcome.get("token", self.token)
        return welcome

    def ask(self, action: str, at_ms: int = 0, **fields: Any) -> Frame:
        """Send a message. Return the one answer to it."""
        ref = f"r{next(self.refs)}-{self.id}"
        status = self.send(action, ref, at_ms, **fields)
        if action == "startGroup":
            self.world.wait_for_answers()  # the last member's answer is what starts the game
        return self.answer(ref, status)

    def send(self, action: str, ref: str, at_ms: int = 0, **fields: Any) -> int:
        body = json.dumps({"action": action, "ref": ref, **fields})
        return self.world.receive(self.connection_id, body, at_ms=at_ms)

    def answer(self, ref: str, status: int = 200) -> Frame:
        answers = [frame for frame in self.frames if frame.get("ref") == ref]
        assert len(answers) == 1, f"one answer, not {answers}"
        assert (status == 200) == (answers[0].get("code") != "internal")
        return answers[0]

    def refused(self, action: str, **fields: Any) -> str:
        """Send a message that must be refused and change nothing that is stored. Return the code."""
        before = self.world.everything()
        answer = self.ask(action, **fields)
        assert answer["type"] == "error", answer
        assert self.world.everything() == before, f"{answer['code']} changed something"
        return str(answer["code"])

    def guess(self, duel: Mapping[str, Any], word: str, turn: int | None = None, at_ms: int = 0) -> Frame:
        """Guess in a duel (its state as stored)."""
        number = turn if turn is not None else len(duel["rows"]) + 1
        return self.ask("guess", at_ms=at_ms, duel=duel["duel_id"], turn=number, word=word)

    @property
    def frames(self) -> list[Frame]:
        """All frames on the current connection, in order."""
        return self.world.connections.frames[self.connection_id]

    def last(self, kind: str) -> Frame:
        return [frame for frame in self.frames if frame["type"] == kind][-1]

    def drop(self, notice: bool = True) -> None:
        """Lose the connection, with `$disconnect` delivered or not."""
        self.world.connections.closed.add(self.connection_id)
        if notice:
            self.world.disconnected(self.connection_id)

    def reconnect(self) -> Frame:
        """Connect anew and come back."""
        self.connection_id = self.world.connection_id()
        return self.hello()

    @property
    def state(self) -> dict[str, Any]:
        return self.world.state("PlayersTable", self.id)


@dataclass
class Game:
    """A tournament and its players, moved along by hand."""

    world: World
    id: str
    players: dict[str, Player]

    @property
    def state(self) -> dict[str, Any]:
        return self.world.state("TournamentsTable", self.id)

    @property
    def over(self) -> bool:
        return self.state["ended_at_ms"] is not None

    @property
    def duels(self) -> list[dict[str, Any]]:
        """The duels of the current round, by number."""
        return [self.duel(match["duel_id"]) for match in self.state["rounds"][-1]["matches"]]

    def duel(self, duel_id: str) -> dict[str, Any]:
        return self.world.state("DuelsTable", duel_id)

    def again(self) -> Game:
        """Return a copy for a test to change: players come and go."""
        return replace(self, players={key: replace(player) for key, player in self.players.items()})

    @property
    def all(self) -> list[Player]:
        """The players, in order of entry."""
        return list(self.players.values())

    def begin(self) -> None:
        """Let the introduction end."""
        self.world.sleep_until(self.state["rounds"][-1]["starts_at_ms"])

    def to_move(self, duel: Mapping[str, Any]) -> Player:
        return self.players[duel["players"][len(duel["rows"]) % 2]]

    def waiting(self, duel: Mapping[str, Any]) -> Player:
        return self.players[duel["players"][(len(duel["rows"]) + 1) % 2]]

    def solve(self, duel_id: str, winner: Player | None = None) -> None:
        """End a duel by the word: the winner (else the player to move) guesses it, after a wrong guess if necessary."""
        duel = self.duel(duel_id)
        mover = self.to_move(duel)
        if winner is not None and winner is not mover:
            assert mover.guess(duel, wrong(duel))["type"] == "duel"
            duel, mover = self.duel(duel_id), winner
        answer = mover.guess(duel, duel["word"])
        assert answer.get("duel", {}).get("over"), answer

    def draw(self, duel_id: str) -> None:
        """End a duel by skips alone."""
        while (duel := self.duel(duel_id))["phase"] != "over":
            self.world.run_out(duel)
            self.world.skip(duel_id)

    def finish_round(self) -> dict[str, Any]:
        """Solve the duels that still run, and settle."""
        self.begin()
        for duel in self.duels:
            if duel["phase"] != "over":
                self.solve(duel["duel_id"])
        return self.world.advance(self.id)

    def finish(self) -> None:
        """Play on to the end."""
        for _ in range(13):
            if self.over:
                return
            self.finish_round()
        raise AssertionError("a tournament has at most 12 rounds")

    def draw_round(self) -> None:
        """Draw all duels of the round: everybody loses a life."""
        self.begin()
        for _ in range(12):
            self.world.run_out(*self.duels)
            for duel in self.duels:
                self.world.skip(duel["duel_id"])
        self.world.advance(self.id)

    def ratings(self) -> list[int]:
        return [self.world.state("PlayersTable", player_id)["rating"] for player_id in self.players]

    def assert_ended_right(self) -> None:
        """Assert that it is over, everybody is free, and each rating changed exactly by the rules (R19-R21)."""
        value = TypeAdapter(Tournament).validate_python(self.state)
        assert value.over
        players = self.world.items("PlayersTable")
        table = standings(value)
        assert len(table) == PLAYERS
        for standing in table:
            state = players[standing.player_id]["state"]
            entrant = value.entrant(standing.player_id)
            assert standing.place is not None
            assert standing.rating_change is not None
            assert state["games"] == 1, "the rating is applied exactly once"
            assert state["rating"] == entrant.rating + standing.rating_change
            assert state["game"] is None


def idle_machines(template: Template) -> Template:
    """Machines that can be started and do nothing."""
    definition = json.dumps({"StartAt": "Idle", "States": {"Idle": {"Type": "Succeed"}}})
    return replace(
        template,
        machines={key: replace(machine, definition=definition) for key, machine in template.machines.items()},
    )
