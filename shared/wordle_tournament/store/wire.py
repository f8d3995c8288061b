"""JSON's values as DynamoDB has them on the wire, and back.

boto3 has such a converter, but loading it loads all of boto3 and its parts for S3, a fifth of a function's start.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def to_wire(value: Any) -> dict[str, Any]:
    """Return the attribute value. Raises TypeError for what JSON cannot hold."""
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case float():
            return {"N": str(Decimal(repr(value)))}
        case None:
            return {"NULL": True}
        case list():
            return {"L": [to_wire(inner) for inner in value]}
        case dict():
            return {"M": {name: to_wire(inner) for name, inner in value.items()}}
        case _:
            raise TypeError(f"JSON has no {type(value).__name__}")


def from_wire(attribute: Mapping[str, Any]) -> Any:
    """Return the value; a number without a fraction is an int. Raises TypeError for types that JSON has not."""
    ((kind, value),) = attribute.items()
    match kind:
        case "S" | "BOOL":
            return value
        case "N":
            return _number(value)
        case "NULL":
            return None
        case "L":
            return [from_wire(inner) for inner in value]
        case "M":
            return {name: from_wire(inner) for name, inner in value.items()}
        case _:
            raise TypeError(f"JSON has no {kind}")


def _number(text: str) -> int | float:
    if text.isdecimal():
        return int(text)
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else float(number)
