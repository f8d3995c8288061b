"""Write the generated documents of the protocol from the message models.

docs/asyncapi.yaml is the protocol in machine-readable form; docs/protocol/fields.md lists every field for people;
client/javascript/protocol.d.ts is the same in TypeScript. `python -m tools.asyncapi` writes all three. With `--check`
it writes nothing and fails if a file is out of date. The examples in the document are the files in
docs/protocol/examples, in the order in which docs/protocol/story.md links them. The package must be importable (`pip
install -e .`, or PYTHONPATH=shared).
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

from tools import fields_page, json_schemas, type_declarations
from wordle_tournament.protocol import messages, requests
from wordle_tournament.protocol.errors import ADVICE, MEANING

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "asyncapi.yaml"
GUIDE = ROOT / "docs" / "protocol.md"
FIELDS = ROOT / "docs" / "protocol" / "fields.md"
TYPES = ROOT / "client" / "javascript" / "protocol.d.ts"
STORY = ROOT / "docs" / "protocol" / "story.md"
JSON_SCHEMAS = ROOT / "docs" / "protocol" / "schemas"
EXAMPLES = ROOT / "docs" / "protocol" / "examples"

REQUESTS_MODULE = "shared/wordle_tournament/protocol/requests.py"
MESSAGES_MODULE = "shared/wordle_tournament/protocol/messages.py"

Json = dict[str, Any]
Model = type[requests.Request] | type[messages.Message]

CHANNEL = "game"
SCHEMAS = "#/components/schemas/"

ENUMERATIONS: Mapping[tuple[Any, ...], str] = {
    get_args(values): name
    for name, values in (*vars(messages).items(), *vars(requests).items())
    if get_origin(values) is Literal
}
"""The lists of values that have a name in the models. They keep it in the document and in code generated from it."""

VALUES: Mapping[str, str] = {
    "Mark": "The answer to one letter of a guess: in this place, elsewhere in the word, or not (so often) in it.",
    "Ending": "The word was guessed, all turns were used, or a player left.",
    "Fate": "Still in the tournament, out of lives, left, or the winner.",
    "Where": "In no game, in a lobby, or still in a tournament. An eliminated player is free.",
    "TournamentEnding": "Played to its end, stopped by an operator, or voided by an operator.",
    "Outcome": "Whether the player finished above, below or level with the opponent.",
    "LeftWhat": "The thing that the player has left.",
    "QuestionWhat": "The thing in which the player shall be there.",
    "LeaveWhat": "The thing that the player wants to leave.",
}
"""The meaning of the values of each named list."""

PUSHES: Mapping[type[messages.Message], str] = {
    messages.LobbyChanged: "To everybody in a lobby: its players or their nicknames change, it is merged with another "
    "lobby, or it starts. To the other members of a group: the group gets its seats.",
    messages.TournamentChanged: "To everybody in a tournament, and to eliminated players who stay: a round opens, a "
    "player leaves, or it is over.",
    messages.DuelChanged: "To a duel's players: its round opens. To its players and watchers: a turn was played or "
    "skipped. To everybody in the tournament, and to eliminated players who stay: the duel is over.",
    messages.Result: "To a player: the place is fixed, also after leaving the tournament. Rarely twice.",
    messages.YouChanged: "To a player: an operator has renamed them or voided one of their tournaments.",
    messages.Presence: "To the others in a lobby or tournament: a player's connection is lost, or the player is back.",
    messages.GroupChanged: "To everybody in a group: its members, leader or invite change, or a member is away or "
    "back, takes or leaves a seat, is out of a tournament, or has another nickname or rating.",
    messages.Left: "To the members of a group that is taken out of its lobby. To a player who is removed from a group.",
    messages.Question: "To a player: a turn of theirs was skipped, their group starts, or a minute has passed in a "
    "lobby or with a bye.",
    messages.Replaced: "To the older connection of a player who has signed in on a newer one, before it is closed.",
    messages.Error: "To the sender: a frame could not be read as a request, so that there is no `ref` to answer to.",
}
"""When each message is pushed, that is, sent without a request."""

_LINK = re.compile(r"\]\(examples/(\w+)\.json\)")


class Incomplete(Exception):
    """Something that the documents need is missing. The text names the file to edit."""


@dataclass(frozen=True, slots=True)
class Example:
    """A frame in a file of docs/protocol/examples."""

    name: str
    payload: Json

    @property
    def model(self) -> Model:
        """Return the model of the frame. Raise Incomplete if no model has its `action` or `type`."""
        models: tuple[Model, ...] = requests.REQUESTS if "action" in self.payload else messages.MESSAGES
        name = self.payload.get("action", self.payload.get("type"))
        for model in models:
            if wire_name(model) == name:
                return model
        raise Incomplete(
            f"docs/protocol/examples/{self.name}.json: no request or message is called {name!r}: add it to "
            f"{REQUESTS_MODULE} and its REQUESTS, or to {MESSAGES_MODULE} and its MESSAGES"
        )


def examples() -> tuple[Example, ...]:
    """Return the examples in the order of the story. Raise Incomplete if the story and the folder differ."""
    linked = _LINK.findall(STORY.read_text(encoding="utf-8"))
    stored = {path.stem for path in EXAMPLES.glob("*.json")}
    for name in linked:
        if name not in stored:
            raise Incomplete(f"docs/protocol/story.md links examples/{name}.json: write that file or remove the link")
    for name in sorted(stored):
        if linked.count(name) != 1:
            raise Incomplete(f"docs/protocol/story.md must link examples/{name}.json exactly once")
    return tuple(Example(name, _read(EXAMPLES / f"{name}.json")) for name in linked)


def _read(path: Path) -> Json:
    try:
        payload = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Incomplete(f"docs/protocol/examples/{path.name} is not JSON: {error}") from error
    if not isinstance(payload, dict):
        raise Incomplete(f"docs/protocol/examples/{path.name} is not a JSON object")
    return payload


def answer_of(model: type[requests.Request]) -> type[messages.Message]:
    """Return the message that answers the request. Raise Incomplete if the request declares none."""
    answer: type[messages.Message] | None = getattr(model, "answer", None)
    if answer is None:
        raise Incomplete(f"{model.__name__} declares no answer: add `answer = messages.…` to it in {REQUESTS_MODULE}")
    return answer


def check_complete(shown: tuple[Example, ...]) -> None:
    """Raise Incomplete if a model lacks an answer, an example, or a reason to be sent."""
    answers = {answer_of(model) for model in requests.REQUESTS}
    for message in messages.MESSAGES:
        if message not in answers and message not in PUSHES:
            raise Incomplete(
                f"{message.__name__} answers no request and is never pushed: declare it as an `answer` in "
                f"{REQUESTS_MODULE}, or say in PUSHES in tools/asyncapi.py when it is pushed"
            )
    for name in ENUMERATIONS.values():
        if name not in VALUES:
            raise Incomplete(f"VALUES in tools/asyncapi.py does not say what the values of {name} mean")
    with_example = {example.model for example in shown}
    for model in (*requests.REQUESTS, *messages.MESSAGES):
        if model not in with_example:
            raise Incomplete(
                f"{model.__name__} has no example: add a file to docs/protocol/examples and link it in "
                "docs/protocol/story.md"
            )


def wire_name(model: Model) -> str:
    """Return the `action` or `type` of the model's frames."""
    return str(model.model_fields[_tag(model)].default)


def document(shown: tuple[Example, ...]) -> Json:
    """Return the AsyncAPI document: a pure function of the models and the examples."""
    check_complete(shown)
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
                "description": "One WebSocket carries everything, in text frames of one JSON object each. "
                "Requests are told apart by `action`, messages of the server by `type`.",
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
    """Return the document as YAML text."""
    head = "# Generated from the message models by `make docs`. Edit those, not this file.\n"
    return head + yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


class _Dumper(yaml.SafeDumper):
    """Write plain YAML: no aliases, and text of several lines as a block."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def _info() -> Json:
    return {
        "title": "Wordle Tournament",
        "version": str(requests.VERSION),
        "description": "Eight players, three lives each, simultaneous Wordle duels. The document describes the "
        "server's side: it receives what clients send. docs/protocol.md is the guide for developers of clients; "
        "docs/rules.md has the rules of the game.\n\n"
        "Requests are closed: the server refuses a field that is not in a schema. Messages are open: a client "
        "ignores types and fields that it does not know, and treats an unknown error code as `internal`.",
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
                    "messages": [_in_channel(answer_of(model)), _in_channel(messages.Error)],
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
            "description": "Optional in a request. The answer carries the `ref` of its request.",
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
        schemas[name].pop("additionalProperties", None)  # a later server may send more fields
        _as_sent(schemas[name])
    schemas |= _duels(schemas.pop("Duel"))
    schemas |= {
        name: {"type": "string", "enum": list(values), "description": VALUES[name]}
        for values, name in ENUMERATIONS.items()
    }
    schemas["ErrorCode"]["description"] = "\n".join(
        ["The reason why a request was refused or failed.", ""]
        + [f"- `{code}`: {meaning}" for code, meaning in MEANING.items()]
    )
    schemas["ErrorCode"]["x-advice"] = {code.value: advice.value for code, advice in ADVICE.items()}
    return dict(sorted(schemas.items()))


def _duels(whole: Json) -> Json:
    """Return the schemas of a duel that runs and of one that is over, and `Duel`, which is either (R18)."""
    duel = messages.Duel

    def part(over: bool, description: str, without: frozenset[str], required: frozenset[str]) -> Json:
        properties = {name: field for name, field in whole["properties"].items() if name not in without}
        properties["over"] = {**properties["over"], "const": over}
        return {
            "type": "object",
            "description": description,
            "required": [name for name in properties if name in {*whole["required"], *required}],
            "properties": properties,
            "not": {"anyOf": [{"required": [name]} for name in whole["properties"] if name in without]},
        }

    return {
        "Duel": {
            "description": whole["description"],
            "oneOf": [{"$ref": f"{SCHEMAS}RunningDuel"}, {"$ref": f"{SCHEMAS}FinishedDuel"}],
        },
        "RunningDuel": part(False, "A duel that runs: it has no word.", duel.ONLY_OVER, duel.ONLY_RUNNING),
        "FinishedDuel": part(True, "A duel that is over, with its word.", duel.ONLY_RUNNING, duel.ALWAYS_OVER),
    }


def _as_sent(schema: Json) -> None:
    """Mark the fields with a default as required: the server fills them in, so they are in every frame it sends."""
    filled = [name for name, part in schema.get("properties", {}).items() if part.pop("default", None) is not None]
    if filled:
        schema["required"] = [*schema.get("required", []), *filled]


def _draft_7(schema: Any) -> Any:
    """Return a pydantic schema as JSON Schema draft 7, of which AsyncAPI's schemas are a superset.

    A field without a value is left out of a frame, so `null` is dropped from the types. Titles that only repeat a
    field's name are dropped too.
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
    """Return the text with each paragraph on one line."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def outputs() -> dict[Path, str]:
    """Return the text of each generated file."""
    content = document(examples())
    return {
        DOCUMENT: render(content),
        FIELDS: fields_page.render(content),
        TYPES: type_declarations.render(content),
        **{JSON_SCHEMAS / f"{name}.json": text for name, text in json_schemas.render(content).items()},
    }


def main(arguments: list[str] | None = None) -> int:
    """Write the documents, or check them. Return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.asyncapi", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    check: bool = parser.parse_args(arguments).check
    try:
        wanted = outputs()
    except Incomplete as error:
        print(error, file=sys.stderr)
        return 1
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if check:
            name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
            print(f"{name} is out of date: run `make docs`", file=sys.stderr)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
