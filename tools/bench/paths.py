"""Count the AWS calls of each path, with the real handlers and eight players."""

import itertools
import json
import os
import time
from dataclasses import dataclass, field
from typing import Any

import boto3

from infra.local.backend import LocalBackend
from infra.local.testing.in_turn import InRow, calls_in_a_row, in_turn
from wordle_tournament import words

ROUNDS, DUELS, TURNS = 9, 20, 7
SKIPS = DUELS * TURNS // 5


@dataclass
class CountedConnections:
    """Stand in for the management API: every connection is open, and frames are counted."""

    frames: dict[str, list[bytes]] = field(default_factory=dict)

    def post(self, connection_id: str, data: bytes) -> None:
        self.frames.setdefault(connection_id, []).append(data)

    def delete(self, connection_id: str) -> None:
        return None

    def last(self, connection_id: str, kind: str) -> Any:
        """Return the last frame of a type that the connection got."""
        frames = [json.loads(frame) for frame in self.frames[connection_id]]
        return next(frame for frame in reversed(frames) if frame["type"] == kind)


class Handlers:
    """Eight players and the handlers, without a network and without a clock."""

    def __init__(self, backend: LocalBackend) -> None:
        self.backend = backend
        self.connections = CountedConnections()
        backend.aws.connections = self.connections
        self._ids = itertools.count(1)

    def send(self, connection_id: str, **message: Any) -> list[InRow]:
        """Have the function of the message's route handle it. Return its AWS calls."""
        event = {
            "requestContext": {
                "routeKey": message["action"],
                "connectionId": connection_id,
                "requestTimeEpoch": 1 << 52,
                "requestId": str(next(self._ids)),
            },
            "body": json.dumps(message),
        }
        with calls_in_a_row(self.backend.aws) as calls:
            self.backend.invoke_route(event)
        return calls


@dataclass(frozen=True)
class Path:
    """The AWS calls of a path, its limits, and how many calls may be in a row ("" and None without a limit)."""

    name: str
    calls: list[InRow]
    budget: str = ""
    deepest: int | None = None

    @property
    def depth(self) -> int:
        """The number of calls in a row."""
        return max(call.depth for call in self.calls)


def measure(handlers: Handlers) -> list[Path]:
    """Have each path taken, with the calls that are made in parallel made in turn."""
    with in_turn():
        return _measure(handlers)


def _measure(handlers: Handlers) -> list[Path]:
    people = [f"c{number}=" for number in range(8)]
    for person in people:
        hello = handlers.send(person, action="hello")
    joins = [handlers.send(person, action="join", language="en") for person in people]
    (tournament,) = handlers.backend.items("TournamentsTable")
    # The calls of the machine would be counted too: it is stopped once it has announced the round and waits for turns,
    # and the round is announced again by hand.
    while not all(duel.get("task_token") for duel in handlers.backend.items("DuelsTable")):
        time.sleep(0.01)
    states = boto3.client("stepfunctions")
    for execution in states.list_executions(stateMachineArn=os.environ["TOURNAMENT_MACHINE_ARN"])["executions"]:
        states.stop_execution(executionArn=execution["executionArn"])
    with calls_in_a_row(handlers.backend.aws) as opening:
        handlers.backend.invoke_task("advance_round", tournament_id=tournament["tournament_id"])
    duel = handlers.backend.items("DuelsTable")[0]
    first, second = (duel["connections"][player] for player in duel["state"]["players"])
    duel_id, word = duel["duel_id"], duel["state"]["word"]
    # A token is parked by the machine, which does not run here.
    boto3.client("dynamodb").update_item(
        TableName=handlers.backend.template.tables["DuelsTable"]["TableName"],
        Key={"duel_id": {"S": duel_id}},
        UpdateExpression="SET task_token = :token",
        ExpressionAttributeValues={":token": {"S": "x"}},
    )
    other = next(answer for answer in words.answers("en", len(word)) if answer != word)
    guess = handlers.send(first, action="guess", duel=duel_id, turn=1, word=other)
    end = handlers.send(second, action="guess", duel=duel_id, turn=2, word=word)
    assert handlers.connections.last(second, "duel")["duel"]["over"]
    return [
        Path("guess, not ending the duel", guess, "1 read, 1 write, 1 heartbeat, pushes", 3),
        Path("guess ending the duel", end, "1 read, 1 write, 1 success, pushes", 3),
        Path("join a lobby that has a seat", joins[1], "1 query, 1 transaction, reads of what it shows, pushes", 6),
        Path("join as the eighth", joins[7]),
        Path("hello, a new player", hello),
        Path("a round opens (told again)", opening),
    ]


def transitions(backend: LocalBackend) -> int:
    """Return the state transitions of the reference tournament, from the machine's own definition."""
    states = json.loads(backend.template.machines["TournamentMachine"].definition)["States"]
    assert {"AdvanceRound", "IsOver", "Introduce", "PlayDuels", "Over"} == set(states)
    # AdvanceRound runs once more than there are rounds; then the tournament is over.
    rounds = (ROUNDS + 1) * 2 + ROUNDS * 2 + 1
    # Each duel waits once, and once more after each skip.
    return rounds + DUELS + SKIPS
