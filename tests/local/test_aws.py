"""The emulated account: whole under threads, functions and pushes answered, faults injectable."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from infra.local.aws import Emulator, GoneError, LocalAws, local_aws
from infra.local.template import ROOT


@pytest.fixture
def aws() -> Iterator[LocalAws]:
    with local_aws() as account:
        yield account


def make_counter() -> Any:
    dynamodb = boto3.client("dynamodb")
    dynamodb.create_table(
        TableName="counters",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    dynamodb.put_item(TableName="counters", Item={"id": {"S": "one"}, "n": {"N": "0"}})
    return dynamodb


def count_up(dynamodb: Any) -> bool:
    try:
        dynamodb.update_item(
            TableName="counters",
            Key={"id": {"S": "one"}},
            UpdateExpression="SET n = n + :one",
            ConditionExpression="n < :limit",
            ExpressionAttributeValues={":one": {"N": "1"}, ":limit": {"N": "50"}},
        )
    except dynamodb.exceptions.ConditionalCheckFailedException:
        return False
    return True


@pytest.mark.parametrize("emulator", ["memory", "moto"])
def test_a_condition_holds_under_sixteen_threads(emulator: Emulator) -> None:
    with local_aws(emulator):
        _compete(make_counter())


def _compete(dynamodb: Any) -> None:
    together = threading.Barrier(16)

    def compete(_: int) -> int:
        together.wait()
        return sum(count_up(dynamodb) for _ in range(20))

    with ThreadPoolExecutor(16) as pool:
        won = sum(pool.map(compete, range(16)))

    assert won == 50
    item = dynamodb.get_item(TableName="counters", Key={"id": {"S": "one"}})["Item"]
    assert item["n"] == {"N": "50"}


def test_moto_is_not_even_loaded_unless_it_is_asked_for() -> None:
    """It holds some 80 MB."""
    program = """
import sys
from infra.local.stack import LocalStack
with LocalStack() as stack:
    stack.start_execution("ReconnectMachine", "P1-3", {"player_id": "P1", "epoch": 3, "seconds": 60})
print(sorted({name.partition(".")[0] for name in sys.modules} & {"moto", "antlr4"}))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.usefixtures("aws")
def test_another_service_is_refused_and_never_reaches_a_network() -> None:
    with pytest.raises(NotImplementedError, match="ListTopics"):
        boto3.client("sns").list_topics()


def test_a_function_is_invoked_through_json(aws: LocalAws) -> None:
    aws.functions["double"] = lambda event, context: {
        "twice": event["n"] * 2,
        "by": context.function_name,
    }

    answer = boto3.client("lambda").invoke(FunctionName="double", Payload=json.dumps({"n": 21}))

    assert json.load(answer["Payload"]) == {"twice": 42, "by": "double"}
    assert "FunctionError" not in answer


def test_a_function_that_raises_is_a_function_error(aws: LocalAws) -> None:
    def handler(event: Any, context: Any) -> None:
        raise ValueError("no such duel")

    aws.functions["broken"] = handler

    answer = boto3.client("lambda").invoke(FunctionName="broken", Payload=b"{}")

    assert answer["FunctionError"] == "Unhandled"
    error = json.load(answer["Payload"])
    assert (error["errorType"], error["errorMessage"]) == ("ValueError", "no such duel")


def test_an_unknown_function_is_not_found(aws: LocalAws) -> None:
    client = boto3.client("lambda")
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.invoke(FunctionName="nobody")


class OneConnection:
    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.deleted = False

    def _find(self, connection_id: str) -> None:
        if connection_id != "a=b/c" or self.deleted:
            raise GoneError(connection_id)

    def post(self, connection_id: str, data: bytes) -> None:
        self._find(connection_id)
        self.sent.append(data)

    def delete(self, connection_id: str) -> None:
        self._find(connection_id)
        self.deleted = True


def push_client() -> Any:
    return boto3.client(
        "apigatewaymanagementapi",
        endpoint_url="https://api.execute-api.us-east-1.amazonaws.com/dev",
    )


def test_pushes_reach_the_connection_and_only_it(aws: LocalAws) -> None:
    aws.connections = connection = OneConnection()
    client = push_client()

    client.post_to_connection(ConnectionId="a=b/c", Data=b'{"type": "pong"}')
    assert connection.sent == [b'{"type": "pong"}']
    client.delete_connection(ConnectionId="a=b/c")

    gone = client.exceptions.GoneException
    with pytest.raises(gone):
        client.post_to_connection(ConnectionId="a=b/c", Data=b"x")
    with pytest.raises(gone):
        client.delete_connection(ConnectionId="other")


def test_a_push_may_be_128_kilobytes_and_no_more(aws: LocalAws) -> None:
    aws.connections = OneConnection()
    client = push_client()
    client.post_to_connection(ConnectionId="a=b/c", Data=b"x" * 131_072)
    with pytest.raises(client.exceptions.PayloadTooLargeException):
        client.post_to_connection(ConnectionId="a=b/c", Data=b"x" * 131_073)


def throttled(operation: str) -> ClientError:
    return ClientError({"Error": {"Code": "ThrottlingException", "Message": "slow down"}}, operation)


def test_a_fault_before_a_call_keeps_it_from_being_made(aws: LocalAws) -> None:
    dynamodb = make_counter()

    def fail(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if (service, operation) == ("dynamodb", "UpdateItem"):
            raise throttled(operation)

    with aws.on_call(fail), pytest.raises(ClientError, match="slow down"):
        count_up(dynamodb)

    item = dynamodb.get_item(TableName="counters", Key={"id": {"S": "one"}})["Item"]
    assert item["n"] == {"N": "0"}
    assert count_up(dynamodb)


def test_a_fault_after_a_call_only_loses_the_answer(aws: LocalAws) -> None:
    dynamodb = make_counter()

    def fail(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if operation == "UpdateItem":
            raise throttled(operation)

    with aws.on_call(fail, after=True), pytest.raises(ClientError, match="slow down"):
        count_up(dynamodb)

    item = dynamodb.get_item(TableName="counters", Key={"id": {"S": "one"}})["Item"]
    assert item["n"] == {"N": "1"}


def test_calls_are_recorded_with_their_caller(aws: LocalAws) -> None:
    dynamodb = make_counter()
    aws.functions["counting"] = lambda event, context: count_up(dynamodb)

    with aws.recorded() as calls:
        aws.invoke("counting", {})
        dynamodb.get_item(TableName="counters", Key={"id": {"S": "one"}})

    assert [(call.service, call.operation, call.caller) for call in calls] == [
        ("dynamodb", "UpdateItem", "counting"),
        ("dynamodb", "GetItem", ""),
    ]
    assert calls[0].params["TableName"] == "counters"


def test_accounts_come_one_after_another() -> None:
    for _ in range(2):
        with local_aws() as account:
            assert boto3.client("dynamodb").list_tables()["TableNames"] == []
            make_counter()
            with pytest.raises(RuntimeError):
                LocalAws().start()
            assert account.functions == {}
