"""docs/protocol.md and docs/protocol/: the examples are one true story, and nothing that a client needs is missing."""

import json
import re
from dataclasses import fields
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from tools import asyncapi
from wordle_tournament import words
from wordle_tournament.protocol import messages, requests
from wordle_tournament.protocol.errors import ADVICE, MEANING, RETIRED, ErrorCode
from wordle_tournament.protocol.messages import Duel, Group, Lobby, Tournament
from wordle_tournament.rules import rating
from wordle_tournament.rules.duel import TURNS
from wordle_tournament.rules.marks import mark
from wordle_tournament.rules.nickname import DELETED
from wordle_tournament.rules.player import RENAMES_AN_HOUR, Player
from wordle_tournament.rules.tournament import LIVES
from wordle_tournament.rules.tournament import PLAYERS as SEATS
from wordle_tournament.store import PLAYERS, aggregates, as_stored
from wordle_tournament.store.values import DAY, GAME_DAYS, RECENT, History

GUIDE = asyncapi.GUIDE.read_text(encoding="utf-8")
FRAMES = {example.name: example.model.model_validate(example.payload) for example in asyncapi.examples()}


PAGES = (asyncapi.GUIDE, asyncapi.STORY, asyncapi.FIELDS)

GENERAL = {"bad_json", "bad_request", "unknown_action", "flooding", "not_signed_in", "replaced", "busy", "internal"}
"""Error codes that have nothing to do with what a request asks for."""


def anchors(page: Path) -> list[str]:
    """Return the anchors of the headings of a Markdown page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def duels() -> list[Duel]:
    shown = [frame.duel for frame in FRAMES.values() if isinstance(frame, messages.DuelChanged)]
    return shown + [duel for frame in FRAMES.values() if isinstance(frame, messages.Snapshot) for duel in frame.duels]


def tournaments() -> list[Tournament]:
    shown = [frame.tournament for frame in FRAMES.values() if isinstance(frame, messages.TournamentChanged)]
    screens = [frame.tournament for frame in FRAMES.values() if isinstance(frame, messages.Snapshot)]
    return shown + [tournament for tournament in screens if tournament is not None]


def groups() -> list[Group]:
    return [frame.group for frame in FRAMES.values() if isinstance(frame, messages.GroupChanged)]


ERRORS = "| code | meaning | advice | reaction |\n"


def table(head: str, page: str = GUIDE) -> list[list[str]]:
    """Return the cells of the rows of the table with that head."""
    (body,) = page.split(head)[1:]
    rows = [row for row in body.split("\n\n")[0].splitlines() if row.startswith("| ") and not row.startswith("| ---")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def named(cell: str) -> list[str]:
    """Return the names in a cell that are set as code."""
    return re.findall(r"`(\w+)`", cell)


@cache
def schemas() -> dict[str, Any]:
    """Return the published schemas."""
    found: dict[str, Any] = asyncapi.document(asyncapi.examples())["components"]["schemas"]
    return found


def fields_of(model: asyncapi.Model) -> dict[str, bool]:
    """Return the fields of the model beyond those of every frame, and whether the frame can lack them."""
    required = schemas()[model.__name__]["required"]
    return {
        name: name not in required for name in model.model_fields if name not in ("action", "type", "ref", "now_ms")
    }


def fields_in(cell: str) -> dict[str, bool]:
    """Return the fields in a cell, and whether they are marked as optional."""
    return {name: mark == "?" for name, mark in re.findall(r"`(\w+)`(\??)", cell)}


def secret(duel: Duel) -> str | None:
    """The duel's word, if the story gets as far as its end."""
    return next((other.word for other in duels() if other.duel_id == duel.duel_id and other.word), None)


def test_the_contents_are_the_headings() -> None:
    (contents,) = re.findall(r"^Contents: (.+?)\n\n", GUIDE, re.MULTILINE | re.DOTALL)
    assert re.findall(r"\[(.+?)\]", contents) == re.findall(r"^## (.+)$", GUIDE, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    assert links
    for link in links:
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchors(target).count(anchor) == 1, link


def test_every_error_code_is_in_the_guide_with_its_meaning() -> None:
    rows = {named(code)[0]: (meaning, advice) for code, meaning, advice, _ in table(ERRORS)}
    assert rows == {code.value: (meaning, ADVICE[code].value) for code, meaning in MEANING.items()}
    assert set(MEANING) == set(ADVICE) == set(ErrorCode)
    assert schemas()["ErrorCode"]["x-advice"] == ADVICE


def test_every_request_frame_and_error_code_links_an_example_of_it() -> None:
    for head in ("| `action` | fields | answered by | use |", "| `type` | fields | version | pushed to |", ERRORS):
        for first, *_ in table(head):
            if first and first != "code":
                name, path = re.fullmatch(r"\[`(\w+)`\]\((\S+)\)", first).groups()  # type: ignore[union-attr]
                frame = json.loads((asyncapi.GUIDE.parent / path).read_text(encoding="utf-8"))
                assert name in (frame.get("action"), frame.get("type"), frame.get("code")), first


@pytest.mark.parametrize("code", ErrorCode)
def test_the_example_of_a_code_is_a_frame_of_the_protocol(code: ErrorCode) -> None:
    text = (asyncapi.EXAMPLES / "errors" / f"{code.value}.json").read_text(encoding="utf-8")
    error = messages.Error.model_validate_json(text)
    assert error.code is code
    assert set(asyncapi.EXAMPLES.joinpath("errors").glob("*")) == {
        asyncapi.EXAMPLES / "errors" / f"{one.value}.json" for one in ErrorCode
    }


def test_the_table_of_requests_is_true() -> None:
    rows = {named(action)[0]: cells for action, *cells in table("| `action` | fields | answered by | use |")}
    actions = [asyncapi.wire_name(model) for model in requests.REQUESTS]
    assert set(rows) == set(actions), f"the table of requests in docs/protocol.md: {set(rows) ^ set(actions)}"
    assert list(rows) == actions, "the table of requests in docs/protocol.md has the order of REQUESTS"
    refusals: set[str] = set()
    for model in requests.REQUESTS:
        shown, answered_by, _, refused_with = rows[asyncapi.wire_name(model)]
        assert fields_in(shown) == fields_of(model)
        assert named(answered_by) == [asyncapi.wire_name(model.answer)]
        refusals |= set(named(refused_with))
    assert refusals | GENERAL | RETIRED == set(ErrorCode)
    assert not refusals & RETIRED


def test_the_table_of_pushed_frames_is_true() -> None:
    rows = [cells for cells in table("| `type` | fields | version | pushed to | when |\n") if cells[0]]
    pushed = {asyncapi.wire_name(model): model for model in asyncapi.PUSHES}
    assert {named(kind)[0] for kind, *_ in rows} == set(pushed)
    for kind, shown, version, *_ in rows:
        model = pushed[named(kind)[0]]
        assert fields_in(shown) == fields_of(model)
        parts = [
            schemas()[part]
            for part in ("Lobby", "Tournament", "RunningDuel", "Group")
            if part.lower().removeprefix("running") == named(kind)[0]
        ]
        assert (version == "yes") == any("version" in part["properties"] for part in parts)


def test_a_repeated_request_is_answered_as_the_guide_says() -> None:
    rows = {named(action)[0]: cells for action, *cells in table("| `action` | fields | answered by |") if named(action)}
    for actions, how in table("| sent again | answered like the first |\n"):
        for action in named(actions):
            words = set(named(how))
            fields, refusals = set(fields_in(rows[action][0])), set(named(rows[action][-1]))
            assert not words & set(ErrorCode) or words & (refusals | {"bad_token"}), action
            assert how == "always" or fields & {"id", "group", "player"} <= words, action


def test_the_frames_inside_the_guide_are_those_of_the_story() -> None:
    shown = [line.removeprefix("→ ") for line in GUIDE.splitlines() if line.startswith("→ ")]
    payloads = [example.payload for example in asyncapi.examples()]
    assert len(shown) == 2
    for frame in shown:
        assert json.loads(frame) in payloads


@pytest.mark.parametrize("name", ["bad_json", "bad_token", "busy"])
def test_an_error_without_a_text_of_its_own_has_the_meaning_of_its_code(name: str) -> None:
    error = FRAMES[name]
    assert isinstance(error, messages.Error)
    assert error.message == MEANING[error.code]


@pytest.mark.parametrize("duel", duels(), ids=lambda duel: f"{duel.duel_id} v{duel.version}")
def test_a_duel_shown_is_as_the_rules_have_it(duel: Duel) -> None:
    first, second = (player.player_id for player in duel.players)
    assert [row.player_id for row in duel.rows] == [(first, second)[index % 2] for index in range(len(duel.rows))]
    assert duel.turn == len(duel.rows) + 1 <= TURNS + 1
    word = secret(duel)
    for row in duel.rows:
        if row.word is None:
            assert row.marks == []
            continue
        assert words.check_guess(duel.language, duel.length, row.word) == row.word
        if word is not None:
            assert tuple(row.marks) == mark(row.word, word)
    assert duel.over == (duel.word is not None) == (duel.to_move is None) == (duel.deadline_ms is None)
    if not duel.over:
        assert duel.to_move == (first, second)[len(duel.rows) % 2]


@pytest.mark.parametrize("tournament", tournaments(), ids=lambda one: f"v{one.version}")
def test_a_tournament_shown_is_as_the_rules_have_it(tournament: Tournament) -> None:
    still_in = [player.player_id for player in tournament.players if player.place is None]
    if not tournament.over:
        assert tournament.ending is None
        paired = [player for match in tournament.matches for player in match.players]
        assert sorted(paired + ([tournament.bye] if tournament.bye else [])) == sorted(still_in)
    last = tournament.last_round
    if last is None:
        assert tournament.round == 1
    else:
        assert last.number == tournament.round - (not tournament.over)
        for duel in last.duels:
            assert words.check_guess(tournament.language, len(duel.word), duel.word) == duel.word
            assert duel.players[(duel.turns - 1) % 2] == duel.winner
    for player in tournament.players:
        if player.place is None:
            assert player.rating_change is None
            continue
        others = [other for other in tournament.players if other is not player]
        above = [other for other in others if other.place is None or other.place < player.place]
        assert player.place == 1 + len(above)
        outcomes = [(other.rating, rating.Outcome.of(player.place, other.place or 0)) for other in others]
        assert player.rating_change == rating.change(player.rating, outcomes)


def test_the_result_is_that_of_the_table() -> None:
    result = FRAMES["result"]
    over = FRAMES["tournament_over"]
    lost = FRAMES["duel_lost"]
    assert isinstance(result, messages.Result)
    assert isinstance(over, messages.TournamentChanged)
    assert isinstance(lost, messages.DuelChanged)
    me = next(player for player in over.tournament.players if player.player_id == "p-otter")
    assert (result.place, result.rating_change) == (me.place, me.rating_change)
    assert result.rating == me.rating + result.rating_change
    (outlook,) = lost.duel.out
    assert outlook.best_place <= result.place <= outlook.worst_place


def test_it_is_one_story() -> None:
    """The same ids and nicknames throughout; the versions of one thing grow with what happens to it."""
    full = FRAMES["lobby_full"]
    assert isinstance(full, messages.LobbyChanged)
    names = {player.player_id: (player.nickname, player.rating) for player in full.lobby.players}
    for tournament in tournaments():
        assert {one.player_id: (one.nickname, one.rating) for one in tournament.players} == names
        assert tournament.tournament_id == full.lobby.lobby_id
    known: dict[tuple[str, int], Any] = {}
    for duel in duels():
        assert known.setdefault((duel.duel_id, duel.version), duel) == duel
    for tournament in tournaments():
        assert known.setdefault((tournament.tournament_id, tournament.version), tournament) == tournament
    for guess in (frame for frame in FRAMES.values() if isinstance(frame, requests.Guess)):
        assert guess.duel in {duel.duel_id for duel in duels()}


def test_an_answer_carries_the_ref_of_a_request_that_it_can_answer() -> None:
    asked = {
        frame.ref: type(frame)
        for name, frame in FRAMES.items()
        if isinstance(frame, requests.Request) and name != "hello_again"
    }
    assert len(asked) == len([frame for frame in FRAMES.values() if isinstance(frame, requests.Request)]) - 1
    for frame in FRAMES.values():
        # 16: the request that is refused there is not worth showing
        if isinstance(frame, messages.Message) and frame.ref not in (None, "16"):
            assert isinstance(frame, asked[frame.ref].answer | messages.Error), frame.ref


@pytest.mark.parametrize("group", groups(), ids=lambda group: f"v{group.version}")
def test_a_group_shown_is_as_the_rules_have_it(group: Group) -> None:
    members = [member.player_id for member in group.members]
    assert group.leader in members
    assert len(set(members)) == len(members) <= SEATS
    for other in groups():
        assert other.group_id == group.group_id
        if other.version == group.version:
            assert (other.invite, other.leader) == (group.invite, group.leader)
            assert [member.player_id for member in other.members] == members


def test_the_group_is_refused_and_seated_by_the_rules() -> None:
    joined, free, refused, seated = (
        FRAMES[name] for name in ("group_joined", "group_free", "member_playing", "lobby_of_the_group")
    )
    assert isinstance(joined, messages.GroupChanged)
    assert isinstance(free, messages.GroupChanged)
    assert isinstance(refused, messages.Error)
    assert isinstance(seated, messages.LobbyChanged)
    assert refused.players == [one.player_id for one in joined.group.members if one.where != "free"]
    assert free.now_ms > joined.now_ms
    assert {one.where for one in free.group.members} == {"free"}
    assert seated.lobby.rating == mean(one.rating for one in free.group.members)
    assert [(one.player_id, one.nickname, one.rating) for one in seated.lobby.players] == [
        (one.player_id, one.nickname, one.rating) for one in free.group.members
    ]


def test_the_results_shown_are_those_of_the_story() -> None:
    results = FRAMES["results_after_round_1"]
    assert isinstance(results, messages.TournamentResults)
    (played,) = results.rounds
    opened = FRAMES["tournament_opens"]
    assert isinstance(opened, messages.TournamentChanged)
    assert [(one.duel_id, one.players, len(one.word)) for one in played.duels] == [
        (one.duel_id, one.players, one.length) for one in opened.tournament.matches
    ]
    lost = {player for duel in played.duels for player in duel.players if player != duel.winner}
    assert {one.player_id: one.lives for one in results.players} == {
        one.player_id: LIVES - (one.player_id in lost) for one in opened.tournament.players
    }
    assert [one.lives for one in results.players] == sorted((one.lives for one in results.players), reverse=True)
    for result in played.duels:
        assert words.display(results.language, result.word) == result.display
        for duel in duels():
            if duel.duel_id == result.duel_id and duel.over:
                assert (duel.word, duel.winner, duel.ending) == (result.word, result.winner, result.ending)
                assert len(duel.rows) == result.turns


def test_the_parts_of_the_rating_change_are_those_of_the_rules() -> None:
    over = FRAMES["tournament_over"]
    assert isinstance(over, messages.TournamentChanged)
    players = {player.nickname: player for player in over.tournament.players}
    me = players.pop("Quiet Otter")
    *rows, total = table("| opponent | rating | `outcome` | `points` |\n", asyncapi.STORY.read_text(encoding="utf-8"))
    assert [name for name, *_ in rows] == list(players)
    for name, rated, outcome, points in rows:
        other = players[name]
        result = rating.Outcome.of(me.place or 0, other.place or 0)
        assert (rated, outcome) == (str(other.rating), {1.0: "win", 0.5: "draw", 0.0: "loss"}[result.value])
        assert points == f"{rating.part(me.rating, other.rating, result):+.3f}"
    assert total[-1] == f"{me.rating_change:+}"


def test_the_record_shown_is_that_of_the_story() -> None:
    profile, result, you = FRAMES["profile"], FRAMES["result"], FRAMES["you"]
    assert isinstance(profile, messages.OwnProfile)
    assert isinstance(result, messages.Result)
    assert isinstance(you, messages.YouChanged)
    assert profile.you == you.you
    (finished,) = profile.recent
    assert finished.at_ms == result.now_ms
    assert (finished.tournament_id, finished.place, finished.rating_change, finished.rating) == (
        result.tournament_id,
        result.place,
        result.rating_change,
        result.rating,
    )
    assert profile.best_place == result.place


def test_the_export_shown_is_what_is_stored() -> None:
    export, profile = FRAMES["export"], FRAMES["profile"]
    assert isinstance(export, messages.OwnData)
    assert isinstance(profile, messages.OwnProfile)
    player = Player(player_id="p", token_hash="", nickname="Ann", created_at_ms=0)
    assert set(export.data["player"]) == set(as_stored(PLAYERS, player)) - {"token_hash"}
    assert set(export.data["history"]) == {field.name for field in fields(History)}
    assert export.data["history"]["recent"] == [one.model_dump() for one in profile.recent]


def test_the_figures_of_the_guide_are_those_of_the_code() -> None:
    kept = {what: duration.split(" after")[0] for what, duration in table("| data | is kept for |\n")}
    assert kept == {
        "a player": f"{aggregates.PLAYER_DAYS} days",
        "a player's record (`best_place`, `recent`)": f"{aggregates.PLAYER_DAYS} days",
        "a finished tournament, its results and boards": f"{GAME_DAYS} days",
        "a group": f"{DAY // 3600} hours",
        "a lobby that waits": f"{aggregates.LOBBY_DAYS} days",
        "a connection": f"{aggregates.CONNECTION_DAYS} days",
    }
    assert f"last {RECENT} tournaments" in " ".join(GUIDE.split())
    assert f"*{DELETED}*" in GUIDE
    assert RENAMES_AN_HOUR == 3
    assert "three times an hour" in " ".join(GUIDE.split())


def test_lobbies_shown_say_when_they_start() -> None:
    lobbies: list[Lobby] = [frame.lobby for frame in FRAMES.values() if isinstance(frame, messages.LobbyChanged)]
    for lobby in lobbies:
        assert lobby.started == (len(lobby.players) == lobby.seats)


def test_the_languages_offered_are_those_of_the_game() -> None:
    welcome = FRAMES["welcome_new"]
    assert isinstance(welcome, messages.Welcome)
    assert welcome.languages == list(words.languages()), "edit docs/protocol/examples/welcome_new.json"
