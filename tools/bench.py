"""`make bench`: what each path costs, in AWS calls, state transitions and money, against the budgets.

Counted, not timed: the real handlers run on the one-process backend, and every AWS call they make is written down. The
reference tournament has 9 rounds and 20 duels of 7 turns, every fifth of them skipped; its state transitions are
reckoned, and one very much like it is played to count all the rest. It reports and does not gate. See docs/budgets.md.
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
from rich.table import Column, Table

from infra.local.aws import Call
from infra.local.backend import LocalBackend
from tools import flood, reference, rush, start
from tools.prices import CONNECTION_MINUTE, GB_SECOND, INVOCATION, MESSAGE, READ_UNIT, TRANSITION, WRITE_UNIT
from tools.reference import Usage

ROUNDS, DUELS, TURNS = 9, 20, 7
SKIPS = DUELS * TURNS // 5

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
    console.print("Counting the AWS calls of each path ...")
    with LocalBackend(parameters) as backend:
        measured = measure(World(backend))
        moves = transitions(backend)
    calls = Column("AWS calls", no_wrap=True)
    table = Table("path", calls, "reads", "writes", "frames", "budget", title="Counted AWS calls", show_lines=True)
    for path, made, budget in measured:
        table.add_row(path, *_counted(made), budget)
    console.print(table)
    console.print(f"Reference tournament ({ROUNDS} rounds, {DUELS} duels of {TURNS} turns): {moves} state transitions")
    console.print("Playing a tournament much like it ...")
    used = reference.play()
    console.print(_money(used))
    console.print(_sizes(used))
    console.print("Flooding ...")
    console.print(_flood())
    console.print("Starting cold, and reckoning a rush ...")
    console.print(_start())
    console.print(rush.table())
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


def _start() -> Table:
    table = Table("what", "how much", title="A cold start")
    bare, guess, ratio = start.import_ratio()
    table.add_row("importing bare botocore and pydantic", f"{bare:.2f} s of processor time here")
    table.add_row("importing the guess function", f"{guess:.2f} s, {ratio:.1f} times as long")
    sizes = start.built_sizes()
    for what, size in (sizes or {}).items():
        table.add_row(what, f"{size / 1e6:.1f} MB" if size > 1e5 else f"{size / 1e3:.0f} kB")
    if sizes is None:
        table.add_row("layer and functions", "not built: `sam build` or `make e2e` first")
    return table


def _flood() -> Table:
    table = Table(
        "message", "sent by", "US cents a thousand", "frames", "read, write units", "passes a second", "dollars an hour"
    )
    table.title = "What a flood costs (docs/security.md)"
    for cost in flood.count():
        table.add_row(
            cost.route,
            cost.by,
            f"{cost.dollars * 100_000:.2f}",
            f"{cost.frames:.1f}",
            f"{cost.read_units:.0f}, {cost.write_units:.0f}",
            str(cost.passes),
            f"{cost.dollars * cost.passes * 3600:.0f}",
        )
    return table


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
    text = "\n".join(f"{count} {name}" for name, count in sorted(kinds.items()))
    return text, str(reads), str(writes), str(frames)


def _money(used: Usage) -> Table:
    """A whole tournament at list prices."""
    seconds = used.invocations * INVOCATION_GB_SECONDS
    minutes = 8 * reference.MINUTES
    rows = [
        ("Step Functions", f"{used.transitions} state transitions (budget 120)", used.transitions * TRANSITION),
        (
            "DynamoDB",
            f"{used.read_units:.0f} read and {used.write_units:.0f} write units",
            used.read_units * READ_UNIT + used.write_units * WRITE_UNIT,
        ),
        (
            "Lambda",
            f"{used.invocations} invocations of 512 MB, 60 ms",
            used.invocations * INVOCATION + seconds * GB_SECOND,
        ),
        (
            "API Gateway",
            f"{used.messages_in} messages in ({used.pings} of them pings), {used.messages_out} out, "
            f"{minutes} connection minutes",
            (used.messages_in + used.messages_out) * MESSAGE + minutes * CONNECTION_MINUTE,
        ),
    ]
    title = (
        f"A tournament of {used.rounds} rounds, {used.duels} duels, {used.turns} turns, {used.skips} of them skipped"
    )
    table = Table("service", "what", "US cents", title=title)
    for service, what, dollars in rows:
        table.add_row(service, what, f"{dollars * 100:.3f}")
    total = sum(dollars for *_, dollars in rows)
    table.add_row("in all", "budget 0.5 US cents", f"{total * 100:.3f}", style="bold")
    return table


def _sizes(used: Usage) -> Table:
    """The largest item of each table and frame of each type: 1 KB is written and 4 KB read for one unit."""
    table = Table("largest", "bytes", "limit", title="Sizes in that tournament")
    for name, size in sorted(used.largest_item.items()):
        table.add_row(f"item of {name}", f"{size:,}", "400 KB")
    for name, size in sorted(used.largest_frame.items()):
        table.add_row(f"frame {name}", f"{size:,}", "32 KB")
    return table


if __name__ == "__main__":
    sys.exit(main())
