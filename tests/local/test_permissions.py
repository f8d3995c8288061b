"""Policies applied to calls: refused here is what AWS would refuse."""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from infra.local.backend import LocalBackend
from infra.local.permissions import RECORD_CALLS, Statement, denied, statements_of

TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/duels"
OTHER = "arn:aws:dynamodb:us-east-1:123456789012:table/players"


def allow(actions: list[str], *resources: str) -> Statement:
    return Statement(tuple(actions), resources)


def test_another_action_or_another_table_is_denied() -> None:
    statements = [allow(["dynamodb:GetItem"], TABLE)]
    assert denied(statements, "dynamodb", "GetItem", {"TableName": "duels"}) is None
    assert denied(statements, "dynamodb", "PutItem", {"TableName": "duels"}) is not None
    assert denied(statements, "dynamodb", "GetItem", {"TableName": "players"}) is not None


def test_an_index_is_not_its_table() -> None:
    query = {"TableName": "duels", "IndexName": "open"}
    assert denied([allow(["dynamodb:Query"], TABLE)], "dynamodb", "Query", query) is not None
    assert denied([allow(["dynamodb:Query"], f"{TABLE}/index/open")], "dynamodb", "Query", query) is None


def test_a_transaction_needs_the_action_of_each_part() -> None:
    parts: list[Any] = [{"Update": {"TableName": "duels"}}, {"ConditionCheck": {"TableName": "players"}}]
    params = {"TransactItems": parts}
    update, check = allow(["dynamodb:UpdateItem"], TABLE), allow(["dynamodb:ConditionCheckItem"], OTHER)
    assert denied([update, check], "dynamodb", "TransactWriteItems", params) is None
    assert denied([update], "dynamodb", "TransactWriteItems", params) is not None


def test_pushing_and_closing_are_told_apart() -> None:
    resource = "arn:aws:execute-api:us-east-1:123456789012:api/dev/POST/@connections/*"
    policy = {"PolicyDocument": {"Statement": [{"Action": ["execute-api:ManageConnections"], "Resource": resource}]}}
    statements = statements_of([policy])
    assert denied(statements, "apigatewaymanagementapi", "PostToConnection", {}) is None
    assert denied(statements, "apigatewaymanagementapi", "DeleteConnection", {}) is not None


def test_a_function_may_start_the_machine_its_policy_names_and_no_other() -> None:
    tournament, reconnect = (f"arn:aws:states:us-east-1:123456789012:stateMachine:{one}" for one in ("t", "r"))
    statements = [allow(["states:StartExecution"], tournament)]
    assert denied(statements, "stepfunctions", "StartExecution", {"stateMachineArn": tournament}) is None
    assert denied(statements, "stepfunctions", "StartExecution", {"stateMachineArn": reconnect}) is not None


def test_the_templates_policies_hold_for_its_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RECORD_CALLS, raising=False)  # what is tried here is nobody's need
    with LocalBackend() as backend:
        name = backend.template.functions["GatewayFunction"].name
        table = backend.template.tables["DuelsTable"]["TableName"]
        dynamodb = boto3.client("dynamodb")

        def handler(event: Any, context: Any) -> None:
            dynamodb.delete_item(TableName=table, Key={"duel_id": {"S": "1"}})

        backend.aws.functions[name] = handler
        with pytest.raises(Exception, match="AccessDenied"):
            backend.invoke("GatewayFunction", {})
        assert backend.denials == [
            f"{name}: no policy allows dynamodb:DeleteItem on arn:aws:dynamodb:us-east-1:123456789012:table/{table}"
        ]
        # A test itself may do everything.
        dynamodb.delete_item(TableName=table, Key={"duel_id": {"S": "1"}})
