"""One history: players, network, machines, sweeper and deployments in virtual time, and the rules after each step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

from infra.local.aws import GoneError, Handler, LambdaContext
from infra.local.simulation.calls import AwsCall, AwsError, Json
from infra.local.simulation.chance import Chance
from infra.local.simulation.clients import Client, Connection, Policy
from infra.local.simulation.engine import Engine, Invocation
from infra.local.simulation.executions import Execution, Executions, StatesError
from infra.local.simulation.faults import CALLS, CONNECTIONS, KINDS, QUERIES, WRITES, Faults
from infra.local.simulation.frames import Frames
from infra.local.testing.invariants import Rules, check_at_rest
from infra.local.testing.items import plain
from infra.local.testing.world import START_MS, Crash
from wordle_tournament.config import Settings

LATEST_MS = 3_000
"""The most by which a duel is past its deadline while its timer lives, the grace included."""
FINISHED_MS = 90 * 60_000
"""Long after the last turn of a tournament that begins late."""
PLAY_MS = 25 * 60_000
"""New tournaments begin in this time; then nothing fails any more, and all comes to rest."""
REST_MS = 7 * 60_000
"""In this time all that is late has arrived, and the sweeper has come several times."""
ANSWER_MS = 5_000
MINUTE_MS = 60_000
SKEW_MS = 400
TRANSACTION = "TransactWriteItems"
READS = frozenset({"GetItem", "BatchGetItem", "Query"})
THROTTLES = {"dynamodb": "ThrottlingException", "states": "ThrottlingException", "push": "LimitExceededException"}


@dataclass
class Outcome:
    """The result of a history."""

    seed: int
    digest: str
    """The hash of all that happened."""
    failure: str
    """The rule that was broken, or why nobody can go on; empty if all is well."""
    tournaments: int
    rounds: list[int]
    """The number of rounds of each tournament."""
    minutes: float
    """The virtual time."""
    struck: list[str]
    counts: Counter[str]
    """How often each kind of fault struck, and each extra move was made."""
    coverage: Counter[tuple[str, str, str]]
    """How often each kind struck a call: kind, call, route."""
    made: Counter[tuple[str, str]]
    """How often each call was made: call, route."""
    calls: int
    events: int
    lines: list[str] = field(default_factory=list)
    """The history itself, for people."""


class _Enough(Exception):
    """The history has gone on for long enough."""


class Broken(AssertionError):
    """A rule is broken."""


class History:
    """Everything of one seed. `only` leaves of its faults those with these ids; `minutes` end it early."""

    def __init__(
        self,
        engine: Engine,
        seed: int,
        only: Collection[str] | None = None,
        kinds: Collection[str] = tuple(KINDS),
        minutes: float | None = None,
    ) -> None:
        engine.begin(START_MS)
        self._end_ms = None if minutes is None else START_MS + int(minutes * MINUTE_MS)
        self.engine, self.seed = engine, seed
        self.time, self.chance = engine.time, Chance(seed)
        self.faults = Faults(self.chance, only, kinds)
        self.closing = False
        self.invites: dict[str, str] = {}
        self.lines: list[tuple[Any, ...]] = []
        self.made: Counter[tuple[str, str]] = Counter()
        self.rules = Rules()
        self.connections: dict[str, Connection] = {}
        self.clients: list[Client] = []
        definitions = {logical_id: machine.definition for logical_id, machine in engine.template.machines.items()}
        self.executions = Executions(self.time, self.chance, definitions, self, self.note)
        self.executions.on_waiting = self._timer_lives
        self.executions.on_trouble = self._timer_fails
        self.frames = Frames(self.rules)
        self._alive: dict[str, tuple[int, int]] = {}
        """The duels whose timer lives: since when, and for how long its own call was retried before."""
        self._deadlines: dict[str, int] = {}
        self._connections = 0
        self._settings = (engine.settings, engine.settings)
        """Before and after the last deployment."""
        self._deployed_ms = 0
        self._released_ms = self._replaced_ms = 0
        """Until when the earlier release takes all calls, and until when half of them."""
        if engine.release is not None and self.faults.strikes("release"):
            self._released_ms = START_MS + self.chance.whole(0, 6 * MINUTE_MS, "released ms")
            self._replaced_ms = self._released_ms + self.chance.whole(20_000, 3 * MINUTE_MS, "replaced ms")
        self._tables = {table["TableName"]: logical_id for logical_id, table in engine.template.tables.items()}
        self._machines = {machine.name: logical_id for logical_id, machine in engine.template.machines.items()}
        self._arns = {function.name: logical_id for logical_id, function in engine.template.functions.items()}
        engine.aws.backend = self
        self.time.on_step = self.check

    # -- the course of it --------------------------------------------------------------------------

    def run(self) -> Outcome:
        """Play it. A broken rule ends it, and is told in the outcome."""
        failure = ""
        try:
            self._begin()
            self.time.run(self._played)
            self._come_to_rest()
        except _Enough:
            pass
        except Exception as error:
            failure = _told(error)
        finally:
            self.time.end()
        games = self.rules.games.values()
        return Outcome(
            seed=self.seed,
            digest=self._digest(),
            failure=failure,
            tournaments=len(games),
            rounds=[len(game["rounds"]) for game in games],
            minutes=(self.time.now_ms - START_MS) / MINUTE_MS,
            struck=list(self.faults.struck),
            counts=self.faults.counts,
            coverage=self.faults.coverage,
            made=self.made,
            calls=sum(self.made.values()),
            events=self.time.events,
            lines=[_line(line) for line in self.lines],
        )

    def _begin(self) -> None:
        chance = self.chance
        count = chance.one_of((8, 8, 9, 12, 16, 18), "players")
        languages = chance.one_of((("en",), ("en",), ("en", "uz")), "languages") if count >= 16 else ("en",)
        games = chance.one_of((1, 1, 2), "games")
        sizes = chance.one_of(((), (), (2,), (3, 2), (8,), (4, 3)), "groups")
        number = 0
        for group, size in enumerate(sizes, 1):
            for place in range(min(size, count - number)):
                self._player(number, languages, games, f"friends{group}", place == 0, size)
                number += 1
        for alone in range(number, count):
            self._player(alone, languages, games)
        self._every(MINUTE_MS, self._minute)

    def _player(
        self, number: int, languages: tuple[str, ...], games: int, friends: str = "", leads: bool = False, size: int = 1
    ) -> None:
        name, chance = f"p{number + 1}", self.chance
        policy = Policy(
            language=languages[0] if friends or number % 16 < 8 else languages[-1],
            games=games,
            skill=chance.one_of((0.2, 0.4, 0.6), "skill", name),
            haste_ms=chance.one_of((2_000, 5_000, 12_000), "haste", name),
            friends=friends,
            leads=leads,
            size=size,
            starts_ms=START_MS + chance.whole(0, 15_000, "starts", name),
        )
        self.clients.append(Client(self, name, policy))

    def _played(self) -> bool:
        """Return True once nobody wants to play any more, or the time for it is over."""
        if self.time.now_ms - START_MS > PLAY_MS:
            return True
        wanted = [one for one in self.clients if not one.deleted and len(one.seen) < one.policy.games]
        return (
            self.time.now_ms - START_MS > MINUTE_MS
            and not self._running()
            and (not wanted or self.time.now_ms - self._last_end_ms() > 3 * MINUTE_MS)
        )

    def _last_end_ms(self) -> int:
        return max([START_MS, *(game["ended_at_ms"] or 0 for game in self.rules.games.values())])

    def _running(self) -> list[str]:
        return [key for key, game in self.rules.games.items() if game["ended_at_ms"] is None]

    def _come_to_rest(self) -> None:
        """Let everything end without faults, and see that nobody is stuck and everybody knows what is so."""
        self.note("rest")
        self.faults.over = self.closing = True
        began_ms = self.time.now_ms

        def ended() -> bool:
            if self.time.now_ms - began_ms > FINISHED_MS:
                raise Broken(f"stuck: {self._running()}")
            return not self._running()

        self.time.run(ended)
        end_ms = self.time.now_ms + REST_MS
        self.time.run(lambda: self.time.now_ms >= end_ms)
        if any(self.faults.counts[kind] for kind in (*CALLS, *CONNECTIONS)):
            # A frame that is lost is repaired by the next of its kind, or by asking.
            for client in self.clients:
                client.sync()
            end_ms = self.time.now_ms + ANSWER_MS
            self.time.run(lambda: self.time.now_ms >= end_ms)
        items = {
            logical_id: {
                next(iter(_key(self.engine, logical_id, item))): plain(item)
                for item in self.engine.aws.memory.items(name)
            }
            for name, logical_id in self._tables.items()
        }
        check_at_rest(items, [one.connection_id for one in self.connections.values() if not one.open])
        for client in self.clients:
            self.frames.check_view(client, items)

    # -- rules -------------------------------------------------------------------------------------

    def check(self) -> None:
        """Check what has changed, and the lateness of all duels."""
        self.take_in()
        now_ms = self.time.now_ms
        if self._end_ms is not None and now_ms > self._end_ms:
            raise _Enough
        for duel_id, (since_ms, retried_ms) in self._alive.items():
            deadline_ms = self._deadlines.get(duel_id)
            latest_ms = LATEST_MS + retried_ms + self._skew_ms()
            if deadline_ms is not None and now_ms - max(deadline_ms, since_ms) > latest_ms:
                raise Broken(f"{duel_id} is {now_ms - deadline_ms} ms past its deadline")

    def take_in(self) -> None:
        """Check the items that were written since the last time."""
        written = self.engine.aws.written
        if not written:
            return
        items: dict[tuple[str, str], Json | None] = {}
        for table, key in written:
            item = self.engine.aws.item(table, key)
            logical_id = self._tables[table]
            items[logical_id, key] = None if item is None else plain(item)
            if logical_id == "DuelsTable" and item is not None:
                self._check_turn(key, plain(item)["state"])
        written.clear()
        self.rules.note(items)

    def _check_turn(self, duel_id: str, duel: Json) -> None:
        """Check that no turn is skipped before its deadline and the grace, and note the next deadline (R15, R17)."""
        before_ms, rows = self._deadlines.get(duel_id), duel["rows"]
        if before_ms is not None and len(rows) > len(self.rules.duels[duel_id]["rows"]) and rows[-1]["word"] is None:
            # The earlier release knows no grace, and may have written it.
            released = self.time.now_ms < self._replaced_ms + self._settings[1].turn_grace_ms
            grace_ms = 0 if released else self.engine.settings.turn_grace_ms
            early_ms = before_ms + grace_ms - self.time.now_ms
            assert early_ms <= self._skew_ms(), f"a turn of {duel_id} was skipped {early_ms} ms too early"
        if duel["phase"] == "over":
            self._deadlines.pop(duel_id, None)
        else:
            self._deadlines[duel_id] = duel["deadline_ms"]

    def _timer_lives(self, item: Json, retried_ms: int) -> None:
        self._alive[item["duel_id"]] = self.time.now_ms, retried_ms

    def _timer_fails(self, item: Mapping[str, Any]) -> None:
        if "duel_id" in item:
            self._alive.pop(item["duel_id"], None)
        for duel in item.get("duels", ()):
            self._alive.pop(duel["duel_id"], None)

    def _skew_ms(self) -> int:
        return 2 * SKEW_MS if "clocks apart" in self.faults.rates else 0

    # -- what machines need ------------------------------------------------------------------------

    def invoke(self, function_arn: str, payload: Json, name: str) -> Any:
        """Call a function for a machine, and wait for it."""
        function = self._arns[function_arn.split(":function:")[1].split(":")[0]]
        fiber = self.time.current
        assert fiber is not None
        results: list[tuple[Any, str]] = []

        def done(result: Any, error: str, invocation: Invocation) -> None:
            results.append((result, error))
            if len(results) == 1:
                self.time.wake(fiber)

        delay_ms = 0
        if self.faults.strikes("late task", name):
            delay_ms = self.chance.whole(1_500, 20_000, "late task ms", name)
            self._timer_fails(payload)
        self.call(function, payload, f"{name} {payload['task']}", payload["task"], done, delay_ms)
        if self.faults.strikes("task twice", name):
            again_ms = delay_ms + self.chance.whole(0, 4_000, "again ms", name)
            self.call(function, payload, f"{name} {payload['task']} again", payload["task"], lambda *_: None, again_ms)
        while not results:
            self.time.pause(None)
        result, error = results[0]
        if error:
            raise StatesError(error)
        return result

    def update_item(self, params: Json, name: str) -> None:
        """Carry out a machine's own call, which may fail too."""
        call = AwsCall("dynamodb", "UpdateItem", params)
        try:
            self._disturbed(
                call, ("machine", name), "machine", [], partial(self.engine.aws.dynamodb, "UpdateItem", params)
            )
        except AwsError as error:
            raise StatesError(f"DynamoDb.{error.code}") from None
        except ClientError as error:
            raise StatesError(f"DynamoDb.{error.response['Error']['Code']}") from None
        except (BotoCoreError, Crash):
            raise StatesError("DynamoDb.SdkClientException") from None

    # -- functions ---------------------------------------------------------------------------------

    def call(
        self,
        function: str,
        event: Json,
        name: str,
        route: str,
        done: Callable[[Any, str, Invocation], None],
        delay_ms: int = 0,
    ) -> None:
        """Call a function, soon. `done` gets its result, or the name of its error."""
        settings, handler, released = self._deployed(function, route, name)
        invocation = Invocation(
            name=name,
            function=function,
            route=route,
            payload=event if "task" in event else {},
            settings=settings,
            rng=self.chance.rng("invocation", name),
            started_ms=self.time.now_ms + delay_ms,
            released=released,
            timeout_ms=self.engine.template.functions[function].timeout_seconds * 1000,
        )
        if "clocks apart" in self.faults.rates and self.faults.strikes("clocks apart", name):
            invocation.skew_ms = self.chance.whole(-SKEW_MS, SKEW_MS, "skew", name)

        def work() -> None:
            fiber = self.time.current
            assert fiber is not None
            result, error = None, ""
            try:
                result = json.loads(json.dumps(handler(json.loads(json.dumps(event)), LambdaContext(function))))
            except Crash:
                invocation.crashed = fiber.crashed = True
                error = "Lambda.Unknown"
            except Exception as raised:
                error = type(raised).__name__
                if not invocation.faults:
                    raise Broken(f"{name} raised {error}: {raised}") from raised
            self.note("ended", name, error)
            done(result, error, invocation)

        self.time.after(delay_ms, lambda: self._spawn(work, invocation))

    def _spawn(self, work: Callable[[], None], invocation: Invocation) -> None:
        self.time.spawn(work, invocation)

    def _deployed(self, function: str, route: str, name: str) -> tuple[Settings, Handler, bool]:
        """Return the settings and the handler of the process that takes this call, and True if it is the release's."""
        half = self.chance.number("which deployment", name) < 0.5
        now_ms, release = self.time.now_ms, self.engine.release
        takes = now_ms < self._released_ms or (now_ms < self._replaced_ms and half)
        if release is not None and takes and route in release.handlers:
            return self.engine.settings, release.handlers[route], True
        old = now_ms < self._deployed_ms and half
        return self._settings[not old], self.engine.functions[function], False

    def _deploy(self, number: int) -> None:
        """Change the settings: for a while half of the calls are taken by processes that have the old ones."""
        chance, before = self.chance, self._settings[1]
        after = replace(
            before,
            turn_seconds=chance.one_of((20, 30, 40), "turn seconds", number),
            round_intro_seconds=chance.one_of((3, 6), "intro seconds", number),
            reconnect_seconds=chance.one_of((45, 60, 75), "reconnect seconds", number),
            silence_seconds=chance.one_of((15, 20), "silence seconds", number),
        )
        self.note("deploy", after.turn_seconds, after.round_intro_seconds, after.reconnect_seconds)
        self._settings = (before, after)
        self._deployed_ms = self.time.now_ms + chance.whole(10_000, 2 * MINUTE_MS, "deployment ms", number)

    # -- calls of AWS ------------------------------------------------------------------------------

    def disturb(self, call: AwsCall, carry_out: Callable[[], Json]) -> Json:
        """Carry out a call of a function, or have it fail."""
        invocation = self.engine.invocation
        if invocation is None:
            return carry_out()
        invocation.calls += 1
        name = (invocation.name, invocation.calls, call.name)
        return self._disturbed(call, name, invocation.route, invocation.faults, carry_out, invocation)

    def _disturbed(
        self,
        call: AwsCall,
        name: tuple[Any, ...],
        route: str,
        struck: list[str],
        carry_out: Callable[[], Json],
        invocation: Invocation | None = None,
    ) -> Json:
        self.made[call.name, route] += 1
        kinds = [
            *CALLS,
            *(WRITES if call.operation == TRANSACTION else ()),
            *(QUERIES if call.operation == "Query" else ()),
        ]
        kind = self.faults.at_call(kinds, *name)
        if kind is not None:
            struck.append(kind)
            if invocation is not None:
                self._timer_fails(invocation.payload)
            self.faults.coverage[kind, call.name, route] += 1
            self.note("fault", kind, *name)
        wait_ms = self.chance.whole(1, 14, "latency", *name) if call.service != "push" else 0
        if kind == "slow":
            wait_ms = self.chance.whole(600, 5_000, "slow", *name)
        if wait_ms:
            self.time.sleep(wait_ms)
        if invocation is not None and self.time.now_ms - invocation.started_ms > invocation.timeout_ms:
            raise Crash("out of time")
        match kind:
            case "dies before":
                raise Crash(call.operation)
            case "throttled":
                raise _error(THROTTLES[call.service], call.operation)
            case "refused":
                raise _error("InternalServerError", call.operation, 500)
            case "conflict":
                reasons = [
                    {"Code": "TransactionConflict"},
                    *({"Code": "None"} for _ in call.params["TransactItems"][1:]),
                ]
                raise _error("TransactionCanceledException", call.operation, CancellationReasons=reasons)
            case "slow" if call.operation == "SendTaskHeartbeat":
                raise ReadTimeoutError(endpoint_url="https://states")
            case "stale index":
                with self.engine.aws.lagging(call.params, self.chance.whole(1, 6, "lag", *name)):
                    return carry_out()
        answer = carry_out()
        match kind:
            case "dies after":
                raise Crash(call.operation)
            case "answer lost":
                raise ReadTimeoutError(endpoint_url=f"https://{call.service}")
        return answer

    def start_execution(self, arn: str, name: str, execution_input: Json) -> None:
        machine = self._machines[arn.rpartition(":")[2]]
        self.note("start", machine, name)
        if not self.executions.start(machine, name, execution_input, name):
            raise AwsError("ExecutionAlreadyExists")

    def heartbeat(self, token: str) -> None:
        self.note("heartbeat", token)
        invocation, waiting = self.engine.invocation, self.executions.waiting.get(token)
        if invocation is not None and invocation.released and waiting is not None:
            # A resend to the earlier release moved the alarm too.
            self._timer_fails(waiting.item)
        if not self.executions.heartbeat(token):
            raise AwsError("TaskTimedOut")

    def succeed(self, token: str) -> None:
        self.note("success", token)
        if not self.executions.succeed(token):
            raise AwsError("TaskTimedOut")

    def fail(self, token: str, error: str) -> None:
        self.note("failure", token, error)
        if not self.executions.fail(token, error):
            raise AwsError("TaskTimedOut")

    def post(self, connection_id: str, text: str) -> None:
        connection = self.connections.get(connection_id)
        if connection is None or not connection.open:
            raise GoneError(connection_id)
        self.take_in()
        invocation = self.engine.invocation
        released = invocation is not None and invocation.released
        frame = self.frames.check(text, self.time.now_ms + SKEW_MS, released)
        if invocation is not None and "ref" in frame:
            invocation.refs.append((connection_id, frame["ref"]))
            if frame["type"] == "error":
                invocation.codes.append(frame["code"])
        self.note("push", connection_id, text)
        self._deliver(connection, text)

    def _deliver(self, connection: Connection, text: str) -> None:
        if not connection.there:
            return
        travel_ms = self.chance.whole(5, 60, "travel", connection.connection_id, connection.sent)
        connection.sent += 1
        connection.arrives_ms = max(connection.arrives_ms, self.time.now_ms + travel_ms)
        self.time.at(connection.arrives_ms, lambda: connection.client.receive(connection, text))

    def last_active_ms(self, connection_id: str) -> int:
        """Return when a message came on the connection last. The earlier release asks. Raise GoneError."""
        connection = self.connections.get(connection_id)
        if connection is None or not connection.open:
            raise GoneError(connection_id)
        return max(connection.opened_ms, connection.spoke_ms)

    def close(self, connection_id: str) -> None:
        connection = self.connections.get(connection_id)
        if connection is None or not connection.open:
            raise GoneError(connection_id)
        self._end(connection, 20)
        self.time.after(40, lambda: connection.client.lost(connection, self._back_ms(connection)))

    def _back_ms(self, connection: Connection) -> int:
        return self.chance.whole(200, 3_000, "back after close", connection.connection_id)

    # -- the network -------------------------------------------------------------------------------

    def open(self, client: Client) -> Connection:
        connection_id = f"{client.name}c{client.connected_times}="
        connection = Connection(connection_id, client, self.time.now_ms)
        self.connections[connection_id] = connection

        def opened(result: Any, error: str, invocation: Invocation) -> None:
            self.note("connected", connection_id, error)
            if error or result != {"statusCode": 200}:
                self.time.after(500, lambda: client.lost(connection, 1_000))
                return
            connection.open = True
            if connection.there:
                self.time.after(20, lambda: client.connected(connection))

        event = self._event("$connect", connection, "CONNECT")
        self.call(self.engine.template.routes["$connect"], event, f"{connection_id} $connect", "$connect", opened, 15)
        return connection

    def send(self, connection: Connection, text: str, name: str) -> None:
        copies = connection.client.copies(name)
        name = f"{name} {copies}" if copies else name
        travel_ms = self.chance.whole(5, 60, "travel", name)
        if self.faults.strikes("late", name):
            travel_ms = self.chance.whole(500, 9_000, "late ms", name)
        self.time.after(travel_ms, lambda: self._arrive(connection, text, name))
        if self.faults.strikes("doubled", name):
            again_ms = travel_ms + self.chance.whole(0, 2_000, "doubled ms", name)
            self.time.after(again_ms, lambda: self._arrive(connection, text, f"{name} doubled"))
        if self.faults.strikes("resent", name) and '"hello"' not in text:
            long_ms = self.chance.whole(20_000, 300_000, "resent ms", name)
            self.time.after(long_ms, lambda: self._arrive_anew(connection, text, f"{name} resent"))

    def _arrive_anew(self, connection: Connection, text: str, name: str) -> None:
        """Let a message of long ago come on the connection that the client has now."""
        self._arrive(connection if connection.open else connection.client.connection or connection, text, name)

    def _arrive(self, connection: Connection, text: str, name: str) -> None:
        if not connection.open:
            return
        connection.spoke_ms = self.time.now_ms
        request = json.loads(text)
        route = request["action"] if request["action"] in self.engine.template.routes else "$default"
        self.note("receive", connection.connection_id, name, text)
        event = self._event(route, connection, "MESSAGE", text)
        delay_ms = 2
        if self.faults.strikes("cold start", name):
            delay_ms = self.chance.whole(300, 3_500, "cold start ms", name)
        done = partial(self._answered, connection, request["ref"], name)
        self.call(self.engine.template.routes[route], event, name, route, done, delay_ms)

    def _answered(
        self, connection: Connection, ref: str, name: str, result: Any, error: str, invocation: Invocation
    ) -> None:
        """Check that a message had its one answer; without one, the gateway tells the client so."""
        if error:
            text = json.dumps({"message": "Internal server error", "connectionId": connection.connection_id})
            if connection.open:
                self._deliver(connection, text)
            return
        answers = invocation.refs.count((connection.connection_id, ref))
        if invocation.faults:
            return
        if connection.open and not (answers == 1 or (answers == 0 and invocation.route in ("startGroup", "deleteMe"))):
            raise Broken(f"{name} had {answers} answers")
        wrong = {"internal", "busy", *(() if invocation.released else ("bad_request", "bad_json"))}
        if wrong := wrong.intersection(invocation.codes):
            raise Broken(f"{name} was answered by {wrong}")

    def hang_up(self, connection: Connection, how: str) -> None:
        self.note("hang up", connection.connection_id, how)
        connection.there = False
        name = connection.connection_id
        match how:
            case "half-open":
                self.time.after(self.chance.whole(30_000, 400_000, how, name), lambda: self._end(connection, 20))
            case "unnoticed drop":
                connection.open = False
            case _:
                late = self.chance.number("late notice", name) < 0.1 and how != "closed"
                self._end(connection, self.chance.whole(*((2_000, 90_000) if late else (20, 2_000)), how, name))

    def _end(self, connection: Connection, notice_ms: int) -> None:
        """End the connection at the server; `$disconnect` comes some time later."""
        if not connection.open:
            # It may not be open yet.
            connection.there = False
            return
        connection.open = False
        event = self._event("$disconnect", connection, "DISCONNECT")
        function = self.engine.template.routes["$disconnect"]
        name = f"{connection.connection_id} $disconnect"
        self.call(function, event, name, "$disconnect", lambda *_: None, notice_ms)

    def _event(self, route: str, connection: Connection, kind: str, body: str | None = None) -> Json:
        self._connections += 1
        context = {
            "routeKey": route,
            "eventType": kind,
            "messageDirection": "IN",
            "connectionId": connection.connection_id,
            "connectedAt": connection.opened_ms,
            "requestId": f"request{self._connections}=",
            "requestTimeEpoch": self.time.now_ms,
            "domainName": "local.execute-api.us-east-1.amazonaws.com",
            "stage": "dev",
            "apiId": "local",
        }
        event: Json = {"requestContext": context, "isBase64Encoded": False}
        if body is not None:
            event["body"] = body
        return event

    def secret(self, duel_id: str) -> str:
        return str(self.rules.duels[duel_id]["word"])

    # -- each minute -------------------------------------------------------------------------------

    def _every(self, ms: int, act: Callable[[int], None]) -> None:
        def again(number: int) -> None:
            act(number)
            self.time.after(ms, lambda: again(number + 1))

        self.time.after(ms, lambda: again(1))

    def _minute(self, number: int) -> None:
        (sweeper,) = self.engine.template.schedules
        delay_ms = 0
        if self.faults.strikes("late sweep", number):
            delay_ms = self.chance.whole(30_000, 400_000, "late sweep ms", number)
        self.call(sweeper, {}, f"sweep {number}", "sweep", lambda *_: None, delay_ms)
        if self.faults.strikes("sweep twice", number):
            self.call(sweeper, {}, f"sweep {number} again", "sweep", lambda *_: None, delay_ms + 5)
        if self.faults.strikes("storm", number):
            for client in self.clients:
                client.hang_up("drop", self.chance.whole(100, 3_000, "storm", number, client.name))
        if self.faults.strikes("settings", number):
            self._deploy(number)
        for execution in list(self.executions.executions.values()):
            if execution.status == "RUNNING" and self.faults.strikes("aborted", execution.alias, number):
                self._abort(execution)

    def _abort(self, execution: Execution) -> None:
        self.executions.abort(execution)
        tournament_id = execution.input.get("tournament_id")
        for duel_id in [one for one in self._alive if one.partition(".")[0] == tournament_id]:
            del self._alive[duel_id]

    # -- the history -------------------------------------------------------------------------------

    def note(self, *what: Any) -> None:
        self.lines.append((self.time.now_ms - START_MS, *what))

    def _digest(self) -> str:
        digest = sha256()
        for line in self.lines:
            digest.update(repr(line).encode())
        for name in self._tables:
            digest.update(json.dumps(self.engine.aws.memory.items(name), sort_keys=True).encode())
        return digest.hexdigest()


def _error(code: str, operation: str, status: int = 400, **details: Any) -> ClientError:
    answer: Any = {
        "Error": {"Code": code, "Message": "simulated"},
        "ResponseMetadata": {"HTTPStatusCode": status, "RequestId": "simulated"},
        **details,
    }
    return ClientError(answer, operation)


def _key(engine: Engine, logical_id: str, item: Json) -> list[str]:
    return [item[one["AttributeName"]]["S"] for one in engine.template.tables[logical_id]["KeySchema"]]


def _line(line: tuple[Any, ...]) -> str:
    at_ms, *what = line
    return f"{at_ms / 1000:9.3f}  {' '.join(map(str, what))}"


def _told(error: BaseException) -> str:
    """Return the error in one line: its place, if it is an assertion without words."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" ({trace.tb_frame.f_code.co_name}, line {trace.tb_lineno})"
    return f"{type(error).__name__}: {error}{place}"


__all__ = ["Broken", "History", "Outcome"]
