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
