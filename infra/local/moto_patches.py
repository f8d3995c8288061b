"""Patches that make moto faster and leave its answers as they are, and two that correct its state machines.

moto (5.2) is right about much that this game never does, and pays for it on every call. The functions replaced here
took most of its time in tests and in `make play`. Their replacements give the same answers:
tests/local/test_moto_patches.py runs the same calls with and without them.
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from unittest import mock

import moto.core.responses
import moto.dynamodb.models
from moto.core.serialize import ResponseSerializer
from moto.core.utils import method_names_from_class
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table
from moto.dynamodb.parsing import expressions
from moto.stepfunctions.parser.asl.component.common.catch.catch_outcome import CatchOutcome
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_callback import (
    StateTaskServiceCallback,
)
from moto.stepfunctions.parser.asl.component.state.state import CommonStateField


@contextlib.contextmanager
def moto_patches() -> Iterator[None]:
    """Make moto faster while the context is open."""
    with (
        _transactions(),
        _attribute_values(),
        _order_of_items(),
        _sizes(),
        _looked_up_once(),
        _early_callbacks(),
        _own_catches(),
    ):
        yield


@contextlib.contextmanager
def _early_callbacks() -> Iterator[None]:
    """Take the success or failure of a task with a heartbeat that is sent while the task's own call still runs.

    moto begins to wait after the call, for the next one only. Step Functions takes it: the token is valid from the
    moment when the state is entered.
    """
    wait = StateTaskServiceCallback._wait_for_task_token_heartbeat

    def take_or_wait(self: Any, env: Any, callback_endpoint: Any, heartbeat_endpoint: Any) -> Any:
        return callback_endpoint.get_outcome() or wait(self, env, callback_endpoint, heartbeat_endpoint)

    with mock.patch.object(StateTaskServiceCallback, "_wait_for_task_token_heartbeat", take_or_wait):
        yield


@contextlib.contextmanager
def _own_catches() -> Iterator[None]:
    """Enter a state again that a Catch of its own leads to. moto goes on as if nothing had been caught."""
    go_on = CommonStateField._set_next

    def set_next(self: CommonStateField, env: Any) -> None:
        if not env.stack or env.stack[-1] != CatchOutcome.Caught:
            go_on(self, env)

    with mock.patch.object(CommonStateField, "_set_next", set_next):
        yield


@contextlib.contextmanager
def _transactions() -> Iterator[None]:
    """Copy the items of a transaction alone. moto copies its whole table once for every item, in case it fails.

    The items are put back here after a failure. The caller holds the lock of all requests (aws.py).
    """
    whole = DynamoDBBackend.transact_write_items

    def transact_write_items(self: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
        put_back = [_remember(self, operation) for item in transact_items for operation in item.values()]
        try:
            whole(self, transact_items)
        except BaseException:
            for restore in put_back:
                restore()
            raise

    def deepcopy(value: Any, memo: Any = None) -> Any:
        return value if isinstance(value, Table) else copy.deepcopy(value, memo)

    with (
        mock.patch.object(DynamoDBBackend, "transact_write_items", transact_write_items),
        mock.patch.object(moto.dynamodb.models, "copy", SimpleNamespace(deepcopy=deepcopy)),
    ):
        yield


def _remember(backend: DynamoDBBackend, operation: dict[str, Any]) -> Callable[[], None]:
    """Return a function that restores the item of one operation of a transaction to its state now."""
    table = backend.tables.get(operation.get("TableName", ""))
    attributes = operation.get("Key") or operation.get("Item") or {}
    if table is None or table.hash_key_attr not in attributes:
        return lambda: None  # moto reports the fault
    # A table with a range key keeps a dictionary here, which is saved whole.
    key = DynamoType(attributes[table.hash_key_attr])
    before = copy.deepcopy(table.items[key]) if key in table.items else None
    items: dict[Any, Any] = table.items

    def restore() -> None:
        if before is None:
            items.pop(key, None)
        else:
            items[key] = before

    return restore


@contextlib.contextmanager
def _attribute_values() -> Iterator[None]:
    """Return attribute values as they are. moto converts every value of every item to JSON, which it already is.

    Only binary values are not JSON, and no table here has any.
    """
    whole = ResponseSerializer._serialize_type_structure

    def serialize(self: ResponseSerializer, serialized: Any, value: Any, shape: Any, key: str) -> None:
        if shape.name == "AttributeValue" and isinstance(value, dict):
            self._default_serialize(serialized, value, shape, key)
        else:
            whole(self, serialized, value, shape, key)

    with mock.patch.object(ResponseSerializer, "_serialize_type_structure", serialize):
        yield


@contextlib.contextmanager
def _order_of_items() -> Iterator[None]:
    """Sort items by plain values, in the same order. moto sorts the whole table by its own values for every query."""
    whole = Table.all_items

    def all_items(self: Table) -> list[Any]:
        if self.has_range_key:
            return whole(self)
        return [item for _, item in sorted(self.items.items(), key=lambda pair: pair[0].cast_value)]

    with mock.patch.object(Table, "all_items", all_items):
        yield


@contextlib.contextmanager
def _sizes() -> Iterator[None]:
    """Measure items without copies. moto measures each item it writes or returns, and copies every map in it."""
    whole = DynamoType.size

    def size(self: DynamoType) -> int:
        if self.type != "M":
            return whole(self)
        return sum(len(key.encode()) + value.size() for key, value in self.value.items())

    with mock.patch.object(DynamoType, "size", size):
        yield


@contextlib.contextmanager
def _looked_up_once() -> Iterator[None]:
    """Cache two results. For each call moto lists a class's methods and parses one of few expressions."""
    parser: Any = expressions.__dict__["UpdateExpressionParser"]
    with (
        mock.patch.object(moto.core.responses, "method_names_from_class", functools.cache(method_names_from_class)),
        # moto's Validator copies the result before it changes it.
        mock.patch.object(parser, "make", functools.lru_cache(1000)(parser.make)),
    ):
        yield
