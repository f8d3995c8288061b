"""Write docs/asyncapi.yaml, the machine-readable protocol, from the message models.

`python -m tools.asyncapi` writes it; with `--check` it only says, by its exit code, whether the file is what it
would write. The examples are the ```json blocks of docs/protocol.md: what a person reads and what a program reads
cannot drift apart. The package has to be importable (`pip install -e .`, or PYTHONPATH=shared).
"""

import argparse
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import yaml
from pydantic.json_schema import models_json_schema

from wordle_tournament.protocol import messages, requests
from wordle_tournament.protocol.errors import MEANING

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "asyncapi.yaml"
GUIDE = ROOT / "docs" / "protocol.md"

Json = dict[str, Any]
Model = type[requests.Request] | type[messages.Message]

CHANNEL = "game"
SCHEMAS = "#/components/schemas/"

ANSWERS: Mapping[type[requests.Request], type[messages.Message]] = {
    requests.Hello: messages.Welcome,
    requests.Join: messages.LobbyChanged,
    requests.Leave: messages.Left,
    requests.Guess: messages.DuelChanged,
    requests.Rename: messages.YouChanged,
    requests.Watch: messages.DuelChanged,
    requests.Unwatch: messages.Unwatched,
    requests.Sync: messages.State,
    requests.Languages: messages.LanguageList,
    requests.Ping: messages.Pong,
    requests.CreateGroup: messages.GroupChanged,
    requests.JoinGroup: messages.GroupChanged,
    requests.LeaveGroup: messages.Left,
    requests.RemoveMember: messages.GroupChanged,
    requests.HandOver: messages.GroupChanged,
    requests.RenewInvite: messages.GroupChanged,
    requests.StartGroup: messages.LobbyChanged,
    requests.Results: messages.TournamentResults,
    requests.Board: messages.DuelChanged,
    requests.Profile: messages.OwnProfile,
    requests.Export: messages.OwnData,
    requests.DeleteMe: messages.Deleted,
}
"""What answers a request that is not refused; an `error` answers one that is."""

ENUMERATIONS: Mapping[tuple[Any, ...], str] = {
    get_args(values): name
    for name, values in (*vars(messages).items(), *vars(requests).items())
    if get_origin(values) is Literal
}
"""Lists of values that have a name in the models: so they have in the document, and in what is generated from it."""

PUSHES: Mapping[type[messages.Message], str] = {
    messages.LobbyChanged: "To everybody in a lobby when its players or their nicknames change, when it is merged with "
    "another, and when it starts; to the other members of a group that is seated.",
    messages.TournamentChanged: "To everybody in a tournament, and to those out of it who stay: when a round opens, "
    "when somebody leaves, when it is over.",
    messages.DuelChanged: "To a duel's players and watchers after each turn; to everybody in the tournament, "
    "and those who stay, when it is over.",
    messages.Result: "To a player whose place is fixed, who has left the tournament too; seldom twice.",
    messages.YouChanged: "To a player whom an operator has renamed, or one of whose tournaments was voided.",
    messages.Presence: "To the others of a lobby or tournament when somebody's connection is lost or back.",
    messages.GroupChanged: "To everybody in a group when its members, leader or invite change; when one of them is "
    "away or back, takes or leaves a seat, is out of a tournament, or has another nickname or rating.",
    messages.Left: "To the members of a group that is taken out of its lobby, and to one who is removed from a group.",
    messages.Replaced: "To the older connection of a player who has signed in on a newer one, before it is closed.",
    messages.Error: "When a frame could not be read as a request at all, so that there is no `ref` to answer to.",
}
"""What the server sends unasked, and when."""

_BLOCK = re.compile(r"^```json (?P<name>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Example:
    """A frame shown in the guide."""

    name: str
    payload: Json

    @property
    def model(self) -> Model:
        """The model it is an example of. Raises KeyError for an action or type that there is not."""
        if "action" in self.payload:
            return {wire_name(model): model for model in requests.REQUESTS}[self.payload["action"]]
        return {wire_name(model): model for model in messages.MESSAGES}[self.payload["type"]]


def examples(guide: str) -> tuple[Example, ...]:
    """The examples in the text of docs/protocol.md, in their order."""
    return tuple(Example(block["name"], json.loads(block["text"])) for block in _BLOCK.finditer(guide))


def wire_name(model: Model) -> str:
    """What a frame of this model has as its `action` or `type`."""
    return str(model.model_fields[_tag(model)].default)


def document(guide: str) -> Json:
    """The AsyncAPI document: a pure function of the models and the guide's examples."""
    shown = examples(guide)
    models: tuple[Model, ...] = (*requests.REQUESTS, *messages.MESSAGES)
    return {
        "asyncapi": "3.0.0",
        "info": _info(),
        "defaultContentType": "application/json",
        "servers": _servers(),
        "channels": {
            CHANNEL: {
                "address": "/",
                "title": "The connection",
                "description": "One WebSocket for everything, in text frames that hold one JSON object each. "
                "A client's frame is told apart by `action`, a server's by `type`.",
                "messages": {model.__name__: {"$ref": f"#/components/messages/{model.__name__}"} for model in models},
                "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
            }
        },
        "operations": {**dict(_receives()), **dict(_sends())},
        "components": {
            "messages": {model.__name__: _message(model, shown) for model in models},
            "schemas": _schemas(models),
        },
    }


def render(content: Json) -> str:
    """The document as YAML text."""
    head = "# Made from the message models by `python -m tools.asyncapi`: change those, not this file.\n"
    return head + yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


class _Dumper(yaml.SafeDumper):
    """Plain YAML: no aliases, and text of several lines as a block."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def _info() -> Json:
    return {
        "title": "Wordle Tournament",
        "version": str(requests.VERSION),
        "description": "Eight players, three lives each, simultaneous Wordle duels. The document is written from the "
        "server's side: it receives what clients send. docs/protocol.md walks through a whole game, "
        "docs/rules.md has the rules.\n\n"
        "Closed for what clients send: a field that is not in a schema is refused. Open for what they get: "
        "a client ignores types and fields that it does not know, and takes an unknown error code for `internal`.",
        "license": {"name": "MIT"},
    }


def _servers() -> Json:
    return {
        "local": {
            "host": "127.0.0.1:{port}",
            "pathname": "/ws",
            "protocol": "ws",
            "description": "The one-process stack of `make play`.",
            "variables": {"port": {"default": "8000", "description": "`make play` prints it."}},
        },
        "aws": {
            "host": "{api}.execute-api.{region}.amazonaws.com",
            "pathname": "/{stage}",
            "protocol": "wss",
            "description": "A deployment on API Gateway; its address is an output of the stack.",
            "variables": {
                "api": {"description": "Id of the WebSocket API.", "examples": ["a1b2c3d4e5"]},
                "region": {"default": "eu-central-1", "description": "AWS region of the deployment."},
                "stage": {"default": "dev", "description": "Stage of the API."},
            },
        },
    }


def _receives() -> Iterator[tuple[str, Json]]:
    for model in requests.REQUESTS:
        summary, _, more = _doc(model).partition("\n\n")
        yield (
            wire_name(model),
            {
                "action": "receive",
                "channel": {"$ref": f"#/channels/{CHANNEL}"},
                "title": wire_name(model),
                "summary": summary,
                **({"description": more} if more else {}),
                "messages": [_in_channel(model)],
                "reply": {
                    "channel": {"$ref": f"#/channels/{CHANNEL}"},
                    "messages": [_in_channel(ANSWERS[model]), _in_channel(messages.Error)],
                },
            },
        )


def _sends() -> Iterator[tuple[str, Json]]:
    for model, when in PUSHES.items():
        yield (
            f"push_{wire_name(model)}",
            {
                "action": "send",
                "channel": {"$ref": f"#/channels/{CHANNEL}"},
                "title": f"{wire_name(model)}, unasked",
                "summary": when,
                "messages": [_in_channel(model)],
            },
        )


def _message(model: Model, shown: tuple[Example, ...]) -> Json:
    summary, _, _ = _doc(model).partition("\n\n")
    return {
        "name": wire_name(model),
        "title": wire_name(model),
        "summary": summary,
        "contentType": "application/json",
        "correlationId": {
            "location": "$message.payload#/ref",
            "description": "Given by the client if it likes; an answer carries that of its request.",
        },
        "payload": {"$ref": SCHEMAS + model.__name__},
        "examples": [{"name": example.name, "payload": example.payload} for example in shown if example.model is model],
    }


def _schemas(models: tuple[Model, ...]) -> Json:
    _, generated = models_json_schema(
        [(model, "validation") for model in models], ref_template=SCHEMAS + "{model}", by_alias=True
    )
    schemas: Json = {name: _draft_7(schema) for name, schema in generated["$defs"].items()}
    for model in models:
        schema = schemas[model.__name__]
        schema["required"] = [_tag(model), *schema.get("required", [])]
    for name in schemas.keys() - {model.__name__ for model in requests.REQUESTS}:
        schemas[name].pop("additionalProperties", None)  # the server may say more some day
        _as_sent(schemas[name])
    schemas |= {name: {"type": "string", "enum": list(values)} for values, name in ENUMERATIONS.items()}
    schemas["ErrorCode"]["description"] = "\n".join(
        ["Why a message was refused, or what went wrong with it.", ""]
        + [f"- `{code}`: {meaning}" for code, meaning in MEANING.items()]
    )
    return dict(sorted(schemas.items()))


def _as_sent(schema: Json) -> None:
    """What the server fills in itself is there in each of its frames: a default is only for who makes one."""
    filled = [name for name, part in schema.get("properties", {}).items() if part.pop("default", None) is not None]
    if filled:
        schema["required"] = [*schema.get("required", []), *filled]


def _draft_7(schema: Any) -> Any:
    """A pydantic schema in the words of JSON Schema draft 7, which AsyncAPI's own are a superset of.

    A field without a value is left out of a frame, so `null` is dropped from the types, and titles that only repeat
    a field's name from the noise.
    """
    if isinstance(schema, list):
        return [_draft_7(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        properties = {name: _draft_7(part) for name, part in schema["properties"].items()}
        for name in properties:
            if name.endswith("_ms"):
                properties[name]["format"] = "int64"  # an Int of 32 bits is too small for a time
        return {"type": "object", **_without(schema, "type", "properties", "title"), "properties": properties} | {
            "description": _joined(schema.get("description", "")),
        }
    flat = {key: _draft_7(part) for key, part in _without(schema, "title").items()}
    if "const" in flat or flat.get("default", 0) is None:
        flat.pop("default", None)
    if "prefixItems" in flat:
        first, *others = flat.pop("prefixItems")
        if any(other != first for other in others):
            raise ValueError("a tuple of different types has no place in the protocol")
        flat["items"] = first
    if "anyOf" in flat:
        kept = [part for part in flat.pop("anyOf") if part != {"type": "null"}]
        if len(kept) != 1:
            raise ValueError("a field of several types has no place in the protocol")
        flat = {**kept[0], **flat}
    if tuple(flat.get("enum", ())) in ENUMERATIONS:
        flat = {"$ref": SCHEMAS + ENUMERATIONS[tuple(flat["enum"])], **_without(flat, "enum", "type")}
    if "$ref" in flat and len(flat) > 1:
        flat = {"allOf": [{"$ref": flat.pop("$ref")}], **flat}
    return flat


def _without(schema: Json, *keys: str) -> Json:
    return {key: part for key, part in schema.items() if key not in keys}


def _tag(model: Model) -> str:
    return "action" if issubclass(model, requests.Request) else "type"


def _in_channel(model: Model) -> Json:
    return {"$ref": f"#/channels/{CHANNEL}/messages/{model.__name__}"}


def _doc(model: Model) -> str:
    return _joined(inspect.getdoc(model) or "")


def _joined(text: str) -> str:
    """Text with each paragraph on one line."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def main(arguments: list[str] | None = None) -> int:
    """Write the document, or check it."""
    parser = argparse.ArgumentParser(prog="python -m tools.asyncapi", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is not up to date")
    check: bool = parser.parse_args(arguments).check
    wanted = render(document(GUIDE.read_text(encoding="utf-8")))
    if not check:
        DOCUMENT.write_text(wanted, encoding="utf-8")
        return 0
    if DOCUMENT.exists() and DOCUMENT.read_text(encoding="utf-8") == wanted:
        return 0
    print("docs/asyncapi.yaml is not what the models make: run `python -m tools.asyncapi`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
