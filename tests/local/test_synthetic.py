"""The synthetic player: off by default; it plays a few frames, leaves nothing behind, and fails if a step does."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local import template
from infra.local.aws import FunctionError
from infra.local.stack import LocalStack
from tests.template.stages import DEV, PROD, of_type
from wordle_tournament import config
from wordle_tournament.play.synthetic.visit import STEPS, VisitFailed, visit

ON = {"SyntheticUrl": "wss://play.example.com"}


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that visits a running stack."""

    def call(stack: LocalStack) -> dict[str, Any]:
        monkeypatch.setenv("SYNTHETIC_URL", stack.ws_url)
        config.reset()
        try:
            return visit()
        finally:
            monkeypatch.delenv("SYNTHETIC_URL")
            config.reset()

    return call


def test_it_plays_a_few_frames_and_leaves_nobody_behind(visited: Any) -> None:
    with LocalStack({"LogLevel": "ERROR"}) as stack:
        assert visited(stack) == {"answers": len(STEPS)}
        assert _items(stack, "PlayersTable") == _items(stack, "LobbiesTable") == []
        (group,) = _items(stack, "GroupsTable")
        assert group["state"]["M"]["members"] == {"L": []}, "it expires after a day"


def _items(stack: LocalStack, table: str) -> list[Any]:
    import boto3

    items: list[Any] = boto3.client("dynamodb").scan(TableName=stack.template.tables[table]["TableName"])["Items"]
    return items


@pytest.mark.parametrize("broken", ["$connect", "hello", "createGroup", "deleteMe"])
def test_a_step_that_fails_is_named(visited: Any, broken: str) -> None:
    class Broken(LocalStack):
        def _invoke_route(self, route: str, event: Any) -> Any:
            if route == broken:
                raise FunctionError(RuntimeError("down"))
            return super()._invoke_route(route, event)

    with Broken({"LogLevel": "ERROR"}) as stack, pytest.raises(VisitFailed, match=f"^{broken.strip('$')}: "):
        visited(stack)


def test_nobody_there_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalStack({"LogLevel": "ERROR"}) as stack:
        monkeypatch.setenv("SYNTHETIC_URL", "ws://127.0.0.1:9/ws")
        config.reset()
        assert stack.port
        with pytest.raises(VisitFailed, match=r"^connect: "):
            visit()
    config.reset()


@pytest.mark.parametrize("stage", [DEV, PROD])
def test_it_is_off_by_default(stage: dict[str, str]) -> None:
    assert "SyntheticFunction" not in template.deployed(stage)
    assert "SyntheticFailsAlarm" not in template.nested("Monitoring", stage)


def test_it_comes_every_five_minutes_with_an_alarm_and_no_rights() -> None:
    resources = template.deployed({**PROD, **ON})
    new = resources.keys() - template.deployed(PROD).keys()
    assert {resources[key]["Type"] for key in new} == {
        *("AWS::Lambda::Function", "AWS::Lambda::Version", "AWS::Lambda::Alias", "AWS::Lambda::EventInvokeConfig"),
        *("AWS::IAM::Role", "AWS::Scheduler::Schedule"),
    }
    (schedule,) = (one for key, one in of_type(resources, "AWS::Scheduler::Schedule").items() if key in new)
    assert schedule["ScheduleExpression"] == "rate(5 minutes)"
    role = resources["SyntheticFunctionRole"]["Properties"]
    assert "Policies" not in role
    assert [arn for arn in map(str, role["ManagedPolicyArns"]) if "Basic" not in arn and "Xray" not in arn] == []
    alarm = template.nested("Monitoring", {**PROD, **ON})["SyntheticFailsAlarm"]["Properties"]
    assert alarm["TreatMissingData"] == "breaching", "a visit that does not take place is one that failed"
    assert {"Name": "route", "Value": "visit"} in alarm["Dimensions"]
    assert "AlarmTopic" in str(alarm["AlarmActions"])
    assert '"visit"' in (template.ROOT / "functions" / "synthetic.py").read_text()


def test_without_anybody_to_hear_it_there_is_no_alarm() -> None:
    assert "SyntheticFailsAlarm" not in template.nested("Monitoring", {**DEV, **ON})


@pytest.mark.parametrize("address", ["play.example.com", "https://play.example.com", "wss://"])
def test_only_an_address_of_a_websocket_is_taken(address: str) -> None:
    with pytest.raises(template.TemplateError, match="SyntheticUrl"):
        template.load({"SyntheticUrl": address})
