"""`make bench`: what each path costs, in AWS calls, state transitions and money, against the budgets.

Counted, not timed: the real handlers run on the one-process backend, and every AWS call they make is written down. The
reference tournament has 9 rounds and 20 duels of 7 turns, every fifth of them skipped. It reports and does not gate.
"""

import itertools
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import boto3
from rich.console import Console
from rich.table import Table

from infra.local.aws import Call
from infra.local.backend import LocalBackend

ROUNDS, DUELS, TURNS = 9, 20, 7
SKIPS = DUELS * TURNS // 5
GUESSES = DUELS * TURNS - SKIPS
MINUTES = 18
PINGS = 8 * MINUTES * 3 // 2
"""A client pings after 20 s in which it has sent nothing: with a turn of its own every 34 s some 1.5 times a minute."""

# List prices in US dollars, us-east-1, as AWS's pricing pages had them in 2025: Step Functions Standard, DynamoDB
# on-demand, Lambda arm64, API Gateway WebSocket.
TRANSITION = 0.025 / 1000
WRITE_UNIT = 0.625 / 1e6
READ_UNIT = 0.125 / 1e6
INVOCATION = 0.20 / 1e6
GB_SECOND = 0.0000133334
MESSAGE = 1.00 / 1e6
CONNECTION_MINUTE = 0.25 / 1e6
INVOCATION_GB_SECONDS = 0.5 * 0.06
"""512 MB for 60 ms: an assumption, since nothing is timed here."""


@dataclass
class Connections:
    """Stands in for the management API: everybody is there, and frames are counted."""

    frames: dict[str, list[bytes]] = field(default_factory=dict)

    def post(self, connection_id: str, data: bytes) -> None:
        self.frames.setdefault(connection_id, []).append(data)

    def describe(self, connection_id: str) -> Mapping[str, Any]:
        return {"connectedAt": "2026-11-30T00:00:00Z", "lastActiveAt": "2099-01-01T00:00:00Z", "identity": {}}

    def delete(self, connection_id: str) -> None:
        return None

    def last(self, connection_id: str, kind: str) -> Any:
        """The last frame of a type that the connection got."""
        frames = [json.loads(frame) for frame in self.frames[connection_id]]
        return next(frame for frame in reversed(frames) if frame["type"] == kind)


class World:
    """Eight players and the handlers, without a network and without a clock."""

    def __init__(self, backend: LocalBackend) -> None:
        self.backend = backend
        self.connections = Connections()
        backend.aws.connections = self.connections
        self._ids = itertools.count(1)

    def send(self, function: str, connection_id: str, **message: Any) -> list[Call]:
        """Have a route's function handle the message; returns the AWS calls that it made."""
        event = {
            "requestContext": {
                "routeKey": message["action"],
                "connectionId": connection_id,
                "requestTimeEpoch": 1 << 52,
                "requestId": str(next(self._ids)),
            },
            "body": json.dumps(message),
        }
        with self.backend.aws.recorded() as calls:
            self.backend.invoke(function, event)
        return calls


def main() -> int:
    """Count, and print the tables."""
    console = Console()
    parameters = {"RoundIntroSeconds": "0", "TurnSeconds": "300", "LogLevel": "ERROR"}
    with LocalBackend(parameters) as backend:
        measured = measure(World(backend))
        moves = transitions(backend)
    table = Table("path", "AWS calls", "reads", "writes", "frames", "budget", title="Counted AWS calls")
    for path, calls, budget in measured:
        table.add_row(path, *_counted(calls), budget)
    console.print(table)
    console.print(_money(measured, moves))
    return 0


def measure(world: World) -> list[tuple[str, list[Call], str]]:
    people = [f"c{number}=" for number in range(8)]
    for person in people:
        hello = world.send("HelloFunction", person, action="hello")
    joins = [world.send("JoinFunction", person, action="join", language="en") for person in people]
    (tournament,) = world.backend.items("TournamentsTable")
    # What the clock does would be counted too: it is stopped, and the round announced by hand.
    states = boto3.client("stepfunctions")
    for execution in states.list_executions(stateMachineArn=os.environ["TOURNAMENT_MACHINE_ARN"])["executions"]:
        states.stop_execution(executionArn=execution["executionArn"])
    with world.backend.aws.recorded() as opening:
        world.backend.invoke("AdvanceRoundFunction", {"tournament_id": tournament["tournament_id"]})
    duel = world.backend.items("DuelsTable")[0]
    first, second = (duel["connections"][player] for player in duel["state"]["players"])
    duel_id, word = duel["duel_id"], duel["state"]["word"]
    # A token is parked by the machine, which does not run here.
    boto3.client("dynamodb").update_item(
        TableName=world.backend.template.tables["DuelsTable"]["TableName"],
        Key={"duel_id": {"S": duel_id}},
        UpdateExpression="SET task_token = :token",
        ExpressionAttributeValues={":token": {"S": "x"}},
    )
    other = next(answer for answer in _answers(len(word)) if answer != word)
    guess = world.send("GuessFunction", first, action="guess", duel=duel_id, turn=1, word=other)
    end = world.send("GuessFunction", second, action="guess", duel=duel_id, turn=2, word=word)
    assert world.connections.last(second, "duel")["duel"]["over"]
    return [
        ("guess, not ending the duel", guess, "1 read, 1 write, 1 heartbeat, pushes"),
        ("guess ending the duel", end, "1 read, 1 write, 1 success, pushes"),
        ("join a lobby that has a seat", joins[1], "1 query, 1 transaction, reads of what it shows, pushes"),
        ("join as the eighth", joins[7], ""),
        ("hello, a new player", hello, ""),
        ("a round opens (told again)", opening, ""),
    ]


def _answers(length: int) -> Sequence[str]:
    from wordle_tournament import words

    return words.answers("en", length)


def transitions(backend: LocalBackend) -> int:
    """State transitions of the reference tournament, from the machine's own definition."""
    states = json.loads(backend.template.machines["TournamentMachine"].definition)["States"]
    assert {"AdvanceRound", "IsOver", "Introduce", "PlayDuels", "Over"} == set(states)
    # Once more than there are rounds it is asked how things stand; then it is over.
    rounds = (ROUNDS + 1) * 2 + ROUNDS * 2 + 1
    # Each duel waits once, and once more after each skip.
    return rounds + DUELS + 2 * SKIPS


def _counted(calls: Sequence[Call]) -> tuple[str, str, str, str]:
    kinds = Counter(call.operation for call in calls)
    frames = kinds.pop("PostToConnection", 0)
    reads = sum(kinds[name] for name in ("GetItem", "BatchGetItem", "Query"))
    writes = sum(kinds[name] for name in ("PutItem", "UpdateItem", "TransactWriteItems"))
    text = ", ".join(f"{count} {name}" for name, count in sorted(kinds.items()))
    return text, str(reads), str(writes), str(frames)


def _money(measured: Sequence[tuple[str, list[Call], str]], moves: int) -> Table:
    """The reference tournament at list prices."""
    frames = {path: sum(call.operation == "PostToConnection" for call in calls) for path, calls, _ in measured}
    turn = frames["guess, not ending the duel"]
    pushes = (GUESSES - DUELS + SKIPS) * turn + DUELS * frames["guess ending the duel"] + ROUNDS * 16 + PINGS + 8 * 9
    incoming = GUESSES + PINGS + 16
    invocations = incoming + SKIPS + ROUNDS + 1 + 16
    # Units of 1 kB written and 4 kB read; in transactions twice. A duel has 1 to 2 kB, a tournament 3 to 6, a player,
    # connection or record less than 1, a lobby 2 (and as much in its index).
    parked = DUELS + SKIPS
    turns = 2 * (GUESSES + SKIPS + parked)
    settlements = 2 * (ROUNDS * 4 + DUELS * 2 + 8 * 2)
    arrivals = 8 * 2 * (1 + 1) + 8 * 2 * (2 + 2 + 1)
    writes = turns + settlements + arrivals
    reads = (GUESSES + SKIPS) * 1 + (ROUNDS + 1) * (2 + 4 + 8 + 8) + 8 * (4 + 10)
    rows = [
        ("Step Functions", f"{moves} state transitions (budget 120)", moves * TRANSITION),
        ("DynamoDB", f"{reads} read and {writes} write units", reads * READ_UNIT + writes * WRITE_UNIT),
        (
            "Lambda",
            f"{invocations} invocations of 512 MB, 60 ms",
            invocations * (INVOCATION + INVOCATION_GB_SECONDS * GB_SECOND),
        ),
        (
            "API Gateway",
            f"{incoming} messages in, {pushes} out, {8 * MINUTES} connection minutes",
            (incoming + pushes) * MESSAGE + 8 * MINUTES * CONNECTION_MINUTE,
        ),
    ]
    table = Table(
        "service", "what", "US cents", title=f"A tournament of {ROUNDS} rounds, {DUELS} duels, {TURNS} turns each"
    )
    for service, what, dollars in rows:
        table.add_row(service, what, f"{dollars * 100:.3f}")
    total = sum(dollars for *_, dollars in rows)
    table.add_row("in all", "budget 0.5 US cents", f"{total * 100:.3f}", style="bold")
    return table


if __name__ == "__main__":
    sys.exit(main())
