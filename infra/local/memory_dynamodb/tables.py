"""Tables: items by key, their indexes in order, and what an item has to be to go in."""

from __future__ import annotations

import json
import math
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from infra.local.memory_dynamodb.values import (
    KEY_TYPES,
    Attributes,
    DynamoDBError,
    Value,
    bad_value,
    canonical,
    invalid,
    kind_of,
    size,
    size_of_item,
    sort_value,
)

Key: TypeAlias = tuple[Any, ...]
"""The sort values of an item's partition key and, if the table has one, sort key."""
Json: TypeAlias = dict[str, Any]

MAX_ITEM_BYTES = 400 * 1024
MAX_KEY_BYTES = {"HASH": 2048, "RANGE": 1024}
READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024


class Item:
    """One stored item. It never changes, so its text and its size are made at most once."""

    __slots__ = ("_json", "_size", "attributes")

    def __init__(self, attributes: Attributes) -> None:
        self.attributes = attributes
        self._json = ""
        self._size = 0

    @property
    def json(self) -> str:
        if not self._json:
            self._json = json.dumps(self.attributes, separators=(",", ":"))
        return self._json

    @property
    def size(self) -> int:
        if not self._size:
            self._size = size_of_item(self.attributes)
        return self._size


@dataclass
class Index:
    """The table itself or a global secondary index: entries by partition, in order of the sort key."""

    name: str | None
    keys: tuple[str, ...]
    """The names of the partition key and, if there is one, the sort key."""
    projected: frozenset[str] | None = None
    """The attributes that it holds; None for all."""
    partitions: dict[Any, list[Key]] = field(default_factory=lambda: defaultdict(list))
    """By the partition key's value: (sort key's value, if there is one, and the item's key), in order."""

    def entry(self, attributes: Attributes, key: Key) -> tuple[Any, Key] | None:
        """Return where the item is in this index, None if it lacks a key of it and so is not in it."""
        values = [attributes.get(name) for name in self.keys]
        if None in values:
            return None
        partition, *sort = [sort_value(value) for value in values if value is not None]
        return partition, (*sort, key)

    def move(self, key: Key, before: Attributes | None, after: Attributes | None) -> None:
        """Take the item out of its old place and into its new one."""
        old = None if before is None else self.entry(before, key)
        new = None if after is None else self.entry(after, key)
        if old == new:
            return
        if old is not None:
            entries = self.partitions[old[0]]
            del entries[bisect_left(entries, old[1])]
            if not entries:
                del self.partitions[old[0]]
        if new is not None:
            insort(self.partitions[new[0]], new[1])

    def shown(self, attributes: Attributes) -> Attributes:
        """Return the attributes of the item that this index holds."""
        if self.projected is None:
            return attributes
        return {name: value for name, value in attributes.items() if name in self.projected}


class Table:
    """One table. Its items change through `put` only."""

    def __init__(self, description: Json) -> None:
        self.description = description
        self.name: str = description["TableName"]
        self.types = {one["AttributeName"]: one["AttributeType"] for one in description["AttributeDefinitions"]}
        self.keys = _key_names(description["KeySchema"])
        self.indexes: dict[str, Index] = {}
        for index in description.get("GlobalSecondaryIndexes", ()):
            keys = _key_names(index["KeySchema"])
            kind, others = index["Projection"]["ProjectionType"], index["Projection"].get("NonKeyAttributes", ())
            projected = None if kind == "ALL" else frozenset((*self.keys, *keys, *others))
            self.indexes[index["IndexName"]] = Index(index["IndexName"], keys, projected)
        # Without a sort key a partition is one item, found by its key.
        self.primary = Index(None, self.keys)
        self._ordered = [*([self.primary] if len(self.keys) == 2 else []), *self.indexes.values()]
        self.items: dict[Key, Item] = {}

    def key_of(self, attributes: Mapping[str, Any]) -> Key:
        """Return the key of a whole item. Raises DynamoDBError."""
        return tuple(
            self._key_value(name, role, attributes) for name, role in zip(self.keys, MAX_KEY_BYTES, strict=False)
        )

    def key(self, attributes: Any) -> Key:
        """Return a key that was given by itself. Raises DynamoDBError if it is not just the key's attributes."""
        if not isinstance(attributes, dict) or len(attributes) != len(self.keys):
            raise _no_match()
        values = []
        for name, role in zip(self.keys, MAX_KEY_BYTES, strict=False):
            if name not in attributes or kind_of(canonical(attributes[name])) != self.types[name]:
                raise _no_match()
            values.append(self._key_value(name, role, attributes))
        return tuple(values)

    def key_attributes(self, attributes: Attributes) -> Attributes:
        return {name: attributes[name] for name in self.keys}

    def check(self, item: Item, too_large: str) -> None:
        """Raise DynamoDBError if the item may not be stored: its size, or the type of an index key."""
        for index in self.indexes.values():
            for name, role in zip(index.keys, MAX_KEY_BYTES, strict=False):
                value = item.attributes.get(name)
                if value is None or name in self.keys:
                    continue
                if kind_of(value) != self.types[name]:
                    raise bad_value(
                        f"Type mismatch for Index Key {name} Expected: {self.types[name]} "
                        f"Actual: {kind_of(value)} IndexName: {index.name}"
                    )
                _check_key_size(name, role, value)
        if item.size > MAX_ITEM_BYTES:
            raise invalid(too_large)

    def put(self, key: Key, item: Item | None) -> None:
        """Store the item under its key, or delete what is there."""
        before = self.items.get(key)
        if item is None:
            self.items.pop(key, None)
        else:
            self.items[key] = item
        old = None if before is None else before.attributes
        new = None if item is None else item.attributes
        for index in self._ordered:
            index.move(key, old, new)

    def restore(self, items: Mapping[Key, Item]) -> None:
        """Hold these items and no others."""
        self.items = dict(items)
        for index in self._ordered:
            index.partitions.clear()
            for key, item in self.items.items():
                if entry := index.entry(item.attributes, key):
                    index.partitions[entry[0]].append(entry[1])
            for entries in index.partitions.values():
                entries.sort()

    def partition(self, index: Index, value: Any) -> Sequence[Key]:
        """Return a partition's entries in order: (sort key's value, if any, and the item's key)."""
        if index is self.primary and len(self.keys) == 1:
            return [((value,),)] if (value,) in self.items else []
        return index.partitions.get(value, ())

    def index(self, name: str | None) -> Index:
        """Return the index of that name, or the table for None. Raises DynamoDBError."""
        if name is None:
            return self.primary
        if name not in self.indexes:
            raise invalid(f"The table does not have the specified index: {name}")
        return self.indexes[name]

    def units(self, before: Item | None, after: Item | None) -> dict[str | None, float]:
        """Return the write units that the change costs: of the table (None), and of each index that it changes."""
        sizes = [item.size for item in (before, after) if item is not None]
        units: dict[str | None, float] = {None: _units(max(sizes, default=0), WRITE_UNIT_BYTES)}
        for name, index in self.indexes.items():
            entries = [self._in_index(index, item) for item in (before, after)]
            old, new = entries
            if old == new:
                continue
            moved = None not in entries and any(old[key] != new[key] for key in index.keys if old and new)
            costs = [_units(size_of_item(entry), WRITE_UNIT_BYTES) for entry in entries if entry is not None]
            units[name] = sum(costs) if moved else max(costs)
        return units

    def _in_index(self, index: Index, item: Item | None) -> Attributes | None:
        if item is None or any(name not in item.attributes for name in index.keys):
            return None
        return index.shown(item.attributes)

    def _key_value(self, name: str, role: str, attributes: Mapping[str, Any]) -> Any:
        if name not in attributes:
            raise bad_value(f"Missing the key {name} in the item")
        value = canonical(attributes[name])
        if kind_of(value) != self.types[name]:
            raise bad_value(f"Type mismatch for key {name} expected: {self.types[name]} actual: {kind_of(value)}")
        _check_key_size(name, role, value)
        return sort_value(value)


def read_units(sizes: Iterator[int] | Sequence[int], consistent: bool) -> float:
    """Return the read units of items of these sizes that are read one by one."""
    return sum(_units(one, READ_UNIT_BYTES) for one in sizes) * (1 if consistent else 0.5)


def _units(bytes_: int, unit: int) -> int:
    return max(1, math.ceil(bytes_ / unit))


def _check_key_size(name: str, role: str, value: Value) -> None:
    length = size(value)
    if kind_of(value) != "N" and length == 0:
        raise invalid(
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            f"empty string value. Key: {name}"
        )
    if length > MAX_KEY_BYTES[role]:
        raise bad_value(f"Size of {'hashkey' if role == 'HASH' else 'rangekey'} has exceeded the maximum size limit")


def _no_match() -> DynamoDBError:
    return invalid("The provided key element does not match the schema")


def _key_names(schema: list[Json]) -> tuple[str, ...]:
    names = {one["KeyType"]: one["AttributeName"] for one in schema}
    return tuple(names[role] for role in MAX_KEY_BYTES if role in names)


def check_description(description: Json) -> None:
    """Raise DynamoDBError for a CreateTable that makes no table, or one with what is not supported here."""
    known = {"TableName", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode"}
    ignored = {"ProvisionedThroughput", "Tags", "TableClass", "DeletionProtectionEnabled", "SSESpecification"}
    if unknown := description.keys() - known - ignored:
        raise invalid(f"CreateTable with {', '.join(sorted(unknown))} is not supported by the in-memory table")
    types = {one["AttributeName"]: one["AttributeType"] for one in description.get("AttributeDefinitions", ())}
    if not set(types.values()) <= KEY_TYPES:
        raise invalid("Member must satisfy enum value set: [B, N, S]")
    schemas = [description["KeySchema"], *(one["KeySchema"] for one in description.get("GlobalSecondaryIndexes", ()))]
    for schema in schemas:
        if [one["KeyType"] for one in schema] not in (["HASH"], ["HASH", "RANGE"]):
            raise invalid("A key schema is a HASH key, and then at most a RANGE key")
    keys = {one["AttributeName"] for schema in schemas for one in schema}
    if keys != types.keys():
        raise bad_value(
            "Number of attributes in KeySchema does not exactly match number of attributes defined in "
            f"AttributeDefinitions: keys {sorted(keys)}, defined {sorted(types)}"
        )
