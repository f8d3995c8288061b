"""A one-process stack in which time stands still, players on plain WebSockets, and the command in both its ways."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from websockets.sync.client import ClientConnection, connect

from infra.local import template
from infra.local.stack import LocalStack
from tools import admin

STACK = "wordle-tournament-prod"
LANGUAGES = iter(["en", "de", "fr", "es", "it", "nl", "pl", "pt", "ru", "uk", "id", "kk", "uz"] * 20)
PARAMETERS = {"RoundIntroSeconds": "0", "TurnSeconds": "90", "ReconnectSeconds": "90", "SilenceSeconds": "90"}


@dataclass
class Person:
    """A player on a connection."""

    connection: ClientConnection
    id: str = ""
    token: str = ""

    def ask(self, action: str, **fields: Any) -> dict[str, Any]:
        """Send a request and return its answer."""
        self.connection.send(json.dumps({"action": action, "ref": action, **fields}))
        return self.wait_for(lambda frame: frame.get("ref") == action)

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the next frame that is wanted."""
        while True:
            frame: dict[str, Any] = json.loads(self.connection.recv(timeout=30))
            if wanted(frame):
                return frame


@dataclass
class Table:
    """Eight players in a tournament whose first round is on."""

    tournament_id: str
    people: list[Person]


@dataclass
class Scene:
    """The stack and who plays on it."""

    stack: LocalStack
    exit: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def person(self) -> Person:
        person = Person(self.exit.enter_context(connect(self.stack.ws_url, max_queue=None)))
        welcome = person.ask("hello")
        person.id, person.token = welcome["you"]["player_id"], welcome["token"]
        return person

    def tournament(self, language: str | None = None) -> Table:
        people = [self.person() for _ in range(8)]
        language = language or next(LANGUAGES)
        for person in people:
            joined = person.ask("join", language=language)
        return Table(joined["lobby"]["lobby_id"], people)

    def finished(self) -> Table:
        """Return a tournament that all players except one have left."""
        table = self.tournament()
        for person in table.people[1:]:
            person.ask("leave", what="tournament")
        table.people[0].wait_for(lambda frame: frame.get("tournament", {}).get("over") is True)
        return table

    def secrets(self, table: Table) -> set[str]:
        """Return the secrets of a table: the words of its running duels, and all tokens and their hashes.

        Other tests' tournaments still run on the stack, in languages whose words may occur by chance in English.
        """
        duels, players = self.stack.items("DuelsTable"), self.stack.items("PlayersTable")
        ours = [duel["state"] for duel in duels if duel["state"]["duel_id"].startswith(f"{table.tournament_id}.")]
        return {
            *(duel["word"] for duel in ours if duel["phase"] == "playing"),
            *(person.token for person in table.people),
            *(str(duel["task_token"]) for duel in duels if "task_token" in duel),
            *(player["state"]["token_hash"] for player in players if "token_hash" in player["state"]),
        }


@dataclass
class Command:
    """`python -m tools.admin`, with where to do it filled in."""

    where: list[str]
    scene: Scene
    capsys: pytest.CaptureFixture[str]
    said: str = ""
    """Everything that it has printed so far."""

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Run the command. Return its exit status, output and errors."""
        self.capsys.readouterr()
        status = admin.main([*self.where, *arguments])
        out, err = self.capsys.readouterr()
        self.said += out + err
        return status, out, err

    def shown(self, *arguments: str) -> Any:
        """Return the answer of a verb that must succeed."""
        status, out, err = self(*arguments, "--json", "--yes")
        assert (status, err) == (0, "")
        return json.loads(out)

    def refused(self, *arguments: str) -> str:
        """Return the error text of a verb that must fail."""
        status, out, err = self(*arguments, "--yes")
        assert (status, out) == (1, "")
        assert err.startswith("Not done: ")
        return err.removeprefix("Not done: ")


@pytest.fixture(scope="module")
def stack() -> Iterator[LocalStack]:
    """A stack in which the machines can be started and do nothing, since no test here waits for a clock."""
    stack = LocalStack(PARAMETERS, sweep_seconds=3600)
    idle = json.dumps({"StartAt": "Idle", "States": {"Idle": {"Type": "Succeed"}}})
    machines = {name: replace(machine, definition=idle) for name, machine in stack.template.machines.items()}
    stack.template = replace(stack.template, machines=machines)
    with stack:
        yield stack


@pytest.fixture
def scene(stack: LocalStack) -> Iterator[Scene]:
    scene = Scene(stack)
    with scene.exit:
        yield scene


def cloudformation(stack: LocalStack, region: str | None = None, **changed: str | None) -> Any:
    """CloudFormation as it would answer for the stack; `changed` parameters are others, or None for missing."""
    client = boto3.client("cloudformation", region_name=region)
    deployed = stack.template
    environment = deployed.functions[deployed.routes["guess"]].environment
    ids = {
        **{logical_id: str(table["TableName"]) for logical_id, table in deployed.tables.items()},
        **{logical_id: template.machine_arn(machine.name) for logical_id, machine in deployed.machines.items()},
        "WebSocketApi": deployed.api_id,
        **{logical_id: function.name for logical_id, function in deployed.functions.items()},
    }
    parameters = {
        "Stage": deployed.stage,
        "RoundIntroSeconds": environment["ROUND_INTRO_SECONDS"],
        "TurnSeconds": environment["TURN_SECONDS"],
        "ReconnectSeconds": environment["RECONNECT_SECONDS"],
        "SilenceSeconds": environment["SILENCE_SECONDS"],
        "ManagementHost": "",
        **changed,
    }
    stubber = Stubber(client)
    stubber.add_response(
        "describe_stacks",
        {
            "Stacks": [
                {
                    "StackName": STACK,
                    "CreationTime": "2026-11-30T00:00:00Z",
                    "StackStatus": "CREATE_COMPLETE",
                    "Parameters": [
                        {"ParameterKey": name, "ParameterValue": value}
                        for name, value in parameters.items()
                        if value is not None
                    ],
                }
            ]
        },
        {"StackName": STACK},
    )
    # Two pages: the real stack has more resources than one holds.
    listed = [
        {
            "LogicalResourceId": logical_id,
            "PhysicalResourceId": physical_id,
            "ResourceType": "AWS::Some::Thing",
            "LastUpdatedTimestamp": "2026-11-30T00:00:00Z",
            "ResourceStatus": "CREATE_COMPLETE",
        }
        for logical_id, physical_id in ids.items()
    ]
    stubber.add_response(
        "list_stack_resources", {"StackResourceSummaries": listed[:3], "NextToken": "more"}, {"StackName": STACK}
    )
    stubber.add_response(
        "list_stack_resources", {"StackResourceSummaries": listed[3:]}, {"StackName": STACK, "NextToken": "more"}
    )
    stubber.activate()
    return client


@pytest.fixture(params=["--local", "--stack"])
def command(
    request: pytest.FixtureRequest,
    scene: Scene,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """The command, once over HTTP and once in process by a stubbed CloudFormation."""
    if request.param == "--local":
        return Command(["--local", scene.stack.http_url], scene, capsys)
    monkeypatch.setattr(admin, "cloudformation_client", lambda region: cloudformation(scene.stack, region))
    return Command(["--stack", STACK], scene, capsys)
