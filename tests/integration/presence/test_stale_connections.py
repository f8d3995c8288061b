"""A function that pushes may be the first to find a connection dead, and records the disconnection (R28)."""

from __future__ import annotations

import json

import pytest

from infra.local import template
from infra.local.testing import RECONNECT_MACHINE, WINDOW_MS, Player, World, wrong
from tests.integration.conftest import Scenes, gather

GATEWAY = sorted({"$default", "languages", "ping"})
"""Routes of the function that may write nothing."""
ROUTES = sorted(template.load().routes.keys() - {"$connect", "$disconnect", *GATEWAY})
DAYS_MS = 24 * 60 * 60 * 1000


def lost(world: World) -> list[str]:
    """Return the players who have 60 seconds to come back, in order of being found."""
    return [start.input["player_id"] for start in world.started(RECONNECT_MACHINE)]


def away(player: Player) -> bool:
    return player.state["connection_id"] is None and player.state["away_since_ms"] is not None


@pytest.mark.parametrize("route", ROUTES)
def test_an_answer_that_meets_a_dead_connection_loses_a_waiting_player(world: World, route: str) -> None:
    """Alike on every route that may write; the others in the lobby and in the group are told."""
    leader, friend = gather(world, 2)
    leader.ask("startGroup", language="en")
    leader.drop(notice=False)
    world.receive(leader.connection_id, json.dumps({"action": route, "surplus": 1}), route=route)
    assert away(leader)
    assert lost(world) == [leader.id]
    assert friend.last("presence")["away"]
    assert [member["away"] for member in friend.last("group")["group"]["members"]] == [True, False]


@pytest.mark.parametrize("route", ROUTES)
def test_an_answer_that_meets_a_dead_connection_loses_a_playing_player(
    scenes: Scenes, world: World, route: str
) -> None:
    """Alike on every route that may write; the duel tells that connection nothing more."""
    game = scenes.begun()
    player, duel = game.all[0], next(duel for duel in game.duels if game.all[0].id in duel["players"])
    player.drop(notice=False)
    world.receive(player.connection_id, json.dumps({"action": route, "surplus": 1}), route=route)
    assert away(player)
    assert lost(world) == [player.id]
    assert player.id not in world.item("DuelsTable", duel["duel_id"])["connections"]
    assert game.all[1].last("presence")["away"]


@pytest.mark.parametrize("route", GATEWAY)
def test_the_gateway_leaves_a_dead_connection_to_the_next_who_meets_it(
    scenes: Scenes, world: World, route: str
) -> None:
    """It may write nothing. API Gateway's own `$disconnect` follows, or the next frame of the duel finds it (R28)."""
    game = scenes.begun()
    duel = game.duels[0]
    mover, player = game.to_move(duel), game.waiting(duel)
    player.drop(notice=False)
    before = world.everything()
    world.receive(player.connection_id, json.dumps({"action": route, "surplus": 1}), route=route)
    assert world.everything() == before
    mover.guess(duel, wrong(duel))
    assert away(player)
    assert lost(world) == [player.id]


def test_telling_that_one_is_lost_finds_the_next(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    first, second, *_ = game.all
    second.drop(notice=False)
    first.drop()
    assert away(first)
    assert away(second)
    assert sorted(lost(world)) == sorted([first.id, second.id])


def test_who_guesses_is_answered_before_anything_is_done_about_the_dead(scenes: Scenes) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    mover = game.to_move(duel)
    game.waiting(duel).drop(notice=False)
    heard = len(mover.frames)
    mover.guess(duel, wrong(duel))
    assert [frame["type"] for frame in mover.frames[heard:]] == ["duel", "presence"]


def waiting_friend(world: World, player: Player) -> Player:
    """A friend in the player's group whose lobby has expired, which no push but the group's own would reach."""
    friend = world.player()
    friend.ask("join", language="en")
    lobby_id = friend.state["game"]
    world.edit("LobbiesTable", lobby_id, "SET expires_at = :past", {":past": {"N": str(world.now_ms // 1000 - 1)}})
    invite = player.ask("createGroup")["group"]["invite"]
    assert friend.ask("joinGroup", invite=invite)["type"] == "group"
    return friend


@pytest.mark.thorough
def test_the_end_of_a_round_finds_a_friend_of_who_is_out_dead(scenes: Scenes, world: World) -> None:
    game = scenes.final()
    duel = game.duels[0]
    friend = waiting_friend(world, game.waiting(duel))
    game.solve(duel["duel_id"], game.to_move(duel))
    friend.drop(notice=False)
    loser = game.waiting(duel)
    loser.drop(notice=False)
    world.advance(game.id)
    assert away(loser)
    assert away(friend)
    assert set(lost(world)) == {loser.id, friend.id}


def test_a_skipped_turn_finds_everybody_dead(scenes: Scenes, world: World) -> None:
    """A silent player is lost; notifying the friends finds their dead connections; so does notifying the opponent."""
    game = scenes.begun()
    duel = game.duels[0]
    mover, waiting = game.to_move(duel), game.waiting(duel)
    friend = waiting_friend(world, mover)
    world.connections.fall_silent(mover.connection_id)
    for player in (friend, waiting):
        player.drop(notice=False)
    world.run_out(duel)
    world.skip(duel["duel_id"])
    world.run_out(game.duel(duel["duel_id"]))
    world.skip(duel["duel_id"])
    assert all(away(player) for player in (mover, waiting, friend))
    assert set(lost(world)) == {mover.id, waiting.id, friend.id}
    assert mover.connection_id in world.connections.closed, "closed, so that a client that lives signs in again"


@pytest.mark.thorough
@pytest.mark.parametrize("end", ["forfeit", "sweep", "$disconnect"])
def test_the_end_of_one_in_a_lobby_finds_the_others_dead(world: World, end: str) -> None:
    """`friend` shares the group and the lobby, `other` only the lobby."""
    leader, friend = gather(world, 2)
    leader.ask("startGroup", language="en")
    other = world.player()
    other.ask("join", language="en")
    epoch = leader.state["epoch"]
    if end != "$disconnect":
        leader.drop()
        world.sleep(WINDOW_MS)
    for player in (friend, other):
        player.drop(notice=False)
    match end:
        case "forfeit":
            world.forfeit(leader.id, epoch)
        case "sweep":
            world.sweep()
        case _:
            world.disconnected(leader.connection_id)
    assert all(away(player) for player in (leader, friend, other))
    assert {friend.id, other.id} <= set(lost(world))


def test_who_is_in_no_game_and_no_group_loses_nothing_by_staying_away(world: World) -> None:
    player = world.player()
    player.drop()
    world.sleep(DAYS_MS)
    before = world.everything()
    assert not world.forfeit(player.id, player.state["epoch"])
    assert world.everything() == before


def test_a_guess_that_finds_a_friend_of_somebody_in_another_game_gone_tells_that_friend(
    scenes: Scenes, world: World
) -> None:
    """The function that finds a lost connection tells the group, and shows where its members are (R28, R31)."""
    game = scenes.begun()
    duel = game.duels[0]
    lost, friend = game.waiting(duel), world.tournament().all[0]
    friend.ask("joinGroup", invite=lost.ask("createGroup")["group"]["invite"])
    lost.drop(notice=False)
    game.to_move(duel).guess(duel, wrong(duel))
    members = {member["player_id"]: member for member in friend.last("group")["group"]["members"]}
    assert {key: (member["away"], member["where"]) for key, member in members.items()} == {
        lost.id: (True, "tournament"),
        friend.id: (False, "tournament"),
    }
