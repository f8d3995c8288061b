"""The models themselves: closed, strict, complete, and small enough for one frame."""

import dataclasses
import inspect
import typing
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from tools import asyncapi
from wordle_tournament import words
from wordle_tournament.errors import ErrorCode
from wordle_tournament.protocol import messages, requests
from wordle_tournament.protocol.errors import MEANING
from wordle_tournament.protocol.messages import Duel, DuelPlayer, Match, Outlook, Row, Tournament, TournamentPlayer, You
from wordle_tournament.rules import duel as duel_rules
from wordle_tournament.rules import tournament as tournament_rules
from wordle_tournament.rules.marks import Mark
from wordle_tournament.rules.nickname import DELETED, LONGEST, check_nickname
from wordle_tournament.rules.player import RENAMES_AN_HOUR, Player
from wordle_tournament.store.values import MOST, PAGE, RECENT, Finished, History

EXAMPLES = asyncapi.examples()
FRAME = 32 * 1024
"""The largest frame that API Gateway sends, in bytes."""

VALUES: tuple[Any, ...] = ("text", "1", 1, 1.0, 1.5, -1, 10**30, True, False, [], ["a"], {}, {"a": 1}, float("nan"))


def full(model: type[requests.Request]) -> dict[str, Any]:
    """Return the example of the request that has the most fields."""
    shown = [example.payload for example in EXAMPLES if example.model is model]
    fullest: dict[str, Any] = max(shown, key=lambda payload: len(payload), default={})
    return {"action": asyncapi.wire_name(model), **fullest, "ref": "r"}


def wrong_values() -> Iterator[Any]:
    """Every field of every request with every value of a type that is not the field's."""
    for model in requests.REQUESTS:
        for field, right in full(model).items():
            for value in VALUES:
                if type(value) is not type(right):
                    name = f"{asyncapi.wire_name(model)}.{field}={value!r}"
                    yield pytest.param(model, field, value, id=name)


def parts(module: Any) -> list[type[BaseModel]]:
    return [
        model
        for _, model in inspect.getmembers(module, inspect.isclass)
        if issubclass(model, BaseModel) and model.__module__ == module.__name__
    ]


@pytest.mark.parametrize("model", requests.REQUESTS, ids=asyncapi.wire_name)
def test_an_example_has_every_field_of_the_request(model: type[requests.Request]) -> None:
    lacking = sorted(set(model.model_fields) - set(full(model)))
    assert not lacking, f"docs/protocol/examples has no {asyncapi.wire_name(model)} with {', '.join(lacking)}"
    model.model_validate(full(model))


@pytest.mark.parametrize(("model", "field", "value"), list(wrong_values()))
def test_a_wrong_type_is_refused_and_the_field_named(model: type[requests.Request], field: str, value: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        model.model_validate({**full(model), field: value})
    assert {error["loc"][0] for error in refused.value.errors()} == {field}


@pytest.mark.parametrize("model", requests.REQUESTS, ids=asyncapi.wire_name)
def test_a_request_is_refused_without_what_it_needs_or_with_something_else(model: type[requests.Request]) -> None:
    for field, details in model.model_fields.items():
        if details.is_required():
            with pytest.raises(ValidationError):
                model.model_validate({key: value for key, value in full(model).items() if key != field})
    for stranger in ("more", "Action", "now_ms", ""):
        with pytest.raises(ValidationError):
            model.model_validate({**full(model), stranger: 1})
    with pytest.raises(ValidationError):
        model.model_validate({**full(model), "action": "something_else"})


@pytest.mark.parametrize("value", [None, 1, "text", [], True], ids=repr)
@pytest.mark.parametrize("model", requests.REQUESTS, ids=asyncapi.wire_name)
def test_what_is_no_object_is_no_request(model: type[requests.Request], value: Any) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(value)


@pytest.mark.parametrize(
    ("action", "field", "value"),
    [
        ("guess", "turn", 0),
        ("guess", "turn", 13),
        ("guess", "duel", ""),
        ("guess", "duel", "a" * 65),
        ("guess", "duel", "a b"),
        ("guess", "duel", "a\n"),
        ("guess", "duel", "дуэль"),
        ("guess", "word", "a" * 65),
        ("guess", "word", "\ud800"),
        ("watch", "duel", "../../x"),
        ("hello", "token", "a" * 201),
        ("join", "language", "e"),
        ("join", "language", "e" * 9),
        ("leave", "what", "group"),
        ("rename", "nickname", "a" * 201),
        ("rename", "nickname", "ab\udfff"),
        ("joinGroup", "invite", ""),
        ("joinGroup", "invite", "a" * 101),
        ("removeMember", "player", ""),
        ("handOver", "player", "a b"),
        ("startGroup", "language", "e"),
        ("results", "tournament", "a" * 65),
        ("board", "duel", "../x"),
        ("deleteMe", "confirm", False),
        ("deleteMe", "confirm", 1),
        ("ping", "ref", "a" * 65),
        ("ping", "ref", "\ud800"),
    ],
)
def test_a_value_out_of_bounds_is_refused(action: str, field: str, value: Any) -> None:
    model = next(model for model in requests.REQUESTS if asyncapi.wire_name(model) == action)
    with pytest.raises(ValidationError):
        model.model_validate({**full(model), field: value})


@pytest.mark.parametrize("model", parts(messages) + parts(requests), ids=lambda model: model.__name__)
def test_every_model_is_closed_and_frozen_and_says_what_it_is(model: type[BaseModel]) -> None:
    assert model.model_config.get("extra") == "forbid"
    assert model.model_config.get("frozen")
    assert model.__doc__


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_with_one_more_field_anywhere_is_refused(example: asyncapi.Example) -> None:
    def strangers(node: Any) -> Iterator[dict[str, Any]]:
        if isinstance(node, dict):
            yield node
            for key, value in node.items():
                if key != "data":  # of `export`: as it is stored, with no model
                    yield from strangers(value)
        elif isinstance(node, list):
            for value in node:
                yield from strangers(value)

    for node in strangers(example.payload):
        node["more"] = 1
        with pytest.raises(ValidationError):
            example.model.model_validate(example.payload)
        del node["more"]
    example.model.model_validate(example.payload)


def test_secrets_do_not_show_in_what_a_message_prints() -> None:
    shown = [
        requests.Hello(token="hush"),
        requests.Guess(duel="d", turn=1, word="hush"),
        requests.Rename(nickname="hush"),
        requests.JoinGroup(invite="hush"),
        messages.Group(group_id="r", version=1, invite="hush", leader="p", members=[]),
        messages.Welcome(now_ms=1, you=a_player(1), token="hush", timing=timing(), languages=[]),
    ]
    assert not [one for one in shown if "hush" in repr(one) or "hush" in str(one)]


def test_every_error_code_has_its_meaning() -> None:
    assert set(MEANING) == set(ErrorCode)


def test_the_protocol_names_what_the_rules_name() -> None:
    assert set(typing.get_args(messages.Mark)) == {mark.value for mark in Mark}
    assert set(typing.get_args(messages.Ending)) == {ending.value for ending in duel_rules.Ending}
    assert set(typing.get_args(messages.Fate)) == {fate.value for fate in tournament_rules.PlayerStatus}
    assert requests.Guess(duel="d", turn=duel_rules.TURNS, word="w").turn == duel_rules.TURNS


# --- The largest frames ---------------------------------------------------------------------------

LONG_ID = "i" * 64
LONG_MS = 9_999_999_999_999
NICKNAME = check_nickname("\U00020000" * LONGEST)  # letters of four bytes each
WORD = "щ" * 6


def an_id(number: int) -> str:
    return f"{number:02}{LONG_ID}"[:64]


def a_player(number: int) -> You:
    return You(player_id=an_id(number), nickname=NICKNAME, rating=-10_000, games=10**6)


def timing() -> messages.Timing:
    return messages.Timing(intro_seconds=60, turn_seconds=300, reconnect_seconds=600)


def a_duel(number: int) -> Duel:
    players = (an_id(2 * number), an_id(2 * number + 1))
    return Duel(
        duel_id=an_id(number),
        version=10**6,
        tournament_id=LONG_ID,
        round=12,
        language="uk",
        length=6,
        players=[DuelPlayer(player_id=player, lives=0) for player in players],
        rows=[Row(player_id=players[turn % 2], word=WORD, marks=["present"] * 6) for turn in range(12)],
        turn=13,
        starts_at_ms=LONG_MS,
        over=True,
        ending="forfeited",
        winner=players[0],
        word=WORD,
        display=WORD * 2,
        out=[Outlook(player_id=player, best_place=1, worst_place=8) for player in players],
    )


def a_tournament() -> Tournament:
    return Tournament(
        tournament_id=LONG_ID,
        version=10**6,
        language="uk",
        players=[
            TournamentPlayer(
                player_id=an_id(number),
                nickname=NICKNAME,
                rating=-10_000,
                lives=3,
                fate="left",
                place=8,
                rating_change=-100,
                away=False,
            )
            for number in range(8)
        ],
        round=12,
        matches=[
            Match(duel_id=an_id(number), players=(an_id(2 * number), an_id(2 * number + 1)), length=6)
            for number in range(4)
        ],
        bye=an_id(1),
        leavers=[an_id(number) for number in range(8)],
        starts_at_ms=LONG_MS,
        last_round=a_round(11, 4),
        over=True,
        ending="finished",
    )


def a_round(number: int, duels: int) -> messages.RoundResult:
    duel = messages.DuelResult(
        duel_id=LONG_ID,
        players=(an_id(0), an_id(1)),
        ending="forfeited",
        winner=an_id(0),
        word=WORD,
        display=WORD * 2,
        turns=12,
    )
    return messages.RoundResult(number=number, duels=[duel] * duels, bye=an_id(2), leavers=[an_id(3)])


def sizes(message: messages.Message) -> tuple[int, int]:
    """Bytes on the wire: as UTF-8, and, to be safe, with every other character escaped."""
    text = message.model_dump_json(exclude_none=True)
    return len(text.encode()), len(message.model_dump_json(exclude_none=True, ensure_ascii=True))


def a_group() -> messages.Group:
    return messages.Group(
        group_id=LONG_ID,
        version=10**6,
        invite="i" * 100,
        leader=an_id(7),
        members=[
            messages.GroupMember(
                player_id=an_id(number), nickname=NICKNAME, rating=-10_000, away=False, where="tournament"
            )
            for number in range(8)
        ],
    )


def test_the_fullest_screen_fits_into_one_frame() -> None:
    fields: dict[str, Any] = {
        "ref": "r" * 64,
        "now_ms": LONG_MS,
        "you": a_player(0),
        "group": a_group(),
        "tournament": a_tournament(),
        "duels": [a_duel(number) for number in range(4)],
        "watching": LONG_ID,
    }
    state = messages.State(**fields)
    codes = list(words.languages())
    welcome = messages.Welcome(**fields, token="t" * 200, timing=timing(), languages=codes)
    for message in (state, welcome):
        assert max(sizes(message)) <= FRAME
        assert sizes(message)[0] < 20 * 1024, "as docs/protocol.md says"


def the_longest_results() -> messages.TournamentResults:
    """23 duels in 12 rounds, as many as eight players with three lives can play (R7)."""
    players = [an_id(number) for number in range(8)]
    return messages.TournamentResults(
        ref="r" * 64,
        now_ms=LONG_MS,
        tournament_id=LONG_ID,
        language="uk",
        started_at_ms=LONG_MS,
        ended_at_ms=LONG_MS,
        players=[
            messages.PlayerResult(
                player_id=player,
                nickname=NICKNAME,
                rating=-10_000,
                lives=3,
                fate="left",
                place=8,
                rating_change=-100,
                parts=[
                    messages.OpponentPart(player_id=other, outcome="draw", points=-7.143)
                    for other in players
                    if other != player
                ],
            )
            for player in players
        ],
        ending="finished",
        rounds=[a_round(number, 2 if number < 12 else 1) for number in range(1, 13)],
    )


def test_the_results_of_the_longest_tournament_fit_into_one_frame() -> None:
    results = the_longest_results()
    assert sum(len(played.duels) for played in results.rounds) == 23
    assert len(NICKNAME.encode()) == 80
    assert max(sizes(results)) <= FRAME
    assert sizes(results)[0] < 20 * 1024, "as docs/protocol.md says"


MOST_ROUNDS = 12
"""Rounds of the longest tournament: a player guesses at most one word in each."""


def test_a_full_record_fits_into_one_frame() -> None:
    finished = messages.Finished(
        tournament_id=LONG_ID,
        at_ms=LONG_MS,
        place=8,
        rating_change=-100,
        rating=-10_000,
        language="uk",
        solved=[6] * MOST_ROUNDS,
    )
    profile = messages.OwnProfile(
        ref="r" * 64, now_ms=LONG_MS, you=a_player(0), best_place=1, recent=[finished] * RECENT
    )
    assert max(sizes(profile)) < 12 * 1024 < FRAME, "as docs/protocol.md says"


def test_all_that_is_stored_about_a_player_fits_into_one_frame() -> None:
    player = dataclasses.asdict(
        Player(
            player_id=LONG_ID,
            token_hash="",
            nickname=NICKNAME,
            created_at_ms=LONG_MS,
            rating=-10_000,
            games=10**6,
            game=LONG_ID,
            watching=LONG_ID,
            connection_id=LONG_ID,
            epoch=10**6,
            away_since_ms=LONG_MS,
            forfeited=False,
            group=LONG_ID,
            renamed_at_ms=(LONG_MS,) * RENAMES_AN_HOUR,
            unplaced=(LONG_ID,) * 8,
        )
    )
    finished = Finished(LONG_ID, LONG_MS, 8, -100, -10_000, False, "uk", (6,) * MOST_ROUNDS)
    history = History(LONG_ID, 8, (finished,) * MOST, (LONG_MS,) * 500)
    export = messages.OwnData(
        ref="r" * 64, now_ms=LONG_MS, data={"player": player, "history": dataclasses.asdict(history)}
    )
    page = messages.OwnData(ref="r" * 64, now_ms=LONG_MS, data={"tournaments": [LONG_ID] * PAGE})
    assert max(sizes(export) + sizes(page)) < 30 * 1024 < FRAME, "as docs/protocol.md says"


def test_a_deleted_player_has_the_name_that_the_descriptions_give() -> None:
    for model in (TournamentPlayer, messages.PlayerResult):
        assert f"`{DELETED}`" in (model.model_fields["nickname"].description or "")


def test_all_languages_fit_into_one_frame() -> None:
    answer = messages.LanguageList(
        ref="r" * 64,
        now_ms=LONG_MS,
        languages=[
            messages.Language(
                code=language.code,
                name=language.name,
                native_name=language.native_name,
                tiles=[messages.Tile(letter=tile.letter, label=tile.label) for tile in language.tiles],
                keyboard=[list(row) for row in language.keyboard],
                spellings=dict(language.spellings),
            )
            for language in words.languages().values()
        ],
    )
    assert sizes(answer)[0] <= FRAME


def test_the_largest_request_fits_into_one_frame() -> None:
    assert len(requests.Rename(nickname="\U00020000" * 200, ref="\U00020000" * 64).model_dump_json().encode()) < FRAME
