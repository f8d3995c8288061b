"""The processor time of a warm guess, against the same calls made by bare clients, both with AWS's answers from a list.

The calls and their answers are recorded once, on the one-process backend. Then a process of Lambda's Python replays
them from the built layer, without a network: what is measured is what happens between the event and the wire.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import boto3

from infra.local.testing import Game, World, wrong
from tools.bench import start

TARGET = 1.4
"""The target, in those of the bare clients."""
ATTEMPTS = 7

_REPLAY = """
import io, json, sys, time
from botocore.awsrequest import AWSResponse
from wordle_tournament import aws, clock

tape = json.load(open(sys.argv[1]))
clock.now_ms = lambda: tape["now_ms"]

class Body(io.BytesIO):
    def stream(self, *_, **__):
        yield self.read()

made = []

def answer(request, event_name, **_):
    made.append(event_name.rpartition(".")[2])
    body = tape["answers"][made[-1]].encode()
    return AWSResponse(request.url, 200, {"content-length": str(len(body))}, Body(body))

session = aws.session()
session.get_component("event_emitter").register("before-send", answer)
import duel

clients = {}
for service in {call[0] for call in tape["calls"]}:
    clients[service] = session.create_client(service, endpoint_url="http://localhost")

def bare():
    for service, operation, params in tape["calls"]:
        if service == "apigatewaymanagementapi":
            params = {**params, "Data": params["Data"].encode()}
        clients[service]._make_api_call(operation, params)

def guess():
    assert duel.handler(tape["event"], None) == {"statusCode": 200}

def seconds(act):
    began = time.process_time()
    for _ in range(100):
        act()
    return time.process_time() - began

guess()
assert sorted(made) == sorted(operation for _, operation, _ in tape["calls"]), made
bare()
measured = [[seconds(guess), seconds(bare)] for _ in range(int(sys.argv[2]))]
print(json.dumps([min(side) / 100 for side in zip(*measured)]))
"""


def guess_and_bare(layer: Path, python: str) -> tuple[float, float]:
    """Return the least processor seconds of a guess, and of its calls by bare clients, on the built layer."""
    tape = start.BUILD / "guess.json"
    tape.write_text(json.dumps(_record()), encoding="utf-8")
    done = subprocess.run(
        [python, "-S", "-c", _REPLAY, str(tape), str(ATTEMPTS)],
        cwd=start.ROOT,
        env={
            **os.environ,
            **start.deployed(),
            **start.PROCESS,
            "PYTHONPATH": f"{layer / 'python'}:{start.ROOT / 'functions'}",
            "POWERTOOLS_METRICS_DISABLED": "false",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    guess, bare = json.loads(done.stdout.splitlines()[-1])
    return float(guess), float(bare)


def _record() -> dict[str, Any]:
    """Return a guess's event, its calls, and AWS's answers by operation."""
    with World(1) as world:
        players = world.players(8)
        for player in players:
            player.ask("join", language="en")
        game = Game(world, players[0].state["game"], {player.id: player for player in players})
        game.begin()
        duel = game.duels[0]
        mover, duel_id = game.to_move(duel), duel["duel_id"]
        world.park(duel_id)
        guess = {"action": "guess", "duel": duel_id, "turn": 1, "word": wrong(duel)}
        event = world.event("guess", mover.connection_id, body=json.dumps(guess))
        key = {"TableName": world.table("DuelsTable"), "Key": {"duel_id": {"S": duel_id}}}
        read = boto3.client("dynamodb").get_item(**key)["Item"]
        with world.backend.aws.recorded() as calls:
            world.backend.invoke_route(event)
        written = boto3.client("dynamodb").get_item(**key)["Item"]
        return {
            "now_ms": world.now_ms,
            "event": event,
            "calls": [(call.service, call.operation, _plain(call.params)) for call in calls if call.caller],
            "answers": {
                "GetItem": json.dumps({"Item": read}),
                "UpdateItem": json.dumps({"Attributes": written}),
                "SendTaskHeartbeat": "{}",
                "PostToConnection": "",
            },
        }


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in params.items()}
