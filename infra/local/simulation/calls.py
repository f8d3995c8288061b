"""AWS for the handlers of a history: each call is answered here, before botocore makes a request of it.

botocore's clients are made as in a deployment; only the one method by which all of their operations run is replaced.
DynamoDB is the in-memory table. A call of a handler takes some virtual milliseconds, so handlers that run at the same
time interleave at every call, and each call may fail in every way that a fault of the history asks for.
"""

from __future__ import annotations

import contextlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol
from unittest import mock

import botocore.client
from botocore.exceptions import ClientError

from infra.local.aws import ACCOUNT_ID, OK, REGION, GoneError
from infra.local.memory_dynamodb import MemoryDynamoDB
from infra.local.memory_dynamodb.tables import Item, Key, Table

Json = dict[str, Any]
SERVICES = {"dynamodb": "dynamodb", "stepfunctions": "states", "apigatewaymanagementapi": "push"}


@dataclass(slots=True)
class AwsCall:
    """A call that a handler or a machine makes."""

    service: str
    operation: str
    params: Json

    @property
    def name(self) -> str:
        """Return the name that a fault of this call has."""
        table = self.params.get("TableName", "")
        return f"{self.operation} {table.rpartition('-')[2]}".strip()


class Backend(Protocol):
    """Answers the calls that are not DynamoDB's, and disturbs all calls."""

    def disturb(self, call: AwsCall, carry_out: Callable[[], Json]) -> Json:
        """Carry the call out, or have it fail. Raise ClientError or BotoCoreError as botocore would."""

    def start_execution(self, arn: str, name: str, execution_input: Json) -> None:
        """Start a machine. Raise AwsError."""

    def heartbeat(self, token: str) -> None:
        """Restart a task's clock. Raise AwsError."""

    def succeed(self, token: str) -> None:
        """End a task. Raise AwsError."""

    def fail(self, token: str, error: str) -> None:
        """Fail a task. Raise AwsError."""

    def post(self, connection_id: str, text: str) -> None:
        """Send a frame. Raise GoneError."""

    def last_active_ms(self, connection_id: str) -> int:
        """Return when a connection last spoke. Raise GoneError."""

    def close(self, connection_id: str) -> None:
        """Close a connection. Raise GoneError."""


class AwsError(Exception):
    """An error that AWS answers with."""

    def __init__(self, code: str, message: str = "", **details: Any) -> None:
        super().__init__(code)
        self.code, self.message, self.details = code, message, details


class SimulatedAws:
    """The account of a history."""

    def __init__(self, tables: Mapping[str, Json]) -> None:
        self.memory = MemoryDynamoDB(REGION, ACCOUNT_ID)
        self.backend: Backend | None = None
        self.written: dict[tuple[str, str], None] = {}
        """The items that have changed since somebody emptied this: table and key."""
        self._recent: deque[tuple[Table, Key, Item | None]] = deque(maxlen=50)
        """The last writes: the items as they were before."""
        self._put = Table.put
        for table in tables.values():
            self.memory.request("CreateTable", json.dumps(table).encode())
        self._empty = self.memory.snapshot()

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Answer every call of botocore's clients while the context is open."""

        def note(table: Table, key: Key, item: Item | None) -> None:
            self.written[table.name, key[0]] = None
            self._recent.append((table, key, table.items.get(key)))
            self._put(table, key, item)

        def call(client: Any, operation: str, params: Json) -> Json:
            return self._call(client, operation, params)

        with (
            mock.patch.object(botocore.client.BaseClient, "_make_api_call", call),
            mock.patch.object(Table, "put", note),
        ):
            yield

    def dynamodb(self, operation: str, params: Mapping[str, Any]) -> Json:
        """Carry out an operation. Raise AwsError."""
        if operation == "BatchGetItem":
            # PynamoDB asks in an order that differs from process to process, and DynamoDB answers in none.
            for asked in params["RequestItems"].values():
                asked["Keys"].sort(key=json.dumps)
        status, text = self.memory.respond(operation, json.dumps(params).encode())
        body: Json = json.loads(text)
        if status == OK:
            return body
        code = body.pop("__type").rpartition("#")[2]
        raise AwsError(code, body.pop("message", body.pop("Message", "")), **body)

    def clear(self) -> None:
        """Forget everything but the empty tables."""
        self.memory.restore(self._empty)
        self.written.clear()
        self._recent.clear()

    def item(self, table: str, key: str) -> Json | None:
        """Return an item as it is stored, without a call."""
        return self.memory.item(table, key)

    @contextlib.contextmanager
    def lagging(self, params: Json, writes: int) -> Iterator[None]:
        """Have the table be as it was so many of its writes ago, as an index that lags shows it."""
        name = params["TableName"]
        recent = [one for one in self._recent if one[0].name == name][-writes:]
        before: dict[Key, tuple[Table, Item | None]] = {}
        for table, key, item in recent:
            before.setdefault(key, (table, item))
        now = {key: table.items.get(key) for key, (table, _) in before.items()}
        for key, (table, item) in before.items():
            self._put(table, key, item)
        try:
            yield
        finally:
            for key, (table, _) in before.items():
                self._put(table, key, now[key])

    def _call(self, client: Any, operation: str, params: Json) -> Json:
        call = AwsCall(SERVICES[client.meta.service_model.service_name], operation, params)

        def carry_out() -> Json:
            try:
                return self._carry_out(call)
            except AwsError as error:
                raise client_error(client, operation, error.code, error.message, **error.details) from None
            except GoneError:
                raise client_error(client, operation, "GoneException", status=410) from None

        assert self.backend is not None
        return self.backend.disturb(call, carry_out)

    def _carry_out(self, call: AwsCall) -> Json:
        params, backend = call.params, self.backend
        assert backend is not None
        if call.service == "dynamodb":
            return self.dynamodb(call.operation, params)
        match call.operation:
            case "PostToConnection":
                backend.post(params["ConnectionId"], params["Data"].decode())
            case "GetConnection":
                active_ms = backend.last_active_ms(params["ConnectionId"])
                return {"LastActiveAt": datetime.fromtimestamp(active_ms / 1000, UTC)}
            case "DeleteConnection":
                backend.close(params["ConnectionId"])
            case "StartExecution":
                backend.start_execution(params["stateMachineArn"], params["name"], json.loads(params["input"]))
            case "SendTaskHeartbeat":
                backend.heartbeat(params["taskToken"])
            case "SendTaskSuccess":
                backend.succeed(params["taskToken"])
            case "SendTaskFailure":
                backend.fail(params["taskToken"], params["error"])
            case other:
                raise NotImplementedError(f"the simulation has no {other}")
        return {}


def client_error(
    client: Any, operation: str, code: str, message: str = "simulated", status: int = 400, **details: Any
) -> ClientError:
    """Return the error that this client raises for an answer of AWS."""
    answer: Any = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status, "RequestId": "simulated"},
        **details,
    }
    kind: type[ClientError] = client.exceptions.from_code(code) if client is not None else ClientError
    return kind(answer, operation)
