"""A client keeps the newest state when frames overtake each other."""

import ast
import inspect
import json
import textwrap

import pytest

from tests.client.fake_server import NOW_MS, FakeServer, Frame, duel, group, lobby, tournament
from wordle_tournament.protocol.messages import MESSAGES, Message
from wordle_tournament_client import View
from wordle_tournament_client.client import parse
from wordle_tournament_client.view import NO_NEWS


def tell(view: View, frame: Frame, after_ms: int = 0) -> bool:
    return view.apply(parse(json.dumps({"now_ms": NOW_MS + after_ms, **frame})))


def state(**fields: Frame | list[Frame]) -> Frame:
    return {"type": "state", "you": FakeServer.you(), **fields}


@pytest.fixture
def view() -> View:
    view = View()
    tell(view, state())
    return view


def test_the_greatest_version_of_a_lobby_wins(view: View) -> None:
    assert tell(view, {"type": "lobby", "lobby": lobby(2, players=("me", "you"))})
    assert not tell(view, {"type": "lobby", "lobby": lobby(1)}, after_ms=5)
    assert view.lobby is not None
    assert len(view.lobby.players) == 2


@pytest.mark.parametrize("kind", ["lobby", "tournament"])
def test_of_the_same_version_the_later_word_wins_since_who_is_away_has_no_version(view: View, kind: str) -> None:
    def told(away: bool) -> Frame:
        thing = lobby(2, players=("me", "you")) if kind == "lobby" else tournament(2)
        thing["players"][1]["away"] = away
        return thing

    assert tell(view, {"type": kind, kind: told(away=False)}, after_ms=5)
    assert tell(view, {"type": kind, kind: told(away=True)}, after_ms=7)
    assert not tell(view, {"type": kind, kind: told(away=False)}, after_ms=6)
    assert getattr(view, kind).players[1].away
    tell(view, state(**{kind: told(away=False)}), after_ms=8)
    assert not getattr(view, kind).players[1].away


def test_a_greater_version_wins_even_in_a_snapshot_made_earlier(view: View) -> None:
    tell(view, {"type": "tournament", "tournament": tournament(2)}, after_ms=10)
    tell(view, state(tournament=tournament(3)), after_ms=9)
    assert view.tournament is not None
    assert view.tournament.version == 3


def test_the_greatest_version_of_a_tournament_wins(view: View) -> None:
    tell(view, {"type": "tournament", "tournament": tournament(2)})
    tell(view, {"type": "tournament", "tournament": tournament(1)}, after_ms=5)
    assert view.tournament is not None
    assert view.tournament.round == 2


def test_a_snapshot_that_was_read_before_a_push_does_not_undo_it(view: View) -> None:
    tell(view, {"type": "tournament", "tournament": tournament(2)}, after_ms=10)
    tell(view, {"type": "duel", "duel": duel(4, "l1.2.1")}, after_ms=11)
    tell(view, state(tournament=tournament(1), duels=[duel(3, "l1.2.1")]), after_ms=12)
    assert view.tournament is not None
    assert view.tournament.version == 2
    assert view.duels["l1.2.1"].version == 4


def test_a_duel_may_be_heard_of_before_its_tournament(view: View) -> None:
    tell(view, {"type": "duel", "duel": duel()})
    tell(view, {"type": "tournament", "tournament": tournament()})
    assert view.duel is not None
    assert view.duel.duel_id == "l1.1.1"


def test_a_started_lobby_gives_way_to_its_tournament(view: View) -> None:
    tell(view, {"type": "lobby", "lobby": lobby(7)})
    tell(view, {"type": "tournament", "tournament": tournament()}, after_ms=1)
    assert not tell(view, {"type": "lobby", "lobby": lobby(8, started=True)}, after_ms=2)
    assert view.lobby is None
    assert view.tournament is not None


def test_a_merged_lobby_is_the_one_the_player_now_sits_in(view: View) -> None:
    tell(view, {"type": "lobby", "lobby": lobby(9, "l1")})
    tell(view, {"type": "lobby", "lobby": lobby(3, "l2", ("you", "me"))}, after_ms=1)
    assert not tell(view, {"type": "lobby", "lobby": lobby(10, "l1", ())}, after_ms=2)
    assert view.lobby is not None
    assert view.lobby.lobby_id == "l2"


def test_a_lobby_that_was_left_does_not_come_back(view: View) -> None:
    tell(view, {"type": "lobby", "lobby": lobby(1)})
    assert tell(view, {"type": "left", "what": "lobby"}, after_ms=10)
    assert not tell(view, {"type": "lobby", "lobby": lobby(2, players=("me", "you"))}, after_ms=9)
    assert view.lobby is None


def test_a_lobby_without_the_player_is_left(view: View) -> None:
    tell(view, {"type": "lobby", "lobby": lobby(1, players=("me", "you"))})
    assert tell(view, {"type": "lobby", "lobby": lobby(2, players=("you",))}, after_ms=1)
    assert view.lobby is None


def test_nobody_comes_back_to_a_tournament_they_have_left(view: View) -> None:
    tell(view, {"type": "tournament", "tournament": tournament()})
    tell(view, {"type": "left", "what": "tournament"}, after_ms=1)
    assert not tell(view, {"type": "tournament", "tournament": tournament(2)}, after_ms=2)
    assert not tell(view, {"type": "duel", "duel": duel()}, after_ms=2)
    assert view.tournament is None
    assert not view.duels


def test_queueing_again_ends_watching_the_tournament(view: View) -> None:
    tell(view, {"type": "tournament", "tournament": tournament()})
    tell(view, {"type": "lobby", "lobby": lobby(1, "l2")}, after_ms=1)
    tell(view, {"type": "tournament", "tournament": tournament(3)}, after_ms=2)
    assert view.tournament is None
    assert view.lobby is not None


def test_a_snapshot_without_a_game_ends_the_game(view: View) -> None:
    tell(view, {"type": "tournament", "tournament": tournament()})
    tell(view, {"type": "duel", "duel": duel()})
    tell(view, state(), after_ms=1)
    assert view.tournament is None
    assert not view.duels


def test_a_result_changes_the_own_rating(view: View) -> None:
    tell(view, {"type": "result", "tournament_id": "l1", "place": 1, "rating_change": 25, "rating": 1025})
    assert view.you is not None
    assert view.you.rating == 1025
    assert view.results["l1"].place == 1


def test_presence_is_what_was_said_last_by_the_servers_clock(view: View) -> None:
    tell(view, {"type": "presence", "player_id": "you", "away": True, "until_ms": NOW_MS + 60_000}, after_ms=5)
    assert not tell(view, {"type": "presence", "player_id": "you", "away": False}, after_ms=4)
    assert view.away("you")
    tell(view, {"type": "tournament", "tournament": tournament()}, after_ms=6)
    assert not view.away("you")


def test_of_a_group_the_greatest_version_wins_and_then_the_later_word(view: View) -> None:
    tell(view, {"type": "group", "group": group(2, "me", "you")}, after_ms=5)
    assert not tell(view, {"type": "group", "group": group(1, "me")}, after_ms=9)
    assert not tell(view, {"type": "group", "group": group(2, "me")}, after_ms=4)
    assert tell(view, {"type": "group", "group": group(2, "me", "her")}, after_ms=6)
    assert view.group is not None
    assert [member.player_id for member in view.group.members] == ["me", "her"]


def test_leaving_the_group_leaves_neither_lobby_nor_tournament(view: View) -> None:
    tell(view, {"type": "tournament", "tournament": tournament()})
    tell(view, {"type": "group", "group": group(1, "me")})
    tell(view, {"type": "left", "what": "group"}, after_ms=1)
    assert view.group is None
    assert view.tournament is not None
    assert not tell(view, {"type": "group", "group": group(3, "me")})


@pytest.mark.parametrize("model", MESSAGES, ids=lambda model: model.__name__)
def test_every_message_has_a_case_or_tells_nothing(model: type[Message]) -> None:
    patterns = {
        ast.unparse(part.cls).rpartition(".")[2]
        for part in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(View.apply))))
        if isinstance(part, ast.MatchClass)
    }
    assert (model.__name__ in patterns) != (model in NO_NEWS)


def test_a_deleted_player_has_nothing_on_the_screen(view: View) -> None:
    tell(view, state(group=group(1), tournament=tournament(1)))
    assert tell(view, {"type": "deleted"})
    assert (view.you, view.group, view.lobby, view.tournament, view.duels) == (None, None, None, None, {})


def test_the_answer_to_a_late_leave_does_not_touch_the_next_game(view: View) -> None:
    tell(view, {"type": "tournament", "tournament": tournament(2)})
    late = {"type": "left", "ref": "7", "what": "tournament", "id": "another"}
    assert not tell(view, late, after_ms=9)
    assert view.tournament is not None
    assert tell(view, {**late, "id": view.tournament.tournament_id}, after_ms=9)
    assert view.tournament is None
