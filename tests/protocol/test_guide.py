"""docs/protocol.md: its examples are one true story, and nothing that a client needs is missing."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tools import asyncapi
from wordle_tournament import words
from wordle_tournament.protocol import messages, requests
from wordle_tournament.protocol.errors import MEANING, ErrorCode
from wordle_tournament.protocol.messages import Duel, Lobby, Tournament
from wordle_tournament.rules import rating
from wordle_tournament.rules.duel import TURNS
from wordle_tournament.rules.marks import mark

GUIDE = asyncapi.GUIDE.read_text(encoding="utf-8")
FRAMES = {example.name: example.model.model_validate(example.payload) for example in asyncapi.examples(GUIDE)}


def anchors(text: str) -> Iterator[str]:
    """The anchors that a Markdown page gives its headings."""
    for heading in re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def duels() -> list[Duel]:
    shown = [frame.duel for frame in FRAMES.values() if isinstance(frame, messages.DuelChanged)]
    return shown + [duel for frame in FRAMES.values() if isinstance(frame, messages.Snapshot) for duel in frame.duels]


def tournaments() -> list[Tournament]:
    shown = [frame.tournament for frame in FRAMES.values() if isinstance(frame, messages.TournamentChanged)]
    screens = [frame.tournament for frame in FRAMES.values() if isinstance(frame, messages.Snapshot)]
    return shown + [tournament for tournament in screens if tournament is not None]


def secret(duel: Duel) -> str | None:
    """The duel's word, if the story gets as far as its end."""
    return next((other.word for other in duels() if other.duel_id == duel.duel_id and other.word), None)


def test_every_json_block_is_a_named_example_and_no_name_comes_twice() -> None:
    assert GUIDE.count("```json") == len(asyncapi.examples(GUIDE)) == len(FRAMES)


def test_the_index_and_the_links_lead_somewhere() -> None:
    links = set(re.findall(r"\]\(#([^)]+)\)", GUIDE))
    assert links <= set(anchors(GUIDE))
    headings = re.findall(r"^## (.+)$", GUIDE, re.MULTILINE)
    assert re.findall(r"^\d+\. \[(.+)\]", GUIDE, re.MULTILINE) == headings
    for page in re.findall(r"\]\(([^)#]+)\)", GUIDE):
        assert (asyncapi.GUIDE.parent / page).exists(), page


@pytest.mark.parametrize("code", ErrorCode)
def test_every_error_code_has_a_meaning_and_a_line_in_the_guide(code: ErrorCode) -> None:
    assert MEANING[code]
    assert len(re.findall(rf"^\| `{code}` \|", GUIDE, re.MULTILINE)) == 1


def test_the_guide_has_no_code_that_is_not_there() -> None:
    table = GUIDE.split("| code | meaning |")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(ErrorCode)


def test_the_table_of_answers_is_true() -> None:
    table = GUIDE.split("| `action` | answered by |")[1].split("\n\n")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", table, re.MULTILINE))
    assert rows == {asyncapi.wire_name(one): asyncapi.wire_name(answer) for one, answer in asyncapi.ANSWERS.items()}


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
        paired = [player for match in tournament.matches for player in match.players]
        assert sorted(paired + ([tournament.bye] if tournament.bye else [])) == sorted(still_in)
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


def test_an_answer_carries_the_ref_of_a_request() -> None:
    asked = {frame.ref for frame in FRAMES.values() if isinstance(frame, requests.Request)}
    answered = {frame.ref for frame in FRAMES.values() if isinstance(frame, messages.Message)} - {None}
    assert answered <= asked | {"16"}  # 16: the request that is refused there is not worth showing


def test_lobbies_shown_say_when_they_start() -> None:
    lobbies: list[Lobby] = [frame.lobby for frame in FRAMES.values() if isinstance(frame, messages.LobbyChanged)]
    for lobby in lobbies:
        assert lobby.started == (len(lobby.players) == lobby.seats)


def test_the_languages_offered_are_those_of_the_game() -> None:
    welcome = FRAMES["welcome_new"]
    assert isinstance(welcome, messages.Welcome)
    assert welcome.languages == list(words.languages())
