"""Loops of a template (Fn::ForEach), written out as the transform AWS::LanguageExtensions does.

Only what infra/monitoring.yaml needs of that transform: loops over literal names, also within one another, and then the
intrinsics that have become literal by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]

LOOP = "Fn::ForEach::"


def written_out(section: Json, mappings: Mapping[str, Any]) -> Json:
    """Return `section` with every loop replaced by what it makes.

    Within a loop, Fn::FindInMap, Fn::Sub and a Ref to a name that is put together are resolved where they can be.
    """
    written: Json = {}
    for key, value in section.items():
        if not key.startswith(LOOP):
            written[key] = value
            continue
        variable, names, body = value
        for name in names:
            copy = {_named(one, variable, name): _put_in(inner, variable, name) for one, inner in body.items()}
            written |= {one: _resolved(inner, mappings) for one, inner in written_out(copy, mappings).items()}
    return written


def _named(text: str, variable: str, name: str) -> str:
    return text.replace(f"${{{variable}}}", name)


def _put_in(value: Any, variable: str, name: str) -> Any:
    """Return `value` with the loop's variable replaced by one of its names, everywhere."""
    if isinstance(value, str):
        return _named(value, variable, name)
    if isinstance(value, list):
        return [_put_in(one, variable, name) for one in value]
    if not isinstance(value, dict):
        return value
    if value == {"Ref": variable}:
        return name
    return {_named(key, variable, name): _put_in(one, variable, name) for key, one in value.items()}


def _resolved(value: Any, mappings: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_resolved(one, mappings) for one in value]
    if not isinstance(value, dict):
        return value
    value = {key: _resolved(one, mappings) for key, one in value.items()}
    match value:
        case {"Fn::FindInMap": [str(table), str(row), str(column)]}:
            return mappings[table][row][column]
        case {"Fn::Sub": [str(text), dict(local)]} if all(isinstance(one, str) for one in local.values()):
            for name, one in local.items():
                text = _named(text, name, one)
            return _resolved({"Fn::Sub": text}, mappings)
        case {"Fn::Sub": str(text)} if "${" not in text:
            return text
    return value
