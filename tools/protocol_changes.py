"""`python -m tools.protocol_changes`: tell additions to the protocol from breaking changes since the last release.

The baseline, tests/compatibility/protocol-VERSION.json, was recorded from the tag of that release, so a clone without
tags has it too. Exit with 1 if a client of the release could break while `welcome` still says the same `protocol`.
docs/protocol.md ("Versions") has the rule.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from wordle_tournament.protocol import requests

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "asyncapi.yaml"
RELEASE = "1.0.0"
RELEASE_PROTOCOL = 1
BASELINE = ROOT / "tests" / "compatibility" / f"protocol-{RELEASE}.json"
OPEN = {"ErrorCode"}
"""The lists of values that may grow: clients take an unknown error code as `internal`."""
UPPER, LOWER = ("maxLength", "maximum", "maxItems"), ("minLength", "minimum", "minItems")
IGNORED = {"description", "required", "properties", "not", "enum", "title", "default", "format", *UPPER, *LOWER}

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the protocol. A breaking one can stop a client of the release from playing."""

    breaking: bool
    text: str

    def __str__(self) -> str:
        return f"{'breaking' if self.breaking else 'addition'}: {self.text}"


def compare(old: Json, new: Json) -> list[Change]:
    """Return the changes between two sets of schemas by name."""
    old_schemas, new_schemas = ({name: _merged(name, all_) for name in all_} for all_ in (old, new))
    changes: list[Change] = []
    for tag, asked in (("action", True), ("type", False)):
        before, after = (_frames(schemas, tag) for schemas in (old_schemas, new_schemas))
        kind = "request" if asked else "frame"
        changes += [Change(True, f"{kind} {name} is gone") for name in before if name not in after]
        changes += [Change(False, f"{kind} {name}") for name in after if name not in before]
        for name in before.keys() & after.keys():
            pairs = _pairs(before[name], after[name], old_schemas, new_schemas)
            for at, (earlier, later) in pairs.items():
                changes += _differences(f"{name}: {at}", earlier, later, asked=asked, is_open=at in OPEN)
    return sorted(set(changes), key=lambda change: (not change.breaking, change.text))


def _frames(schemas: Json, tag: str) -> dict[str, str]:
    """Return the schema of each request or frame by its name in JSON."""
    return {
        part["properties"][tag]["const"]: name
        for name, part in schemas.items()
        if "const" in part.get("properties", {}).get(tag, {})
    }


def _pairs(earlier: str, later: str, old: Json, new: Json) -> dict[str, tuple[Json, Json]]:
    """Return the schemas that belong to a frame, before and after."""
    names = [(earlier, later)]
    for one, other in names:
        inner = set(_references(old[one])) & set(_references(new[other]))
        names.extend((name, name) for name in sorted(inner) if (name, name) not in names and name in old)
    return {other: (old[one], new[other]) for one, other in names}


def _differences(at: str, old: Json, new: Json, *, asked: bool, is_open: bool) -> Iterator[Change]:
    before, after = old.get("properties", {}), new.get("properties", {})
    required = set(old.get("required", ())), set(new.get("required", ()))
    for name in before:
        if name not in after:
            yield Change(True, f"{at}.{name} is gone")
            continue
        if not asked and name in required[0] - required[1]:
            yield Change(True, f"{at}.{name} is not in every frame any more")
        if asked and name in required[1] - required[0]:
            yield Change(True, f"{at}.{name} has become required")
        yield from _differences(f"{at}.{name}", _flat(before[name]), _flat(after[name]), asked=asked, is_open=is_open)
    for name in after.keys() - before.keys():
        yield Change(asked and name in required[1], f"{at}.{name}")
    if {key: part for key, part in old.items() if key not in IGNORED and not key.startswith("x-")} != {
        key: part for key, part in new.items() if key not in IGNORED and not key.startswith("x-")
    }:
        yield Change(True, f"{at} has another type")
    values = set(old.get("enum", ())), set(new.get("enum", ()))
    for value in values[0] - values[1]:
        yield Change(asked, f"{at} without {value}")
    for value in values[1] - values[0]:
        yield Change(not asked and not is_open, f"{at}: {value}")
    if asked:
        for key in (*UPPER, *LOWER):
            narrower = min if key in UPPER else max
            if key in new and (key not in old or narrower(old[key], new[key]) != old[key]):
                yield Change(True, f"{at} takes less: {key} is {new[key]}")


def _flat(part: Json) -> Json:
    """Return a field's schema with its reference, if it has one, at the top."""
    (inner,) = part.get("allOf", [{}])
    return {**{key: value for key, value in part.items() if key != "allOf"}, **inner}


def _merged(name: str, schemas: Json) -> Json:
    """Return the schema; of one that is one of several, what all have in common and what any may have."""
    whole: Json = schemas[name]
    if "oneOf" not in whole:
        return whole
    kinds = [schemas[_last(kind["$ref"])] for kind in whole["oneOf"]]
    properties = {field: part for kind in kinds for field, part in kind["properties"].items()}
    return {
        "type": "object",
        # The constant tells the kinds apart; over both of them the field takes any value of its type.
        "properties": {
            field: {key: value for key, value in part.items() if key != "const"} for field, part in properties.items()
        },
        "required": sorted(set.intersection(*(set(kind["required"]) for kind in kinds))),
    }


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "$ref":
                yield _last(value)
            else:
                yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)


def _last(reference: str) -> str:
    return reference.rpartition("/")[2]


def main(arguments: list[str] | None = None) -> int:
    """Print the changes. Return 1 for a breaking one under the protocol's old version."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.protocol_changes", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--brief", action="store_true", help="print breaking changes and the number of additions")
    brief: bool = parser.parse_args(arguments).brief
    old = json.loads(BASELINE.read_text(encoding="utf-8"))["schemas"]
    new = yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))["components"]["schemas"]
    changes = compare(old, new)
    breaking = [change for change in changes if change.breaking]
    for change in breaking if brief else changes:
        print(change)
    print(f"Since {RELEASE}: {len(breaking)} breaking changes, {len(changes) - len(breaking)} additions.")
    return int(bool(breaking) and requests.VERSION == RELEASE_PROTOCOL)


if __name__ == "__main__":
    sys.exit(main())
