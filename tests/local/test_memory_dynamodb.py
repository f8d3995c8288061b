"""The in-memory table does as moto does, and as AWS documents where moto differs.

Random requests of every kind, right and wrong, go to both; the answers and what is stored must be alike. Each kind of
request that moto answers unlike AWS is listed in `MOTO_DIFFERS`, with the page that says what AWS does, and is held to
that page by hand-written cases below. MEMORY_TABLE_REQUESTS=100000 runs more requests than the 2,000 of `make test`.
"""

from __future__ import annotations

import base64
import copy
import json
import os
import random
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any, TypeVar

import boto3
import pytest
from botocore.exceptions import ClientError

from infra.local.aws import ACCOUNT_ID, REGION, local_aws
from infra.local.memory_dynamodb import MemoryDynamoDB

REQUESTS = int(os.environ.get("MEMORY_TABLE_REQUESTS", "2000"))
ROUNDS = 4
"""Seeds, each with an account of its own, so that they can run side by side."""

READS = ("GetItem", "BatchGetItem", "Query", "Scan")
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")
MOTO_FAILED = "an exception of Python"

Json = dict[str, Any]
T = TypeVar("T")

TABLES: Mapping[str, Json] = {
    "plain": {
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [
            {"AttributeName": "id", "AttributeType": "S"},
            {"AttributeName": "colour", "AttributeType": "S"},
            {"AttributeName": "n", "AttributeType": "N"},
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "colours",
                "KeySchema": [
                    {"AttributeName": "colour", "KeyType": "HASH"},
                    {"AttributeName": "n", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            },
            {
                "IndexName": "numbers",
                "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            },
        ],
    },
    "ranged": {
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
        "AttributeDefinitions": [
            {"AttributeName": "id", "AttributeType": "S"},
            {"AttributeName": "at", "AttributeType": "N"},
            {"AttributeName": "colour", "AttributeType": "S"},
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "colours",
                "KeySchema": [
                    {"AttributeName": "colour", "KeyType": "HASH"},
                    {"AttributeName": "at", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["tags"]},
            }
        ],
    },
}
IDS, COLOURS, NUMBERS = ("a", "b", "c", "é"), ("red", "blue", "rød"), ("0", "1", "-1", "2.5", "10", "1000000000000")


class Placeholders:
    """Gives an expression's names and values their placeholders."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, Json] = {}

    def name(self, name: str) -> str:
        return next((key for key, one in self.names.items() if one == name), "") or self._new_name(name)

    def _new_name(self, name: str) -> str:
        key = f"#n{len(self.names)}"
        self.names[key] = name
        return key

    def value(self, value: Json) -> str:
        key = f":v{len(self.values)}"
        self.values[key] = value
        return key

    def params(self) -> Json:
        names = {"ExpressionAttributeNames": self.names} if self.names else {}
        return {**names, **({"ExpressionAttributeValues": self.values} if self.values else {})}


class Requests:
    """Random requests, each (operation, parameters). Most are right; some are wrong in one place."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._next_page: tuple[str, Json] | None = None

    def next(self) -> tuple[str, Json]:
        if self._next_page is not None and not self._chance(4):
            return self._next_page
        kinds: list[tuple[int, Callable[[], tuple[str, Json]]]] = [
            (3, self._get),
            (2, self._batch_get),
            (5, lambda: self._alone("PutItem", self._put)),
            (8, lambda: self._alone("UpdateItem", self._update)),
            (2, lambda: self._alone("DeleteItem", self._delete)),
            (5, self._transaction),
            (6, self._query),
            (2, self._scan),
        ]
        (make,) = self._rng.choices([make for _, make in kinds], [weight for weight, _ in kinds])
        return make()

    def answered(self, operation: str, params: Json, answer: Json) -> None:
        """Let the next request be for the next page, if there is one."""
        key = answer.get("LastEvaluatedKey")
        self._next_page = None if key is None else (operation, {**params, "ExclusiveStartKey": key})

    # requests

    def _get(self) -> tuple[str, Json]:
        table = self._table()
        return "GetItem", {"TableName": table, "Key": self._key(table), **self._projection()}

    def _batch_get(self) -> tuple[str, Json]:
        asked = {}
        for table in self._some(list(TABLES), 1, 2):
            keys = [self._key(table) for _ in range(self._rng.randrange(1, 4))]
            if not self._chance(10):
                keys = list({json.dumps(key): key for key in keys}.values())
            asked[table] = {"Keys": keys, **self._projection()}
        return "BatchGetItem", {"RequestItems": asked}

    def _alone(self, operation: str, make: Callable[[str, int], Json]) -> tuple[str, Json]:
        params = make(self._table(), 2)
        returns = ["NONE", "ALL_OLD"]
        if operation == "UpdateItem":
            returns += ["ALL_NEW"]
            self._spoil(params)
        return operation, {**params, "ReturnValues": self._pick(returns)}

    def _put(self, table: str, one_in: int) -> Json:
        """A put, of which one in so many has a condition."""
        return {"Item": self._item(table), **self._write(table, Placeholders(), one_in)}

    def _delete(self, table: str, one_in: int) -> Json:
        return {"Key": self._key(table), **self._write(table, Placeholders(), one_in)}

    def _update(self, table: str, one_in: int) -> Json:
        put = Placeholders()
        update = self._actions(table, put)
        return {"Key": self._key(table), "UpdateExpression": update, **self._write(table, put, one_in)}

    def _write(self, table: str, put: Placeholders, one_in: int) -> Json:
        params: Json = {"TableName": table}
        if self._chance(one_in):
            params["ConditionExpression"] = self._condition(put)
            if self._chance(2):
                params["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return {**params, **put.params()}

    def _spoil(self, params: Json) -> None:
        """Once in a while make an update without a condition wrong: by a value that is missing or spare, or wholly."""
        values = params.get("ExpressionAttributeValues", {})
        if not values or "ConditionExpression" in params or not self._chance(12):
            return
        match self._rng.randrange(3):
            case 0 if len(values) > 1:
                del values[self._pick(list(values))]
            case 1:
                values[":spare"] = {"S": "x"}
            case _:
                params["UpdateExpression"] = self._pick(
                    ["SET id = v", "SET v =", "SET v = nothing(w)", "SET v = v + w + w"]
                )
                del params["ExpressionAttributeValues"]
                params.pop("ExpressionAttributeNames", None)

    def _transaction(self) -> tuple[str, Json]:
        writes: list[Json] = []
        for table, key in self._some([(table, key) for table in TABLES for key in IDS], 1, 4):
            kind = self._pick(["Put", "Put", "Update", "Delete", "ConditionCheck"])
            if kind == "ConditionCheck":
                params = {"Key": {}, **self._write(table, Placeholders(), 1)}
            else:
                params = {"Put": self._put, "Update": self._update, "Delete": self._delete}[kind](table, 6)
            whole = {"id": {"S": key}, **({"at": {"N": "1"}} if table == "ranged" else {})}
            if kind == "Put":
                params["Item"] = {**params["Item"], **whole}
                params["Item"].pop("bad", None)
            else:
                params["Key"] = whole
            writes.append({kind: params})
        if self._chance(12):
            writes.append(self._pick(writes))
        return "TransactWriteItems", {"TransactItems": writes}

    def _query(self) -> tuple[str, Json]:
        put, table, index = Placeholders(), self._table(), None
        if table in TABLES and (self._chance(2) or table == "plain"):
            index = self._pick([one["IndexName"] for one in TABLES[table]["GlobalSecondaryIndexes"]])
        hash_key, value, range_key = {
            None: ("id", {"S": self._pick(IDS)}, "at"),
            "colours": ("colour", {"S": self._pick(COLOURS)}, "n" if table == "plain" else "at"),
            "numbers": ("n", self._number(), ""),
        }[index]
        condition = f"{hash_key} = {put.value(value)}"
        if range_key and not self._chance(3):
            condition += f" AND {self._range(put.name(range_key), put)}"
        params: Json = {"TableName": table, "KeyConditionExpression": condition}
        if index is not None:
            params["IndexName"] = index
        if self._chance(2):
            params["ScanIndexForward"] = False
        self._page(params, put, projects=index != "numbers" and not (index and table == "ranged"))
        if self._chance(40):
            params["KeyConditionExpression"] = f"absent = {put.value(value)}"
        return "Query", {**params, **put.params()}

    def _range(self, path: str, put: Placeholders) -> str:
        low, high = sorted(self._some([-1, 0, 1, 2, 10], 2, 2))
        if self._chance(3):
            return f"{path} BETWEEN {put.value({'N': str(low)})} AND {put.value({'N': str(high)})}"
        return f"{path} {self._pick(['=', '<', '<=', '>', '>='])} {put.value({'N': str(low)})}"

    def _scan(self) -> tuple[str, Json]:
        put, params = Placeholders(), {"TableName": self._table()}
        self._page(params, put, projects=True)
        return "Scan", {**params, **put.params()}

    def _page(self, params: Json, put: Placeholders, projects: bool) -> None:
        if self._chance(3):
            params["Limit"] = self._rng.randrange(1, 4)
        if self._chance(3):
            params["FilterExpression"] = self._condition(put, names=("v", "w", "tags", "nest", "absent"))
        if self._chance(5):
            params["Select"] = "COUNT"
        elif projects and self._chance(4):
            params["ProjectionExpression"] = ", ".join([put.name("id"), *self._some(["v", "w", "nest.p"], 0, 2)])

    def _projection(self) -> Json:
        if not self._chance(3):
            return {}
        put = Placeholders()
        paths = self._some(["v", "w", "tags", "nest.p", "nest.x", put.name("id"), "absent"], 1, 4)
        if put.name("id") not in paths:
            paths.append(put.name("id"))
        return {"ProjectionExpression": ", ".join(paths), **put.params()}

    # items and their values

    def _pick(self, choices: Sequence[T]) -> T:
        return self._rng.choice(choices)

    def _some(self, choices: Sequence[T], least: int, most: int) -> list[T]:
        return self._rng.sample(choices, self._rng.randrange(least, most + 1))

    def _chance(self, one_in: int) -> bool:
        return self._rng.randrange(one_in) == 0

    def _table(self) -> str:
        return "nowhere" if self._chance(200) else self._pick(list(TABLES))

    def _key(self, table: str) -> Json:
        key: Json = {"id": {"S": self._pick(IDS)}}
        if table == "ranged":
            key["at"] = {"N": self._pick(NUMBERS[:4])}
        return self._pick([{}, {"at": {"N": "1"}}]) if self._chance(60) else key

    def _text(self) -> Json:
        return {"S": self._pick(["", "x", "xy", "red", "é", "0"])}

    def _number(self) -> Json:
        return {"N": self._pick(NUMBERS)}

    def _strings(self) -> Json:
        return {"SS": self._some(["p", "q", "r", "x"], 1, 3)}

    def _list(self, depth: int = 1) -> Json:
        return {"L": [self._member() if self._chance(2) else self._value(depth) for _ in range(self._rng.randrange(4))]}

    def _member(self) -> Json:
        return {"S": self._pick(["p", "x", "red"])}

    def _map(self, depth: int = 1) -> Json:
        return {"M": {name: self._value(depth) for name in self._some(["p", "q", "x"], 0, 3)}}

    def _value(self, depth: int = 0, compared: bool = False) -> Json:
        makers: list[Callable[[], Json]] = [
            self._text,
            self._number,
            self._number,
            self._strings,
            lambda: {"NS": self._some(NUMBERS, 1, 3)},
            *([] if compared else [lambda: {"NULL": True}]),
        ]
        if depth < 2:
            makers += [lambda: self._list(depth + 1), lambda: self._map(depth + 1)]
        return self._pick(makers)()

    def _item(self, table: str) -> Json:
        item = self._key(table)
        makers: dict[str, Callable[[], Json]] = {
            "colour": lambda: {"S": self._pick(COLOURS)},
            "v": self._value,
            "w": self._value,
            "count": self._number,
            "flag": lambda: {"BOOL": self._chance(2)},
            "tags": self._strings,
            "nest": self._map,
            "row": self._list,
        }
        if table == "plain":
            makers["n"] = self._number
        item |= {name: make() for name, make in makers.items() if not self._chance(3)}
        if self._chance(80):
            item["bad"] = self._pick([{"SS": []}, {"N": "x"}])
        return item

    # expressions

    def _condition(
        self,
        put: Placeholders,
        depth: int = 0,
        names: Sequence[str] = ("v", "w", "n", "colour", "tags", "nest", "row", "id", "absent"),
    ) -> str:
        if depth < 2 and self._chance(2):
            one, other = self._condition(put, depth + 1, names), self._condition(put, depth + 1, names)
            match self._rng.randrange(3):
                case 0:
                    return f"({one} AND {other})"
                case 1:
                    return f"({one} OR {other})"
                case _:
                    return f"({one} AND NOT {other})"
        kind = self._rng.randrange(10)
        # A name that has a placeholder must be used.
        path = self._path(put, [name for name in names if name != "row"] if kind in (3, 8, 9) else names)
        match kind:
            case 0 | 1:
                return f"{path} {self._pick(['=', '<>'])} {put.value(self._value(compared=True))}"
            case 2:
                value = put.value(self._pick([self._text, self._number])())
                return f"{path} {self._pick(['<', '<=', '>', '>='])} {value}"
            case 3:
                path = put.name("count") if self._chance(2) else path
                low, high = sorted(self._some([-1, 0, 1, 2, 10], 2, 2))
                return f"{path} BETWEEN {put.value({'N': str(low)})} AND {put.value({'N': str(high)})}"
            case 4:
                return f"{path} IN ({put.value(self._value(compared=True))}, {put.value(self._number())})"
            case 5:
                return f"{self._pick(['attribute_exists', 'attribute_not_exists'])}({path})"
            case 6:
                wanted = put.value({"S": self._pick(["S", "N", "M", "L", "SS", "BOOL", "NULL"])})
                return f"attribute_type({path}, {wanted})"
            case 7:
                return f"begins_with({path}, {put.value({'S': self._pick(['x', 'r', 'é'])})})"
            case 8:
                return f"flag {self._pick(['=', '<>'])} {put.value({'BOOL': self._chance(2)})}"
            case _:
                path = self._pick([path, "tags"]) if self._chance(2) else put.name("row")
                return f"contains({path}, {put.value(self._pick([self._member, self._number])())})"

    def _path(self, put: Placeholders, names: Sequence[str]) -> str:
        name = self._pick(names)
        if name == "nest":
            return f"{name}.{self._pick(['p', 'q', 'x'])}"
        if name == "row":
            return f"{put.name('row')}[{self._rng.randrange(4)}]"
        return name

    def _actions(self, table: str, put: Placeholders) -> str:
        """An update of some attributes, one action for each."""
        clauses: dict[str, list[str]] = {}
        names = ["v", "w", "count", "tags", "nest", "row", "colour", *(["n"] if table == "plain" else [])]
        for name in self._some(names, 1, 3):
            clause, action = self._action(name, put)
            clauses.setdefault(clause, []).append(action)
        return " ".join(f"{clause} {', '.join(actions)}" for clause, actions in clauses.items())

    def _action(self, name: str, put: Placeholders) -> tuple[str, str]:
        match name:
            case "tags":
                return self._pick(["ADD", "DELETE"]), f"tags {put.value(self._strings())}"
            case "nest":
                path = f"nest.{self._pick(['p', 'q', 'x'])}"
                return ("REMOVE", path) if self._chance(3) else ("SET", f"{path} = {put.value(self._value(1))}")
            case "row":
                return self._row_action(put.name("row"), put)
            case "count":
                path = put.name("count")
                match self._rng.randrange(3):
                    case 0:
                        return "ADD", f"{path} {put.value(self._number())}"
                    case 1:
                        return "SET", f"{path} = {path} {self._pick('+-')} {put.value(self._number())}"
                    case _:
                        default = f"if_not_exists({path}, {put.value({'N': '0'})})"
                        return "SET", f"{path} = {default} + {put.value(self._number())}"
            case _:
                if self._chance(3):
                    return "REMOVE", name
                value = {"colour": lambda: {"S": self._pick(COLOURS)}, "n": self._number}.get(name, self._value)()
                new = put.value(value)
                return "SET", self._pick([f"{name} = {new}", f"{name} = if_not_exists({name}, {new})"])

    def _row_action(self, path: str, put: Placeholders) -> tuple[str, str]:
        match self._rng.randrange(4):
            case 0:
                return "SET", f"{path}[{self._rng.randrange(5)}] = {put.value(self._value(1))}"
            case 1:
                return "REMOVE", f"{path}[{self._rng.randrange(4)}]"
            case 2:
                more = put.value(self._list())
                return "SET", f"{path} = {self._pick([f'list_append({path}, {more})', f'list_append({more}, {path})'])}"
            case _:
                return "SET", f"{path} = {put.value(self._list())}"


# -- both sides ------------------------------------------------------------------------------------


class Memory:
    """The in-memory table, called without botocore."""

    def __init__(self, now: Callable[[], float] = lambda: 0.0) -> None:
        self.dynamodb = MemoryDynamoDB(REGION, ACCOUNT_ID, now)
        for name, table in TABLES.items():
            self("CreateTable", TableName=name, BillingMode="PAY_PER_REQUEST", **table)

    def __call__(self, operation: str, **params: Any) -> Json:
        """The answer; an error as {"error": code, ...}."""
        answer = self.dynamodb.request(operation, json.dumps(params).encode())
        body: Json = json.loads(answer.body)
        if answer.status == 200:
            return body
        kept: Json = {key: body[key] for key in ("Item", "CancellationReasons") if key in body}
        return {"error": body["__type"].rpartition("#")[2], "message": body.get("message", body.get("Message")), **kept}

    def everything(self) -> Json:
        return {name: self.dynamodb.items(name) for name in TABLES}


def from_moto(client: Any, operation: str, params: Json) -> Json:
    """moto's answer in the form of the other."""
    try:
        answer: Json = client._make_api_call(operation, params)
    except ClientError as error:
        response: Any = error.response
        kept: Json = {key: response[key] for key in ("Item", "CancellationReasons") if response.get(key)}
        return {"error": response["Error"]["Code"], "message": response["Error"]["Message"], **kept}
    except Exception as error:
        return {"error": MOTO_FAILED, "message": repr(error)}
    return {key: value for key, value in answer.items() if key != "ResponseMetadata"}


def alike(answer: Any) -> Any:
    """An answer without what DynamoDB leaves open: the order in sets, scans and batches, and the texts of errors."""
    if isinstance(answer, list):
        return [alike(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    plain = {key: alike(one) for key, one in answer.items() if key.lower() != "message"}
    if isinstance(plain.get("N"), str):
        plain["N"] = f"{Decimal(plain['N']).normalize():f}"
    for kind in ("SS", "NS"):
        if isinstance(plain.get(kind), list):
            plain[kind] = sorted(plain[kind])
    return plain


def compared(operation: str, answer: Json) -> Any:
    plain = alike(answer)
    for items in [plain, *plain.get("Responses", {}).values()] if operation in ("Scan", "BatchGetItem") else []:
        found = items.get("Items") if isinstance(items, dict) else items
        if isinstance(found, list):
            found.sort(key=json.dumps)
    return plain


def reconciled(params: Json, answer: Json, from_moto: Json) -> tuple[Json, Json] | None:
    """Both answers without what moto is known to do unlike AWS (the tests below say what AWS does).

    None if moto has no answer: a bare exception of Python, alone or as the reason of an item of a transaction.
    """
    reasons = {reason["Code"] for reason in from_moto.get("CancellationReasons", ())}
    if from_moto.get("error") == MOTO_FAILED or reasons - {"None", "ConditionalCheckFailed"}:
        return None
    ours, motos = dict(answer), dict(from_moto)
    # It says what was consumed without being asked.
    motos.pop("ConsumedCapacity", None)
    motos.pop("ItemCollectionMetrics", None)
    # It fails a transaction as a whole where one of its items is at fault.
    if any(reason["Code"] == "ValidationError" for reason in ours.get("CancellationReasons", ())):
        ours = {"error": "ValidationException"}
    # It looks one item ahead to see whether a page that is full was the last.
    if "LastEvaluatedKey" not in motos and ours.get("ScannedCount") == params.get("Limit"):
        ours.pop("LastEvaluatedKey", None)
    return ours, motos


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_random_requests_are_answered_as_moto_answers_them(seed: int) -> None:
    requests, memory, outcomes, unanswered = Requests(seed), Memory(), Counter[tuple[str, str]](), 0
    with local_aws("moto") as aws:
        client = boto3.client("dynamodb")
        for name, table in TABLES.items():
            client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", **table)
        for number in range(REQUESTS // ROUNDS):
            operation, params = requests.next()
            before, moto_before = memory.dynamodb.snapshot(), aws.save()
            answer = compared(operation, memory(operation, **copy.deepcopy(params)))
            requests.answered(operation, params, answer)
            both = reconciled(params, answer, compared(operation, from_moto(client, operation, copy.deepcopy(params))))
            if both is None:
                unanswered += 1
                memory.dynamodb.restore(before)
                moto_before()
                continue
            outcomes[operation, answer.get("error", "")] += 1
            assert both[0] == both[1], f"request {number}: {operation} {json.dumps(params)}"
            for name in TABLES:
                stored = sorted(map(alike, memory.dynamodb.items(name)), key=json.dumps)
                in_moto = sorted(map(alike, aws.items(name)), key=json.dumps)
                assert stored == in_moto, f"request {number}: {operation} {json.dumps(params)}"
    assert unanswered < REQUESTS / ROUNDS / 20
    # Each is there with what can come of it, or it would prove nothing.
    assert {operation for operation, error in outcomes if not error} == {*READS, *WRITES}
    assert {operation for operation, error in outcomes if error} >= {*WRITES}
    for error in ("ConditionalCheckFailedException", "TransactionCanceledException", "ValidationException"):
        assert sum(count for (_, code), count in outcomes.items() if code == error) >= REQUESTS / ROUNDS / 50


# -- what AWS documents ----------------------------------------------------------------------------

GUIDE = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
REFERENCE = "https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/"


@pytest.fixture
def memory() -> Memory:
    return Memory()


def put(memory: Memory, key: str, **attributes: Json) -> None:
    assert memory("PutItem", TableName="plain", Item={"id": {"S": key}, **attributes}) == {}


def get(memory: Memory, key: str) -> Json | None:
    item: Json | None = memory("GetItem", TableName="plain", Key={"id": {"S": key}}).get("Item")
    return item


def holds(memory: Memory, condition: str, **values: Json) -> bool:
    """Return True if the condition holds for item "a", by a transaction that changes nothing."""
    check: Json = {"TableName": "plain", "Key": {"id": {"S": "a"}}, "ConditionExpression": condition}
    if values:
        check["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
    answer = memory("TransactWriteItems", TransactItems=[{"ConditionCheck": check}])
    assert answer.get("error") in (None, "TransactionCanceledException"), answer
    return "error" not in answer


def update(memory: Memory, expression: str, key: str = "a", **values: Json) -> Json:
    more = {"ExpressionAttributeValues": {f":{name}": value for name, value in values.items()}} if values else {}
    return memory("UpdateItem", TableName="plain", Key={"id": {"S": key}}, UpdateExpression=expression, **more)


def test_a_full_page_has_a_key_to_go_on_from_even_if_it_was_the_last(memory: Memory) -> None:
    """ "If LastEvaluatedKey is not empty, it does not necessarily mean that there is more data" (GUIDE,
    Query.Pagination.html). moto looks ahead and leaves it out."""
    put(memory, "a", colour={"S": "red"}, n={"N": "1"})
    query = {
        "TableName": "plain",
        "IndexName": "colours",
        "KeyConditionExpression": "colour = :red",
        "ExpressionAttributeValues": {":red": {"S": "red"}},
        "Limit": 1,
    }
    first = memory("Query", **query)
    assert first["LastEvaluatedKey"] == {"id": {"S": "a"}, "colour": {"S": "red"}, "n": {"N": "1"}}
    rest = memory("Query", **query, ExclusiveStartKey=first["LastEvaluatedKey"])
    assert rest == {"Items": [], "Count": 0, "ScannedCount": 0}


def test_what_has_another_type_is_neither_less_nor_more(memory: Memory) -> None:
    """Comparators take operands of one type (GUIDE, Expressions.OperatorsAndFunctions.html). moto raises TypeError, and
    takes false for 0."""
    put(memory, "a", title={"S": "x"}, number={"N": "1"}, flag={"BOOL": False}, tags={"SS": ["x"]})
    for path in ("title", "flag", "tags", "absent"):
        assert not holds(memory, f"{path} < :n", n={"N": "5"})
        assert not holds(memory, f"{path} >= :n", n={"N": "5"})
        assert not holds(memory, f"{path} BETWEEN :low AND :high", low={"N": "-1"}, high={"N": "9"})
    assert not holds(memory, "flag = :n", n={"N": "0"})


def test_null_is_a_value(memory: Memory) -> None:
    """Null is a type of its own (GUIDE, HowItWorks.NamingRulesDataTypes.html). moto takes it for nothing."""
    put(memory, "a", v={"NULL": True})
    assert holds(memory, "attribute_exists(v) AND v = :null", null={"NULL": True})
    assert not holds(memory, "absent = :null", null={"NULL": True})
    assert holds(memory, "absent <> :null", null={"NULL": True})


def test_numbers_have_38_digits_and_one_form(memory: Memory) -> None:
    """ "Up to 38 digits of precision"; "leading and trailing zeroes are trimmed" (GUIDE,
    HowItWorks.NamingRulesDataTypes.html). moto keeps what was written, however long."""
    put(memory, "a", v={"N": "0012.500"}, w={"N": "1E3"}, x={"N": "-0.0"}, y={"N": "9" * 38}, z={"N": "1e-130"})
    item = get(memory, "a")
    assert item is not None
    assert [item[name]["N"] for name in "vwxy"] == ["12.5", "1000", "0", "9" * 38]
    assert item["z"]["N"] == f"0.{'0' * 129}1"
    assert holds(memory, "v = :v AND w = :w", v={"N": "12.50"}, w={"N": "1000.0"})
    for wrong in ("1" * 39, "1e126", "1e-131", "", "one", "1_000", "٣", "NaN", "Infinity", " 1"):
        answer = memory("PutItem", TableName="plain", Item={"id": {"S": "b"}, "v": {"N": wrong}})
        assert answer["error"] == "ValidationException", wrong
    assert update(memory, "SET y = y + :one", one={"N": "0.1"})["error"] == "ValidationException"
    assert update(memory, "ADD v :small, y :minus", small={"N": "0.1"}, minus={"N": "-1"}) == {}
    item = get(memory, "a")
    assert item is not None
    assert (item["v"]["N"], item["y"]["N"]) == ("12.6", "9" * 37 + "8")


@pytest.mark.parametrize(
    "value",
    [
        {"SS": ["a", "a"]},
        {"NS": ["1", "1.0"]},
        {"BS": []},
        {"S": "x", "N": "1"},
        {},
        {"NULL": False},
        {"X": "x"},
    ],
    ids=json.dumps,
)
def test_a_value_that_is_none_is_refused(memory: Memory, value: Json) -> None:
    """A set has no duplicates and is not empty (GUIDE, HowItWorks.NamingRulesDataTypes.html); a value has one type
    (REFERENCE, API_AttributeValue.html). moto stores a set with duplicates."""
    answer = memory("PutItem", TableName="plain", Item={"id": {"S": "a"}, "v": value})
    assert answer["error"] == "ValidationException"
    assert get(memory, "a") is None


def test_bytes_are_compared_as_bytes(memory: Memory) -> None:
    """Binary values are ordered by unsigned bytes (GUIDE, HowItWorks.NamingRulesDataTypes.html)."""
    low, high = ({"B": base64.b64encode(content).decode()} for content in (b"\x7f", b"\x80\x01"))
    put(memory, "a", v=high)
    assert holds(
        memory, "v > :low AND begins_with(v, :start)", low=low, start={"B": base64.b64encode(b"\x80").decode()}
    )
    assert holds(memory, "size(v) = :two", two={"N": "2"})


def test_each_placeholder_is_defined_and_used(memory: Memory) -> None:
    """Placeholders stand for what an expression needs (GUIDE, Expressions.ExpressionAttributeNames.html and
    .ExpressionAttributeValues.html). moto looks only at those of updates, and only when it comes to one."""
    item = {"TableName": "plain", "Item": {"id": {"S": "a"}}}
    condition = {"ConditionExpression": "attribute_not_exists(id) OR v = :v"}
    value = {"S": "x"}
    for more in (
        condition,
        {**condition, "ExpressionAttributeValues": {":v": value, ":spare": value}},
        {**condition, "ExpressionAttributeValues": {":v": value}, "ExpressionAttributeNames": {"#spare": "x"}},
        {"ExpressionAttributeValues": {":v": value}},
        {"ConditionExpression": "attribute_not_exists(#id)"},
        {"ConditionExpression": "attribute_not_exists(id)", "ExpressionAttributeValues": {}},
    ):
        assert memory("PutItem", **item, **more)["error"] == "ValidationException", more
        part = {"Put": {**item, **more}}
        assert memory("TransactWriteItems", TransactItems=[part])["error"] == "ValidationException", more
    assert get(memory, "a") is None


@pytest.mark.parametrize(
    "condition",
    [
        "",
        "state = :v",
        "v = :v OR",
        "((v = :v))",
        "v = v",
        "v == :v",
        "v < :flag",
        "v BETWEEN :two AND :v",
        "size(v)",
        "size(:two) > :v",
        "begins_with(v, :two)",
        "attribute_exists(:v)",
        "attribute_type(v, :v)",
        "unknown(v, :v)",
        "contains(v)",
        "v IN ()",
        "v = 1",
        "v . = :v",
    ],
)
def test_a_wrong_condition_is_refused(memory: Memory, condition: str) -> None:
    """The grammar is in GUIDE, Expressions.OperatorsAndFunctions.html, the words that may not be names in
    ReservedWords.html; that redundant parentheses are refused is only in AWS's error text."""
    values = {":v": {"N": "1"}, ":two": {"N": "2"}, ":flag": {"BOOL": True}}
    used = {name: value for name, value in values.items() if name in condition} or {":v": values[":v"]}
    answer = memory(
        "PutItem",
        TableName="plain",
        Item={"id": {"S": "a"}},
        ConditionExpression=condition,
        ExpressionAttributeValues=used,
    )
    assert answer["error"] == "ValidationException"
    assert "unused" not in answer["message"], "refused for another reason than its own"


@pytest.mark.parametrize(
    "expression",
    [
        "SET v = :v, v = :v",
        "SET v = :v REMOVE v.x",
        "SET v.x = :v REMOVE v[0]",
        "SET v = :v SET w = :v",
        "SET id = :v",
        "ADD v w",
        "ADD v :text",
        "SET v = w * :v",
        "SET v = absent + :v",
        "SET nothing.here = :v",
        "REMOVE nothing.here",
        "SET v = w + :text",
        "SET v = list_append(w, :v)",
        "SET n = :text",
        "SET colour = :empty",
        "SET v = :v +",
        "DROP v",
    ],
)
def test_a_wrong_update_is_refused_and_changes_nothing(memory: Memory, expression: str) -> None:
    """GUIDE, Expressions.UpdateExpressions.html; a key of an index has its type and is not empty (REFERENCE,
    API_PutItem.html)."""
    put(memory, "a", v={"N": "1"}, w={"N": "2"})
    values = {"v": {"N": "1"}, "text": {"S": "x"}, "empty": {"S": ""}}
    used = {name: value for name, value in values.items() if f":{name}" in expression}
    answer = update(memory, expression, "a", **used)
    assert answer["error"] == "ValidationException"
    assert get(memory, "a") == {"id": {"S": "a"}, "v": {"N": "1"}, "w": {"N": "2"}}


def test_an_update_sees_the_item_as_it_was(memory: Memory) -> None:
    """GUIDE, Expressions.UpdateExpressions.html: all actions work on the item before the update, list elements are
    counted as they were, and one beyond the end is appended."""
    put(memory, "a", v={"N": "1"}, w={"N": "2"}, row={"L": [{"N": str(number)} for number in range(4)]})
    names = {"#row": "row"}
    answer = memory(
        "UpdateItem",
        TableName="plain",
        Key={"id": {"S": "a"}},
        UpdateExpression="SET v = w, w = v, #row[9] = :new REMOVE #row[0], #row[2]",
        ExpressionAttributeNames=names,
        ExpressionAttributeValues={":new": {"S": "x"}},
        ReturnValues="ALL_NEW",
    )
    assert answer["Attributes"] == {
        "id": {"S": "a"},
        "v": {"N": "2"},
        "w": {"N": "1"},
        "row": {"L": [{"N": "1"}, {"N": "3"}, {"S": "x"}]},
    }


def test_what_was_updated_is_returned_changed_or_not(memory: Memory) -> None:
    """UPDATED_NEW: "only the updated attributes, as they appear after the UpdateItem operation" (REFERENCE,
    API_UpdateItem.html). moto leaves out what has the same value as before."""
    put(memory, "a", v={"N": "1"}, w={"N": "2"}, nest={"M": {"p": {"N": "1"}, "q": {"N": "2"}}})
    change = {
        "TableName": "plain",
        "Key": {"id": {"S": "a"}},
        "UpdateExpression": "SET v = :one, nest.p = :two REMOVE w",
        "ExpressionAttributeValues": {":one": {"N": "1"}, ":two": {"N": "2"}},
    }
    old = memory("UpdateItem", **change, ReturnValues="UPDATED_OLD")
    assert old["Attributes"] == {"v": {"N": "1"}, "nest": {"M": {"p": {"N": "1"}}}, "w": {"N": "2"}}
    new = memory("UpdateItem", **change, ReturnValues="UPDATED_NEW")
    assert new["Attributes"] == {"v": {"N": "1"}, "nest": {"M": {"p": {"N": "2"}}}}


def test_a_key_is_what_the_table_says(memory: Memory) -> None:
    """A key has the attributes and types of the table (REFERENCE, API_GetItem.html, Key). moto looks for a number in a
    table of strings and finds nothing."""
    wrong: list[Json] = [{}, {"id": {"N": "1"}}, {"id": {"S": ""}}, {"id": {"S": "x" * 2049}}]
    for key in wrong:
        assert memory("PutItem", TableName="plain", Item={**key, "v": {"S": "y"}})["error"] == "ValidationException", (
            key
        )
    for key in [*wrong, {"id": {"S": "a"}, "more": {"S": "x"}}]:
        assert memory("GetItem", TableName="plain", Key=key)["error"] == "ValidationException", key
        assert memory("DeleteItem", TableName="plain", Key=key)["error"] == "ValidationException", key


def test_an_item_at_fault_cancels_its_transaction(memory: Memory) -> None:
    """Each item has its reason; what is wrong with one of them alone is a ValidationError (REFERENCE,
    API_TransactWriteItems.html, TransactionCanceledException). moto refuses the transaction as a whole."""
    put(memory, "a", v={"S": "x"})

    def change(key: str, expression: str, value: Json, **more: Any) -> Json:
        item = {"TableName": "plain", "Key": {"id": {"S": key}}, "UpdateExpression": expression, **more}
        return {"Update": {**item, "ExpressionAttributeValues": {":v": value}}}

    answer = memory(
        "TransactWriteItems",
        TransactItems=[
            change("b", "SET v = :v", {"S": "y"}),
            change("a", "ADD v :v", {"N": "1"}),
            change("c", "SET n = :v", {"S": "no number"}),
            change("d", "SET v = :v", {"S": "x" * 400 * 1024}),
            change(
                "a" * 9,
                "SET v = :v",
                {"S": "y"},
                ConditionExpression="v = :v",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            ),
            {"Put": {"TableName": "plain", "Item": {"v": {"S": "without a key"}}}},
        ],
    )
    assert answer["error"] == "TransactionCanceledException"
    codes = [reason["Code"] for reason in answer["CancellationReasons"]]
    assert codes == ["None", *["ValidationError"] * 3, "ConditionalCheckFailed", "ValidationError"]
    assert "[None, ValidationError, " in answer["message"]
    assert memory.dynamodb.items("plain") == [{"id": {"S": "a"}, "v": {"S": "x"}}]


def test_a_failed_condition_shows_the_item_if_asked(memory: Memory) -> None:
    """REFERENCE, API_PutItem.html and API_TransactWriteItems.html, ReturnValuesOnConditionCheckFailure."""
    put(memory, "a", v={"S": "x"})
    request = {"TableName": "plain", "Item": {"id": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(id)"}
    stored = {"id": {"S": "a"}, "v": {"S": "x"}}
    for asked, shown in (("ALL_OLD", {"Item": stored}), ("NONE", {})):
        whole = {**request, "ReturnValuesOnConditionCheckFailure": asked}
        answer = memory("PutItem", **whole)
        assert answer["error"] == "ConditionalCheckFailedException"
        assert {key: value for key, value in answer.items() if key == "Item"} == shown
        (reason,) = memory("TransactWriteItems", TransactItems=[{"Put": whole}])["CancellationReasons"]
        assert reason == {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed", **shown}


def test_a_transaction_has_at_most_100_items_4_mb_and_each_item_once(memory: Memory) -> None:
    """REFERENCE, API_TransactWriteItems.html."""

    def transact(*items: Json) -> str | None:
        parts = [{"Put": {"TableName": "plain", "Item": item}} for item in items]
        error: str | None = memory("TransactWriteItems", TransactItems=parts).get("error")
        return error

    small = [{"id": {"S": f"s{number}"}} for number in range(101)]
    assert transact(*small) == transact() == transact(small[0], small[0]) == "ValidationException"
    assert transact(*small[:100]) is None
    large = [{"id": {"S": f"l{number}"}, "v": {"S": "x" * 390 * 1024}} for number in range(11)]
    assert transact(*large) == "ValidationException"
    assert transact(*large[:10]) is None
    assert len(memory.dynamodb.items("plain")) == 110


def test_a_transaction_sent_twice_is_done_once() -> None:
    """ "Multiple identical calls have the same effect as one single call", for 10 minutes (REFERENCE,
    API_TransactWriteItems.html, ClientRequestToken). moto does it again."""
    now = [0.0]
    memory = Memory(lambda: now[0])

    def count_up(by: str, token: str = "token") -> Json:
        change = {
            "TableName": "plain",
            "Key": {"id": {"S": "a"}},
            "UpdateExpression": "ADD v :v",
            "ExpressionAttributeValues": {":v": {"N": by}},
        }
        return memory(
            "TransactWriteItems",
            TransactItems=[{"Update": change}],
            ClientRequestToken=token,
            ReturnConsumedCapacity="TOTAL",
        )

    assert count_up("1") == count_up("1") == {"ConsumedCapacity": [{"TableName": "plain", "CapacityUnits": 2}]}
    assert get(memory, "a") == {"id": {"S": "a"}, "v": {"N": "1"}}
    assert count_up("2")["error"] == "IdempotentParameterMismatchException"
    count_up("2", "another token")
    now[0] = 599
    count_up("1")
    assert get(memory, "a") == {"id": {"S": "a"}, "v": {"N": "3"}}
    now[0] = 601
    count_up("1")
    assert get(memory, "a") == {"id": {"S": "a"}, "v": {"N": "4"}}


def test_a_cancelled_transaction_can_be_sent_again(memory: Memory) -> None:
    request = {
        "TransactItems": [
            {
                "Delete": {
                    "TableName": "plain",
                    "Key": {"id": {"S": "a"}},
                    "ConditionExpression": "attribute_exists(id)",
                }
            }
        ],
        "ClientRequestToken": "token",
    }
    assert memory("TransactWriteItems", **request)["error"] == "TransactionCanceledException"
    put(memory, "a")
    assert memory("TransactWriteItems", **request) == {}
    assert get(memory, "a") is None


def test_an_item_has_at_most_400_kb_with_its_names(memory: Memory) -> None:
    """GUIDE, ServiceQuotas.html, and for what counts CapacityUnitCalculations.html."""
    room = 400 * 1024 - len("id") - len("a") - len("v")
    put(memory, "a", v={"S": "é" * (room // 2)})
    assert update(memory, "SET w = :one", one={"N": "1"})["error"] == "ValidationException"
    whole = {"id": {"S": "b"}, "v": {"S": "x" * (room + 1)}}
    assert memory("PutItem", TableName="plain", Item=whole)["error"] == "ValidationException"


def test_values_nest_32_levels(memory: Memory) -> None:
    """GUIDE, ServiceQuotas.html: nested attributes."""

    def nested(levels: int) -> Json:
        value: Json = {"S": "x"}
        for _ in range(levels - 1):
            value = {"L": [value]}
        return value

    put(memory, "a", v=nested(32))
    answer = memory("PutItem", TableName="plain", Item={"id": {"S": "b"}, "v": nested(33)})
    assert answer["error"] == "ValidationException"


def test_a_batch_has_at_most_100_keys_and_16_mb(memory: Memory) -> None:
    """REFERENCE, API_BatchGetItem.html; what does not fit is left for another call."""
    keys = [{"id": {"S": f"k{number:03}"}} for number in range(101)]
    for number in range(50):
        put(memory, f"k{number:03}", v={"S": "x" * 390 * 1024})

    def batch(asked: list[Json]) -> Json:
        return memory("BatchGetItem", RequestItems={"plain": {"Keys": asked, "ConsistentRead": True}})

    assert batch(keys)["error"] == batch([])["error"] == batch([keys[0], keys[0]])["error"] == "ValidationException"
    answer = batch(keys[:100])
    got = [{"id": item["id"]} for item in answer["Responses"]["plain"]]
    assert len(got) == 42
    assert answer["UnprocessedKeys"]["plain"]["ConsistentRead"] is True
    rest = batch(answer["UnprocessedKeys"]["plain"]["Keys"])
    assert got + [{"id": item["id"]} for item in rest["Responses"]["plain"]] == keys[:50]
    assert rest["UnprocessedKeys"] == {}


def test_a_page_has_at_most_1_mb(memory: Memory) -> None:
    """GUIDE, Query.Pagination.html."""
    for number in range(5):
        put(memory, f"k{number}", colour={"S": "red"}, n={"N": str(number)}, v={"S": "x" * 390 * 1024})
    query = {
        "TableName": "plain",
        "IndexName": "colours",
        "KeyConditionExpression": "colour = :red",
        "ExpressionAttributeValues": {":red": {"S": "red"}},
        "ScanIndexForward": False,
        "Select": "COUNT",
    }
    counts: list[int] = []
    start: Json = {}
    while True:
        answer = memory("Query", **query, **start)
        counts.append(answer["Count"])
        if "LastEvaluatedKey" not in answer:
            break
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert counts == [2, 2, 1]


def test_an_index_holds_the_items_that_have_its_keys(memory: Memory) -> None:
    """GUIDE, GSI.html ("an index is sparse") and GSI.html#GSI.Projections."""
    put(memory, "without n", colour={"S": "red"})
    put(memory, "with both", colour={"S": "red"}, n={"N": "1"}, v={"S": "x"})
    put(memory, "without colour", n={"N": "1"}, v={"S": "x"})

    def found(index: str, condition: str, value: Json, **more: Any) -> Json:
        values = {":v": value}
        return memory(
            "Query",
            TableName="plain",
            IndexName=index,
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            **more,
        )

    def ids(answer: Json) -> list[str]:
        return [item["id"]["S"] for item in answer["Items"]]

    assert ids(found("colours", "colour = :v", {"S": "red"})) == ["with both"]
    numbers = found("numbers", "n = :v", {"N": "1"})
    assert ids(numbers) == ["with both", "without colour"]
    assert {name for item in numbers["Items"] for name in item} == {"id", "n"}
    update(memory, "REMOVE n", "with both")
    assert ids(found("colours", "colour = :v", {"S": "red"})) == []
    assert ids(found("numbers", "n = :v", {"N": "1.0"})) == ["without colour"]
    for wrong in ({"ConsistentRead": True}, {"Select": "ALL_ATTRIBUTES"}, {"ProjectionExpression": "v"}):
        assert found("numbers", "n = :v", {"N": "1"}, **wrong)["error"] == "ValidationException", wrong
    assert found("numbers", "n > :v", {"N": "1"})["error"] == "ValidationException"
    assert found("numbers", "n = :v", {"S": "1"})["error"] == "ValidationException"
    assert found("nothing", "n = :v", {"N": "1"})["error"] == "ValidationException"


def test_capacity_is_told_when_asked(memory: Memory) -> None:
    """GUIDE, read-write-operations.html: 4 KB are read for one unit, half of that eventually consistent, and 1 KB is
    written for one, twice that in a transaction; an index is written when what it holds changes (GSI.html)."""
    large = {"id": {"S": "a"}, "v": {"S": "x" * 5000}}
    asked = {"TableName": "plain", "ReturnConsumedCapacity": "INDEXES"}

    def units(operation: str, **params: Any) -> Json:
        consumed: Json = memory(operation, **asked, **params)["ConsumedCapacity"]
        indexes = consumed.get("GlobalSecondaryIndexes", {})
        assert consumed["CapacityUnits"] == consumed["Table"]["CapacityUnits"] + sum(
            index["CapacityUnits"] for index in indexes.values()
        )
        return {"table": consumed["Table"]["CapacityUnits"]} | {
            name: index["CapacityUnits"] for name, index in indexes.items()
        }

    assert units("PutItem", Item=large) == {"table": 5}
    assert units("PutItem", Item={**large, "n": {"N": "1"}}) == {"table": 5, "numbers": 1}
    both = {**large, "n": {"N": "2"}, "colour": {"S": "red"}}
    assert units("PutItem", Item=both) == {"table": 5, "colours": 5, "numbers": 2}
    assert units("PutItem", Item=both) == {"table": 5}
    key = {"Key": {"id": {"S": "a"}}}
    assert units("GetItem", **key, ConsistentRead=True) == {"table": 2}
    assert units("GetItem", **key) == {"table": 1}
    assert units("GetItem", Key={"id": {"S": "nobody"}}) == {"table": 0.5}
    query = {"KeyConditionExpression": "n = :n", "ExpressionAttributeValues": {":n": {"N": "2"}}}
    assert units("Query", IndexName="numbers", **query) == {"table": 0, "numbers": 0.5}, "it holds the keys only"
    assert "ConsumedCapacity" not in memory("GetItem", TableName="plain", **key)


@pytest.mark.parametrize(
    ("operation", "params"),
    [
        ("BatchWriteItem", {}),
        ("GetItem", {"TableName": "plain", "Key": {"id": {"S": "a"}}, "AttributesToGet": ["v"]}),
        ("PutItem", {"TableName": "plain", "Item": {"id": {"S": "a"}}, "Expected": {}}),
        ("UpdateItem", {"TableName": "plain", "Key": {"id": {"S": "a"}}, "AttributeUpdates": {}}),
        ("Scan", {"TableName": "plain", "Segment": 0, "TotalSegments": 2}),
        ("Query", {"TableName": "plain", "KeyConditions": {}}),
        ("CreateTable", {"TableName": "new", "KeySchema": [], "StreamSpecification": {}}),
    ],
)
def test_what_is_not_supported_is_refused_by_name(memory: Memory, operation: str, params: Json) -> None:
    answer = memory(operation, **params)
    assert answer["error"] in ("UnknownOperationException", "ValidationException")
    assert "not supported by the in-memory table" in answer["message"]
    assert memory.dynamodb.items("plain") == []


def test_a_snapshot_brings_back_items_and_indexes(memory: Memory) -> None:
    put(memory, "a", colour={"S": "red"}, n={"N": "1"})
    query = {
        "TableName": "plain",
        "IndexName": "colours",
        "KeyConditionExpression": "colour = :red",
        "ExpressionAttributeValues": {":red": {"S": "red"}},
    }
    before, answer = memory.dynamodb.snapshot(), memory("Query", **query)
    for _ in range(2):
        update(memory, "SET n = :two, v = :two", two={"N": "2"})
        put(memory, "b", colour={"S": "red"}, n={"N": "0"})
        assert memory("Query", **query) != answer
        memory.dynamodb.restore(before)
        assert memory("Query", **query) == answer
        assert memory.dynamodb.items("plain") == [{"id": {"S": "a"}, "colour": {"S": "red"}, "n": {"N": "1"}}]


def test_answers_have_the_checksum_that_botocore_checks(memory: Memory) -> None:
    answer = memory.dynamodb.request("ListTables", b"{}")
    assert answer.headers["x-amz-crc32"] == str(zlib.crc32(answer.body))
    assert json.loads(answer.body) == {"TableNames": ["plain", "ranged"]}


def test_transactions_of_threads_are_whole(memory: Memory) -> None:
    """Two counters are raised together while they are below 50, by sixteen threads."""

    def compete(_: int) -> int:
        parts = [
            {
                "Update": {
                    "TableName": "plain",
                    "Key": {"id": {"S": key}},
                    "UpdateExpression": "ADD v :one",
                    "ConditionExpression": "attribute_not_exists(v) OR v < :limit",
                    "ExpressionAttributeValues": {":one": {"N": "1"}, ":limit": {"N": "50"}},
                }
            }
            for key in "ab"
        ]
        return sum("error" not in memory("TransactWriteItems", TransactItems=parts) for _ in range(20))

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(compete, range(16))) == 50
    assert [item["v"] for item in memory.dynamodb.items("plain")] == [{"N": "50"}] * 2
