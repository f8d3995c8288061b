"""The operator's verbs: each one, given twice, and on missing things. tests/admin tests them over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from infra.local.testing import TOURNAMENT_MACHINE, Game, Player, World, at_once
from tests.integration.conftest import Scenes
from wordle_tournament.errors import GameError
from wordle_tournament.play.admin import verbs
from wordle_tournament.rules.nickname import DELETED

Shown = dict[str, Any]

PLAYER_VERBS: dict[str, Callable[[str], Shown]] = {
    "show_player": verbs.show_player,
    "rename": lambda player_id: verbs.rename(player_id, "Brave Otter"),
    "delete": verbs.delete,
}
TOURNAMENT_VERBS: dict[str, Callable[[str], Shown]] = {
    "show_tournament": verbs.show_tournament,
    "stop": verbs.stop,
    "void": verbs.void,
    "settle": verbs.settle,
}


@pytest.mark.parametrize("verb", PLAYER_VERBS)
def test_a_player_who_is_not_there_is_said_to_be_none(world: World, verb: str) -> None:
    before = world.everything()
    for player_id in ("nobody", "history.nobody"):
        with pytest.raises(verbs.AdminError, match=f"no player {player_id}"):
            PLAYER_VERBS[verb](player_id)
    assert world.everything() == before


@pytest.mark.parametrize("verb", TOURNAMENT_VERBS)
def test_a_tournament_that_is_not_there_is_said_to_be_none(world: World, verb: str) -> None:
    world.player().ask("join", language="en")
    before = world.everything()
    for tournament_id in ("nothing", next(iter(world.lobbies()))):
        with pytest.raises(verbs.AdminError, match=f"no tournament {tournament_id}"):
            TOURNAMENT_VERBS[verb](tournament_id)
    assert world.everything() == before


# Looking


@pytest.mark.thorough
def test_looking_changes_nothing_and_shows_no_running_word_and_no_key(scenes: Scenes, world: World) -> None:
    game = scenes.semifinal()
    before = world.everything()
    seen = str(
        [verbs.show_tournament(game.id), verbs.running(), *(verbs.show_player(player.id) for player in game.all)]
    )
    assert world.everything() == before
    for duel in game.duels:
        assert duel["word"] not in seen
    assert "token-of" not in seen
    for player in game.all:
        assert player.state["token_hash"] not in seen


def test_a_tournament_is_shown_with_how_its_duels_stand(scenes: Scenes) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    game.solve(duel["duel_id"])
    shown = verbs.show_tournament(game.id)
    assert (shown["state"], shown["round"], len(shown["players"])) == ("running", 1, 8)
    assert [one["over"] for one in shown["duels"]] == [True, False, False, False]
    assert shown["duels"][1]["deadline_ms"] == game.duels[1]["deadline_ms"]
    assert shown["duels"][0]["deadline_ms"] is None
    leaver, lost = (game.to_move(game.duels[number]) for number in (1, 2))
    leaver.ask("leave", what="tournament")
    lost.drop()
    shown = verbs.show_tournament(game.id)
    assert (shown["bye"], shown["leavers"], shown["away"]) == (None, [leaver.id], [lost.id])


@pytest.mark.thorough
def test_those_that_run_are_listed_the_longest_running_round_first(world: World) -> None:
    older, newer = world.tournament(), world.tournament()
    older.draw_round()
    listed = verbs.running()
    assert [one["tournament_id"] for one in listed] == [newer.id, older.id]
    assert [one["players_in"] for one in listed] == [8, 8]
    older.draw_round()
    older.draw_round()
    assert [one["tournament_id"] for one in verbs.running()] == [newer.id]


# Stopping


@pytest.mark.thorough
def test_a_stopped_tournament_costs_those_still_in_nothing_and_frees_them(scenes: Scenes, world: World) -> None:
    game = scenes.semifinal()
    ratings = game.ratings()
    still_in = {player for duel in game.duels for player in duel["players"]}
    shown = verbs.stop(game.id)
    assert shown["state"] == "stopped"
    assert game.ratings() == ratings, "who was out keeps what they got"
    for one in shown["players"]:
        assert ("place" in one) == ("rating_change" in one) == (one["player_id"] not in still_in)
        assert (one["fate"] == "in") == (one["player_id"] in still_in)
    for player in game.all:
        assert player.state["game"] is None
        assert player.last("tournament")["tournament"]["over"]
        assert player.ask("sync")["tournament"]["over"], "they may look at where it ended"
    for duel in game.duels:
        assert game.to_move(duel).refused("guess", duel=duel["duel_id"], turn=1, word=duel["word"]) == "duel_over"
        told = game.to_move(duel).last("duel")["duel"]
        assert (told["over"], told.get("ending"), told.get("winner")) == (True, None, None)
    for player in game.all:
        assert player.ask("join", language="en")["type"] == "lobby"


def test_stopped_twice_or_too_late_is_as_it_was(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    shown = verbs.stop(game.id)
    before = world.everything()
    world.sleep(1_000)
    assert verbs.stop(game.id) == shown
    assert world.advance(game.id)["over"]
    assert world.skip(game.duels[0]["duel_id"]) == 1
    assert world.everything() == before
    assert verbs.running() == []


def test_a_tournament_that_is_over_is_not_stopped(scenes: Scenes, world: World) -> None:
    game = scenes.final()
    game.finish()
    before = world.everything()
    assert verbs.stop(game.id)["state"] == "finished"
    assert world.everything() == before
    game.assert_ended_right()


def test_stopping_against_the_guess_that_ends_it_does_one_of_the_two(scenes: Scenes, world: World) -> None:
    for _ in range(3):
        game = scenes.final()
        duel = game.duels[0]
        player = game.to_move(duel)

        def win(game: Game = game, player: Player = player, duel: Shown = duel) -> None:
            player.guess(duel, duel["word"])
            world.advance(game.id)

        at_once(win, partial(verbs.stop, game.id))
        if game.state["stopped"]:
            assert verbs.show_tournament(game.id)["state"] == "stopped"
            assert player.state["rating"] == 1000
        else:
            game.assert_ended_right()
        assert player.state["game"] is None


def test_a_group_whose_tournament_is_stopped_is_free_to_start_again(world: World) -> None:
    leader, *friends = world.players(8)
    invite = leader.ask("createGroup")["group"]["invite"]
    for friend in friends:
        friend.ask("joinGroup", invite=invite)
    first = leader.ask("startGroup", language="en")["lobby"]["lobby_id"]
    verbs.stop(first)
    assert {one["where"] for one in friends[-1].last("group")["group"]["members"]} == {"free"}
    assert leader.ask("startGroup", language="en")["lobby"]["lobby_id"] != first


# Voiding


def test_voided_each_rating_change_is_taken_back_exactly_once(scenes: Scenes, world: World) -> None:
    game = scenes.final()
    game.finish()
    changed = game.ratings()
    assert changed != [1000] * 8
    assert verbs.void(game.id)["state"] == "voided"
    before = world.everything()
    assert game.ratings() == [1000] * 8
    for player in game.all:
        profile = player.ask("profile")
        assert (profile["you"]["games"], profile.get("best_place")) == (0, None)
        ((change, rating, voided),) = [
            (one["rating_change"], one["rating"], one["voided"]) for one in profile["recent"]
        ]
        assert (change, rating, voided) == (0, 1000, True)
    verbs.void(game.id)
    at_once(*[partial(verbs.void, game.id)] * 3)
    world.advance(game.id)
    world.sweep()
    assert world.everything() == before


def test_voided_by_several_at_once_it_is_taken_back_once(scenes: Scenes) -> None:
    game = scenes.final()
    game.finish()
    at_once(*[partial(verbs.void, game.id)] * 4)
    assert game.ratings() == [1000] * 8


@pytest.mark.thorough
def test_voiding_takes_back_that_tournament_and_nothing_else(world: World) -> None:
    players = world.players(8)
    games = []
    for _ in range(2):
        lobby = [player.ask("join", language="en") for player in players][-1]["lobby"]
        game = Game(world, lobby["lobby_id"], {player.id: player for player in players})
        world.advance(game.id)
        for player in players[:5]:
            player.ask("leave", what="tournament")
        game.finish()
        games.append(game)
    second = {player.id: player.ask("profile")["recent"][0] for player in players}
    verbs.void(games[0].id)
    for player in players:
        profile = player.ask("profile")
        rating = 1000 + second[player.id]["rating_change"]
        assert profile["recent"][0] == {**second[player.id], "rating": rating}
        assert [one["voided"] for one in profile["recent"]] == [False, True]
        assert profile["best_place"] == second[player.id]["place"]
        assert profile["you"]["rating"] == rating


def test_a_running_tournament_is_stopped_and_those_who_were_out_get_theirs_back(scenes: Scenes) -> None:
    game = scenes.semifinal()
    assert game.ratings() != [1000] * 8
    assert verbs.void(game.id)["state"] == "voided"
    assert game.ratings() == [1000] * 8
    assert {player.state["games"] for player in game.all} == {0}
    assert {player.state["game"] for player in game.all} == {None}


def test_voiding_after_a_player_was_deleted_serves_the_others(scenes: Scenes) -> None:
    game = scenes.final()
    game.finish()
    verbs.delete(game.all[0].id)
    verbs.void(game.id)
    assert {player.state["rating"] for player in game.all[1:]} == {1000}


def test_voided_everybody_is_told_and_sees_that_nothing_of_it_counts(scenes: Scenes, world: World) -> None:
    game = scenes.final()
    game.finish()
    away, gone = game.all[0], game.all[1]
    away.drop()
    gone.ask("leave", what="tournament")
    places = {one["player_id"]: one["place"] for one in gone.ask("results", tournament=game.id)["players"]}
    for _ in range(2):
        told = {player.id: len(player.frames) for player in game.all}
        verbs.void(game.id)
        for player in game.all[1:]:
            assert player.last("you")["you"]["rating"] == 1000
            assert len(player.frames) > told[player.id], "given again it is told again: the first time may have died"
    for player in game.all[2:]:
        shown = player.last("tournament")["tournament"]
        assert (shown["ending"], {one["rating_change"] for one in shown["players"]}) == ("voided", {0})
    assert gone.last("tournament")["tournament"]["ending"] == "finished", "who has left is told of themselves only"
    results = gone.ask("results", tournament=game.id)
    assert results["ending"] == "voided"
    assert {one["player_id"]: one["place"] for one in results["players"]} == places
    assert {(one["rating_change"], len(one["parts"])) for one in results["players"]} == {(0, 0)}
    world.advance(game.id)
    assert gone.last("result")["rating"] != 1000, "no second result, of a change that was taken back"


# The ending


def test_why_it_is_over_is_told_by_frames_and_results(scenes: Scenes) -> None:
    for scene, verb, ending in (
        (scenes.final, lambda game: game.finish(), "finished"),
        (scenes.semifinal, lambda game: verbs.stop(game.id), "stopped"),
        (scenes.semifinal, lambda game: verbs.void(game.id), "voided"),
    ):
        game = scene()
        player = game.all[0]
        assert "ending" not in player.last("tournament")["tournament"]
        assert "ending" not in player.ask("results", tournament=game.id)
        verb(game)
        assert player.last("tournament")["tournament"]["ending"] == ending
        assert player.ask("sync")["tournament"]["ending"] == ending
        assert player.ask("results", tournament=game.id)["ending"] == ending
        assert verbs.show_tournament(game.id)["state"] == ending


@pytest.mark.thorough
@pytest.mark.parametrize("verb", ["void", "settle"])
def test_a_verb_that_dies_anywhere_is_finished_by_giving_it_again(scenes: Scenes, world: World, verb: str) -> None:
    """Voiding what runs is stopping it first."""

    def scene() -> Game:
        game = scenes.semifinal()
        if verb == "settle":
            for duel in game.duels:
                game.solve(duel["duel_id"])
        return game

    give = TOURNAMENT_VERBS[verb]
    for game in world.dies_everywhere(scene, lambda game: give(game.id)):
        if not (verb == "settle" and game.over):
            give(game.id)
        version = world.item("TournamentsTable", game.id)["version"]
        for player in game.all:
            shown = player.last("tournament")["tournament"]
            assert (shown["version"], shown["over"]) == (version, game.over)
        assert game.over == (verb != "settle")
        if verb == "settle":
            assert len(game.state["rounds"]) == 5
            assert any("-admin-" in start.name for start in world.starts)
        else:
            assert {player.state["game"] for player in game.all} == {None}
            assert {duel["phase"] for duel in game.duels} == {"over"}
        if verb == "void":
            assert game.ratings() == [1000] * 8
            assert {player.last("you")["you"]["rating"] for player in game.all} == {1000}


# Settling


def test_settling_does_what_is_overdue_and_starts_a_clock(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    world.run_out(*game.duels)
    shown = verbs.settle(game.id)
    assert [len(duel["rows"]) for duel in game.duels] == [1] * 4
    assert {one["turn"] for one in shown["duels"]} == {2}
    before = world.everything()
    assert verbs.settle(game.id) == shown
    assert world.everything() == before
    names = {start.name for start in world.started(TOURNAMENT_MACHINE)}
    assert len(names) == 2, "the first, and one for this instant"
    for duel in game.duels:
        game.solve(duel["duel_id"])
    world.sleep(1_000)
    assert verbs.settle(game.id)["round"] == 2


def test_settling_the_last_round_ends_it_and_starts_no_clock(scenes: Scenes, world: World) -> None:
    game = scenes.final()
    game.solve(game.duels[0]["duel_id"])
    starts = len(world.starts)
    assert verbs.settle(game.id)["state"] == "finished"
    assert len(world.starts) == starts
    game.assert_ended_right()
    with pytest.raises(verbs.AdminError, match="is over"):
        verbs.settle(game.id)


# Players


def test_renamed_by_hand_the_name_is_checked_and_counts_as_none_of_the_players_own(world: World) -> None:
    player = world.player()
    for _ in range(2):
        assert verbs.rename(player.id, "  Brave Otter ")["nickname"] == "Brave Otter"
    assert player.last("you")["you"]["nickname"] == "Brave Otter"
    assert player.ask("sync")["you"]["nickname"] == "Brave Otter"
    for nickname in ("Ada One", "Ada Two", "Ada Three"):
        assert player.ask("rename", nickname=nickname)["type"] == "you"
    before = world.everything()
    with pytest.raises(GameError):
        verbs.rename(player.id, "x")
    slur = "faggot"
    with pytest.raises(GameError, match="slur"):
        verbs.rename(player.id, slur.title())
    assert world.everything() == before


def test_renamed_by_hand_in_a_lobby_others_see_it_and_the_tournament_starts_with_it(
    scenes: Scenes, world: World
) -> None:
    game = scenes.lobby()
    player, other, eighth = game.all[0], game.all[1], game.all[7]
    verbs.rename(player.id, "Brave Otter")
    names = {one["player_id"]: one["nickname"] for one in other.last("lobby")["lobby"]["players"]}
    assert names[player.id] == "Brave Otter"
    eighth.ask("join", language="en")
    entrants = {one["player_id"]: one["nickname"] for one in game.state["entrants"]}
    assert entrants[player.id] == "Brave Otter"


def test_deleted_by_hand_the_player_has_left_the_game_and_the_group(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    player, friend = game.all[0], world.player()
    invite = player.ask("createGroup")["group"]["invite"]
    friend.ask("joinGroup", invite=invite)
    assert verbs.delete(player.id) == {"deleted": player.id}
    assert player.id in game.state["rounds"][-1]["leavers"]
    assert friend.last("group")["group"]["leader"] == friend.id
    assert player.connection_id in world.connections.closed, "its client hears of the end, and of what"
    assert Player(world, world.connection_id()).refused("hello", token=player.token) == "bad_token"
    names = {one["player_id"]: one["nickname"] for one in game.all[1].ask("sync")["tournament"]["players"]}
    assert names[player.id] == DELETED
    with pytest.raises(verbs.AdminError, match="no player"):
        verbs.delete(player.id)


# The queue


def test_while_the_queue_is_closed_nobody_looks_for_a_game_and_those_that_run_are_finished(
    scenes: Scenes, world: World
) -> None:
    game = scenes.semifinal()
    single, leader = world.players(2)
    leader.ask("createGroup")
    for _ in range(2):
        assert verbs.close_queue() == {"queue": "closed"}
    assert single.refused("join", language="en") == "queue_closed"
    assert leader.refused("startGroup", language="en") == "queue_closed"
    game.finish()
    game.assert_ended_right()
    assert game.all[0].refused("join", language="en") == "queue_closed"
    for _ in range(2):
        assert verbs.open_queue() == {"queue": "open"}
    assert single.ask("join", language="en")["type"] == "lobby"
    assert leader.ask("startGroup", language="en")["lobby"]["lobby_id"] == single.state["game"]


def test_who_waits_when_the_queue_is_closed_may_leave(world: World) -> None:
    player = world.player()
    player.ask("join", language="en")
    verbs.close_queue()
    assert player.ask("leave", what="lobby")["type"] == "left"
