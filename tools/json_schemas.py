"""Render docs/protocol/schemas: a plain JSON Schema (draft 7) of each request and frame, for generators of models."""

import json
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
DRAFT = "http://json-schema.org/draft-07/schema#"


def render(document: Json) -> dict[str, str]:
    """Return the text of each schema by its name. Each is whole: it refers to no other file."""
    schemas: Json = document["components"]["schemas"]
    return {
        name: json.dumps(_whole(name, schemas), indent=1, ensure_ascii=False) + "\n"
        for name in document["components"]["messages"]
    }


def _whole(name: str, schemas: Json) -> Json:
    needed: list[str] = [name]
    for one in needed:
        needed.extend(other for other in _references(schemas[one]) if other not in needed)
    definitions = {other: _moved(schemas[other]) for other in sorted(set(needed) - {name})}
    own = _moved(schemas[name])
    return {"$schema": DRAFT, "title": name, **own, **({"definitions": definitions} if definitions else {})}


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "$ref":
                yield value.rpartition("/")[2]
            else:
                yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)


def _moved(part: Any) -> Any:
    """Return the schema with its references into `definitions`, and without AsyncAPI's extensions."""
    if isinstance(part, list):
        return [_moved(value) for value in part]
    if not isinstance(part, dict):
        return part
    return {
        key: f"#/definitions/{value.rpartition('/')[2]}" if key == "$ref" else _moved(value)
        for key, value in part.items()
        if not key.startswith("x-")
    }
