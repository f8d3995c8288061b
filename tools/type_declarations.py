"""Render client/javascript/protocol.d.ts: TypeScript types of every frame, from the AsyncAPI document."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

HEAD = """// Generated from docs/asyncapi.yaml by `make docs`. Edit the server's message models, not this file.
"""
PRIMITIVES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}


def render(document: Json) -> str:
    """Return the declarations as the text of a TypeScript module."""
    schemas: Json = document["components"]["schemas"]
    operations: Json = document["operations"]
    sent = [name for name in document["components"]["messages"] if "action" in schemas[name]["properties"]]
    received = [name for name in document["components"]["messages"] if name not in sent]
    answers = {
        name: _last(operation["reply"]["messages"][0])
        for operation in operations.values()
        if operation["action"] == "receive"
        for name in [_last(operation["messages"][0])]
    }
    lines = [HEAD]
    for name, schema in schemas.items():
        lines.extend(_declaration(name, schema))
    lines += [
        "/** Everything that a client may send, told apart by `action`. */",
        f"export type Request = {' | '.join(sent)};",
        "",
        "/** Everything that the server may send, told apart by `type`. */",
        f"export type Frame = {' | '.join(received)};",
        "",
        "/** The answer to each request that is not refused, by `action`. */",
        "export interface Answers {",
        *(f"  {schemas[name]['properties']['action']['const']}: {answers[name]};" for name in sent),
        "}",
        "",
    ]
    return "\n".join(lines)


def _declaration(name: str, schema: Json) -> Iterator[str]:
    yield from _comment(schema.get("description", ""), "")
    if "properties" not in schema:
        yield f"export type {name} = {_type(schema)};"
    else:
        yield f"export interface {name} {{"
        for field, part in schema["properties"].items():
            yield from _comment(part.get("description", ""), "  ")
            yield f"  {field}{'' if field in schema.get('required', ()) else '?'}: {_type(part)};"
        for barred in schema.get("not", {}).get("anyOf", ()):
            yield f"  {barred['required'][0]}?: never;"
        yield "}"
    yield ""


def _comment(text: str, indent: str) -> Iterator[str]:
    lines = text.replace("*/", "").splitlines()
    if len(lines) == 1:
        yield f"{indent}/** {lines[0]} */"
    elif lines:
        yield f"{indent}/**"
        yield from (f"{indent} * {line}".rstrip() for line in lines)
        yield f"{indent} */"


def _type(part: Json) -> str:
    """Return the TypeScript type of a schema. Raise ValueError for a kind of schema that no frame has yet."""
    match part:
        case {"$ref": reference}:
            return _last(reference)
        case {"allOf": [only]}:
            return _type(only)
        case {"oneOf": kinds}:
            return " | ".join(map(_type, kinds))
        case {"const": bool(value)}:
            return str(value).lower()
        case {"const": value}:
            return f'"{value}"'
        case {"enum": values}:
            return " | ".join(f'"{value}"' for value in values)
        case {"type": "array", "items": items, "minItems": 2, "maxItems": 2}:
            return f"[{_type(items)}, {_type(items)}]"
        case {"type": "array", "items": items}:
            inner = _type(items)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"Record<string, {_type(values)}>"
        case {"type": "object"}:
            return "Record<string, unknown>"
        case {"type": str(kind)} if kind in PRIMITIVES:
            return PRIMITIVES[kind]
        case _:
            raise ValueError(f"tools/type_declarations.py does not know this kind of schema: {part}")


def _last(reference: str | Json) -> str:
    path: str = reference["$ref"] if isinstance(reference, dict) else reference
    return path.rpartition("/")[2]
