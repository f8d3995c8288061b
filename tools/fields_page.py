"""Render docs/protocol/fields.md: every field of every request, message and object, from the AsyncAPI document."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

HEAD = """<!-- Generated from the message models by `make docs`. Edit those, not this file. -->
# Fields

Every field of the [protocol](../protocol.md), as the server's models define it. A field marked *optional* is left out
of the frame when it has no value. Every request may also have a `ref`; every message has `now_ms`, and an answer has
the `ref` of its request. Times are integers in milliseconds since 1970-01-01 UTC.
"""
COMMON = {"action", "type", "ref", "now_ms"}


def render(document: Json) -> str:
    """Return the page as Markdown text."""
    schemas: Json = document["components"]["schemas"]
    kinds: dict[str, list[str]] = {"action": [], "type": []}
    for name in document["components"]["messages"]:
        kinds["action" if "action" in schemas[name]["properties"] else "type"].append(name)
    framed = {*kinds["action"], *kinds["type"]}
    objects = [name for name, schema in schemas.items() if "enum" not in schema and name not in framed]
    lines = [HEAD]
    for title, names, tag in (
        ("Requests", kinds["action"], "action"),
        ("Messages", kinds["type"], "type"),
        ("Objects", objects, ""),
    ):
        lines.append(f"## {title}\n")
        for name in names:
            lines.extend(_section(name, schemas, tag))
    return "\n".join(lines)


def _section(name: str, schemas: Json, tag: str) -> Iterator[str]:
    schema = schemas[name]
    yield f"### {name}\n"
    if "oneOf" in schema:
        kinds = " or ".join(_value(kind, schemas) for kind in schema["oneOf"])
        yield f"{schema['description']} It is a {kinds}.\n"
        return
    wire_name = f"`{tag}`: `{schema['properties'][tag]['const']}`. " if tag else ""
    yield f"{wire_name}{schema['description']}\n"
    fields = {field: part for field, part in schema["properties"].items() if field not in COMMON}
    if fields:
        yield "| field | value | meaning |\n| --- | --- | --- |"
        for field, part in fields.items():
            optional = "" if field in schema["required"] else ", optional"
            yield f"| `{field}` | {_value(part, schemas)}{optional} | {_meaning(part, schemas)} |"
        yield ""


def _value(part: Json, schemas: Json) -> str:
    """Return what values the field takes, in words."""
    name = _referenced(part)
    if name is not None:
        if name == "ErrorCode":
            return "an [error code](../protocol.md#error-codes)"
        if "enum" in schemas[name]:
            return " or ".join(f"`{value}`" for value in schemas[name]["enum"])
        return f"[{name}](#{name.lower()})"
    if "const" in part:
        return f"`{str(part['const']).lower()}`"
    match part["type"]:
        case "array":
            return f"list of {_value(part['items'], schemas)}"
        case "string":
            return f"text, at most {part['maxLength']} characters" if "maxLength" in part else "text"
        case "integer" if "maximum" in part:
            return f"integer, {part['minimum']} to {part['maximum']}"
        case other:
            return str(other)


def _meaning(part: Json, schemas: Json) -> str:
    """Return the description of the field, else of what it holds."""
    name = _referenced(part)
    if "description" in part or name is None:
        return str(part.get("description", ""))
    return str(schemas[name]["description"]).split("\n")[0]


def _referenced(part: Json) -> str | None:
    """Return the name of the schema that the field refers to, if any."""
    references = [part, *part.get("allOf", [])]
    return next((one["$ref"].rpartition("/")[2] for one in references if "$ref" in one), None)
