"""Writing aggregates: one conditional write, or one transaction under all the conditions."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

from pynamodb.connection import Connection as DynamoDBConnection
from pynamodb.constants import MAP
from pynamodb.expressions.condition import Condition
from pynamodb.transactions import TransactWrite

from .duels import DUELS, LiveDuel, live
from .errors import translated
from .load import Stored, Table, stored


@dataclass(frozen=True, slots=True)
class Create:
    """Write a new aggregate, if there is none with its key; one that has expired is none.

    `extra_attributes` are attributes outside its state.
    """

    table: Table[Any]
    value: Any
    extra_attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """Write `value` in place of `before`, if nobody has since."""

    table: Table[Any]
    before: Stored[Any]
    value: Any


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete the aggregate; if `before` is given, only if nobody has changed it since."""

    table: Table[Any]
    key: str
    before: Stored[Any] | None = None


Write: TypeAlias = Create | Change | Delete


def commit(*writes: Write) -> list[Stored[Any]]:
    """Commit all of the writes or none; what was created or changed comes back in order, as it is now.

    Raises Conflict when a condition failed, and StoreError.
    """
    now_ms = time.time_ns() // 1_000_000
    with translated():
        if len(writes) == 1:
            return _alone(writes[0], now_ms)
        with TransactWrite(connection=_connection()) as transaction:
            return [result for write in writes for result in _together(transaction, write, now_ms)]


def _alone(write: Write, now_ms: int) -> list[Stored[Any]]:
    match write:
        case Create():
            record = _new_record(write, now_ms)
            record.save(condition=_absent(write.table, now_ms))
        case Change():
            record = write.table.record(write.table.key(write.value))
            record.update(actions=_actions(write, now_ms), condition=_unchanged(write))
        case Delete():
            write.table.record(write.key).delete(condition=_unchanged(write))
            return []
    return [live(record) if write.table is DUELS else stored(record)]


def _together(transaction: TransactWrite, write: Write, now_ms: int) -> list[Stored[Any]]:
    match write:
        case Create():
            record = _new_record(write, now_ms)
            transaction.save(record, condition=_absent(write.table, now_ms))
            return [live(record) if write.table is DUELS else stored(record)]
        case Change():
            record = write.table.record(write.table.key(write.value))
            transaction.update(record, actions=_actions(write, now_ms), condition=_unchanged(write))
            version = write.before.version + 1
            if isinstance(write.before, LiveDuel):
                before = write.before
                return [LiveDuel(write.value, version, before.task_token, before.connections, before.watchers)]
            return [Stored(write.value, version)]
        case Delete():
            transaction.delete(write.table.record(write.key), condition=_unchanged(write))
            return []


def _new_record(write: Create, now_ms: int) -> Any:
    columns = {
        name: value
        for name, value in {**write.table.columns(write.value, now_ms), **write.extra_attributes}.items()
        if value is not None
    }
    return write.table.record(write.table.key(write.value), version=1, state=write.value, **columns)


def _actions(write: Change, now_ms: int) -> list[Any]:
    record: Any = write.table.record
    columns = {
        "version": write.before.version + 1,
        # PynamoDB takes a map in an update only ready-made.
        "state": {MAP: record.state.serialize(write.value)},
        **write.table.columns(write.value, now_ms),
    }
    return [
        getattr(record, name).remove() if value is None else getattr(record, name).set(value)
        for name, value in columns.items()
    ]


def _unchanged(write: Change | Delete) -> Condition | None:
    record: Any = write.table.record
    if write.before is None:
        return None
    condition: Condition = record.version == write.before.version
    return condition


def _absent(table: Table[Any], now_ms: int) -> Condition:
    record: Any = table.record
    condition: Condition = record.version.does_not_exist() | (record.expires_at <= now_ms // 1000)
    return condition


@cache
def _connection() -> DynamoDBConnection:
    return DynamoDBConnection(connect_timeout_seconds=1, read_timeout_seconds=3, max_retry_attempts=3)
