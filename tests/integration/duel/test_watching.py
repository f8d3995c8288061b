"""Watching another's duel: who may, what they see, and that it costs its players nothing (R10, R18)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from infra.local.testing import Frame, Game, Player, World, wrong
from tests.integration.conftest import Scenes


def watching(scenes: Scenes) -> tuple[Game, Player, dict[str, Any], dict[str, Any]]:
    """A first round in which one whose duel is over watches the second duel; then that one and a third duel."""
    game = scenes.begun()
    own, second, third = game.duels[:3]
    game.solve(own["duel_id"])
    watcher = game.to_move(own)
    assert watcher.ask("watch", duel=second["duel_id"])["type"] == "duel"
    return game, watcher, second, third


def play(game: Game, duel_id: str) -> Frame:
    """A wrong guess by whose turn it is; returns the duel as its player is answered."""
    duel = game.duel(duel_id)
    return dict(game.to_move(duel).guess(duel, wrong(duel))["duel"])


def heard(player: Player, duel_id: str) -> list[Frame]:
    return [frame["duel"] for frame in player.frames if frame["type"] == "duel" and frame["duel"]["duel_id"] == duel_id]


def refused(player: Player, **fields: Any) -> str:
    return player.refused("watch", **fields)


def test_who_comes_late_sees_the_whole_board_and_then_what_the_players_see(scenes: Scenes) -> None:
    game = scenes.begun()
    own, other = game.duels[:2]
    before = [play(game, other["duel_id"]) for _ in range(3)]
    game.solve(own["duel_id"])
    watcher = game.to_move(own)
    assert watcher.ask("watch", duel=other["duel_id"])["duel"] == before[-1]
    assert heard(watcher, other["duel_id"])[-1] == before[-1]
    after = play(game, other["duel_id"])
    assert heard(watcher, other["duel_id"])[-1] == after
    assert "word" not in after
    game.solve(other["duel_id"])
    assert heard(watcher, other["duel_id"])[-1]["word"] == other["word"], "at the end it is told to all"


def test_a_watched_guess_costs_its_players_nothing_but_one_more_push(scenes: Scenes, world: World) -> None:
    game, _, second, _ = watching(scenes)
    world.park(second["duel_id"])
    version = world.item("DuelsTable", second["duel_id"])["version"]
    duel = game.duel(second["duel_id"])
    with world.backend.aws.recorded() as calls:
        game.to_move(duel).guess(duel, wrong(duel))
    assert Counter(call.operation for call in calls) == {
        "GetItem": 1,
        "UpdateItem": 1,
        "SendTaskHeartbeat": 1,
        "PostToConnection": 3,
    }
    assert world.item("DuelsTable", second["duel_id"])["version"] == version + 1


def test_another_duel_is_watched_instead(scenes: Scenes) -> None:
    game, watcher, second, third = watching(scenes)
    watcher.ask("watch", duel=third["duel_id"])
    seen = len(heard(watcher, second["duel_id"]))
    play(game, second["duel_id"])
    after = play(game, third["duel_id"])
    assert len(heard(watcher, second["duel_id"])) == seen
    assert heard(watcher, third["duel_id"])[-1] == after
    state = watcher.ask("sync")
    assert state["watching"] == third["duel_id"]
    assert second["duel_id"] not in [duel["duel_id"] for duel in state["duels"]]


def test_what_is_watched_is_watched_on_after_a_refusal(scenes: Scenes, world: World) -> None:
    game, watcher, second, third = watching(scenes)
    game.solve(third["duel_id"])
    assert refused(watcher, duel=third["duel_id"]) == "duel_over"
    assert refused(watcher, duel="nothing") == "no_such_duel"
    strangers = world.tournament()
    assert refused(watcher, duel=strangers.duels[0]["duel_id"]) == "not_in_tournament"
    after = play(game, second["duel_id"])
    assert heard(watcher, second["duel_id"])[-1] == after
    assert watcher.ask("sync")["watching"] == second["duel_id"]


def test_one_whose_own_duel_runs_watches_none_not_even_that(scenes: Scenes) -> None:
    game = scenes.begun()
    own, other = game.duels[:2]
    assert refused(game.to_move(own), duel=other["duel_id"]) == "in_duel"
    assert refused(game.to_move(own), duel=own["duel_id"]) == "in_duel"


def test_when_the_next_round_opens_nothing_is_watched_and_the_own_duel_is_shown(scenes: Scenes, world: World) -> None:
    game, watcher, second, _ = watching(scenes)
    game.finish_round()
    state = watcher.ask("sync")
    assert "watching" not in state
    (own,) = state["duels"]
    assert watcher.id in [player["player_id"] for player in own["players"]]
    assert refused(watcher, duel=second["duel_id"]) == "in_duel"
    assert watcher.ask("unwatch")["type"] == "unwatched"
    game.begin()
    (other, *_) = [duel for duel in game.duels if watcher.id not in duel["players"]]
    play(game, other["duel_id"])
    assert not heard(watcher, other["duel_id"])


def test_who_has_left_watches_no_more(scenes: Scenes) -> None:
    game, watcher, second, third = watching(scenes)
    watcher.ask("leave", what="tournament")
    seen = len(watcher.frames)
    play(game, second["duel_id"])
    assert len(watcher.frames) == seen
    assert refused(watcher, duel=third["duel_id"]) == "not_in_tournament"


def test_who_comes_back_on_whatever_device_watches_on_and_the_older_one_hears_nothing(
    scenes: Scenes, world: World
) -> None:
    game, watcher, second, third = watching(scenes)
    watcher.drop()
    missed = play(game, second["duel_id"])
    welcome = watcher.reconnect()
    assert welcome["watching"] == second["duel_id"]
    assert missed in welcome["duels"]
    older = Player(world, watcher.connection_id, watcher.id, watcher.token)
    assert watcher.reconnect()["watching"] == second["duel_id"]
    world.connections.closed.discard(older.connection_id)  # closing it was not done, or not yet
    assert refused(older, duel=third["duel_id"]) == "replaced"
    seen = len(older.frames)
    after = play(game, second["duel_id"])
    assert heard(watcher, second["duel_id"])[-1] == after
    assert len(older.frames) == seen


def test_a_watch_that_is_overtaken_by_a_newer_device_does_not_take_its_frames(scenes: Scenes, world: World) -> None:
    game, watcher, _, third = watching(scenes)
    newer = Player(world, watcher.connection_id, watcher.id, watcher.token)

    def sign_in_elsewhere(service: str, operation: str, params: Any) -> None:
        if operation == "UpdateItem":
            hook.close()
            newer.reconnect()
            world.connections.closed.discard(watcher.connection_id)

    hook = world.on_call(sign_in_elsewhere)
    watcher.send("watch", "r", duel=third["duel_id"])
    after = play(game, third["duel_id"])
    assert heard(newer, third["duel_id"])[-1] == after


@pytest.mark.thorough
@pytest.mark.parametrize("where", ["final", "semifinal"])
def test_who_is_out_watches_to_the_end_and_never_sees_a_word_before_it(scenes: Scenes, where: str) -> None:
    game: Game = getattr(scenes, where)()
    watcher = next(player for player in game.all if player.state["watching"] == game.id)
    duel = game.duels[0]
    answer = watcher.ask("watch", duel=duel["duel_id"])["duel"]
    for _ in range(3):
        assert "word" not in answer
        play(game, duel["duel_id"])
        answer = heard(watcher, duel["duel_id"])[-1]
    assert len(answer["rows"]) == 3
    game.solve(duel["duel_id"])
    assert heard(watcher, duel["duel_id"])[-1]["word"] == duel["word"]
    assert watcher.refused("watch", duel=duel["duel_id"]) == "duel_over"


def watching_all(scenes: Scenes) -> tuple[Game, Player, list[dict[str, Any]]]:
    """A first round in which one whose duel is over watches all others; then these."""
    game = scenes.begun()
    own, *others = game.duels
    game.solve(own["duel_id"])
    watcher = game.to_move(own)
    answer = watcher.ask("watchAll")
    assert answer["type"] == "duels"
    assert [duel["duel_id"] for duel in answer["duels"]] == [duel["duel_id"] for duel in others]
    return game, watcher, others


def watchers(world: World, duel_id: str) -> set[str]:
    return set(world.item("DuelsTable", duel_id).get("watchers") or ())


def test_who_watches_all_sees_each_turn_and_no_word_before_the_end(scenes: Scenes) -> None:
    game, watcher, others = watching_all(scenes)
    for duel in others:
        after = play(game, duel["duel_id"])
        assert heard(watcher, duel["duel_id"])[-1] == after
        assert "word" not in after
    ids = [duel["duel_id"] for duel in others]
    state = watcher.ask("sync")
    assert (state["watched"], state["watching"]) == (ids, ids[0])
    shown = {duel["duel_id"]: duel for duel in state["duels"]}
    assert all("word" not in shown[duel_id] and len(shown[duel_id]["rows"]) == 1 for duel_id in ids)
    game.solve(ids[0])
    assert watcher.ask("sync")["watched"] == ids[1:], "watching ends with the duel"


def test_watching_all_is_one_write_for_each_running_duel_and_none_when_sent_again(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    own, ended, *running = game.duels
    game.solve(own["duel_id"])
    game.solve(ended["duel_id"])
    with world.backend.aws.recorded() as calls:
        answer = game.to_move(own).ask("watchAll")
    assert Counter(call.operation for call in calls if call.operation in ("UpdateItem", "PutItem")) == {
        "UpdateItem": len(running)
    }
    assert [duel["over"] for duel in answer["duels"]] == [True, False, False]
    with world.backend.aws.recorded() as calls:
        again = game.to_move(own).ask("watchAll")
    assert not [call for call in calls if call.operation not in ("GetItem", "BatchGetItem", "PostToConnection")]
    assert again["duels"] == answer["duels"]


def test_a_guess_that_six_watch_is_still_one_read_and_one_write(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    *ended, last = game.duels
    for duel in ended:
        game.solve(duel["duel_id"])
    plain = len(str(world.item("DuelsTable", last["duel_id"])))
    for duel in ended:
        for player_id in duel["players"]:
            assert game.players[player_id].ask("watchAll")["type"] == "duels"
    assert len(watchers(world, last["duel_id"])) == 6
    item = world.item("DuelsTable", last["duel_id"])
    assert len(str(item)) - plain < 6 * 50, "an id for each"
    world.park(last["duel_id"])
    duel = game.duel(last["duel_id"])
    with world.backend.aws.recorded() as calls:
        game.to_move(duel).guess(duel, wrong(duel))
    assert Counter(call.operation for call in calls) == {
        "GetItem": 1, "UpdateItem": 1, "SendTaskHeartbeat": 1, "PostToConnection": 8,
    }  # fmt: skip


def test_one_duel_instead_of_all_and_none_instead_of_all(scenes: Scenes, world: World) -> None:
    game, watcher, (second, third, fourth) = watching_all(scenes)
    watcher.ask("watch", duel=third["duel_id"])
    state = watcher.ask("sync")
    assert (state["watched"], state["watching"]) == ([third["duel_id"]], third["duel_id"])
    watcher.ask("watchAll")
    assert len(watcher.ask("sync")["watched"]) == 3
    watcher.ask("unwatch")
    assert watcher.ask("sync")["watched"] == []
    seen = len(watcher.frames)
    play(game, second["duel_id"])
    play(game, fourth["duel_id"])
    assert len(watcher.frames) == seen


def test_all_is_refused_to_one_whose_duel_runs_and_without_a_tournament(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    player = game.to_move(game.duels[0])
    assert player.refused("watchAll") == "in_duel"
    assert all(player.id not in watchers(world, duel["duel_id"]) for duel in game.duels)
    waiting = world.player()
    assert waiting.refused("watchAll") == "not_in_tournament"
    waiting.ask("join", language="en")
    assert waiting.refused("watchAll") == "not_in_tournament"
    player.ask("leave", what="tournament")
    assert player.refused("watchAll") == "not_in_tournament", "a player who has left watches no more"


def test_who_watched_all_and_is_paired_again_sees_the_own_duel_only(scenes: Scenes, world: World) -> None:
    game, watcher, _ = watching_all(scenes)
    game.finish_round()
    state = watcher.ask("sync")
    assert state["watched"] == []
    assert watcher.refused("watchAll") == "in_duel", "a request of the round before comes late"
    game.begin()
    for duel in game.duels:
        assert watchers(world, duel["duel_id"]) == set()
        if watcher.id not in duel["players"]:
            play(game, duel["duel_id"])
            assert not heard(watcher, duel["duel_id"])


def test_who_watches_all_and_comes_back_watches_on_and_hears_each_turn_once(scenes: Scenes, world: World) -> None:
    game, watcher, others = watching_all(scenes)
    watcher.drop()
    for duel in others:
        play(game, duel["duel_id"])
    welcome = watcher.reconnect()
    assert welcome["watched"] == [duel["duel_id"] for duel in others]
    assert [len(duel["rows"]) for duel in welcome["duels"] if not duel["over"]] == [1, 1, 1]
    for duel in others:
        seen = len(heard(watcher, duel["duel_id"]))
        play(game, duel["duel_id"])
        assert len(heard(watcher, duel["duel_id"])) == seen + 1


def test_who_watches_all_and_leaves_hears_nothing_more(scenes: Scenes, world: World) -> None:
    game, watcher, others = watching_all(scenes)
    watcher.ask("leave", what="tournament")
    assert all(watcher.id not in watchers(world, duel["duel_id"]) for duel in others)
    seen = len(watcher.frames)
    for duel in others:
        play(game, duel["duel_id"])
    assert len(watcher.frames) == seen


def test_a_request_for_all_that_a_leave_crosses_leaves_no_watcher_behind(scenes: Scenes, world: World) -> None:
    """The player leaves after the request has read that they are in the tournament."""
    game = scenes.begun()
    own, *others = game.duels
    game.solve(own["duel_id"])
    watcher = game.to_move(own)
    left: list[Frame] = []

    def leave(service: str, operation: str, params: Any) -> None:
        if operation == "UpdateItem" and not left:
            left.append({})
            left[0] = watcher.ask("leave", what="tournament")

    with world.backend.aws.on_call(leave):
        watcher.send("watchAll", "late")
    (answer,) = [frame for frame in watcher.frames if frame.get("ref") == "late"]
    assert (left[0]["type"], answer.get("code")) == ("left", "not_in_tournament")
    assert all(watcher.id not in watchers(world, duel["duel_id"]) for duel in others)
