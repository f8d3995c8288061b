"""`busy` means that nothing has happened, whichever call to DynamoDB is throttled (docs/protocol.md, error codes)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from infra.local.testing import Player, World, client_error, wrong
from tests.integration.conftest import Scenes, gather
from wordle_tournament.store import errors

Frame = dict[str, Any]


@dataclass(frozen=True)
class Asking:
    """A request of a player."""

    player: Player
    action: str
    fields: Mapping[str, Any] = field(default_factory=dict)


Flow = Callable[[Scenes, World], Asking]
FLOWS: dict[str, Flow] = {}


def flow(function: Flow) -> Flow:
    FLOWS[function.__name__] = function
    return function


@flow
def sign_up(scenes: Scenes, world: World) -> Asking:
    return Asking(Player(world, world.connection_id()), "hello")


@flow
def come_back_to_a_duel(scenes: Scenes, world: World) -> Asking:
    return come_back(scenes.begun().all[0])


@flow
def come_back_to_a_lobby(scenes: Scenes, world: World) -> Asking:
    return come_back(scenes.lobby().all[0])


@flow
def come_back_to_a_group(scenes: Scenes, world: World) -> Asking:
    return come_back(gather(world, 3)[0])


@flow
def come_back_after_the_minute(scenes: Scenes, world: World) -> Asking:
    player = scenes.final().all[0]
    player.drop()
    world.sleep(60_000)
    return come_back(player)


@flow
def hello_again(scenes: Scenes, world: World) -> Asking:
    player = scenes.begun().all[0]
    return Asking(player, "hello", {"token": player.token})


@flow
def join_the_first(scenes: Scenes, world: World) -> Asking:
    return Asking(world.player(), "join", {"language": "en"})


@flow
def join_the_eighth(scenes: Scenes, world: World) -> Asking:
    return Asking(scenes.lobby().all[-1], "join", {"language": "en"})


@flow
def join_when_out(scenes: Scenes, world: World) -> Asking:
    game = scenes.semifinal()
    player = next(one for one in game.all if one.state["watching"])
    player.ask("watch", duel=game.duels[0]["duel_id"])
    return Asking(player, "join", {"language": "en"})


@flow
def leave_a_lobby(scenes: Scenes, world: World) -> Asking:
    return Asking(scenes.lobby().all[0], "leave", {"what": "lobby"})


@flow
def leave_a_lobby_for_the_group(scenes: Scenes, world: World) -> Asking:
    leader, friend, _ = gather(world, 3)
    leader.ask("startGroup", language="en")
    return Asking(friend, "leave", {"what": "lobby"})


@flow
def leave_a_tournament(scenes: Scenes, world: World) -> Asking:
    return Asking(scenes.begun().all[0], "leave", {"what": "tournament"})


@flow
def leave_a_final(scenes: Scenes, world: World) -> Asking:
    game = scenes.final()
    return Asking(game.waiting(game.duels[0]), "leave", {"what": "tournament"})


@flow
def leave_when_out(scenes: Scenes, world: World) -> Asking:
    game = scenes.semifinal()
    return Asking(next(one for one in game.all if one.state["watching"]), "leave", {"what": "tournament"})


@flow
def guess(scenes: Scenes, world: World) -> Asking:
    duel = (game := scenes.begun()).duels[0]
    return Asking(game.to_move(duel), "guess", {"duel": duel["duel_id"], "turn": 1, "word": wrong(duel)})


@flow
def solve(scenes: Scenes, world: World) -> Asking:
    duel = (game := scenes.final()).duels[0]
    turn = len(duel["rows"]) + 1
    return Asking(game.to_move(duel), "guess", {"duel": duel["duel_id"], "turn": turn, "word": duel["word"]})


@flow
def rename_in_a_lobby(scenes: Scenes, world: World) -> Asking:
    return Asking(scenes.lobby().all[0], "rename", {"nickname": "Ada Lovelace"})


@flow
def rename_in_a_group(scenes: Scenes, world: World) -> Asking:
    return Asking(gather(world, 3)[1], "rename", {"nickname": "Ada Lovelace"})


@flow
def watch(scenes: Scenes, world: World) -> Asking:
    game = scenes.semifinal()
    player = next(one for one in game.all if one.state["watching"])
    player.ask("watch", duel=game.duels[0]["duel_id"])
    return Asking(player, "watch", {"duel": game.duels[1]["duel_id"]})


@flow
def unwatch(scenes: Scenes, world: World) -> Asking:
    return Asking(watch(scenes, world).player, "unwatch")


@flow
def watch_all(scenes: Scenes, world: World) -> Asking:
    game = scenes.semifinal()
    return Asking(next(one for one in game.all if one.state["watching"]), "watchAll")


@flow
def sync(scenes: Scenes, world: World) -> Asking:
    return Asking(scenes.begun().all[0], "sync")


@flow
def create_group(scenes: Scenes, world: World) -> Asking:
    return Asking(world.player(), "createGroup")


@flow
def join_group(scenes: Scenes, world: World) -> Asking:
    leader, *_ = gather(world, 3)
    return Asking(world.player(), "joinGroup", {"invite": leader.last("group")["group"]["invite"]})


@flow
def leave_group_in_a_lobby(scenes: Scenes, world: World) -> Asking:
    leader, *_ = gather(world, 3)
    leader.ask("startGroup", language="en")
    return Asking(leader, "leaveGroup")


@flow
def remove_member_in_a_lobby(scenes: Scenes, world: World) -> Asking:
    leader, friend, _ = gather(world, 3)
    leader.ask("startGroup", language="en")
    return Asking(leader, "removeMember", {"player": friend.id})


@flow
def hand_over(scenes: Scenes, world: World) -> Asking:
    leader, friend, _ = gather(world, 3)
    return Asking(leader, "handOver", {"player": friend.id})


@flow
def renew_invite(scenes: Scenes, world: World) -> Asking:
    return Asking(gather(world, 3)[0], "renewInvite")


@flow
def start_group(scenes: Scenes, world: World) -> Asking:
    return Asking(gather(world, 1)[0], "startGroup", {"language": "en"})


@flow
def start_a_group_whose_members_have_answered(scenes: Scenes, world: World) -> Asking:
    leader, *_ = gather(world, 3)
    leader.ask("startGroup", language="en")
    leader.ask("leave", what="lobby")
    return Asking(leader, "startGroup", {"language": "en"})


@flow
def the_last_member_answers(scenes: Scenes, world: World) -> Asking:
    leader, friend = gather(world, 2)
    world.connections.fall_silent(friend.connection_id)
    leader.send("startGroup", "waits", language="en")
    world.connections.silent.discard(friend.connection_id)
    asked = friend.last("question")
    return Asking(friend, "here", {name: asked[name] for name in ("what", "id", "number")})


@flow
def delete_in_a_lobby(scenes: Scenes, world: World) -> Asking:
    return Asking(scenes.lobby().all[0], "deleteMe", {"confirm": True})


@flow
def delete_a_leader_after_a_tournament(scenes: Scenes, world: World) -> Asking:
    game = scenes.final()
    game.finish()
    leader, friend = game.all[:2]
    friend.ask("joinGroup", invite=leader.ask("createGroup")["group"]["invite"])
    return Asking(leader, "deleteMe", {"confirm": True})


@flow
def results(scenes: Scenes, world: World) -> Asking:
    game = scenes.begun()
    return Asking(game.all[0], "results", {"tournament": game.id})


@flow
def profile(scenes: Scenes, world: World) -> Asking:
    return Asking(world.player(), "profile")


@flow
def export(scenes: Scenes, world: World) -> Asking:
    return Asking(world.player(), "export")


def come_back(player: Player) -> Asking:
    player.drop()
    player.connection_id = player.world.connection_id()
    return Asking(player, "hello", {"token": player.token})


class Throttle:
    """Throttles calls to DynamoDB: the one of that number, or all from it on."""

    def __init__(self, world: World, first: int, for_good: bool = False) -> None:
        self.reached = False
        self._numbers = itertools.count(1)
        self._first, self._for_good = first, for_good
        self.hook: ExitStack = world.on_call(self._before)

    def _before(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        if service != "dynamodb":
            return
        number = next(self._numbers)
        if number == self._first or (self._for_good and number > self._first):
            self.reached = True
            raise client_error("ThrottlingException", operation)


@pytest.fixture
def hurried(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Retries do not pause, and are few."""
    monkeypatch.setattr(errors, "_pause", lambda attempt: None)
    monkeypatch.setattr(errors, "ATTEMPTS", 4)
    monkeypatch.setattr(errors, "READ_ATTEMPTS", 2)
    return world


def ask(asking: Asking, ref: str = "the-ref") -> Frame:
    asking.player.send(asking.action, ref, **asking.fields)
    asking.player.world.wait_for_answers()
    (answer,) = [frame for frame in asking.player.frames if frame.get("ref") == ref]
    return answer


@pytest.mark.parametrize("name", FLOWS)
def test_one_throttled_call_is_no_refusal(scenes: Scenes, hurried: World, name: str) -> None:
    """Each single read and each single write once, before the commit and after it."""
    for number in itertools.count(1):
        scenes.empty()
        asking = FLOWS[name](scenes, hurried)
        throttle = Throttle(hurried, number)
        answer = ask(asking)
        throttle.hook.close()
        if not throttle.reached:
            assert number > 2
            return
        assert answer["type"] != "error", (number, answer)


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(FLOWS.keys() - {"come_back_after_the_minute"}))  # that makes very many calls
def test_busy_means_that_nothing_has_happened(scenes: Scenes, hurried: World, name: str) -> None:
    """From a call on, the tables do not answer any more. After `busy` the same request may be sent again."""
    busy = 0
    for number in itertools.count(1):
        scenes.empty()
        asking = FLOWS[name](scenes, hurried)
        before = hurried.everything()
        throttle = Throttle(hurried, number, for_good=True)
        answer = ask(asking)
        throttle.hook.close()
        if not throttle.reached:
            assert busy
            return
        if answer.get("code") == "busy":
            busy += 1
            assert hurried.everything() == before, number
        else:
            assert answer.get("code") in (None, "internal"), (number, answer)
            assert answer["type"] != "error" or hurried.everything() != before, number
