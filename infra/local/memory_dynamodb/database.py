"""The operations: a request's JSON in, the answer's JSON out, each request whole."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import threading
import time
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from infra.local.memory_dynamodb.expressions import Between as BetweenNode
from infra.local.memory_dynamodb.expressions import (
    Both,
    Compare,
    CompiledCondition,
    CompiledProjection,
    CompiledUpdate,
    Condition,
    Function,
    Names,
    Operand,
    Path,
    PathOperand,
    Used,
    ValueOperand,
    Values,
    apply_update,
    check_update,
    compile_condition,
    compile_projection,
    compile_update,
    project,
)
from infra.local.memory_dynamodb.tables import (
    Index,
    Item,
    Json,
    Key,
    Table,
    check_description,
    read_units,
)
from infra.local.memory_dynamodb.values import (
    Attributes,
    DynamoDBError,
    bad_value,
    canonical,
    canonical_attributes,
    invalid,
    kind_of,
    size_of_item,
    sort_value,
)

ERROR_PREFIX = "com.amazonaws.dynamodb.v20120810#"
MAX_BATCH_KEYS = 100
MAX_BATCH_BYTES = 16 * 1024 * 1024
MAX_TRANSACTION_ITEMS = 100
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
MAX_PAGE_BYTES = 1024 * 1024
TOKEN_SECONDS = 600
"""How long a transaction's ClientRequestToken is remembered."""

_RETURNS = {
    "Put": {"NONE", "ALL_OLD"},
    "Delete": {"NONE", "ALL_OLD"},
    "Update": {"NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"},
}
_WRITE = frozenset(
    {
        "TableName",
        "ConditionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "ReturnValuesOnConditionCheckFailure",
    }
)
_ALONE = frozenset({"ReturnValues", "ReturnConsumedCapacity", "ReturnItemCollectionMetrics"})
_READ = frozenset({"TableName", "ProjectionExpression", "ExpressionAttributeNames", "ConsistentRead"})
_PAGED = _READ | {
    "ExclusiveStartKey",
    "ExpressionAttributeValues",
    "FilterExpression",
    "IndexName",
    "Limit",
    "ReturnConsumedCapacity",
    "Select",
}
_TAKES = {
    "Put": _WRITE | {"Item"},
    "Delete": _WRITE | {"Key"},
    "Update": _WRITE | {"Key", "UpdateExpression"},
    "ConditionCheck": _WRITE | {"Key"},
    "GetItem": _READ | {"Key", "ReturnConsumedCapacity"},
    "BatchGetItem": frozenset({"RequestItems", "ReturnConsumedCapacity"}),
    "BatchGetItem of a table": (_READ - {"TableName"}) | {"Keys"},
    "TransactWriteItems": frozenset(
        {"TransactItems", "ClientRequestToken", "ReturnConsumedCapacity", "ReturnItemCollectionMetrics"}
    ),
    "Query": _PAGED | {"KeyConditionExpression", "ScanIndexForward"},
    "Scan": _PAGED,
    "DescribeTable": frozenset({"TableName"}),
    "DeleteTable": frozenset({"TableName"}),
    "ListTables": frozenset({"ExclusiveStartTableName", "Limit"}),
}
"""The parameters that are understood; another one is refused, never ignored."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All items of all tables at one moment. Items never change, so it costs a pointer for each."""

    tables: Mapping[str, Mapping[Key, Item]]


class MemoryDynamoDB:
    """DynamoDB's tables in memory. All methods may be called from any thread; each request is atomic.

    Clients of a region know it by `request` alone. Nothing expires by itself: DynamoDB, too, deletes an
    item late, and a reader has to look at its time. `now` is the clock, in seconds, of idempotency tokens.
    """

    def __init__(self, region: str, account_id: str, now: Callable[[], float] = time.monotonic) -> None:
        self._arn = f"arn:aws:dynamodb:{region}:{account_id}:table/"
        self._now = now
        self._lock = threading.Lock()
        self._tables: dict[str, Table] = {}
        self._tokens: dict[str, tuple[float, bytes]] = {}
        """By ClientRequestToken, oldest first: when its transaction was committed, and a digest of its parameters."""
        self._request_numbers = itertools.count(1)
        self._operations: Mapping[str, Callable[[Json], str]] = {
            "GetItem": self._get_item,
            "BatchGetItem": self._batch_get_item,
            "PutItem": lambda params: self._write_alone("Put", params),
            "UpdateItem": lambda params: self._write_alone("Update", params),
            "DeleteItem": lambda params: self._write_alone("Delete", params),
            "TransactWriteItems": self._transact_write_items,
            "Query": self._query,
            "Scan": self._scan,
            "CreateTable": self._create_table,
            "DescribeTable": self._describe_table,
            "DeleteTable": self._delete_table,
            "ListTables": self._list_tables,
        }

    # -- for this process ----------------------------------------------------------------------------

    def items(self, table_name: str) -> list[Attributes]:
        """Return every item of the table in order of its key, as the wire has it. They must not be changed."""
        with self._lock:
            items = self._tables[table_name].items
            return [items[key].attributes for key in sorted(items)]

    def item(self, table_name: str, key: str) -> Attributes | None:
        """Return the item with that partition key in a table without a sort key, as `items` does; None if not there."""
        with self._lock:
            item = self._tables[table_name].items.get((key,))
            return None if item is None else item.attributes

    def snapshot(self) -> Snapshot:
        """Remember all items."""
        with self._lock:
            return Snapshot({name: dict(table.items) for name, table in self._tables.items()})

    def save(self) -> Callable[[], None]:
        """Remember all items. Return what restores them."""
        return functools.partial(self.restore, self.snapshot())

    def restore(self, snapshot: Snapshot) -> None:
        """Make all items what they were. The tables must be those of then. No earlier transaction is remembered."""
        with self._lock:
            if snapshot.tables.keys() != self._tables.keys():
                raise ValueError("the snapshot is of other tables")
            for name, items in snapshot.tables.items():
                self._tables[name].restore(items)
            self._tokens.clear()

    def fill(self, table_name: str, items: Iterable[Attributes]) -> None:
        """Put whole items into a table, as they were kept elsewhere."""
        with self._lock:
            table = self._tables[table_name]
            for attributes in items:
                table.put(table.key_of(attributes), Item(attributes))

    def drop(self, table_name: str, items: Mapping[Key, Item]) -> None:
        """Delete these items, as DynamoDB does with expired ones; one that has changed since it was read stays."""
        with self._lock:
            table = self._tables[table_name]
            for key, item in items.items():
                if table.items.get(key) is item:
                    table.put(key, None)

    # -- for clients ---------------------------------------------------------------------------------

    def request(self, operation: str, body: bytes) -> Answer:
        """Answer a request. Refuse an unsupported one with an error that names it."""
        status, text = self.respond(operation, body)
        return self._answer(status, text)

    def respond(self, operation: str, body: bytes) -> tuple[int, str]:
        """Return the status and the JSON that `request` answers with."""
        try:
            params = json.loads(body or b"{}")
            if operation not in self._operations:
                raise DynamoDBError("UnknownOperationException", f"{operation} is not supported by the in-memory table")
            with self._lock:
                return 200, self._operations[operation](params)
        except DynamoDBError as error:
            prefix = "com.amazon.coral.service#" if error.code.startswith(("Unknown", "Serial")) else ERROR_PREFIX
            # Where there are details, DynamoDB writes the message with a capital, and botocore looks for both.
            name = "Message" if error.details else "message"
            return 400, json.dumps({"__type": f"{prefix}{error.code}", name: error.message, **error.details})

    def _answer(self, status: int, text: str) -> Answer:
        body = text.encode()
        headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "Content-Length": str(len(body)),
            "x-amzn-RequestId": f"LOCAL{next(self._request_numbers):047d}",
            "x-amz-crc32": str(zlib.crc32(body)),
        }
        return Answer(status, headers, body)

    # -- tables --------------------------------------------------------------------------------------

    def _create_table(self, params: Json) -> str:
        check_description(params)
        name = params["TableName"]
        if name in self._tables:
            raise DynamoDBError("ResourceInUseException", f"Table already exists: {name}")
        self._tables[name] = Table(params)
        return _object(TableDescription=json.dumps(self._described(self._tables[name])))

    def _describe_table(self, params: Json) -> str:
        _refuse_unknown("DescribeTable", params)
        return _object(Table=json.dumps(self._described(self._table(params))))

    def _delete_table(self, params: Json) -> str:
        _refuse_unknown("DeleteTable", params)
        table = self._table(params)
        del self._tables[table.name]
        return _object(TableDescription=json.dumps({**self._described(table), "TableStatus": "DELETING"}))

    def _list_tables(self, params: Json) -> str:
        _refuse_unknown("ListTables", params)
        after, limit = params.get("ExclusiveStartTableName", ""), params.get("Limit", 100)
        names = sorted(name for name in self._tables if name > after)
        last = json.dumps(names[limit - 1]) if len(names) > limit else None
        return _object(TableNames=json.dumps(names[:limit]), LastEvaluatedTableName=last)

    def _described(self, table: Table) -> Json:
        description = table.description
        arn = self._arn + table.name
        size = sum(item.size for item in table.items.values())
        billing = description.get("BillingMode", "PROVISIONED")
        described = {
            "TableName": table.name,
            "TableArn": arn,
            "TableId": hashlib.md5(table.name.encode(), usedforsecurity=False).hexdigest(),
            "TableStatus": "ACTIVE",
            "AttributeDefinitions": description["AttributeDefinitions"],
            "KeySchema": description["KeySchema"],
            "BillingModeSummary": {"BillingMode": billing},
            "ItemCount": len(table.items),
            "TableSizeBytes": size,
        }
        if table.indexes:
            described["GlobalSecondaryIndexes"] = [
                {**index, "IndexStatus": "ACTIVE", "IndexArn": f"{arn}/index/{index['IndexName']}"}
                for index in description["GlobalSecondaryIndexes"]
            ]
        return described

    def _table(self, params: Mapping[str, Any]) -> Table:
        name = params.get("TableName", "")
        table = self._tables.get(name.removeprefix(self._arn))
        if table is None:
            raise DynamoDBError("ResourceNotFoundException", f"Requested resource not found: Table: {name} not found")
        return table

    # -- reading -------------------------------------------------------------------------------------

    def _get_item(self, params: Json) -> str:
        _refuse_unknown("GetItem", params)
        table = self._table(params)
        projection = _projection(params)
        item = table.items.get(table.key(params.get("Key")))
        consistent = params.get("ConsistentRead", False)
        return _object(
            Item=None if item is None else _shown(item, projection),
            ConsumedCapacity=_consumed(params, table.name, {None: read_units([item.size if item else 0], consistent)}),
        )

    def _batch_get_item(self, params: Json) -> str:
        _refuse_unknown("BatchGetItem", params)
        asked = params.get("RequestItems", {})
        count = sum(len(one.get("Keys", ())) for one in asked.values())
        if not count or not all(one.get("Keys") for one in asked.values()):
            raise invalid("The list of keys in RequestItems for BatchGetItem is required")
        if count > MAX_BATCH_KEYS:
            raise invalid("Too many items requested for the BatchGetItem call")
        responses: dict[str, str] = {}
        unprocessed: dict[str, Json] = {}
        consumed: list[str] = []
        left = MAX_BATCH_BYTES
        for name, one in asked.items():
            _refuse_unknown("BatchGetItem of a table", one)
            table = self._table({"TableName": name})
            projection = _projection(one)
            keys = [table.key(key) for key in one["Keys"]]
            if len(set(keys)) < len(keys):
                raise invalid("Provided list of item keys contains duplicates")
            texts: list[str] = []
            sizes: list[int] = []
            for given, key in zip(one["Keys"], keys, strict=True):
                item = table.items.get(key)
                left -= item.size if item else 0
                if left < 0:
                    unprocessed.setdefault(name, {**one, "Keys": []})["Keys"].append(given)
                    continue
                sizes.append(item.size if item else 0)
                if item is not None:
                    texts.append(_shown(item, projection))
            responses[name] = f"[{','.join(texts)}]"
            units = read_units(sizes, one.get("ConsistentRead", False))
            if text := _consumed(params, name, {None: units}):
                consumed.append(text)
        return _object(
            Responses=_object(**responses),
            UnprocessedKeys=json.dumps(unprocessed),
            ConsumedCapacity=f"[{','.join(consumed)}]" if consumed else None,
        )

    def _query(self, params: Json) -> str:
        _refuse_unknown("Query", params)
        table = self._table(params)
        index = table.index(params.get("IndexName"))
        if "KeyConditionExpression" not in params:
            raise invalid(
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request"
            )
        names, values = _placeholders(params)
        condition = compile_condition("KeyConditionExpression", params["KeyConditionExpression"], names)
        page = _Page(params, table, index, names, values, condition.used)
        partition, range_condition = _key_conditions(condition, index, table, values)
        entries = table.partition(index, partition)
        low, high = (0, len(entries)) if range_condition is None else _bounds(entries, range_condition, values)
        if page.start is not None:
            if page.start[0] != partition:
                raise invalid("The provided starting key is outside query boundaries based on provided conditions")
            entry = page.start[1]
            if params.get("ScanIndexForward", True):
                low = max(low, bisect_right(entries, entry))
            else:
                high = min(high, bisect_left(entries, entry))
        found = entries[low:high]
        return page.answer(found if params.get("ScanIndexForward", True) else found[::-1])

    def _scan(self, params: Json) -> str:
        _refuse_unknown("Scan", params)
        table = self._table(params)
        index = table.index(params.get("IndexName"))
        names, values = _placeholders(params)
        page = _Page(params, table, index, names, values, Used(frozenset(), frozenset()))
        entries: list[Key]
        if index is table.primary:
            entries = [(key,) for key in sorted(table.items)]
            start: Key | None = None if page.start is None else (page.start[1][-1],)
        else:
            partitions = sorted(index.partitions.items())
            entries = [(partition, *entry) for partition, inner in partitions for entry in inner]
            start = None if page.start is None else (page.start[0], *page.start[1])
        return page.answer(entries if start is None else entries[bisect_right(entries, start) :])

    # -- writing -------------------------------------------------------------------------------------

    def _write_alone(self, kind: str, params: Json) -> str:
        returns = params.get("ReturnValues", "NONE")
        if returns not in _RETURNS[kind]:
            raise invalid("Return values set to invalid value")
        write = _Write(kind, self._table(params), {name: one for name, one in params.items() if name not in _ALONE})
        key = write.key()
        before = write.table.items.get(key)
        if not write.allows(before):
            raise DynamoDBError(
                "ConditionalCheckFailedException", "The conditional request failed", **write.failed_item(before)
            )
        after = write.result(before)
        write.table.put(key, after)
        attributes = _returned(returns, write, before, after)
        return _object(
            Attributes=json.dumps(attributes) if attributes else None,
            ConsumedCapacity=_consumed(params, write.table.name, write.table.units(before, after)),
        )

    def _transact_write_items(self, params: Json) -> str:
        _refuse_unknown("TransactWriteItems", params)
        writes = [self._part(part) for part in params["TransactItems"]]
        if not writes:
            raise invalid("Value '[]' at 'transactItems' failed: Member must have length greater than or equal to 1")
        if len(writes) > MAX_TRANSACTION_ITEMS:
            raise invalid("Member must have length less than or equal to 100: 'transactItems'")
        digest = _digest(params)
        if self._is_repeated(params.get("ClientRequestToken"), digest):
            return self._repeated(params, writes)
        reasons: list[Json] = []
        changes: list[tuple[Table, Key, Item | None, Item | None]] = []
        seen: set[tuple[str, Key]] = set()
        size = 0
        for write in writes:
            try:
                key = write.key()
                if (write.table.name, key) in seen:
                    raise _Refused("Transaction request cannot include multiple operations on one item")
                seen.add((write.table.name, key))
                before = write.table.items.get(key)
                if not write.allows(before):
                    reasons.append(
                        {
                            "Code": "ConditionalCheckFailed",
                            "Message": "The conditional request failed",
                            **write.failed_item(before),
                        }
                    )
                    continue
                after = write.result(before)
            except DynamoDBError as error:
                if isinstance(error, _Refused):
                    raise
                reasons.append({"Code": "ValidationError", "Message": error.message})
                continue
            reasons.append({"Code": "None"})
            changes.append((write.table, key, before, after))
            size += max(item.size if item else 0 for item in (before, after))
        if any(reason["Code"] != "None" for reason in reasons):
            codes = ", ".join(reason["Code"] for reason in reasons)
            raise DynamoDBError(
                "TransactionCanceledException",
                f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
                CancellationReasons=reasons,
            )
        if size > MAX_TRANSACTION_BYTES:
            raise invalid("The aggregate size of the items in the transaction exceeds 4 MB")
        consumed: dict[str, dict[str | None, float]] = {}
        for table, key, before, after in changes:
            table.put(key, after)
            for name, units in table.units(before, after).items():
                of_table = consumed.setdefault(table.name, {})
                of_table[name] = of_table.get(name, 0) + 2 * units
        if token := params.get("ClientRequestToken"):
            self._tokens[token] = (self._now(), digest)
        return _object(ConsumedCapacity=_all_consumed(params, consumed))

    def _part(self, part: Json) -> _Write:
        if len(part) != 1 or not part.keys() <= {"Put", "Update", "Delete", "ConditionCheck"}:
            raise invalid("TransactItems can only contain one of Check, Put, Update or Delete")
        ((kind, params),) = part.items()
        if kind == "ConditionCheck" and "ConditionExpression" not in params:
            raise invalid("ConditionExpression is required in ConditionCheck")
        if kind == "Update" and "UpdateExpression" not in params:
            raise invalid("UpdateExpression is required in Update")
        return _Write(kind, self._table(params), params)

    def _is_repeated(self, token: str | None, digest: bytes) -> bool:
        """Return True if the very transaction was committed under the token. Raises DynamoDBError if another was."""
        oldest = self._now() - TOKEN_SECONDS
        for old in list(itertools.takewhile(lambda one: self._tokens[one][0] < oldest, self._tokens)):
            del self._tokens[old]
        if token is None or token not in self._tokens:
            return False
        if self._tokens[token][1] != digest:
            raise DynamoDBError(
                "IdempotentParameterMismatchException",
                "The request uses the same client token as a previous, but non-identical request",
            )
        return True

    def _repeated(self, params: Json, writes: Iterable[_Write]) -> str:
        """A transaction that is sent again costs what reading its items does."""
        consumed: dict[str, dict[str | None, float]] = {}
        for write in writes:
            item = write.table.items.get(write.key())
            of_table = consumed.setdefault(write.table.name, {None: 0})
            of_table[None] += 2 * read_units([item.size if item else 0], consistent=True)
        return _object(ConsumedCapacity=_all_consumed(params, consumed))


class _Refused(DynamoDBError):
    """Wrong with the whole transaction, not with one of its items."""

    def __init__(self, message: str) -> None:
        super().__init__("ValidationException", message)


class _Write:
    """One write of an item, or a check of one: read, but not looked at in the light of any item yet."""

    def __init__(self, kind: str, table: Table, params: Json) -> None:
        _refuse_unknown(kind, params)
        self.table = table
        self._kind = kind
        self._params = params
        names, self._values = _placeholders(params)
        self._condition: CompiledCondition | None = None
        self.update: CompiledUpdate | None = None
        if (text := params.get("UpdateExpression")) is not None:
            self.update = compile_update(text, names)
        if (text := params.get("ConditionExpression")) is not None:
            self._condition = compile_condition("ConditionExpression", text, names)
        _check_placeholders(params, names, self._values, self._condition, self.update)
        if self._condition is not None:
            self._condition.check(self._values)
        if self.update is not None:
            check_update(self.update, self._values)
            for path in self.update.paths:
                if path[0] in table.keys:
                    raise bad_value(f"Cannot update attribute {path[0]}. This attribute is part of the key")
        self._item = Item(canonical_attributes(params["Item"])) if kind == "Put" else None

    def key(self) -> Key:
        """Return the item's key. Raises DynamoDBError."""
        return (
            self.table.key(self._params.get("Key")) if self._item is None else self.table.key_of(self._item.attributes)
        )

    def allows(self, item: Item | None) -> bool:
        """Return True if the condition holds for the item as it is."""
        return self._condition is None or self._condition.holds(item.attributes if item else {}, self._values)

    def failed_item(self, item: Item | None) -> Json:
        """Return what a failed condition's answer has of the item."""
        asked = self._params.get("ReturnValuesOnConditionCheckFailure", "NONE") == "ALL_OLD"
        return {"Item": item.attributes} if asked and item is not None else {}

    def result(self, before: Item | None) -> Item | None:
        """Return what the item will be. Raises DynamoDBError."""
        match self._kind:
            case "ConditionCheck":
                return before
            case "Delete":
                return None
            case "Put":
                assert self._item is not None
                self.table.check(self._item, "Item size has exceeded the maximum allowed size")
                return self._item
        attributes = canonical_attributes(self._params["Key"]) if before is None else before.attributes
        if self.update is not None:
            attributes = apply_update(self.update, attributes, self._values)
        after = Item(attributes)
        self.table.check(after, "Item size to update has exceeded the maximum allowed size")
        return after


class _Page:
    """One page of a query or a scan."""

    def __init__(self, params: Json, table: Table, index: Index, names: Names, values: Values, used: Used) -> None:
        self._params, self._table, self._index, self._values = params, table, index, values
        self._select: str = params.get("Select", "")
        self._projection = _projection(params, names)
        self._filter: CompiledCondition | None = None
        if (text := params.get("FilterExpression")) is not None:
            self._filter = compile_condition("FilterExpression", text, names)
        _check_placeholders(params, names, values, self._filter, self._projection, used)
        if self._filter is not None:
            self._filter.check(values)
            if "KeyConditionExpression" in params and (keys := _attributes_of(self._filter.node) & {*index.keys}):
                raise invalid(
                    f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {min(keys)}"
                )
        self._check_select()
        self.start: tuple[Any, Key] | None = self._read_start()
        self._limit: int | None = params.get("Limit")
        if self._limit is not None and self._limit < 1:
            raise invalid("Limit must be greater than or equal to 1")

    def answer(self, entries: Sequence[Key]) -> str:
        """Answer with the first of these entries."""
        texts: list[str] = []
        sizes = 0
        looked_at = count = 0
        last: Item | None = None
        more = False
        for entry in entries:
            item = self._table.items[entry[-1]]
            shown = self._index.shown(item.attributes)
            size = item.size if shown is item.attributes else size_of_item(shown)
            if looked_at and sizes + size > MAX_PAGE_BYTES:
                more = True
                break
            sizes += size
            looked_at += 1
            last = item
            if self._filter is None or self._filter.holds(shown, self._values):
                count += 1
                if self._select != "COUNT":
                    texts.append(self._text(item, shown))
            if looked_at == self._limit:
                more = True
                break
        units = read_units([sizes], self._params.get("ConsistentRead", False))
        return _object(
            Items=None if self._select == "COUNT" else f"[{','.join(texts)}]",
            Count=str(count),
            ScannedCount=str(looked_at),
            LastEvaluatedKey=json.dumps(self._position(last)) if more and last is not None else None,
            ConsumedCapacity=_consumed(self._params, self._table.name, self._units_by_index(units)),
        )

    def _text(self, item: Item, shown: Attributes) -> str:
        if self._projection is not None:
            return json.dumps(project(shown, self._projection.paths))
        return item.json if shown is item.attributes else json.dumps(shown)

    def _units_by_index(self, units: float) -> dict[str | None, float]:
        return {None: units} if self._index.name is None else {None: 0, self._index.name: units}

    def _position(self, item: Item) -> Attributes:
        return {name: item.attributes[name] for name in self._key_names()}

    def _key_names(self) -> list[str]:
        return list(dict.fromkeys((*self._table.keys, *self._index.keys)))

    def _read_start(self) -> tuple[Any, Key] | None:
        given = self._params.get("ExclusiveStartKey")
        if given is None:
            return None
        attributes = canonical_attributes(given)
        types = self._table.types
        if attributes.keys() != {*self._key_names()} or any(
            kind_of(value) != types[name] for name, value in attributes.items()
        ):
            raise invalid("The provided starting key is invalid")
        return self._index.entry(attributes, self._table.key_of(attributes))

    def _check_select(self) -> None:
        index, projection = self._index, self._projection
        if index.name is not None and self._params.get("ConsistentRead"):
            raise invalid("Consistent reads are not supported on global secondary indexes")
        if projection is not None and self._select not in ("", "SPECIFIC_ATTRIBUTES"):
            raise invalid(f"Cannot specify the ProjectionExpression when choosing to get {self._select}")
        if self._select == "SPECIFIC_ATTRIBUTES" and projection is None:
            raise invalid("Must specify the ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
        if self._select == "ALL_PROJECTED_ATTRIBUTES" and index.name is None:
            raise invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
        if index.projected is None:
            return
        if self._select == "ALL_ATTRIBUTES":
            raise bad_value(
                f"Select type ALL_ATTRIBUTES is not supported for global secondary index {index.name} "
                "because its projection type is not ALL"
            )
        if projection is not None and (missing := {path[0] for path in projection.paths} - index.projected):
            raise bad_value(f"Global secondary index {index.name} does not project {sorted(map(str, missing))}")


# -- parameters --------------------------------------------------------------------------------------


def _refuse_unknown(operation: str, params: Mapping[str, Any]) -> None:
    if unknown := params.keys() - _TAKES[operation]:
        raise invalid(f"{operation} with {', '.join(sorted(unknown))} is not supported by the in-memory table")


def _placeholders(params: Json) -> tuple[Names, Values]:
    names = params.get("ExpressionAttributeNames")
    values = params.get("ExpressionAttributeValues")
    for kind, given, sign in (("Names", names, "#"), ("Values", values, ":")):
        if given is None:
            continue
        if not given:
            raise invalid(f"ExpressionAttribute{kind} must not be empty")
        for key in given:
            if not key.startswith(sign) or len(key) < 2:
                raise invalid(f'ExpressionAttribute{kind} contains invalid key: Syntax error; key: "{key}"')
    return tuple(sorted((names or {}).items())), {name: canonical(value) for name, value in (values or {}).items()}


_Compiled: TypeAlias = CompiledCondition | CompiledUpdate | CompiledProjection | Used | None


def _check_placeholders(params: Json, names: Names, values: Values, *expressions: _Compiled) -> None:
    """Refuse a placeholder that is used and not given, or given and not used."""
    used = [one if isinstance(one, Used) else one.used for one in expressions if one is not None]
    for kind, given in (("Names", {name for name, _ in names}), ("Values", set(values))):
        if given and not used:
            raise invalid(f"ExpressionAttribute{kind} can only be specified when using expressions")
        wanted = set().union(*((one.names if kind == "Names" else one.values) for one in used))
        if missing := wanted - given:
            raise invalid(
                "Invalid expression: An expression attribute value used in expression is not defined; "
                f"attribute value: {min(missing)}"
            )
        if spare := given - wanted:
            raise invalid(f"Value provided in ExpressionAttribute{kind} unused in expressions: keys: {{{min(spare)}}}")


def _projection(params: Json, names: Names | None = None) -> CompiledProjection | None:
    """Read a projection. Without `names` it is the only expression, and its placeholders are checked here."""
    text = params.get("ProjectionExpression")
    of_all = names
    if of_all is None:
        of_all, _ = _placeholders(params)
    projection = None if text is None else compile_projection(text, of_all)
    if names is None:
        _check_placeholders(params, of_all, {}, projection)
    return projection


def _attributes_of(node: Condition) -> set[str]:
    """The top-level attributes that a condition looks at."""
    found: set[str] = set()
    waiting: list[Any] = [node]
    while waiting:
        match waiting.pop():
            case PathOperand((str() as name, *_)):
                found.add(name)
            case tuple() as several:
                waiting.extend(several)
            case str():
                pass
            case other:
                waiting.extend(getattr(other, one.name) for one in fields(other))
    return found


def _key_conditions(
    condition: CompiledCondition, index: Index, table: Table, values: Values
) -> tuple[Any, Condition | None]:
    """Return the partition that a query is about, and what it says about the sort key. Raises DynamoDBError."""
    parts = [condition.node.left, condition.node.right] if isinstance(condition.node, Both) else [condition.node]
    condition.check(values)
    partition: Any = None
    found = False
    range_condition: Condition | None = None
    for part in parts:
        name, operands = _subject(part)
        for operand in operands:
            if name in index.keys and kind_of(values[operand]) != table.types[name]:
                raise bad_value("Condition parameter type does not match schema type")
        if name == index.keys[0] and isinstance(part, Compare) and part.operator == "=" and not found:
            partition, found = sort_value(values[operands[0]]), True
        elif name in index.keys[1:] and range_condition is None:
            range_condition = part
        elif name in index.keys:
            raise invalid("Query key condition not supported")
        else:
            raise invalid(f"Query condition missed key schema element: {index.keys[-1]}")
    if not found:
        raise invalid(f"Query condition missed key schema element: {index.keys[0]}")
    return partition, range_condition


def _subject(part: Condition) -> tuple[str, list[str]]:
    """Return the attribute that a key condition is about, and the placeholders that it is compared with."""
    operands: Sequence[Operand]
    match part:
        case Compare(operator, left, right) if operator != "<>":
            operands = [left, right]
        case BetweenNode(operand, low, high):
            operands = [operand, low, high]
        case Function("begins_with", arguments):
            operands = arguments
        case _:
            raise invalid("Invalid operator used in KeyConditionExpression")
    path, *others = operands
    if not isinstance(path, PathOperand) or len(path.path) != 1:
        raise invalid("KeyConditionExpressions must be conditions on the attributes of a key")
    names = [other.name for other in others if isinstance(other, ValueOperand)]
    if len(names) != len(others):
        raise invalid("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")
    return str(path.path[0]), names


def _bounds(entries: Sequence[Key], condition: Condition, values: Values) -> tuple[int, int]:
    """Return from where to where the entries meet a condition on the sort key."""

    def left(operand: Operand) -> int:
        return bisect_left(entries, _sort_value_of(operand, values), key=_first)

    def right(operand: Operand) -> int:
        return bisect_right(entries, _sort_value_of(operand, values), key=_first)

    match condition:
        case Compare("=", _, operand):
            return left(operand), right(operand)
        case Compare("<", _, operand):
            return 0, left(operand)
        case Compare("<=", _, operand):
            return 0, right(operand)
        case Compare(">", _, operand):
            return right(operand), len(entries)
        case Compare(">=", _, operand):
            return left(operand), len(entries)
        case BetweenNode(_, low, high):
            return left(low), right(high)
        case Function("begins_with", (_, operand)):
            start = end = left(operand)
            prefix = _sort_value_of(operand, values)
            if not isinstance(prefix, str | bytes):
                raise invalid("begins_with is not supported for a number")
            while end < len(entries) and entries[end][0][: len(prefix)] == prefix:
                end += 1
            return start, end
        case _:
            raise AssertionError(condition)


def _first(entry: Key) -> Any:
    return entry[0]


def _sort_value_of(operand: Operand, values: Values) -> Any:
    assert isinstance(operand, ValueOperand)
    return sort_value(values[operand.name])


# -- answers -----------------------------------------------------------------------------------------


def _object(**members: str | None) -> str:
    """A JSON object of members that are JSON text already; None is left out."""
    return f"{{{','.join(f'{json.dumps(name)}:{text}' for name, text in members.items() if text is not None)}}}"


def _shown(item: Item, projection: CompiledProjection | None) -> str:
    return item.json if projection is None else json.dumps(project(item.attributes, projection.paths))


def _returned(returns: str, write: _Write, before: Item | None, after: Item | None) -> Attributes:
    """The attributes that a write's ReturnValues asks for."""
    item = before if returns in ("ALL_OLD", "UPDATED_OLD") else after
    if returns == "NONE" or item is None:
        return {}
    if returns.startswith("ALL"):
        return item.attributes
    paths: Sequence[Path] = [] if write.update is None else write.update.paths
    return project(item.attributes, paths)


def _consumed(params: Json, table_name: str, units: Mapping[str | None, float]) -> str | None:
    """ConsumedCapacity, if it was asked for. `units` are those of the table (None) and of its indexes."""
    asked = params.get("ReturnConsumedCapacity", "NONE")
    if asked not in ("NONE", "TOTAL", "INDEXES"):
        raise invalid("ReturnConsumedCapacity is one of INDEXES, TOTAL, NONE")
    if asked == "NONE":
        return None
    consumed: Json = {"TableName": table_name, "CapacityUnits": sum(units.values())}
    if asked == "INDEXES":
        consumed["Table"] = {"CapacityUnits": units.get(None, 0)}
        indexes = {name: {"CapacityUnits": one} for name, one in units.items() if name is not None}
        if indexes:
            consumed["GlobalSecondaryIndexes"] = indexes
    return json.dumps(consumed)


def _all_consumed(params: Json, units: Mapping[str, Mapping[str | None, float]]) -> str | None:
    texts = [_consumed(params, name, of_table) for name, of_table in units.items()]
    found = [text for text in texts if text is not None]
    return f"[{','.join(found)}]" if found else None


def _digest(params: Json) -> bytes:
    text = json.dumps(params["TransactItems"], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
