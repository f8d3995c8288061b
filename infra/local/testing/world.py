"""The deployed backend in this process, with everything around it held in a test's hand.

Messages go in as API Gateway's events and come out as frames on fake connections. Time stands still unless a test
moves it. The state machines' starts are recorded but nothing runs: `World.clock` does by hand what they would do, and
`Machines` does it for a whole tournament.
"""

from __future__ import annotations

import contextlib
import heapq
import importlib
import itertools
import json
import pkgutil
import random
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar
from unittest import mock

import boto3
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import TypeAdapter

import wordle_tournament
from infra.local.aws import Emulator, FunctionError, GoneError
from infra.local.backend import LocalBackend
from infra.local.template import Template
from wordle_tournament import randomness, words
from wordle_tournament.rules.tournament import Tournament, standings

T = TypeVar("T")
Frame = dict[str, Any]
OnCall = Callable[[str, str, Mapping[str, Any]], None]

START_MS = 1_800_000_000_000
INTRO_MS = 6_000
TURN_MS = 30_000
WINDOW_MS = 60_000
GRACE_MS = 10_000
PLAYERS = 8

TOURNAMENT_MACHINE = "TournamentMachine"
RECONNECT_MACHINE = "ReconnectMachine"


class Crash(BaseException):
    """The function's end in the middle of it: a time-out, a kill, no memory. No code of ours can catch it."""


class Wire:
    """The connections: who is there, what each was sent, and when each last spoke."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.frames: dict[str, list[Frame]] = defaultdict(list)
        self.texts: list[str] = []
        """Every frame sent so far, as it went over the wire, to whomever."""
        self.gone: set[str] = set()
        self.opened: set[str] = set()
        self.silent_since_ms: dict[str, int] = {}
        """Connections that are open and say nothing; the others ping, as clients do."""
        self.on_post: Callable[[str], None] = lambda connection_id: None

    def open(self, connection_id: str) -> None:
        self.opened.add(connection_id)

    def fall_silent(self, connection_id: str) -> None:
        self.silent_since_ms[connection_id] = self._world.now_ms

    def post(self, connection_id: str, data: bytes) -> None:
        self._check(connection_id)
        self.on_post(connection_id)
        text = data.decode()
        assert len(data) < 32 * 1024, "one frame of API Gateway holds 32 KB"
        self.texts.append(text)
        self.frames[connection_id].append(json.loads(text))

    def describe(self, connection_id: str) -> Mapping[str, Any]:
        self._check(connection_id)
        spoke_ms = self.silent_since_ms.get(connection_id, self._world.now_ms)
        at = datetime.fromtimestamp(spoke_ms / 1000, UTC).isoformat(timespec="milliseconds")
        return {"connectedAt": at, "lastActiveAt": at, "identity": {"sourceIp": "127.0.0.1", "userAgent": "test"}}

    def delete(self, connection_id: str) -> None:
        self._check(connection_id)
        self.gone.add(connection_id)

    def _check(self, connection_id: str) -> None:
        if connection_id not in self.opened or connection_id in self.gone:
            raise GoneError(connection_id)


@dataclass(frozen=True)
class Start:
    """An execution that was started."""

    machine: str
    name: str
    input: dict[str, Any]


class World:
    """The backend with its surroundings. Use it as a context manager."""

    def __init__(self, seed: int = 1, dynamodb: Emulator = "memory") -> None:
        self.now_ms = START_MS
        self.rng = random.Random(seed)
        self.backend = LocalBackend(dynamodb=dynamodb)
        self.backend.template = _idle_machines(self.backend.template)
        self.wire = Wire(self)
        self.starts: list[Start] = []
        self.disturbed = contextlib.ExitStack()
        """Ends what a test does to the AWS calls."""
        self._numbers = itertools.count(1)
        self._opened_ms: dict[str, int] = {}
        self._exit = contextlib.ExitStack()

    def __enter__(self) -> World:
        with contextlib.ExitStack() as exit_:
            exit_.enter_context(self.backend)
            self._dynamodb = boto3.client("dynamodb")
            self.backend.aws.connections = self.wire
            self.backend.aws.on_call(self._note_start, after=True)
            stopped = _StoppedTime(self)
            for module in _modules_of_ours():
                if getattr(module, "time", None) is time:
                    exit_.enter_context(mock.patch.object(module, "time", stopped))
            exit_.enter_context(mock.patch.object(randomness, "rng", self.rng))
            self._exit = exit_.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()

    # -- disturbing --------------------------------------------------------------------------------

    def on_call(self, callback: OnCall, *, after: bool = False) -> contextlib.ExitStack:
        """As LocalAws.on_call, until the test's end at most."""
        hook = self.backend.aws.on_call(callback, after=after)
        self.disturbed.callback(hook.close)
        return hook

    def dies_everywhere(self, prepare: Callable[[], T], act: Callable[[T], Any]) -> Iterator[T]:
        """Prepare and act, again and again, each time dying right after another AWS call of the act.

        Yields after each death what was prepared, for a test to see that nobody is stuck; ends once the act comes
        through. Pushes, which go side by side, are not counted.
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

    # -- the clock's functions, by hand ------------------------------------------------------------

    def advance(self, tournament_id: str) -> dict[str, Any]:
        """The task between rounds, and then what DuelTurn does first: park a token in each running duel."""
        answer: dict[str, Any] = self.backend.invoke_task("advance_round", tournament_id=tournament_id)
        for duel in answer["duels"]:
            self.park(duel["duel_id"])
        return answer

    def park(self, duel_id: str, token: str | None = None) -> bool:
        """What the machine's own call does: the token into the duel if that is still on."""
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
        """The alarm of a turn; returns the seconds until the next."""
        answer = self.backend.invoke_task("skip_turn", duel_id=duel_id, tournament_id=duel_id.split(".")[0])
        return int(answer["heartbeat_seconds"])

    def forfeit(self, player_id: str, epoch: int) -> bool:
        """The end of the reconnect machine's wait."""
        return bool(self.backend.invoke_task("end_reconnect_window", player_id=player_id, epoch=epoch)["forfeited"])

    def sweep(self) -> dict[str, int]:
        return dict(self.backend.invoke_schedules())

    def started(self, machine: str) -> list[Start]:
        return [start for start in self.starts if start.machine == machine]

    # -- players -----------------------------------------------------------------------------------

    def connection_id(self) -> str:
        """A new connection, opened through `$connect`."""
        connection_id = f"conn{next(self._numbers)}="
        self._opened_ms[connection_id] = self.now_ms
        event = self.event("$connect", connection_id, "CONNECT")
        # Nothing can be pushed from within $connect: the connection is there only afterwards.
        assert self.backend.invoke_route(event) == {"statusCode": 200}
        self.wire.open(connection_id)
        return connection_id

    def player(self, rating: int | None = None) -> Player:
        """A new player, signed in."""
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
        """Change an item behind everybody's back; `update` is an update expression, `#state` its state."""
        self._dynamodb.update_item(
            TableName=self.table(logical_id),
            Key={self.backend.template.tables[logical_id]["KeySchema"][0]["AttributeName"]: {"S": key}},
            UpdateExpression=update,
            ExpressionAttributeValues=values,
            **({"ExpressionAttributeNames": {"#state": "state"}} if "#state" in update else {}),
        )

    def tournament(self, players: int = PLAYERS, language: str = "en") -> Game:
        """A tournament that has just begun, in its introduction."""
        seated = self.players(players)
        for player in seated:
            player.ask("join", language=language)
        game = Game(self, self.state("PlayersTable", seated[0].id)["game"], {player.id: player for player in seated})
        self.advance(game.id)
        return game

    # -- what is stored ----------------------------------------------------------------------------

    def table(self, logical_id: str) -> str:
        return str(self.backend.template.tables[logical_id]["TableName"])

    def items(self, logical_id: str) -> dict[str, dict[str, Any]]:
        """Every item of a table by its key, without a call; numbers are numbers."""
        return {key: _plain(item) for key, item in self._stored(logical_id).items()}

    def item(self, logical_id: str, key: str) -> dict[str, Any]:
        """One item. KeyError if there is none."""
        return _plain(self._stored(logical_id)[key])

    def state(self, logical_id: str, key: str) -> dict[str, Any]:
        """The state of one item. KeyError if there is none."""
        state: dict[str, Any] = self.item(logical_id, key)["state"]
        return state

    def _stored(self, logical_id: str) -> dict[str, dict[str, Any]]:
        (key,) = (one["AttributeName"] for one in self.backend.template.tables[logical_id]["KeySchema"])
        return {item[key]["S"]: item for item in self.backend.aws.items(self.table(logical_id))}

    def lobbies(self) -> dict[str, dict[str, Any]]:
        """The states of the lobbies that wait, by id."""
        lobbies = {
            key: item["state"] for key, item in self.items("LobbiesTable").items() if not key.startswith("door.")
        }
        return {
            key: lobby
            for key, lobby in lobbies.items()
            if lobby["seats"] and not lobby["started"] and not lobby["merged_into"]
        }

    def everything(self) -> dict[str, Any]:
        """All that is stored, to see that nothing has changed."""
        return {logical_id: self.items(logical_id) for logical_id in self.backend.template.tables}

    def save(self) -> Callable[[], None]:
        """Remember all that is stored, started and open; calling what comes back makes it so again."""
        restore_tables = self.backend.aws.save()
        now_ms, starts = self.now_ms, list(self.starts)
        opened, gone, silent = set(self.wire.opened), set(self.wire.gone), dict(self.wire.silent_since_ms)
        frames = {connection_id: list(sent) for connection_id, sent in self.wire.frames.items()}

        def restore() -> None:
            restore_tables()
            self.now_ms, self.starts[:] = now_ms, starts
            self.wire.opened, self.wire.gone, self.wire.silent_since_ms = set(opened), set(gone), dict(silent)
            self.wire.frames.clear()
            self.wire.frames.update({connection_id: list(sent) for connection_id, sent in frames.items()})
            self.wire.texts.clear()

        return restore

    def written(self, logical_id: str) -> dict[str, dict[str, Any]]:
        """Every item of a table by its key, as DynamoDB writes it in JSON: `{"S": ...}` for each value."""
        return self._stored(logical_id)

    def write(self, logical_id: str, items: Iterable[Mapping[str, Any]]) -> None:
        """Put such items into a table."""
        for item in items:
            self._dynamodb.put_item(TableName=self.table(logical_id), Item=item)

    @property
    def opened_ms(self) -> dict[str, int]:
        """When each connection that is open was opened."""
        return {key: self._opened_ms[key] for key in sorted(self.wire.opened - self.wire.gone)}

    def take_over(self, now_ms: int, opened_ms: Mapping[str, int]) -> None:
        """Go on at that time with these connections open. Connections opened from now on have other ids."""
        self.now_ms = now_ms
        self._opened_ms.update(opened_ms)
        self.wire.opened.update(opened_ms)
        self._numbers = itertools.count(1_000_000)

    # -- messages ----------------------------------------------------------------------------------

    def event(
        self, route: str, connection_id: str, event_type: str = "MESSAGE", body: str | None = None, at_ms: int = 0
    ) -> dict[str, Any]:
        """An event as API Gateway makes it; `at_ms` is when it received the message."""
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
        """A message comes in through the route it selects; returns the status code. FunctionError, Crash."""
        selected = route or self.route(body)
        return int(self.backend.invoke_route(self.event(selected, connection_id, body=body, at_ms=at_ms))["statusCode"])

    def route(self, body: str | None) -> str:
        try:
            fields = json.loads(body or "")
        except (ValueError, RecursionError):
            return "$default"
        action = fields.get("action") if isinstance(fields, dict) else None
        known = isinstance(action, str) and action in self.backend.template.routes and not action.startswith("$")
        return str(action) if known else "$default"

    def disconnected(self, connection_id: str) -> None:
        """API Gateway's `$disconnect`, late or not."""
        self.backend.invoke_route(self.event("$disconnect", connection_id, "DISCONNECT"))

    def _note_start(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        if operation == "StartExecution":
            name = str(params["stateMachineArn"]).rsplit(":", 1)[-1]
            (machine,) = (key for key, one in self.backend.template.machines.items() if one.name == name)
            start = Start(machine, params["name"], json.loads(params["input"]))
            if start not in self.starts:
                self.starts.append(start)


_REFS = itertools.count(1)
"""No two messages of a test have the same ref, whoever sends them on whichever connection."""


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
        """Send a message; returns the one answer to it."""
        ref = f"r{next(self.refs)}-{self.id}"
        return self.answer(ref, self.send(action, ref, at_ms, **fields))

    def send(self, action: str, ref: str, at_ms: int = 0, **fields: Any) -> int:
        body = json.dumps({"action": action, "ref": ref, **fields})
        return self.world.receive(self.connection_id, body, at_ms=at_ms)

    def answer(self, ref: str, status: int = 200) -> Frame:
        answers = [frame for frame in self.frames if frame.get("ref") == ref]
        assert len(answers) == 1, f"one answer, not {answers}"
        assert (status == 200) == (answers[0].get("code") != "internal")
        return answers[0]

    def refused(self, action: str, **fields: Any) -> str:
        """Send a message that is refused; returns the code. Nothing stored has changed by it."""
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
        """All that came on the current connection, in order."""
        return self.world.wire.frames[self.connection_id]

    def last(self, kind: str) -> Frame:
        return [frame for frame in self.frames if frame["type"] == kind][-1]

    def drop(self, notice: bool = True) -> None:
        """Lose the connection, with `$disconnect` delivered or not."""
        self.world.wire.gone.add(self.connection_id)
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
        """The same, for a test to change: players come and go."""
        return replace(self, players={key: replace(player) for key, player in self.players.items()})

    @property
    def all(self) -> list[Player]:
        """The players, in order of entry."""
        return list(self.players.values())

    def begin(self) -> None:
        """The introduction is over."""
        self.world.sleep_until(self.state["rounds"][-1]["starts_at_ms"])

    def to_move(self, duel: Mapping[str, Any]) -> Player:
        return self.players[duel["players"][len(duel["rows"]) % 2]]

    def waiting(self, duel: Mapping[str, Any]) -> Player:
        return self.players[duel["players"][(len(duel["rows"]) + 1) % 2]]

    def solve(self, duel_id: str, winner: Player | None = None) -> None:
        """End a duel by the word: the winner (else whoever is on) guesses it, after a wrong guess if need be."""
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
            self.world.sleep_until(duel["deadline_ms"])
            self.world.skip(duel_id)

    def finish_round(self) -> dict[str, Any]:
        """Solve what is still running, and settle."""
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
        """Everybody loses a life."""
        self.begin()
        for _ in range(12):
            for duel in self.duels:
                self.world.sleep_until(duel["deadline_ms"])
            for duel in self.duels:
                self.world.skip(duel["duel_id"])
        self.world.advance(self.id)

    def ratings(self) -> list[int]:
        return [self.world.state("PlayersTable", player_id)["rating"] for player_id in self.players]

    def assert_ended_right(self) -> None:
        """It is over, everybody free, and each rating changed by just what the rules say (R19-R21)."""
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


class Clients:
    """What players' clients do: in turn by what they were shown, they guess the word. After an error they sync."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._done: set[tuple[str, str, int]] = set()

    def act(self) -> None:
        for player in self.game.all:
            if player.connection_id not in self.game.world.wire.gone:
                self._play(player)

    def sync(self) -> None:
        """Those who play in the current round ask for everything."""
        for player in self.game.all:
            playing = any(player.id in duel["players"] for duel in self.game.duels)
            if playing and player.connection_id not in self.game.world.wire.gone:
                player.ask("sync")

    def _play(self, player: Player) -> None:
        world = self.game.world
        for duel in self._shown(player):
            due = duel["starts_at_ms"] <= world.now_ms < duel.get("deadline_ms", 0)
            once = (player.id, duel["duel_id"], duel["turn"])
            if duel.get("to_move") != player.id or not due or once in self._done:
                continue
            self._done.add(once)
            word = self.game.duel(duel["duel_id"])["word"]
            answer = player.ask("guess", duel=duel["duel_id"], turn=duel["turn"], word=word)
            if answer["type"] == "error":
                player.ask("sync")

    def _shown(self, player: Player) -> list[Frame]:
        """The newest state of each duel that the player was shown."""
        newest: dict[str, Frame] = {}
        for frame in player.frames:
            for duel in [frame["duel"]] if frame["type"] == "duel" else frame.get("duels", []):
                if duel["version"] >= newest.get(duel["duel_id"], duel)["version"]:
                    newest[duel["duel_id"]] = duel
        return list(newest.values())


class Machines:
    """What the two state machines and the sweeper would do, in the order of time: a few lines each.

    A task that fails is tried again a second later, as the machines' Retry has it. Nothing here is told of what
    happens in between but by the calls the functions make: StartExecution, SendTaskHeartbeat and SendTaskSuccess.
    """

    def __init__(self, world: World, sweep_seconds: int | None = 60) -> None:
        self.world = world
        self.failures = 0
        self.entered: dict[str, int] = defaultdict(int)
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._known: set[str] = set()
        self._waiting: dict[str, tuple[str, int]] = {}
        """By token: its duel and the seconds of its heartbeat."""
        self._beats: dict[str, int] = {}
        self._left: dict[str, set[str]] = {}
        world.on_call(self._hear, after=True)
        if sweep_seconds:
            self._every(sweep_seconds * 1000)

    def run(self, done: Callable[[], bool], hours: float = 2, clients: Clients | None = None) -> None:
        """Let time pass until it is done; the clients play meanwhile."""
        end = self.world.now_ms + int(hours * 3_600_000)
        self._take_up()
        at_once = 0
        while not done():
            if clients is not None:
                clients.act()
                self._take_up()
                if done():
                    return
            assert self._queue, "nothing would ever happen any more"
            at_ms, _, act = heapq.heappop(self._queue)
            assert at_ms < end, "stuck"
            at_once = at_once + 1 if at_ms <= self.world.now_ms else 0
            assert at_once < 100, "a loop without a wait"
            self.world.sleep_until(at_ms)
            act()
            self._take_up()

    @property
    def parked(self) -> bool:
        """Whether a token waits in some duel."""
        return bool(self._waiting)

    def resume(self, start: Start, waits: Iterable[Mapping[str, Any]]) -> None:
        """Go on with a tournament's execution that waits for duels.

        Each of `waits` is a task that waits: its `duel_id`, `token`, `heartbeat_seconds`, and the last heartbeat's
        `beat_ms`.
        """
        self._known.add(f"{start.machine}/{start.name}")
        self._left[start.name] = set()
        for wait in waits:
            duel_id, token, seconds = wait["duel_id"], wait["token"], wait["heartbeat_seconds"]
            self._left[start.name].add(duel_id)
            self._waiting[token], self._beats[token] = (duel_id, seconds), wait["beat_ms"]
            self.at(wait["beat_ms"] + seconds * 1000, partial(self._missed, start.name, duel_id, token))

    def at(self, at_ms: int, act: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (at_ms, next(self._order), act))

    def _after(self, seconds: float, act: Callable[[], None]) -> None:
        self.at(self.world.now_ms + int(seconds * 1000), act)

    def _every(self, ms: int) -> None:
        def again() -> None:
            self._attempt(self.world.sweep)
            self.at(self.world.now_ms + ms, again)

        self.at(self.world.now_ms + ms, again)

    def _attempt(self, act: Callable[[], Any]) -> tuple[bool, Any]:
        try:
            return True, act()
        except (FunctionError, ClientError, BotoCoreError, Crash):
            self.failures += 1
            return False, None

    def _take_up(self) -> None:
        for start in self.world.starts:
            if (key := f"{start.machine}/{start.name}") in self._known:
                continue
            self._known.add(key)
            if start.machine == TOURNAMENT_MACHINE:
                self._advance(start.name, start.input["tournament_id"])
            else:
                self._after(start.input["seconds"], lambda start=start: self._forfeit(start))  # type: ignore[misc]

    def _forfeit(self, start: Start) -> None:
        worked, _ = self._attempt(lambda: self.world.forfeit(start.input["player_id"], start.input["epoch"]))
        if not worked:
            self._after(1, lambda: self._forfeit(start))

    def _advance(self, name: str, tournament_id: str) -> None:
        self._count("AdvanceRound", "IsOver")
        task = partial(self.world.backend.invoke_task, "advance_round", tournament_id=tournament_id)
        worked, answer = self._attempt(task)
        if not worked:
            self._after(1, lambda: self._advance(name, tournament_id))
            return
        if answer["over"]:
            self._count("Over")
            return

        def play() -> None:
            self._count("PlayDuels")
            self._left[name] = {duel["duel_id"] for duel in answer["duels"]}
            for duel in answer["duels"]:
                self._wait(name, duel["duel_id"], duel["heartbeat_seconds"])

        self._count("Introduce")
        self._after(answer["wait_seconds"], play)

    def _wait(self, name: str, duel_id: str, seconds: int) -> None:
        self._count("DuelTurn")
        token = f"{name}-{next(self._order)}-of-{duel_id}"
        worked, parked = self._attempt(lambda: self.world.park(duel_id, token))
        if not worked:
            self._after(1, lambda: self._wait(name, duel_id, seconds))
            return
        if not parked:
            self._count("DuelOver")
            self._ended(name, duel_id)
            return
        self._waiting[token] = (duel_id, seconds)
        self._beats[token] = self.world.now_ms
        self._after(seconds, lambda: self._missed(name, duel_id, token))

    def _missed(self, name: str, duel_id: str, token: str) -> None:
        if token not in self._waiting:
            return
        due_ms = self._beats[token] + self._waiting[token][1] * 1000
        if self.world.now_ms < due_ms:
            self.at(due_ms, lambda: self._missed(name, duel_id, token))
            return
        del self._waiting[token]
        self._skip(name, duel_id)

    def _skip(self, name: str, duel_id: str) -> None:
        self._count("SkipTurn")
        worked, seconds = self._attempt(lambda: self.world.skip(duel_id))
        if worked:
            self._wait(name, duel_id, seconds)
        else:
            self._after(1, lambda: self._skip(name, duel_id))

    def _ended(self, name: str, duel_id: str) -> None:
        self._left[name].discard(duel_id)
        if not self._left[name]:
            tournament_id = duel_id.split(".")[0]
            self._after(0, lambda: self._advance(name, tournament_id))

    def _hear(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        token = params.get("taskToken")
        if token not in self._waiting:
            return
        if operation == "SendTaskHeartbeat":
            self._beats[token] = self.world.now_ms
        elif operation == "SendTaskSuccess":
            duel_id, _ = self._waiting.pop(token)
            name = token.rsplit("-", 3)[0]
            self._after(0, lambda: self._ended(name, duel_id))

    def _count(self, *states: str) -> None:
        for state in states:
            self.entered[state] += 1


def wrong(duel: Mapping[str, Any], but: Iterable[str] = ()) -> str:
    """A word that may be guessed in the duel and does not solve it, nor is one of `but`."""
    taken = {duel["word"], *but}
    return next(word for word in words.guesses(duel["language"], len(duel["word"])) if word not in taken)


def holds(text: str, secret: str) -> bool:
    """Whether the secret is in the text, in letters or as JSON escapes them.

    Only for what cannot be there by chance: tokens, and words of a language in whose letters nothing else is written.
    """
    return secret in text.casefold() or json.dumps(secret)[1:-1] in text


def client_error(code: str, operation: str, status: int = 400) -> ClientError:
    """An error as AWS would answer."""
    answer: Any = {
        "Error": {"Code": code, "Message": "made by a test"},
        "ResponseMetadata": {"HTTPStatusCode": status, "RequestId": "r"},
    }
    return ClientError(answer, operation)


def at_once(*moves: Callable[[], Any]) -> list[Any]:
    """Do all of it at once, each in a thread; what each returned, or the exception it raised."""
    barrier = threading.Barrier(len(moves))

    def run(move: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return move()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(moves)) as pool:
        return list(pool.map(run, moves))


class _StoppedTime:
    """Stands in for the module `time` in our modules: the world's time, and pauses that are short."""

    def __init__(self, world: World) -> None:
        self._world = world

    def time_ns(self) -> int:
        return self._world.now_ms * 1_000_000

    def time(self) -> float:
        return self._world.now_ms / 1000

    def sleep(self, seconds: float) -> None:
        time.sleep(min(seconds, 0.005))


def _modules_of_ours() -> list[Any]:
    for found in pkgutil.walk_packages(wordle_tournament.__path__, "wordle_tournament."):
        importlib.import_module(found.name)
    return [module for name, module in sys.modules.items() if name.startswith("wordle_tournament.")]


def _idle_machines(template: Template) -> Template:
    """Machines that can be started and do nothing."""
    definition = json.dumps({"StartAt": "Idle", "States": {"Idle": {"Type": "Succeed"}}})
    return replace(
        template,
        machines={key: replace(machine, definition=definition) for key, machine in template.machines.items()},
    )


def _plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """An item as DynamoDB writes it, as plain values."""
    return {name: _value(value) for name, value in attributes.items()}


def _value(typed: Mapping[str, Any]) -> Any:
    ((kind, value),) = typed.items()
    match kind:
        case "N":
            return float(value) if "." in value else int(value)
        case "M":
            return _plain(value)
        case "L":
            return [_value(inner) for inner in value]
        case "NULL":
            return None
        case "SS":
            return sorted(value)
        case _:
            return value
