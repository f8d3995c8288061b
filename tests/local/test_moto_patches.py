"""moto is quicker than it comes, and answers the same: what fails leaves nothing, and what is stored is alike."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

import boto3
import pytest
from botocore.exceptions import ClientError

from infra.local import moto_account
from infra.local.aws import local_aws

TABLES = ("plain", "ranged")


@pytest.fixture
def dynamodb() -> Iterator[Any]:
    with local_aws("moto"):
        yield _with_tables()


def _with_tables() -> Any:
    client = boto3.client("dynamodb")
    for name in TABLES:
        keys = ["id", "at"] if name == "ranged" else ["id"]
        client.create_table(
            TableName=name,
            KeySchema=[
                {"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
            ],
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in [*keys, "colour"]]
            + [{"AttributeName": "n", "AttributeType": "N"}],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "colours",
                    "KeySchema": [
                        {"AttributeName": "colour", "KeyType": "HASH"},
                        {"AttributeName": "n", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
            BillingMode="PAY_PER_REQUEST",
        )
    return client


def _key(table: str, name: str, at: str = "1") -> dict[str, Any]:
    return {"id": {"S": name}, **({"at": {"S": at}} if table == "ranged" else {})}


def _put(table: str, name: str, n: int, at: str = "1", **more: Any) -> dict[str, Any]:
    item = {**_key(table, name, at), "n": {"N": str(n)}, "colour": {"S": ("red", "blue")[n % 2]}, **more}
    return {"Put": {"TableName": table, "Item": item}}


def _add(table: str, name: str, below: int, at: str = "1") -> dict[str, Any]:
    return {
        "Update": {
            "TableName": table,
            "Key": _key(table, name, at),
            "UpdateExpression": "SET n = n + :one, nest.deep = :one REMOVE colour",
            "ConditionExpression": "n < :below",
            "ExpressionAttributeValues": {":one": {"N": "1"}, ":below": {"N": str(below)}},
        }
    }


def _delete(table: str, name: str, at: str = "1") -> dict[str, Any]:
    condition = "attribute_exists(id)"
    return {"Delete": {"TableName": table, "Key": _key(table, name, at), "ConditionExpression": condition}}


NEST = {"M": {"deep": {"N": "0"}, "list": {"L": [{"S": "x"}, {"NULL": True}, {"BOOL": False}]}, "set": {"SS": ["a"]}}}


def _everything(client: Any) -> Any:
    return [client.scan(TableName=name, ConsistentRead=True)["Items"] for name in TABLES]


def _outcome(call: Callable[[], Any]) -> Any:
    """The answer or the error, without what differs from call to call."""
    try:
        answer = call()
    except ClientError as error:
        answer = error.response
    return {key: value for key, value in answer.items() if key != "ResponseMetadata"}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "last",
    [
        lambda table: _add(table, "a", below=1),
        lambda table: _add(table, "nobody", below=9),
        lambda table: _delete(table, "nobody"),
        lambda table: _put(table, "b", 2),
        lambda table: {"Put": {"TableName": table, "Item": {"n": {"N": "1"}}}},
        lambda table: {"Put": {"TableName": "no such table", "Item": {"id": {"S": "a"}}}},
    ],
    ids=["condition", "no such item", "nothing to delete", "twice", "no key", "no table"],
)
def test_a_transaction_that_fails_leaves_nothing(dynamodb: Any, table: str, last: Callable[[str], Any]) -> None:
    seed = [_put(table, name, 1, at, nest=NEST) for name, at in (("a", "1"), ("b", "1"), ("b", "2"), ("gone", "1"))]
    seed = seed if table == "ranged" else [seed[0], seed[1], seed[3]]
    dynamodb.transact_write_items(TransactItems=seed)
    before = _everything(dynamodb)
    works = [_add(table, "b", below=9), _delete(table, "gone"), _put(table, "new", 3), _put(table, "a", 3, at="2")]
    with pytest.raises(ClientError):
        dynamodb.transact_write_items(TransactItems=[*works[: 4 if table == "ranged" else 3], last(table)])
    assert _everything(dynamodb) == before
    dynamodb.transact_write_items(TransactItems=works[:3])
    after = _everything(dynamodb)
    assert after != before
    assert {item["id"]["S"] for item in after[TABLES.index(table)]} == {"a", "b", "new"}


def _many_calls(client: Any) -> list[Any]:
    """Some of everything, by chance; what each answered, and what is stored in the end."""
    rng = random.Random(1)

    def write(table: str) -> dict[str, Any]:
        name, at = f"item{rng.randrange(6)}", rng.choice("12")
        match rng.randrange(3):
            case 0:
                return _put(table, name, rng.randrange(9), at, nest=NEST)
            case 1:
                return _add(table, name, rng.randrange(9), at)
            case _:
                return _delete(table, name, at)

    def call() -> Any:
        table = rng.choice(TABLES)
        match rng.randrange(4):
            case 0:
                writes = [write(rng.choice(TABLES)) for _ in range(rng.randrange(1, 5))]
                return client.transact_write_items(TransactItems=writes)
            case 1:
                ((action, values),) = write(table).items()
                call = {"Put": client.put_item, "Update": client.update_item, "Delete": client.delete_item}[action]
                return call(**values, ReturnValues="ALL_OLD")
            case 2:
                return client.get_item(TableName=table, Key=_key(table, f"item{rng.randrange(6)}", "1"))
            case _:
                return client.query(
                    TableName=table,
                    IndexName="colours",
                    KeyConditionExpression="colour = :red AND n BETWEEN :low AND :high",
                    ExpressionAttributeValues={":red": {"S": "red"}, ":low": {"N": "1"}, ":high": {"N": "8"}},
                    Limit=2,
                )

    return [*(_outcome(call) for _ in range(120)), _everything(client)]


def test_the_same_calls_get_the_same_answers_as_from_moto_as_it_comes() -> None:
    with local_aws("moto"):
        patched = _many_calls(_with_tables())
    with mock.patch.object(moto_account, "moto_patches", contextlib.nullcontext), local_aws("moto"):
        plain = _many_calls(_with_tables())
    assert patched == plain
    kinds = {error["Error"]["Code"] for error in patched[:-1] if "Error" in error}
    assert kinds >= {"TransactionCanceledException", "ConditionalCheckFailedException"}
    assert any(answer.get("Count") for answer in patched[:-1]), "the index finds something"


def test_transactions_of_threads_are_whole(dynamodb: Any) -> None:
    dynamodb.transact_write_items(TransactItems=[_put("plain", "a", 0, nest=NEST), _put("plain", "b", 0, nest=NEST)])
    turns = itertools.count()

    def move(_: int) -> bool:
        """Both or none; every second one fails by what comes last."""
        writes = [_add("plain", "a", below=50), _add("plain", "b", below=50)]
        if next(turns) % 2:
            writes.append(_delete("plain", "nobody"))
        try:
            dynamodb.transact_write_items(TransactItems=writes)
        except ClientError:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        won = sum(pool.map(move, range(160)))
    assert won == 50
    assert {item["n"]["N"] for item in _everything(dynamodb)[0]} == {"50"}
