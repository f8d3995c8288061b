"""The published AsyncAPI document: up to date, sound, and true to the models."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import jsonschema
import pytest
import yaml

from tools import asyncapi
from wordle_tournament.protocol import messages, requests
from wordle_tournament.protocol.errors import ErrorCode

EXAMPLES = asyncapi.examples()
DOCUMENT: dict[str, Any] = yaml.safe_load(asyncapi.DOCUMENT.read_text(encoding="utf-8"))
MODELS: tuple[asyncapi.Model, ...] = (*requests.REQUESTS, *messages.MESSAGES)


def schema_errors(model: asyncapi.Model, payload: object) -> list[str]:
    """Return the errors of the payload by the document's schema for the model."""
    schema = {
        "$ref": f"#/components/schemas/{model.__name__}",
        "components": {"schemas": DOCUMENT["components"]["schemas"]},
    }
    return [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(payload)]


def resolve(reference: str) -> Any:
    """Return the target of the reference. Raise KeyError if there is none."""
    assert reference.startswith("#/")
    found: Any = DOCUMENT
    for step in reference[2:].split("/"):
        found = found[step]
    return found


def references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield value
            elif key != "payload" or "$ref" in value:  # an example's payload is data
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def test_the_committed_document_is_what_the_models_make() -> None:
    assert asyncapi.main(["--check"]) == 0


def test_no_schema_lets_a_running_duel_hold_its_word() -> None:
    duels = [example for example in EXAMPLES if example.model is messages.DuelChanged]
    assert {example.payload["duel"]["over"] for example in duels} == {True, False}
    for example in duels:
        duel = example.payload["duel"]
        assert not schema_errors(messages.DuelChanged, example.payload)
        turned = {**duel, "over": not duel["over"]}
        assert schema_errors(messages.DuelChanged, {**example.payload, "duel": turned})
        if not duel["over"]:
            assert schema_errors(messages.DuelChanged, {**example.payload, "duel": {**duel, "word": "crane"}})


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_schema_file_of_a_frame_stands_alone_and_takes_its_examples(example: asyncapi.Example) -> None:
    path = asyncapi.JSON_SCHEMAS / f"{example.model.__name__}.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    assert not list(jsonschema.Draft7Validator(schema).iter_errors(example.payload))
    assert {path.stem for path in asyncapi.JSON_SCHEMAS.glob("*")} == {model.__name__ for model in MODELS}


@pytest.mark.thorough
@pytest.mark.parametrize("output", ["DOCUMENT", "FIELDS", "TYPES"])
def test_a_stale_document_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], output: str
) -> None:
    stale = tmp_path / "stale"
    monkeypatch.setattr(asyncapi, output, stale)
    assert asyncapi.main(["--check"]) == 1
    assert capsys.readouterr().err == f"{stale} is out of date: run `make docs`\n"
    assert asyncapi.main([]) == 0
    assert asyncapi.main(["--check"]) == 0
    stale.write_text(stale.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert asyncapi.main(["--check"]) == 1


@pytest.mark.thorough
def test_the_document_says_the_same_each_time_it_is_made() -> None:
    assert asyncapi.render(asyncapi.document(EXAMPLES)) == asyncapi.render(asyncapi.document(EXAMPLES))


def test_every_reference_leads_somewhere() -> None:
    found = set(references(DOCUMENT))
    assert len(found) > len(MODELS)
    for reference in found:
        resolve(reference)


def test_every_model_is_a_message_of_the_channel_with_its_own_payload() -> None:
    assert set(DOCUMENT["channels"]["game"]["messages"]) == {model.__name__ for model in MODELS}
    for model in MODELS:
        message = resolve(DOCUMENT["channels"]["game"]["messages"][model.__name__]["$ref"])
        assert message["name"] == asyncapi.wire_name(model)
        assert message["payload"]["$ref"] == f"#/components/schemas/{model.__name__}"


def test_every_request_is_received_and_answered_by_its_answer_or_an_error() -> None:
    received = {name: one for name, one in DOCUMENT["operations"].items() if one["action"] == "receive"}
    assert set(received) == {asyncapi.wire_name(model) for model in requests.REQUESTS}
    for model in requests.REQUESTS:
        operation = received[asyncapi.wire_name(model)]
        answers = [model.answer.__name__, "Error"]
        assert [one["$ref"] for one in operation["messages"]] == [f"#/channels/game/messages/{model.__name__}"]
        assert [one["$ref"] for one in operation["reply"]["messages"]] == [
            f"#/channels/game/messages/{answer}" for answer in answers
        ]


@pytest.mark.parametrize("model", requests.REQUESTS, ids=asyncapi.wire_name)
def test_a_request_says_itself_what_answers_it(model: type[requests.Request]) -> None:
    assert f"nswered by `{asyncapi.wire_name(model.answer)}`" in " ".join((model.__doc__ or "").split())


def test_every_message_is_an_answer_or_pushed_and_has_an_example() -> None:
    asyncapi.check_complete(EXAMPLES)


class Wave(requests.Request):
    """A request that a contributor has just added."""

    action: Literal["wave"] = "wave"


class Waved(messages.Message):
    """A message that a contributor has just added."""

    type: Literal["waved"] = "waved"


class Complete(Wave):
    """The same request, with its answer."""

    answer = Waved


@pytest.mark.parametrize(
    ("request_type", "message_type", "says"),
    [
        (Wave, Waved, r"^Wave declares no answer: .* in shared/wordle_tournament/protocol/requests\.py$"),
        (
            None,
            Waved,
            r"^Waved answers no request .* shared/wordle_tournament/protocol/requests\.py.* tools/asyncapi\.py",
        ),
        (Complete, Waved, r"^Complete has no example: .* docs/protocol/examples .* docs/protocol/story\.md$"),
    ],
)
def test_an_incomplete_model_is_reported_with_the_file_to_edit(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request_type: type[requests.Request] | None,
    message_type: type[messages.Message],
    says: str,
) -> None:
    more = () if request_type is None else (request_type,)
    monkeypatch.setattr(requests, "REQUESTS", (*requests.REQUESTS, *more))
    monkeypatch.setattr(messages, "MESSAGES", (*messages.MESSAGES, message_type))
    assert asyncapi.main(["--check"]) == 1
    reported = capsys.readouterr().err
    assert re.match(says, reported.strip())
    for path in re.findall(r"\b(?:shared|docs|tools)/\S+\b", reported):
        assert (asyncapi.ROOT / path).exists(), path


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("more", '{"action": "ping"}', "docs/protocol/story.md must link examples/more.json exactly once"),
        ("ping", "{", "docs/protocol/examples/ping.json is not JSON: "),
        ("ping", "[]", "docs/protocol/examples/ping.json is not a JSON object"),
        ("ping", '{"action": "wave"}', "docs/protocol/examples/ping.json: no request or message is called 'wave'"),
        ("ping", None, "docs/protocol/story.md links examples/ping.json: write that file or remove the link"),
    ],
)
def test_a_wrong_example_is_reported_with_the_file_to_edit(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    name: str,
    text: str | None,
    says: str,
) -> None:
    shutil.copytree(asyncapi.EXAMPLES, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(asyncapi, "EXAMPLES", tmp_path)
    assert asyncapi.main(["--check"]) == 0
    if text is None:
        (tmp_path / f"{name}.json").unlink()
    else:
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    assert asyncapi.main(["--check"]) == 1
    assert capsys.readouterr().err.startswith(says)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_message_has_an_example(model: asyncapi.Model) -> None:
    assert DOCUMENT["components"]["messages"][model.__name__]["examples"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_fits_both_the_model_and_the_published_schema(example: asyncapi.Example) -> None:
    parsed = example.model.model_validate(example.payload)
    assert schema_errors(example.model, example.payload) == []
    # Just as it goes over the wire: whole, nothing left out that the server would send.
    assert parsed.model_dump(mode="json", exclude_none=True) == example.payload


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_frame_without_its_tag_does_not_fit_the_schema(model: asyncapi.Model) -> None:
    example = next(example for example in EXAMPLES if example.model is model)
    tag = "action" if model in requests.REQUESTS else "type"
    assert schema_errors(model, {key: part for key, part in example.payload.items() if key != tag})
    assert schema_errors(model, {**example.payload, tag: "something_else"})


@pytest.mark.parametrize("model", requests.REQUESTS, ids=asyncapi.wire_name)
def test_the_schemas_of_requests_are_closed_and_know_no_null(model: type[requests.Request]) -> None:
    example = next(example for example in EXAMPLES if example.model is model)
    assert schema_errors(model, {**example.payload, "more": 1})
    assert schema_errors(model, {**example.payload, "ref": None})


def test_what_the_server_fills_in_is_required_of_its_frames() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert not [
        part for schema in schemas.values() for part in schema.get("properties", {}).values() if "default" in part
    ]
    for name, field in (
        ("RunningDuel", "out"),
        ("FinishedDuel", "out"),
        ("Row", "marks"),
        ("Welcome", "duels"),
        ("TournamentPlayer", "away"),
    ):
        assert field in schemas[name]["required"]
    assert "ending" not in schemas["FinishedDuel"]["required"]


def test_what_is_generated_has_names_for_lists_of_values_and_room_for_times() -> None:
    inside = [
        part for schema in DOCUMENT["components"]["schemas"].values() for part in schema.get("properties", {}).items()
    ]
    assert not [name for name, part in inside if "enum" in part or "enum" in part.get("items", {})]
    times = [part for name, part in inside if name.endswith("_ms")]
    assert times
    assert all(part["format"] == "int64" for part in times)


def test_every_error_code_and_its_meaning_is_in_the_document() -> None:
    schema = DOCUMENT["components"]["schemas"]["ErrorCode"]
    assert schema["enum"] == [code.value for code in ErrorCode]
    for code in ErrorCode:
        assert f"- `{code}`: " in schema["description"]


def test_the_schemas_are_valid_draft_7_with_nothing_beside_a_reference() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema.Draft7Validator.check_schema(schema)
    # Draft 7 ignores what stands beside a $ref, and knows no prefixItems.
    nodes: list[Any] = [DOCUMENT["components"]["schemas"]]
    while nodes:
        node = nodes.pop()
        if isinstance(node, dict):
            assert "$ref" not in node or len(node) == 1
            assert "prefixItems" not in node
            assert node.get("type") != "null"
            nodes.extend(node.values())
        elif isinstance(node, list):
            nodes.extend(node)
