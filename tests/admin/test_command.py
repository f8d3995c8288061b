"""The operator's command: its questions, its output and its needs, apart from the verbs."""

from __future__ import annotations

import io
import json
import re
import shlex
import urllib.error
import urllib.request
from typing import Any

import pytest

from infra.local.stack import LocalStack
from tests.admin.conftest import STACK, Command, Scene, cloudformation
from tools import admin

WITH_A_WARNING = ["stop", "void", "delete", "close-queue"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_takes_something_away_asks_first(command: Command, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    table = scene.tournament()
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    status, _, err = command("stop", table.tournament_id)
    assert status == 1
    assert table.tournament_id in err
    assert "cannot be undone" in err
    assert command.shown("show-tournament", table.tournament_id)["state"] == "running"
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    status, out, _ = command("stop", table.tournament_id)
    assert status == 0
    assert "stopped" in out


def test_asked_in_a_pipe_it_does_nothing(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    status, out, err = command("close-queue")
    assert (status, out) == (1, "")
    assert "--yes" in err


def test_the_verbs_with_a_warning_are_those_that_take_something_away() -> None:
    assert [verb.name for verb in admin.VERBS if verb.warning] == WITH_A_WARNING


def test_every_verb_is_a_use_case_with_these_arguments() -> None:
    import inspect

    from wordle_tournament.play.admin import verbs as use_cases

    public = {
        name: tuple(inspect.signature(function).parameters)
        for name, function in vars(use_cases).items()
        if inspect.isfunction(function) and function.__module__ == use_cases.__name__ and not name.startswith("_")
    }
    assert {verb.function: verb.arguments for verb in admin.VERBS} == public


def test_interrupted_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(admin, "_confirm", interrupted)
    assert admin.main(["--local", "http://127.0.0.1:9", "close-queue"]) == 1
    assert "Interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("asked", [[], *([verb.name] for verb in admin.VERBS)], ids=str)
def test_help_has_examples_that_are_right(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        admin.main([*asked, "--help"])
    examples = re.findall(r"python -m tools\.admin (--.+)", capsys.readouterr().out.split("example")[1])
    assert examples
    for example in examples:
        given = admin._parser().parse_args(shlex.split(example))
        admin._check_ids({name: value for name, value in vars(given).items() if isinstance(value, str)})
        assert not asked or given.verb == asked[0]


@pytest.mark.parametrize("where", [[], ["--stack", "a", "--local", "http://127.0.0.1:1"]])
def test_one_place_has_to_be_named(where: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        admin.main([*where, "running"])
    assert "--stack NAME" in capsys.readouterr().err


def test_options_may_stand_after_the_verb(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert admin.main(["running", "--local", scene.stack.http_url, "--json"]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), list)


# -- the local stack -------------------------------------------------------------------------------


def test_nothing_listening_is_said_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    assert admin.main(["--local", "http://127.0.0.1:9", "running"]) == 1
    assert "make play" in capsys.readouterr().err


def _post(stack: LocalStack, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    headers = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{stack.http_url}admin", body, headers)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_a_web_page_cannot_take_care(stack: LocalStack) -> None:
    asked = b'{"verb": "close_queue", "arguments": {}}'
    # A form of another site, which needs no leave to be sent; and a name of another site that was turned to loopback.
    assert _post(stack, asked, Content_Type="text/plain")[0] == 403
    assert _post(stack, asked, Host="evil.example")[0] == 403


@pytest.mark.parametrize(
    "body",
    [
        b"no json",
        b"[]",
        b"{}",
        b'{"verb": "explode", "arguments": {}}',
        b'{"verb": "_void", "arguments": {"tournament_id": "g"}}',
        b'{"verb": "load", "arguments": {}}',
        b'{"verb": "stop", "arguments": {}}',
        b'{"verb": "stop", "arguments": {"tournament": "g"}}',
        b'{"verb": [], "arguments": {}}',
    ],
)
def test_what_is_no_verb_is_refused(stack: LocalStack, body: bytes) -> None:
    assert _post(stack, body)[0] == 400


def test_beyond_loopback_there_is_no_care(stack: LocalStack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack, "host", "0.0.0.0")
    assert "/admin" not in {getattr(route, "path", "") for route in stack._app().routes}
    monkeypatch.setattr(stack, "host", "localhost")
    assert "/admin" in {getattr(route, "path", "") for route in stack._app().routes}


# -- a deployed stack ------------------------------------------------------------------------------


def test_the_environment_is_that_of_the_functions(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "cloudformation_client", lambda region: cloudformation(scene.stack, region))
    found = admin.environment(STACK)
    for function in scene.stack.template.functions.values():
        # Metrics are not counted here, and nobody connects.
        needed = {
            name: value
            for name, value in function.environment.items()
            if not name.startswith(("POWERTOOLS_", "FRONT_SECRET_", "OLDEST_CLIENTS"))
        }
        assert {name: found.get(name) for name in needed} == needed


def test_another_management_host_and_region_are_kept(stack: LocalStack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        admin,
        "cloudformation_client",
        lambda region: cloudformation(stack, region, ManagementHost="http://127.0.0.1:4566/_aws/execute-api"),
    )
    found = admin.environment(STACK, "eu-north-1")
    assert found["PUSH_ENDPOINT"] == f"http://127.0.0.1:4566/_aws/execute-api/{stack.template.api_id}/dev"
    assert found["AWS_DEFAULT_REGION"] == "eu-north-1"


def test_another_kind_of_stack_is_said_plainly(
    stack: LocalStack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(admin, "cloudformation_client", lambda region: cloudformation(stack, region, TurnSeconds=None))
    assert admin.main(["--stack", STACK, "running"]) == 1
    assert f"{STACK} has no TurnSeconds" in capsys.readouterr().err


def test_a_stack_that_is_not_there_is_said_plainly(
    stack: LocalStack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import boto3
    from botocore.stub import Stubber

    def client(region: str | None) -> Any:
        client = boto3.client("cloudformation", region_name=region)
        stubber = Stubber(client)
        stubber.add_client_error("describe_stacks", "ValidationError", "Stack with id nothing does not exist", 400)
        stubber.activate()
        return client

    monkeypatch.setattr(admin, "cloudformation_client", client)
    assert admin.main(["--stack", "nothing", "running"]) == 1
    said = capsys.readouterr().err
    assert "Stack with id nothing does not exist" in said
    assert "the stack's name" in said


def test_tables_that_may_not_be_read_are_said_plainly(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from botocore.exceptions import ClientError

    def deny(service: str, operation: str, params: Any) -> None:
        if service == "dynamodb":
            raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, operation)

    monkeypatch.setattr(admin, "cloudformation_client", lambda region: cloudformation(scene.stack, region))
    with scene.stack.aws.on_call(deny):
        assert admin.main(["--stack", STACK, "show-player", "p" + "0" * 20]) == 1
    assert "AccessDeniedException" in capsys.readouterr().err
