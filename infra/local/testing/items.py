"""Stored items as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item in DynamoDB's JSON as plain values; numbers become int or float."""
    return {name: _value(value) for name, value in attributes.items()}


def _value(typed: Mapping[str, Any]) -> Any:
    ((kind, value),) = typed.items()
    match kind:
        case "N":
            return float(value) if "." in value else int(value)
        case "M":
            return plain(value)
        case "L":
            return [_value(inner) for inner in value]
        case "NULL":
            return None
        case "SS":
            return sorted(value)
        case "S" | "BOOL":
            return value
        case _:
            raise ValueError(f"no table here holds a value of the type {kind}")
