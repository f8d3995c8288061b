"""A restored table comes back into the stack's: what is missing, or what is asked for, and nothing that has expired."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from infra.local.aws import REGION
from tools import restore

STACK = "wordle-tournament-prod"
STACKS = "wordle-tournament-prod-PlayersTable-1A2B3C"
RESTORED = "players-restored"
SOON = int(time.time()) + 3600
TABLE: dict[str, Any] = {
    "AttributeDefinitions": [{"AttributeName": "player_id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "player_id", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
def dynamodb(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A deployed stack with its players' table, and a table restored beside it."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setattr(restore, "cloudformation_client", lambda region: Deployed())
    with mock_aws():
        client = boto3.client("dynamodb")
        client.create_table(TableName=STACKS, **TABLE)
        client.create_table(TableName=RESTORED, **TABLE)
        yield client


class Deployed:
    """CloudFormation, as far as it is asked: a stack with its players' table and something else."""

    def describe_stack_resource(self, **asked: str) -> dict[str, Any]:
        types = {"PlayersTable": "AWS::DynamoDB::Table", "Alarms": "AWS::SNS::Topic"}
        name = asked["LogicalResourceId"]
        if asked["StackName"] != STACK or name not in types:
            message = f"Resource {name} does not exist for stack {asked['StackName']}"
            raise ClientError({"Error": {"Code": "ValidationError", "Message": message}}, "DescribeStackResource")
        detail = {"ResourceType": types[name], "PhysicalResourceId": STACKS}
        return {"StackResourceDetail": detail}


def item(player_id: str, rating: int, expires_at: int = SOON) -> dict[str, Any]:
    return {"player_id": {"S": player_id}, "rating": {"N": str(rating)}, "expires_at": {"N": str(expires_at)}}


def put(dynamodb: Any, table: str, *items: dict[str, Any]) -> None:
    for one in items:
        dynamodb.put_item(TableName=table, Item=one)


def players(dynamodb: Any) -> dict[str, int]:
    """Each player's rating in the stack's table."""
    pages = dynamodb.get_paginator("scan").paginate(TableName=STACKS)
    return {one["player_id"]["S"]: int(one["rating"]["N"]) for page in pages for one in page["Items"]}


def run(*arguments: str) -> int:
    return restore.main(["--stack", STACK, "--from", RESTORED, "--yes", *arguments])


def test_what_is_missing_is_copied_and_newer_items_stay(dynamodb: Any, capsys: pytest.CaptureFixture[str]) -> None:
    put(dynamodb, RESTORED, *(item(f"p{number}", 1000) for number in range(60)), item("gone", 1000, expires_at=1))
    put(dynamodb, STACKS, item("p7", 1300), item("new", 1100))
    assert run() == 0
    assert capsys.readouterr().out == "59 written, 1 were there already, 1 had expired\n"
    assert players(dynamodb) == {**{f"p{number}": 1000 for number in range(60)}, "p7": 1300, "new": 1100}


def test_given_again_it_writes_nothing(dynamodb: Any, capsys: pytest.CaptureFixture[str]) -> None:
    put(dynamodb, RESTORED, item("a", 1000), item("b", 1200))
    assert (run(), run()) == (0, 0)
    assert capsys.readouterr().out.splitlines()[-1] == "0 written, 2 were there already, 0 had expired"


def test_all_pages_are_copied(dynamodb: Any) -> None:
    # A page holds 1 MB.
    large = {"note": {"S": "x" * 300_000}}
    put(dynamodb, RESTORED, *({**item(f"p{number}", number), **large} for number in range(8)))
    assert run() == 0
    assert players(dynamodb) == {f"p{number}": number for number in range(8)}


def test_one_item_is_put_back_over_a_newer_one(dynamodb: Any) -> None:
    put(dynamodb, RESTORED, item("a", 1000), item("b", 1200))
    put(dynamodb, STACKS, item("a", 900))
    assert run("--key", "a", "--overwrite") == 0
    assert players(dynamodb) == {"a": 1000}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--key", "nobody"], "players-restored has no nobody."),
        (["--table", "Alarms"], "Alarms of wordle-tournament-prod is no table but an AWS::SNS::Topic."),
        (["--table", "NoTable"], "NoTable"),
        (["--stack", "another"], "another"),
        (["--from", "nowhere"], "not found"),
        (["--from", "other-keys"], "other-keys has other keys than"),
    ],
)
def test_what_is_wrong_is_said(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    keys = {"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]}
    dynamodb.create_table(
        TableName="other-keys", **{**TABLE, **keys, "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}
    )
    assert run(*arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Not done")
    assert says in err
    assert players(dynamodb) == {}


def test_the_stacks_own_table_is_not_copied_onto_itself(dynamodb: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--from", STACKS) == 1
    assert "own table" in capsys.readouterr().err


def test_nothing_is_written_unless_somebody_says_yes(dynamodb: Any, capsys: pytest.CaptureFixture[str]) -> None:
    put(dynamodb, RESTORED, item("a", 1000))
    assert restore.main(["--stack", STACK, "--from", RESTORED]) == 1
    assert "say --yes" in capsys.readouterr().err
    assert players(dynamodb) == {}
