"""Attribute values as the wire has them (`{"S": "x"}`): checked, brought into one form, compared and measured.

In that form two values are equal exactly if their dictionaries are: numbers are written the one way that DynamoDB
answers them ("1.50" is "1.5", "1E2" is "100"), and sets are sorted. No value is ever changed in place, so items,
snapshots and answers may share parts.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from decimal import Context, Decimal, InvalidOperation
from typing import Any, TypeAlias

Value: TypeAlias = dict[str, Any]
"""One typed value: one key, which is the type."""
Attributes: TypeAlias = dict[str, Value]
"""An item, or a map's content."""

MAX_DEPTH = 32
MAX_DIGITS = 38
TYPES = frozenset({"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"})
KEY_TYPES = frozenset({"S", "N", "B"})

_PLAIN_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,37}", re.ASCII)
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
# Wide enough for the sum of the largest and the smallest number to be exact.
_EXACT = Context(prec=400, Emin=-999_999, Emax=999_999)


class DynamoDBError(Exception):
    """An error answer: its code, its message, and what else belongs to it."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


def invalid(message: str) -> DynamoDBError:
    """Return a ValidationException."""
    return DynamoDBError("ValidationException", message)


def bad_value(message: str) -> DynamoDBError:
    """Return a ValidationException about a parameter's value."""
    return invalid(f"One or more parameter values were invalid: {message}")


def canonical(value: Any, depth: int = 1) -> Value:
    """Return the value in its one form. Raises DynamoDBError if DynamoDB would refuse it."""
    if not isinstance(value, dict):
        raise DynamoDBError("SerializationException", "an attribute value is an object with one data type")
    if len(value) != 1:
        wrong = "is empty" if not value else "has more than one datatypes set"
        raise invalid(f"Supplied AttributeValue {wrong}, must contain exactly one of the supported datatypes")
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return {"S": _text(content)}
        case "N":
            return value if _is_plain(content) else {"N": number_text(content)}
        case "M":
            if depth >= MAX_DEPTH:
                raise _too_deep()
            return {"M": {name: canonical(inner, depth + 1) for name, inner in _container(content, dict).items()}}
        case "L":
            if depth >= MAX_DEPTH:
                raise _too_deep()
            return {"L": [canonical(inner, depth + 1) for inner in _container(content, list)]}
        case "BOOL":
            if not isinstance(content, bool):
                raise DynamoDBError("SerializationException", "BOOL is true or false")
            return value
        case "NULL":
            if content is not True:
                raise bad_value("Null attribute value types must have the value of true")
            return value
        case "B":
            return {"B": _binary(content)}
        case "SS" | "NS" | "BS":
            return {kind: _set(kind, _container(content, list))}
        case _:
            raise invalid(
                "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes; "
                f"{kind} is not supported"
            )


def canonical_attributes(attributes: Mapping[str, Any]) -> Attributes:
    """Return an item in its one form. Raises DynamoDBError."""
    if "" in attributes:
        raise bad_value("An attribute name may not be empty")
    return {name: canonical(value) for name, value in attributes.items()}


def kind_of(value: Value) -> str:
    """Return the type of a value: "S", "N" ..."""
    return next(iter(value))


def as_number(value: Value) -> Decimal:
    """Return the number that an "N" holds."""
    return Decimal(value["N"])


def add(one: Decimal, other: Decimal) -> Decimal:
    """Add without rounding."""
    return _EXACT.add(one, other)


def number_text(content: Any) -> str:
    """Return a number as DynamoDB writes it: no exponent, no needless zeros. Raises DynamoDBError."""
    if not isinstance(content, str):
        raise DynamoDBError("SerializationException", "a number is sent as a string")
    if not _NUMBER.fullmatch(content):
        raise invalid(f"The parameter cannot be converted to a numeric value: {content}")
    try:
        number = Decimal(content, _EXACT)
    except InvalidOperation:
        raise invalid(f"The parameter cannot be converted to a numeric value: {content}") from None
    return decimal_text(number)


def decimal_text(number: Decimal) -> str:
    """Return a number as DynamoDB writes it. Raises DynamoDBError if it is out of range or has too many digits."""
    if not number:
        return "0"
    normal = number.normalize(_EXACT)
    if normal.adjusted() > 125:
        raise invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
    if normal.adjusted() < -130:
        raise invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
    if len(normal.as_tuple().digits) > MAX_DIGITS:
        raise invalid(f"Attempting to store more than {MAX_DIGITS} significant digits in a Number")
    return f"{normal:f}"


def make_set(kind: str, members: list[str]) -> Value:
    """Return a set of members that are in their one form already."""
    return {kind: sorted(members, key=_member_order(kind))}


def sort_value(value: Value) -> Any:
    """Return something that orders values of one key type as DynamoDB does: numbers, UTF-8 bytes, unsigned bytes."""
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    # Code points and UTF-8 bytes have the same order.
    return base64.b64decode(content) if kind == "B" else content


def size_of_item(attributes: Attributes) -> int:
    """Bytes of an item, by "DynamoDB item sizes and formats" in the developer guide."""
    return sum(_length(name) + size(value) for name, value in attributes.items())


def size(value: Value) -> int:
    """Bytes of a value without its name."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return _length(content)
        case "N":
            return _number_size(content)
        case "M":
            return 3 + sum(_length(name) + size(inner) + 1 for name, inner in content.items())
        case "L":
            return 3 + sum(size(inner) + 1 for inner in content)
        case "B":
            return len(base64.b64decode(content))
        case "SS":
            return sum(map(_length, content))
        case "NS":
            return sum(map(_number_size, content))
        case "BS":
            return sum(len(base64.b64decode(member)) for member in content)
        case _:
            return 1


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _number_size(text: str) -> int:
    return (len(text.lstrip("-").replace(".", "").strip("0")) + 1) // 2 + 1


def _is_plain(content: Any) -> bool:
    return isinstance(content, str) and _PLAIN_NUMBER.fullmatch(content) is not None


def _text(content: Any) -> str:
    if not isinstance(content, str):
        raise DynamoDBError("SerializationException", f"{type(content).__name__} cannot be converted to a string")
    return content


def _binary(content: Any) -> str:
    try:
        return base64.b64encode(base64.b64decode(_text(content), validate=True)).decode()
    except (binascii.Error, ValueError):
        raise DynamoDBError("SerializationException", "binary content is not base64") from None


def _container(content: Any, kind: type) -> Any:
    if not isinstance(content, kind):
        raise DynamoDBError("SerializationException", f"a {kind.__name__} is expected")
    return content


def _set(kind: str, members: list[Any]) -> list[str]:
    if not members:
        raise bad_value(f"An {kind} set may not be empty")
    form = {"SS": _text, "NS": number_text, "BS": _binary}[kind]
    formed = [form(member) for member in members]
    if len(set(formed)) != len(formed):
        raise bad_value(f"Input collection [{', '.join(formed)}] contains duplicates.")
    return sorted(formed, key=_member_order(kind))


def _member_order(kind: str) -> Any:
    return {"SS": str, "NS": Decimal, "BS": base64.b64decode}[kind]


def _too_deep() -> DynamoDBError:
    return bad_value(f"Nesting Levels have exceeded supported limits: more than {MAX_DEPTH}")
