"""Reading aggregates, always consistently. An aggregate that has expired but is not deleted yet does not exist."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from pynamodb.models import Model

from .. import clock
from .errors import retry_read, translated

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Versioned(Generic[T]):
    """An aggregate as it was when it was read, and the version to write it back under.

    `answers` are those to its questions whether players are there. They are outside its state: an answer conflicts with
    no change.
    """

    value: T
    version: int
    answers: frozenset[str] = field(default=frozenset(), kw_only=True)


V = TypeVar("V", bound=Versioned[Any])


@dataclass(frozen=True, slots=True)
class Table(Generic[T, V]):
    """The place of one kind of aggregate, whose values are T and are read as V.

    `record` is the DynamoDB table, which other kinds may share: then the stored key is `prefix` and the id. An id that
    begins with one of `other_prefixes` would be the key of another kind, so no aggregate of this kind has it.
    `columns` returns the index and expiry columns of a value at a time in ms; None removes a column.
    """

    record: type[Model]
    id_of: Callable[[T], str]
    columns: Callable[[T, int], Mapping[str, Any]]
    read: Callable[[Any], V]
    prefix: str = ""
    other_prefixes: tuple[str, ...] = ()

    def stored_key(self, aggregate_id: str) -> str:
        """Return the key under which DynamoDB has the aggregate with that id."""
        return self.prefix + aggregate_id

    def key_of(self, value: T) -> str:
        """Return the key under which DynamoDB has the aggregate."""
        return self.stored_key(self.id_of(value))

    def may_have(self, aggregate_id: str) -> bool:
        """Return True if the id can be one of this kind."""
        return not aggregate_id.startswith(self.other_prefixes)


Plain: TypeAlias = Table[T, Versioned[T]]
"""A table whose aggregates have nothing but a value and a version."""


def as_stored(table: Table[T, V], value: T) -> dict[str, Any]:
    """Return the value as it is stored, in JSON's types and under the stored names of its fields."""
    plain: dict[str, Any] = table.record.state.plain(value)  # type: ignore[attr-defined]
    return plain


def load(table: Table[T, V], aggregate_id: str) -> V | None:
    """Return the aggregate, or None if there is none. Raises StoreError."""
    if not table.may_have(aggregate_id):
        return None
    record = retry_read(lambda: _get(table, aggregate_id))
    return table.read(record) if record is not None and is_alive(record) else None


def load_many(table: Table[T, V], aggregate_ids: Iterable[str]) -> dict[str, V]:
    """Return those of the aggregates that exist, by id, with one call. Raises StoreError."""
    keys = {table.stored_key(aggregate_id) for aggregate_id in aggregate_ids if table.may_have(aggregate_id)}
    if not keys:
        return {}
    records = retry_read(lambda: _get_all(table, keys))
    return {table.id_of(record.state): table.read(record) for record in records if is_alive(record)}


def _get(table: Table[T, V], aggregate_id: str) -> Any:
    with translated():
        try:
            return table.record.get(table.stored_key(aggregate_id), consistent_read=True)
        except table.record.DoesNotExist:
            return None


def _get_all(table: Table[T, V], keys: set[str]) -> list[Any]:
    with translated():
        return list(table.record.batch_get(keys, consistent_read=True))


def read_versioned(record: Any) -> Versioned[Any]:
    """Return the aggregate of a record that has nothing but a state, a version, and answers if it asks."""
    return Versioned(record.state, int(record.version), answers=frozenset(getattr(record, "answers", None) or ()))


def is_alive(record: Any) -> bool:
    """Return True if the record has not expired. DynamoDB deletes an expired item up to days later."""
    return record.expires_at is None or record.expires_at * 1000 > clock.now_ms()
