"""Calls against policies: what is unused, what is missing, and what was called in several processes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from infra.local import template
from infra.local.backend import LocalBackend
from infra.local.permissions import RECORD_CALLS, CallLog, Statement, needed, statements_of
from tools import policies

TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/duels"
CONNECTIONS = "arn:aws:execute-api:us-east-1:123456789012:api/dev/{}/@connections/*"


def verdicts(statement: Statement, *needs: tuple[str, str | None]) -> dict[str, str]:
    return {f"{line.on} {line.action}": line.verdict for line in policies.compare({"F": [statement]}, {"F": needs})}


def test_each_action_on_each_resource_is_looked_at_alone() -> None:
    statement = Statement(("dynamodb:GetItem", "dynamodb:PutItem"), (TABLE, f"{TABLE}/index/open"))
    assert verdicts(statement, ("dynamodb:GetItem", TABLE)) == {
        "duels GetItem": "used",
        "duels PutItem": "unused",
        "duels/index/open GetItem": "unused",
        "duels/index/open PutItem": "unused",
    }


def test_what_was_called_and_is_not_allowed_is_missing() -> None:
    statement = Statement(("dynamodb:GetItem",), (TABLE,))
    assert verdicts(statement, ("dynamodb:GetItem", TABLE), ("dynamodb:PutItem", TABLE)) == {
        "duels GetItem": "used",
        "duels PutItem": "MISSING",
    }


def test_what_another_role_called_counts_for_nothing() -> None:
    statement = Statement(("dynamodb:GetItem",), (TABLE,))
    lines = policies.compare({"F": [statement], "G": []}, {"G": [("dynamodb:GetItem", TABLE)]})
    assert [(line.role, line.verdict) for line in lines] == [("F", "unused"), ("G", "MISSING")]


def test_pushing_and_closing_in_one_statement_are_two_permissions() -> None:
    resources = [CONNECTIONS.format("POST"), CONNECTIONS.format("DELETE")]
    policy = {"PolicyDocument": {"Statement": [{"Action": "execute-api:ManageConnections", "Resource": resources}]}}
    (statement,) = statements_of([policy])
    assert verdicts(statement, *needed("apigatewaymanagementapi", "PostToConnection", {})) == {
        "@connections POST": "used",
        "@connections DELETE": "unused",
    }


def test_only_what_no_code_calls_is_excused() -> None:
    assert set(policies.OF_THE_SERVICE) == {"logs:", "sqs:", "xray:"}
    assert verdicts(Statement(("logs:CreateLogDelivery",), ("*",)))["* CreateLogDelivery"] not in (
        "unused",
        "MISSING",
    )


def test_calls_of_several_processes_are_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for pid in (1, 2):
        monkeypatch.setattr("os.getpid", lambda pid=pid: pid)
        log = CallLog(str(tmp_path))
        for _ in range(2):
            log.note("F", "ping", [("dynamodb:GetItem", TABLE)])
        log.note(f"G{pid}", "", [("execute-api:POST", None)])
    assert len((tmp_path / "1.jsonl").read_text().splitlines()) == 2, "each need once"
    assert CallLog.read(tmp_path) == {
        ("F", "ping"): {("dynamodb:GetItem", TABLE)},
        ("G1", ""): {("execute-api:POST", None)},
        ("G2", ""): {("execute-api:POST", None)},
    }


def test_what_a_route_did_is_told_from_what_its_function_may_do() -> None:
    deployed = template.load()
    table = "arn:aws:dynamodb:us-east-1:123456789012:table/wordle-tournament-DuelsTable"
    calls = {("DuelFunction", "guess"): [("dynamodb:GetItem", table)], ("DuelFunction", "watch"): []}
    rights = {one.route: one for one in policies.rights_by_route(deployed, calls)}
    assert rights.keys() == deployed.routes.keys() | deployed.tasks.keys()
    assert rights["guess"].used == {"DuelsTable GetItem"}
    assert rights["watch"].used == set()
    assert rights["guess"].may == rights["watch"].may
    assert {"DuelsTable GetItem", "tournament SendTaskSuccess"} <= rights["guess"].may
    flooding = {"@connections DELETE", "ConnectionsTable UpdateItem"}
    assert rights["ping"].may == {"@connections POST"} | flooding


def test_the_routes_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    CallLog(str(tmp_path)).note("GatewayFunction", "ping", [("execute-api:POST", None)])
    assert policies.main(["--routes", str(tmp_path)]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("ping ")]
    assert line.split()[:6] == ["ping", "GatewayFunction", "@connections", "POST", "2", "more,"]


def test_a_difference_fails_the_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert policies.main([str(tmp_path)]) == 2, "nothing recorded is no success"
    CallLog(str(tmp_path)).note("GatewayFunction", "ping", [("dynamodb:Scan", TABLE)])
    capsys.readouterr()
    assert policies.main(["--brief", str(tmp_path)]) == 1
    assert "MISSING: GatewayFunction Scan on duels" in capsys.readouterr().out


def test_each_machine_is_told_by_the_task_that_it_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both machines call the same function."""
    monkeypatch.setenv(RECORD_CALLS, str(tmp_path))
    with LocalBackend() as backend:
        backend.start_execution("ReconnectMachine", "P1-3", {"player_id": "P1", "epoch": 3, "seconds": 1})
        deadline = time.monotonic() + 60
        while backend.executions("ReconnectMachine")[0].status == "RUNNING":
            assert time.monotonic() < deadline
            time.sleep(0.05)
    calls = CallLog.by_caller(CallLog.read(tmp_path)).items()
    assert {caller for caller, needs in calls if "lambda:InvokeFunction" in dict(needs)} == {"ReconnectMachine"}
