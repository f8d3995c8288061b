"""After a lost answer a client sends its request again: what was asked for and is so already is a success."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from infra.local.testing import Player, World
from tests.integration.conftest import Scenes, gather

Frame = dict[str, Any]
Asking = tuple[Player, str, dict[str, Any]]


def leave_lobby(scenes: Scenes, world: World) -> Asking:
    player, _ = join_two(world)
    return player, "leave", {"what": "lobby"}


def leave_lobby_by_id(scenes: Scenes, world: World) -> Asking:
    player, _ = join_two(world)
    return player, "leave", {"what": "lobby", "id": player.state["game"]}


def leave_tournament(scenes: Scenes, world: World) -> Asking:
    return scenes.begun().all[0], "leave", {"what": "tournament"}


def leave_tournament_by_id(scenes: Scenes, world: World) -> Asking:
    game = scenes.begun()
    return game.all[0], "leave", {"what": "tournament", "id": game.id}


def leave_when_out(scenes: Scenes, world: World) -> Asking:
    game = scenes.semifinal()
    return next(one for one in game.all if one.state["watching"]), "leave", {"what": "tournament", "id": game.id}


def create_group(scenes: Scenes, world: World) -> Asking:
    return world.player(), "createGroup", {}


def leave_group(scenes: Scenes, world: World) -> Asking:
    leader, *_ = gather(world, 3)
    return leader, "leaveGroup", {}


def leave_group_in_a_lobby(scenes: Scenes, world: World) -> Asking:
    leader, friend, _ = gather(world, 3)
    leader.ask("startGroup", language="en")
    return friend, "leaveGroup", {"group": friend.state["group"]}


def remove_member(scenes: Scenes, world: World) -> Asking:
    leader, friend, _ = gather(world, 3)
    return leader, "removeMember", {"player": friend.id}


def hand_over(scenes: Scenes, world: World) -> Asking:
    leader, friend, _ = gather(world, 3)
    return leader, "handOver", {"player": friend.id}


def unwatch(scenes: Scenes, world: World) -> Asking:
    game = scenes.semifinal()
    out = next(one for one in game.all if one.state["watching"])
    out.ask("watch", duel=game.duels[0]["duel_id"])
    return out, "unwatch", {}


def delete_me(scenes: Scenes, world: World) -> Asking:
    player, *_ = gather(world, 2)
    return player, "deleteMe", {"confirm": True, "player": player.id}


def rename(scenes: Scenes, world: World) -> Asking:
    return scenes.lobby().all[0], "rename", {"nickname": "Ada Lovelace"}


def rename_in_a_group(scenes: Scenes, world: World) -> Asking:
    return gather(world, 2)[0], "rename", {"nickname": "Ada Lovelace"}


def hand_over_to_oneself(scenes: Scenes, world: World) -> Asking:
    leader, *_ = gather(world, 3)
    return leader, "handOver", {"player": leader.id}


def join(scenes: Scenes, world: World) -> Asking:
    return scenes.lobby().all[-1], "join", {"language": "en"}


def join_group(scenes: Scenes, world: World) -> Asking:
    leader, *_ = gather(world, 2)
    return world.player(), "joinGroup", {"invite": leader.last("group")["group"]["invite"]}


def start_group(scenes: Scenes, world: World) -> Asking:
    leader, *_ = gather(world, 3)
    leader.ask("startGroup", language="en")
    return leader, "startGroup", {"language": "en"}


def watch(scenes: Scenes, world: World) -> Asking:
    game = scenes.semifinal()
    out = next(one for one in game.all if one.state["watching"])
    return out, "watch", {"duel": game.duels[0]["duel_id"]}


def watch_all(scenes: Scenes, world: World) -> Asking:
    return watch(scenes, world)[0], "watchAll", {}


def hello_in_a_duel(scenes: Scenes, world: World) -> Asking:
    return hello_again(scenes.begun().all[0])


def hello_in_a_lobby(scenes: Scenes, world: World) -> Asking:
    return hello_again(scenes.lobby().all[0])


def hello_in_a_group(scenes: Scenes, world: World) -> Asking:
    return hello_again(gather(world, 3)[0])


def hello_again(player: Player) -> Asking:
    """The second `hello` on a connection tells the others once more: the first may have crashed before that."""
    sent = len(player.world.connections.texts)
    player.ask("hello", token=player.token)
    assert len(player.world.connections.texts) > sent + 1
    return player, "hello", {"token": player.token}


REQUESTS: tuple[Callable[[Scenes, World], Asking], ...] = (
    leave_lobby,
    leave_lobby_by_id,
    leave_tournament,
    leave_tournament_by_id,
    leave_when_out,
    create_group,
    leave_group,
    leave_group_in_a_lobby,
    remove_member,
    hand_over,
    unwatch,
    delete_me,
    rename,
    rename_in_a_group,
    hand_over_to_oneself,
    join,
    join_group,
    start_group,
    watch,
    watch_all,
    hello_in_a_duel,
    hello_in_a_lobby,
    hello_in_a_group,
)
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "SendTaskHeartbeat"}


def join_two(world: World) -> list[Player]:
    players = world.players(2)
    for player in players:
        player.ask("join", language="en")
    return players


def again(player: Player, action: str, fields: dict[str, Any]) -> list[Frame]:
    """Send the very same request twice. Return the two answers; the second writes nothing and tells nobody."""
    answers = []
    for _ in range(2):
        sent = len(player.world.connections.texts)
        with player.world.backend.aws.recorded() as calls:
            player.send(action, "the-ref", **fields)
        (answer,) = [frame for frame in player.frames if frame.get("ref") == "the-ref"][-1:]
        answers.append(answer)
    assert not WRITES & {call.operation for call in calls}, "the second request wrote something"
    assert len(player.world.connections.texts) == sent + 1, "the second request told somebody"
    return answers


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: one.__name__)
def test_a_request_sent_again_is_answered_like_the_first(
    scenes: Scenes, world: World, request_: Callable[[Scenes, World], Asking]
) -> None:
    first, second = again(*request_(scenes, world))
    # Without an `id` in the request, only the request that left something knows what that was.
    first.pop("id", None), second.pop("id", None)
    assert {**first, "now_ms": 0} == {**second, "now_ms": 0}
    assert first["type"] != "error"


def test_a_late_leave_never_hits_the_next_lobby(scenes: Scenes, world: World) -> None:
    player, _ = join_two(world)
    left = player.state["game"]
    player.ask("leave", what="lobby", id=left)
    player.ask("join", language="de")
    for what in ("lobby", "tournament"):
        answer = player.ask("leave", what=what, id=left)
        assert (answer["type"], answer["what"], answer["id"]) == ("left", what, left)
    assert player.state["game"] not in (None, left)


def test_a_late_leave_never_hits_the_next_tournament(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    player = game.all[0]
    assert player.ask("leave", what="tournament", id="g0")["type"] == "left"
    assert player.ask("leave", what="lobby", id="g0")["type"] == "left"
    assert player.state["game"] == game.id
    assert player.refused("leave", what="lobby", id=game.id) == "too_late"
    assert player.ask("leave", what="tournament", id=game.id)["id"] == game.id
    assert player.state["game"] is None


def test_a_leave_with_the_id_from_before_a_merger_leaves_the_merged_lobby(scenes: Scenes, world: World) -> None:
    low, high, higher, moved = (world.player(rating) for rating in (1000, 1210, 1210, 1190))
    for player in (low, high, higher, moved):
        player.ask("join", language="en")
    known = moved.state["game"]
    assert known == high.state["game"] != low.state["game"]
    for player in (high, higher):
        player.ask("leave", what="lobby")
    assert moved.state["game"] == low.state["game"], "merged"
    assert moved.ask("leave", what="lobby", id=known)["type"] == "left"
    assert moved.state["game"] is None
    assert low.ask("leave", what="lobby", id=known)["type"] == "left"
    assert low.state["game"], "who has never been in that lobby does not leave another by it"


def test_a_late_leave_group_never_hits_the_next_group(scenes: Scenes, world: World) -> None:
    _, friend = gather(world, 2)
    left = friend.state["group"]
    friend.ask("leaveGroup", group=left)
    friend.ask("createGroup")
    assert friend.ask("leaveGroup", group=left)["id"] == left
    assert friend.state["group"] not in (None, left)


def test_a_group_is_made_again_only_for_the_leader_of_the_group_that_this_request_made(
    scenes: Scenes, world: World
) -> None:
    leader, friend = world.players(2)
    leader.send("createGroup", "mine")
    made = leader.frames[-1]["group"]
    assert leader.refused("createGroup") == "in_group", "another request"
    friend.ask("joinGroup", invite=made["invite"])
    friend.send("createGroup", "mine")
    assert friend.frames[-1]["code"] == "in_group", "another player's request"
    leader.ask("handOver", player=friend.id)
    leader.send("createGroup", "mine")
    assert leader.frames[-1]["code"] == "in_group", "no longer the leader"


def test_a_deletion_sent_again_deletes_nobody_else(scenes: Scenes, world: World) -> None:
    player, other = world.players(2)
    gone = player.id
    player.ask("deleteMe", confirm=True, player=gone)
    assert player.ask("deleteMe", confirm=True)["code"] == "not_signed_in", "without the id nobody knows who that was"
    assert other.ask("deleteMe", confirm=True, player=gone)["type"] == "deleted"
    assert other.state["nickname"], "the answer was about the other player"
    third = world.player()
    assert third.refused("deleteMe", confirm=True, player=other.id) == "not_signed_in"


def test_the_members_hear_who_took_the_group_out(scenes: Scenes, world: World) -> None:
    leader, friend, other = gather(world, 3)
    leader.ask("startGroup", language="en")
    lobby = leader.state["game"]
    friend.ask("leave", what="lobby")
    assert (other.last("left")["id"], other.last("left")["by"]) == (lobby, friend.id)
    leader.ask("removeMember", player=friend.id)
    assert (friend.last("left")["id"], friend.last("left")["by"]) == (leader.state["group"], leader.id)
