"""For any input a client gets the right code, nothing else changes, and no secret is disclosed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from infra.local.testing import World, holds
from tests.integration.conftest import Scenes
from wordle_tournament.protocol.requests import REQUESTS, Request

NOT_JSON = {
    "missing": None,
    "empty": "",
    "blank": " \n",
    "truncated": '{"action": "ping"',
    "two objects": '{"action": "ping"}{"action": "ping"}',
    "not quoted": "{action: ping}",
    "NaN": '{"action": "ping", "ref": NaN}',
    "infinity": '{"action": "ping", "ref": -Infinity}',
    "null": "null",
    "number": "1",
    "list": "[]",
    "text": '"ping"',
    "list of one": '[{"action": "ping"}]',
    "a key twice": '{"action": "ping", "action": "ping"}',
    "a key twice inside": '{"action": "ping", "ref": {"a": 1, "a": 1}}',
    "nested lists": "[" * 5_000 + "]" * 5_000,
    "nested objects": '{"action":' * 5_000 + "1" + "}" * 5_000,
    "a deep field": '{"action": "ping", "ref": ' + "[" * 5_000 + "]" * 5_000 + "}",
    "101 deep": '{"action": "ping", "ref": ' + "[" * 100 + "]" * 100 + "}",
    "a number of 5,000 digits": '{"action": "ping", "ref": ' + "9" * 5_000 + "}",
    "byte order mark": '\ufeff{"action": "ping"}',
}

UNKNOWN = {
    "no action": "{}",
    "unknown": '{"action": "win"}',
    "of the gateway": '{"action": "$connect"}',
    "empty": '{"action": ""}',
    "other case": '{"action": "Ping"}',
    "surrogate": '{"action": "\\ud800"}',
    "null": '{"action": null}',
    "number": '{"action": 1}',
    "1e400": '{"action": 1e400}',
}

WRONG: list[Any] = [
    None,
    True,
    1,
    -1,
    0.5,
    1e400,
    10**4000,
    "",
    " ",
    "\ud800",
    "\x00",
    "x" * 5_000,
    [],
    ["x"],
    {},
    {"x": 1},
]
"""Values that no field of ours accepts, except for some texts."""


@pytest.fixture
def steady(scenes: Scenes, world: World, capfd: pytest.CaptureFixture[str]) -> Iterator[World]:
    """A tournament runs; after the test it is as it was, and nothing was said of what was sent."""
    # In Ukrainian, whose words cannot occur by chance in a log.
    game = scenes.begun("uk")
    before = world.everything()
    capfd.readouterr()
    yield world
    assert world.everything() == before
    logged = capfd.readouterr()
    assert "Traceback" not in logged.out + logged.err
    for duel in game.duels:
        assert not holds(logged.out + logged.err, duel["word"])
    player = game.to_move(game.duels[0])
    assert player.guess(game.duels[0], game.duels[0]["word"])["duel"]["over"], "the game goes on"


def refuse(world: World, body: str | None, route: str | None = None) -> dict[str, Any]:
    """Send it on a connection that plays; returns the one answer, which nobody else sees."""
    connection_id = sorted(world.connections.opened)[0]
    sent = len(world.connections.texts)
    assert world.receive(connection_id, body, route) == 200
    (text,) = world.connections.texts[sent:]
    answer = world.connections.frames[connection_id][-1]
    assert answer["type"] == "error"
    assert set(answer) <= {"type", "now_ms", "code", "message", "field", "ref"}
    assert len(text) < 1_000
    for hint in ("Traceback", 'File "', "wordle_tournament", "pydantic", "botocore"):
        assert hint not in text
    return answer


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON)
def test_what_is_not_one_json_object_is_bad_json(steady: World, body: str | None) -> None:
    assert refuse(steady, body)["code"] == "bad_json"


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON)
def test_whatever_route_the_gateway_picks_for_it(steady: World, body: str | None) -> None:
    assert refuse(steady, body, route="guess")["code"] == "bad_json"


@pytest.mark.parametrize("body", UNKNOWN.values(), ids=UNKNOWN)
def test_what_names_no_action_of_ours_is_refused(steady: World, body: str) -> None:
    answer = refuse(steady, body)
    assert answer["code"] in ("unknown_action", "bad_request")
    assert answer["field"] == "action"


GOOD: dict[str, Any] = {
    "token": "p1.x",
    "language": "en",
    "what": "lobby",
    "duel": "g1.1.1",
    "turn": 1,
    "word": "crane",
    "nickname": "Ada Lovelace",
    "invite": "r1.x",
    "player": "p1",
    "group": "r1",
    "tournament": "g1",
    "confirm": True,
    "id": "g1",
    "number": 1,
    "page": 1,
    "client": "bot",
    "client_version": "1.0",
}


def fields(request: type[Request]) -> dict[str, Any]:
    return {name: GOOD[name] for name in request.model_fields if name not in ("action", "ref")}


def action(request: type[Request]) -> str:
    return str(request.model_fields["action"].default)


@pytest.mark.parametrize("request_type", REQUESTS, ids=action)
def test_wrong_values_in_every_field(steady: World, request_type: type[Request]) -> None:
    for name, good in fields(request_type).items():
        for value in WRONG:
            if value is good or (isinstance(value, str) and isinstance(good, str) and name != "what"):
                continue
            if isinstance(good, int) and not isinstance(good, bool) and value == 1 and type(value) is int:
                continue
            body = {"action": action(request_type), **fields(request_type), name: value}
            answer = refuse(steady, _json(body))
            expected = "bad_json" if _too_long(value) else "bad_request"
            assert answer["code"] == expected, (name, value)
            if expected == "bad_request":
                assert answer["field"].split(".")[0] == name


@pytest.mark.parametrize("request_type", REQUESTS, ids=action)
def test_texts_that_are_none_of_ours(steady: World, request_type: type[Request]) -> None:
    """Any text gets a refusal that is not `internal`, whatever it holds."""
    texts = [value for value in WRONG if isinstance(value, str)]
    texts += ["\u202e\u0000", "é" * 64, "\U0001f600" * 16, "a\ud800", "../x", "{}", "İ" * 64, "ﷺ" * 60, "x" * 200]
    for name, good in fields(request_type).items():
        if not isinstance(good, str):
            continue
        for text in texts:
            answer = refuse(steady, _json({"action": action(request_type), **fields(request_type), name: text}))
            assert answer["code"] != "internal", (name, text)


@pytest.mark.parametrize("request_type", REQUESTS, ids=action)
def test_fields_too_many_or_too_few(steady: World, request_type: type[Request]) -> None:
    whole = {"action": action(request_type), **fields(request_type)}
    answer = refuse(steady, json.dumps({**whole, "more": 1}))
    assert (answer["code"], answer["field"]) == ("bad_request", "more")
    for name in fields(request_type):
        if request_type.model_fields[name].is_required():
            answer = refuse(steady, json.dumps({key: value for key, value in whole.items() if key != name}))
            assert (answer["code"], answer["field"]) == ("bad_request", name)


@pytest.mark.parametrize("value", [7, None, [], {}, "x" * 65, True, "\ud800", "a\nb", "\u200b"], ids=repr)
def test_a_ref_that_is_none_is_refused_and_does_not_come_back(steady: World, value: Any) -> None:
    answer = refuse(steady, _json({"action": "ping", "ref": value}))
    assert (answer["code"], answer["field"]) == ("bad_request", "ref")
    assert "ref" not in answer


def test_a_long_unknown_field_is_cut_short(steady: World) -> None:
    answer = refuse(steady, json.dumps({"action": "ping", "x" * 30_000: 1}))
    assert len(answer["field"]) <= 64


def test_an_unknown_field_that_cannot_be_written(steady: World) -> None:
    assert refuse(steady, '{"action": "ping", "\\ud800": 1}')["code"] in ("bad_request", "bad_json")


@pytest.mark.parametrize("name", ["crane", "p1.secret", "\ud800"])
def test_the_value_itself_is_not_repeated(steady: World, name: str) -> None:
    for body in (
        {"action": "guess", "duel": "d", "turn": name, "word": name},
        {"action": "hello", "token": name * 100},
        {"action": "rename", "nickname": [name]},
        {"action": "joinGroup", "invite": {"x": name}},
    ):
        refuse(steady, _json(body))
    assert not any(name in text for text in steady.connections.texts)


def test_a_flood_of_bad_guesses_does_not_stop_the_clock(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    player = game.to_move(duel)
    for _ in range(50):
        world.sleep(500)
        assert player.guess(duel, "zzzz")["type"] == "error"
    assert game.duel(duel["duel_id"])["deadline_ms"] == duel["deadline_ms"]
    world.run_out(duel)
    world.skip(duel["duel_id"])
    assert len(game.duel(duel["duel_id"])["rows"]) == 1


def test_a_clock_of_the_gateway_that_is_ahead_gives_no_time(scenes: Scenes, world: World) -> None:
    game = scenes.introduction()
    duel = game.duels[0]
    assert game.to_move(duel).guess(duel, duel["word"], at_ms=duel["starts_at_ms"])["code"] == "not_started"


def test_every_field_is_tried() -> None:
    names = {name for request in REQUESTS for name in request.model_fields} - {"action", "ref"}
    assert names == set(GOOD)
    assert all(len(get_args(request.model_fields["action"].annotation)) == 1 for request in REQUESTS)


def _json(body: Any) -> str:
    """As JSON; numbers beyond what Python prints are written out."""
    if any(_too_long(value) for value in body.values()):
        body = {key: "HUGE" if _too_long(value) else value for key, value in body.items()}
        return json.dumps(body).replace('"HUGE"', "9" * 5_000)
    return json.dumps(body).replace("Infinity", "1e400")


def _too_long(value: Any) -> bool:
    return isinstance(value, int) and abs(value) > 10**1000
