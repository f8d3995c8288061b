"""Reading aggregates, always consistently. What has expired but is not deleted yet does not exist."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pynamodb.models import Model

from .errors import translated

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stored(Generic[T]):
    """An aggregate as it was when it was read, and the version to write it back under."""

    value: T
    version: int


@dataclass(frozen=True, slots=True)
class Table(Generic[T]):
    """Where a kind of aggregate is kept. `columns` gives its index and expiry columns; None removes one."""

    record: type[Model]
    key: Callable[[T], str]
    columns: Callable[[T, int], Mapping[str, Any]]


def as_stored(table: Table[T], value: T) -> dict[str, Any]:
    """Return the value as it is stored, in JSON's types and under the stored names of its fields."""
    plain: dict[str, Any] = table.record.state.plain(value)  # type: ignore[attr-defined]
    return plain


def load(table: Table[T], key: str) -> Stored[T] | None:
    """The aggregate, or None. Raises StoreError."""
    record = load_record(table, key)
    return None if record is None else stored(record)


def load_many(table: Table[T], keys: Iterable[str]) -> dict[str, Stored[T]]:
    """Those of the aggregates that exist, by key, in one call. Raises StoreError."""
    return {key: stored(record) for key, record in load_records(table, keys).items()}


def load_record(table: Table[T], key: str) -> Any | None:
    with translated():
        try:
            record = table.record.get(key, consistent_read=True)
        except table.record.DoesNotExist:
            return None
    return record if alive(record) else None


def load_records(table: Table[T], keys: Iterable[str]) -> dict[str, Any]:
    wanted = set(keys)
    if not wanted:
        return {}
    with translated():
        records: list[Any] = list(table.record.batch_get(wanted, consistent_read=True))
    return {table.key(record.state): record for record in records if alive(record)}


def stored(record: Any) -> Stored[Any]:
    return Stored(record.state, int(record.version))


def alive(record: Any) -> bool:
    return record.expires_at is None or record.expires_at > time.time()
