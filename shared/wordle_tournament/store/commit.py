"""Writing aggregates: one conditional write, or one transaction under all the conditions."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeAlias, TypeVar, assert_never

from pynamodb.constants import MAP
from pynamodb.expressions.condition import Condition
from pynamodb.transactions import TransactWrite

from .. import clock
from .connection import SharedConnection
from .errors import note_write, translated
from .load import Table, Versioned

T = TypeVar("T")
V = TypeVar("V", bound=Versioned[Any])


@dataclass(frozen=True, slots=True, eq=False)
class Create(Generic[T, V]):
    """Write a new aggregate unless there is one with its key. An expired one does not count.

    `extra_attributes` are attributes outside its state.
    """

    table: Table[T, V]
    value: T
    extra_attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Change(Generic[T, V]):
    """Write `value` in place of `before`, unless somebody has changed it since.

    `extra_attributes` are attributes outside its state that the same write sets, and `removed_attributes` those that it
    removes. Without a `new_version` a change that was decided on the same state may overwrite this one: for questions,
    which can be lost, and which players need not see.
    """

    table: Table[T, V]
    before: V
    value: T
    extra_attributes: Mapping[str, Any] = field(default_factory=dict)
    removed_attributes: tuple[str, ...] = ()
    new_version: bool = True

    @property
    def version(self) -> int:
        """The version that it writes."""
        return self.before.version + self.new_version


@dataclass(frozen=True, slots=True, eq=False)
class Delete(Generic[T, V]):
    """Delete the aggregate; if `before` is given, only unless somebody has changed it since."""

    table: Table[T, V]
    aggregate_id: str
    before: V | None = None


Write: TypeAlias = Create[Any, Any] | Change[Any, Any] | Delete[Any, Any]


class Committed:
    """The aggregates that a commit wrote: `committed[write]` is what that write created or changed."""

    def __init__(self, written: Mapping[Write, Versioned[Any]]) -> None:
        self._written = written

    def __getitem__(self, write: Create[T, V] | Change[T, V]) -> V:
        """Return the aggregate as this write left it. Raises KeyError if the write was not part of the commit."""
        written: V = self._written[write]  # type: ignore[assignment]  # each is what its own table reads
        return written


def put(table: Table[T, V], before: V | None, value: T) -> Create[T, V] | Change[T, V]:
    """Return the write that creates the aggregate if there was none before, and else changes it."""
    return Create(table, value) if before is None else Change(table, before, value)


def commit(*writes: Write) -> Committed:
    """Commit all of the writes or none. Raises Conflict when a condition failed, and StoreError."""
    now_ms = clock.now_ms()
    with translated():
        if len(writes) == 1:
            alone = _write_alone(writes[0], now_ms)
            note_write()
            return Committed(alone)
        written: dict[Write, Versioned[Any]] = {}
        with TransactWrite(connection=SharedConnection()) as transaction:
            for write in writes:
                written |= _write_together(transaction, write, now_ms)
        note_write()
        return Committed(written)


def _write_alone(write: Write, now_ms: int) -> dict[Write, Versioned[Any]]:
    match write:
        case Create():
            record = _new_record(write, now_ms)
            record.save(condition=_absent(write.table, now_ms))
            return {write: write.table.read(record)}
        case Change():
            record = write.table.record(write.table.key_of(write.value))
            record.update(actions=_actions(write, now_ms), condition=_unchanged(write))
            return {write: write.table.read(record)}
        case Delete():
            write.table.record(write.table.stored_key(write.aggregate_id)).delete(condition=_unchanged(write))
            return {}
        case _:
            assert_never(write)


def _write_together(transaction: TransactWrite, write: Write, now_ms: int) -> dict[Write, Versioned[Any]]:
    match write:
        case Create():
            record = _new_record(write, now_ms)
            transaction.save(record, condition=_absent(write.table, now_ms))
            return {write: write.table.read(record)}
        case Change():
            record = write.table.record(write.table.key_of(write.value))
            transaction.update(record, actions=_actions(write, now_ms), condition=_unchanged(write))
            # A transaction returns no attributes, so those outside the state are as they were read.
            return {write: replace(write.before, value=write.value, version=write.version)}
        case Delete():
            record = write.table.record(write.table.stored_key(write.aggregate_id))
            transaction.delete(record, condition=_unchanged(write))
            return {}
        case _:
            assert_never(write)


def _new_record(write: Create[T, V], now_ms: int) -> Any:
    columns = {
        name: value
        for name, value in {**write.table.columns(write.value, now_ms), **write.extra_attributes}.items()
        if value is not None
    }
    return write.table.record(write.table.key_of(write.value), version=1, state=write.value, **columns)


def _actions(write: Change[T, V], now_ms: int) -> list[Any]:
    record: Any = write.table.record
    columns = {
        "version": write.version,
        # PynamoDB takes a map in an update only ready-made.
        "state": {MAP: record.state.serialize(write.value)},
        **write.table.columns(write.value, now_ms),
        **write.extra_attributes,
        **dict.fromkeys(write.removed_attributes),
    }
    return [
        getattr(record, name).remove() if value is None else getattr(record, name).set(value)
        for name, value in columns.items()
    ]


def _unchanged(write: Change[T, V] | Delete[T, V]) -> Condition | None:
    record: Any = write.table.record
    if write.before is None:
        return None
    condition: Condition = record.version == write.before.version
    return condition


def _absent(table: Table[T, V], now_ms: int) -> Condition:
    record: Any = table.record
    condition: Condition = record.version.does_not_exist() | (record.expires_at <= now_ms // 1000)
    return condition
