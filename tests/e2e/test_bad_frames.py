"""Bad input on a real connection: it gets its code, and the connection and the game go on (docs/protocol.md)."""

import json
from typing import Any

import pytest

from tests.e2e.arena import Arena, Game
from tests.e2e.driver import Frame, Player
from wordle_tournament import words

UNSUPPORTED_DATA = 1003
TOO_BIG = 1009
FRAME = 32 * 1024

TEXTS: dict[str, tuple[str, str]] = {
    "empty": ("", "bad_json"),
    "a space": (" ", "bad_json"),
    "null": ("null", "bad_json"),
    "a number": ("1", "bad_json"),
    "a string": ('"ping"', "bad_json"),
    "true": ("true", "bad_json"),
    "a list": ('[{"action": "ping"}]', "bad_json"),
    "prose": ("hello", "bad_json"),
    "cut short": ('{"action": "ping"', "bad_json"),
    "two objects": ('{"action": "ping"}{"action": "ping"}', "bad_json"),
    "a key twice": ('{"action": "ping", "action": "leave", "what": "tournament"}', "bad_json"),
    "NaN": ('{"action": "ping", "ref": NaN}', "bad_json"),
    "5,000 lists": ("[" * 5000 + "]" * 5000, "bad_json"),
    "5,000 objects": ('{"a":' * 5000 + "1" + "}" * 5000, "bad_json"),
    "5,000 lists in a field": ('{"action": "ping", "ref": ' + "[" * 5000 + "]" * 5000 + "}", "bad_json"),
    "100 deep": ('{"action": "ping", "ref": ' + "[" * 99 + "]" * 99 + "}", "bad_request"),
    "101 deep": ('{"action": "ping", "ref": ' + "[" * 100 + "]" * 100 + "}", "bad_json"),
    "a number of 10,000 digits": ('{"action": "ping", "ref": ' + "1" * 10_000 + "}", "bad_json"),
    "no action": ("{}", "bad_request"),
    "a ref and no action": ('{"ref": "1"}', "bad_request"),
    "an action of null": ('{"action": null}', "bad_request"),
    "an action of a number": ('{"action": 7}', "bad_request"),
    "an action of a list": ('{"action": ["ping"]}', "bad_request"),
    "an unknown action": ('{"action": "win"}', "unknown_action"),
    "an action in capitals": ('{"action": "PING"}', "unknown_action"),
    "a route of the gateway's": ('{"action": "$disconnect"}', "unknown_action"),
    "another route of the gateway's": ('{"action": "$default"}', "unknown_action"),
    "an unknown field": ('{"action": "ping", "extra": 1}', "bad_request"),
    "a field that is no text": ('{"action": "ping", "\\ud800": 1}', "bad_request"),
    "a field of 10,000 letters": ('{"action": "ping", "' + "x" * 10_000 + '": 1}', "bad_request"),
    "an infinite number": ('{"action": "ping", "ref": 1e400}', "bad_request"),
    "a ref of a number": ('{"action": "ping", "ref": 1}', "bad_request"),
    "a ref that is too long": ('{"action": "ping", "ref": "' + "x" * 65 + '"}', "bad_request"),
    "a ref of half a character": ('{"action": "ping", "ref": "\\ud800"}', "bad_request"),
}

REQUESTS: dict[str, tuple[dict[str, Any], str]] = {
    "a token of a number": ({"action": "hello", "token": 1}, "bad_request"),
    "a token of 10,000 letters": ({"action": "hello", "token": "x" * 10_000}, "bad_request"),
    "a token of half a character": ({"action": "hello", "token": "a.\ud800"}, "bad_token bad_request"),
    "join without a language": ({"action": "join"}, "bad_request"),
    "join in no language": ({"action": "join", "language": "xx"}, "unknown_language"),
    "join in a number": ({"action": "join", "language": 1}, "bad_request"),
    "join in half a character": ({"action": "join", "language": "\ud800\ud800"}, "bad_request unknown_language"),
    "leave without what": ({"action": "leave"}, "bad_request"),
    "leave what there is not": ({"action": "leave", "what": "duel"}, "bad_request"),
    "leave null": ({"action": "leave", "what": None}, "bad_request"),
    "guess nothing": ({"action": "guess"}, "bad_request"),
    "a turn as text": ({"action": "guess", "duel": "DUEL", "turn": "1", "word": "crane"}, "bad_request"),
    "a turn as a fraction": ({"action": "guess", "duel": "DUEL", "turn": 1.5, "word": "crane"}, "bad_request"),
    "a turn as true": ({"action": "guess", "duel": "DUEL", "turn": True, "word": "crane"}, "bad_request"),
    "turn 0": ({"action": "guess", "duel": "DUEL", "turn": 0, "word": "crane"}, "bad_request"),
    "turn 13": ({"action": "guess", "duel": "DUEL", "turn": 13, "word": "crane"}, "bad_request"),
    "a turn of 400 digits": ({"action": "guess", "duel": "DUEL", "turn": 10**400, "word": "crane"}, "bad_request"),
    "a word of null": ({"action": "guess", "duel": "DUEL", "turn": 1, "word": None}, "bad_request"),
    "a word in a list": ({"action": "guess", "duel": "DUEL", "turn": 1, "word": ["crane"]}, "bad_request"),
    "a word of 30,000 letters": ({"action": "guess", "duel": "DUEL", "turn": 1, "word": "a" * 30_000}, "bad_request"),
    "no word": ({"action": "guess", "duel": "DUEL", "turn": 1, "word": ""}, "wrong_length"),
    "a word of spaces": ({"action": "guess", "duel": "DUEL", "turn": 1, "word": "     "}, "wrong_length"),
    "a word of half characters": (
        {"action": "guess", "duel": "DUEL", "turn": 1, "word": "\ud800" * 5},
        "unknown_letter bad_request",
    ),
    "a word of digits": ({"action": "guess", "duel": "DUEL", "turn": 1, "word": "12345"}, "unknown_letter"),
    "a word of line ends": ({"action": "guess", "duel": "DUEL", "turn": 1, "word": "a\nb\nc"}, "unknown_letter"),
    "a duel that is no id": ({"action": "guess", "duel": "a b", "turn": 1, "word": "crane"}, "bad_request"),
    "a duel of a list": ({"action": "guess", "duel": [], "turn": 1, "word": "crane"}, "bad_request"),
    "a duel that is not": ({"action": "guess", "duel": "x.1.1", "turn": 1, "word": "crane"}, "no_such_duel"),
    "a nickname of null": ({"action": "rename", "nickname": None}, "bad_request"),
    "a nickname of half a character": ({"action": "rename", "nickname": "ab\ud800"}, "bad_request nickname_characters"),
    "a nickname that is too short": ({"action": "rename", "nickname": "ab"}, "nickname_length"),
    "a nickname with markup": ({"action": "rename", "nickname": "<b>otter</b>"}, "nickname_characters"),
    "watch nothing": ({"action": "watch"}, "bad_request"),
    "watch what there is not": ({"action": "watch", "duel": "x.1.1"}, "no_such_duel"),
    "sync with something": ({"action": "sync", "all": True}, "bad_request"),
    "languages with something": ({"action": "languages", "code": "en"}, "bad_request"),
    # The wrong state.
    "join in a tournament": ({"action": "join", "language": "de"}, "in_tournament"),
    "leave a lobby that has started": ({"action": "leave", "what": "lobby"}, "too_late"),
    "watch while the own duel runs": ({"action": "watch", "duel": "OTHER"}, "in_duel"),
    "guess in another's duel": ({"action": "guess", "duel": "OTHER", "turn": 1, "word": "crane"}, "not_in_duel"),
    "guess a turn ahead": ({"action": "guess", "duel": "DUEL", "turn": 2, "word": "crane"}, "not_your_turn"),
    "say hello as somebody else": ({"action": "hello", "token": "TOKEN"}, "already_signed_in"),
    "say hello as nobody": ({"action": "hello"}, "already_signed_in"),
}


async def _in_a_duel(arena: Arena) -> tuple[Game, Frame, Player]:
    game = await arena.game()
    match = game.now["matches"][0]
    await game.begun(match)
    return game, match, game.sides(match)[0]


async def _goes_on(game: Game, match: Frame, player: Player) -> None:
    """The connection lives, nothing has happened, and the duel can be won."""
    assert (await player.ask("ping"))["type"] == "pong"
    state = await player.sync()
    assert state["tournament"]["leavers"] == []
    (duel,) = [duel for duel in state["duels"] if duel["duel_id"] == match["duel_id"]]
    assert (duel["rows"], duel["version"]) == ([], 1)
    assert (await game.win(match, player))["winner"] == player.player_id


@pytest.mark.slow
async def test_frames_that_are_no_request_are_refused_and_the_game_goes_on(arena: Arena) -> None:
    game, match, player = await _in_a_duel(arena)
    wrong = {}
    for name, (text, code) in TEXTS.items():
        seen = len(player.connection.frames)
        await player.connection.send(text)
        errors = await player.connection.until(lambda seen=seen: player.connection.frames[seen:] or None)  # type: ignore[misc]
        if [error.get("code") for error in errors] != [code]:
            wrong[name] = errors
    assert not wrong
    await _goes_on(game, match, player)


async def test_requests_with_wrong_fields_or_at_the_wrong_time_are_refused_and_the_game_goes_on(arena: Arena) -> None:
    game, match, player = await _in_a_duel(arena)
    other = game.sides(game.now["matches"][1])[0]
    known = {"DUEL": match["duel_id"], "OTHER": game.now["matches"][1]["duel_id"], "TOKEN": other.token}
    wrong = {}
    for name, (request, codes) in REQUESTS.items():
        filled = {key: known.get(value, value) if isinstance(value, str) else value for key, value in request.items()}
        await player.connection.send(json.dumps({**filled, "ref": name}))
        answer = await player.connection.answer(name)
        if answer.get("code") not in codes.split():
            wrong[name] = answer
    assert not wrong
    await _goes_on(game, match, player)


async def test_bad_frames_reach_nobody_else(arena: Arena) -> None:
    game, match, player = await _in_a_duel(arena)
    other = game.sides(match)[1]
    seen = len(other.frames)
    for text, _ in TEXTS.values():
        await player.connection.send(text)
    await player.ask("ping")
    await other.ask("ping")
    # On a slow machine the round's opening may still be on its way; nothing else is.
    late = [frame for frame in other.frames[seen:] if frame["type"] != "pong"]
    assert len(other.frames[seen:]) - len(late) == 1
    assert {frame["type"] for frame in late} <= {"tournament", "duel"}
    assert not any(frame["duel"]["rows"] for frame in late if "duel" in frame)
    assert not any(one["away"] for frame in late for one in frame.get("tournament", {}).get("players", []))


async def test_whoever_has_not_said_hello_may_only_ping_and_ask_for_the_languages(arena: Arena) -> None:
    connection = await arena.connection()
    assert (await connection.ask("ping"))["type"] == "pong"
    assert len((await connection.ask("languages"))["languages"]) == len(words.languages())
    fields: dict[str, dict[str, Any]] = {
        "join": {"language": "en"},
        "leave": {"what": "tournament"},
        "guess": {"duel": "x.1.1", "turn": 1, "word": "crane"},
        "rename": {"nickname": "Quiet Otter"},
        "watch": {"duel": "x.1.1"},
        "unwatch": {},
        "sync": {},
    }
    for action, more in fields.items():
        assert (await connection.ask(action, **more))["code"] == "not_signed_in", action
    assert (await connection.ask("hello"))["type"] == "welcome"


@pytest.mark.parametrize("kind", ["a frame of 33 KB", "a message of 130 KB", "binary"])
async def test_what_the_gateway_does_not_take_ends_the_connection_and_costs_nothing_else(
    arena: Arena, kind: str
) -> None:
    game, own, player = await _in_a_duel(arena)
    other = game.sides(own)[1]
    match kind:
        case "a frame of 33 KB":
            await player.connection.send(json.dumps({"action": "ping", "ref": "x" * (33 * 1024)}))
        case "a message of 130 KB":
            await player.connection.socket.send([" " * (FRAME - 1024)] * 4 + [" " * 8192])
        case _:
            await player.connection.send(b'{"action": "ping"}')
    assert await player.connection.ended() == (UNSUPPORTED_DATA if kind == "binary" else TOO_BIG)
    await other.until(lambda: next((one for one in other.presences if one["away"]), None))
    welcome = await player.sign_in()
    assert [duel["rows"] for duel in welcome["duels"]] == [[]]
    await _goes_on(game, own, player)


async def test_the_largest_frame_that_is_allowed_is_taken(arena: Arena) -> None:
    player = await arena.player()
    text = json.dumps({"action": "ping", "ref": "big"})
    await player.connection.send(text + " " * (FRAME - len(text)))
    assert (await player.connection.answer("big"))["type"] == "pong"
    await player.connection.socket.send([text.replace("big", "two")] + [" " * (FRAME - 1)] * 3)
    assert (await player.connection.answer("two"))["type"] == "pong"


async def test_a_flood_is_answered_stops_no_clock_and_harms_nobody(arena: Arena) -> None:
    game, match, player = await _in_a_duel(arena)
    other = game.sides(match)[1]
    for index in range(300):
        await other.connection.send(
            {"action": "guess", "duel": match["duel_id"], "turn": 1, "word": "x", "ref": f"f{index}"}
        )
    assert (await game.win(match, player))["winner"] == player.player_id
    for index in range(300):
        assert (await other.connection.answer(f"f{index}"))["type"] == "error"
    (duel,) = (one for one in (await other.sync())["duels"] if one["duel_id"] == match["duel_id"])
    assert len(duel["rows"]) == 1
