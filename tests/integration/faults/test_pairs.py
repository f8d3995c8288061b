"""Pairs of moves that race, in each order that one interruption can give: deterministic, by name.

The first move runs up to one of its calls to AWS; there the second runs whole; then the first goes on. Each of the two
is interrupted at each of its calls. A pair says what must be true in every order; the rules must hold besides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from infra.local.testing import WINDOW_MS, Game, Player, World, wrong
from infra.local.testing.invariants import Invariants
from tests.integration.conftest import Scenes, gather
from tests.integration.faults.flows import asks, does, forfeit, friends, out, scene, watched

FINE = ("done", "state", "you", "duel", "duels", "lobby", "left", "group", "deleted", "welcome")


@dataclass(frozen=True)
class Pair:
    """Two moves, the codes of refusals that each may get, and what holds afterwards."""

    one: Callable[[], str]
    other: Callable[[], str]
    holds: Callable[[], bool]
    one_refused: tuple[str, ...] = ()
    other_refused: tuple[str, ...] = ()


Race = Callable[[Scenes, World], Pair]
RACES: dict[str, Race] = {}


def race(name: str) -> Callable[[Race], Race]:
    def add(function: Race) -> Race:
        RACES[name] = function
        return function

    return add


def delete(player: Player) -> Callable[[], str]:
    return asks(player, "deleteMe", confirm=True, player=player.id)


def is_gone(player: Player) -> bool:
    return player.id not in player.world.items("PlayersTable")


def guess(game: Game, word: str = "") -> Callable[[], str]:
    duel = game.duels[0]
    turn = len(duel["rows"]) + 1
    return asks(game.to_move(duel), "guess", duel=duel["duel_id"], turn=turn, word=word or wrong(duel))


def settle(game: Game) -> Callable[[], str]:
    return does(lambda: game.world.backend.invoke_task("advance_round", tournament_id=game.id))


def solved(game: Game) -> Game:
    for duel in game.duels:
        game.solve(duel["duel_id"])
    return game


def two_lobbies(scenes: Scenes) -> list[Player]:
    """Return one who waits with three friends, the three, and six in another lobby: when the three go, they merge."""

    def make(world: World) -> list[Player]:
        (one,), three, six = gather(world, 1), gather(world, 3), gather(world, 6)
        for leader in (three[0], one, six[0]):
            leader.ask("startGroup", language="en")
        return [one, *three, *six]

    return scene(scenes, "a merger is near", make)


def leave_lobby(player: Player) -> Callable[[], str]:
    return asks(player, "leave", what="lobby", id=player.state["game"])


@race("delete/guess")
def _(scenes: Scenes, world: World) -> Pair:
    """The one who waits deletes themselves while the other guesses the word: the guesser has won either way (R27)."""
    game = scenes.final()
    duel = game.duels[0]
    player, winner = game.waiting(duel), game.to_move(duel)

    def holds() -> bool:
        return is_gone(player) and game.duel(duel["duel_id"])["winner"] == winner.id

    return Pair(delete(player), guess(game, duel["word"]), holds, other_refused=("duel_over",))


@race("delete/settle")
def _(scenes: Scenes, world: World) -> Pair:
    game = solved(scenes.semifinal())
    player = game.players[game.duels[0]["winner"]]
    return Pair(delete(player), settle(game), lambda: is_gone(player))


@race("delete/merge")
def _(scenes: Scenes, world: World) -> Pair:
    one, *three = two_lobbies(scenes)[:4]
    return Pair(delete(one), leave_lobby(three[0]), lambda: is_gone(one) and three[0].state["game"] is None)


@race("delete/delete")
def _(scenes: Scenes, world: World) -> Pair:
    """Both players of the final, at once."""
    game = scenes.final()
    one, other = game.to_move(game.duels[0]), game.waiting(game.duels[0])
    return Pair(delete(one), delete(other), lambda: is_gone(one) and is_gone(other))


@race("rename/settle")
def _(scenes: Scenes, world: World) -> Pair:
    """The rating is applied and the name is new: neither write undoes the other."""
    game = solved(scenes.final())
    player = game.all[0]
    rename = asks(player, "rename", nickname="Ada Lovelace")
    return Pair(rename, settle(game), lambda: game.over and player.state["nickname"] == "Ada Lovelace")


@race("rename/merge")
def _(scenes: Scenes, world: World) -> Pair:
    """The seat moves to the other lobby with the new name."""
    one, *three = two_lobbies(scenes)[:4]
    rename = asks(one, "rename", nickname="Ada Lovelace")
    return Pair(
        rename, leave_lobby(three[0]), lambda: one.state["nickname"] == "Ada Lovelace" and len(world.lobbies()) == 1
    )


@race("rename/join eighth")
def _(scenes: Scenes, world: World) -> Pair:
    """The tournament shows the name with which it started: the old one or the new one (R35)."""
    game = scenes.lobby()
    one, eighth = game.all[0], game.all[-1]
    old = one.state["nickname"]

    def holds() -> bool:
        (name,) = [entrant["nickname"] for entrant in game.state["entrants"] if entrant["player_id"] == one.id]
        return name in (old, "Ada Lovelace") and one.state["nickname"] == "Ada Lovelace"

    return Pair(asks(one, "rename", nickname="Ada Lovelace"), asks(eighth, "join", language="en"), holds)


@race("watch/end")
def _(scenes: Scenes, world: World) -> Pair:
    """A watcher sees the end, in the answer or in a frame, or hears that the duel is over (R10)."""
    game = scenes.semifinal()
    player, duel = out(game), game.duels[0]

    def holds() -> bool:
        duels = [frame["duel"] for frame in player.frames if frame["type"] == "duel"]
        refused = [frame for frame in player.frames if frame.get("code") == "duel_over"]
        return bool(refused) or any(one["duel_id"] == duel["duel_id"] and one["over"] for one in duels)

    watch = asks(player, "watch", duel=duel["duel_id"])
    return Pair(watch, guess(game, duel["word"]), holds, one_refused=("duel_over",))


@race("watch/leave")
def _(scenes: Scenes, world: World) -> Pair:
    """The player whose duel is watched leaves."""
    game = scenes.semifinal()
    player, duel = out(game), game.duels[0]
    leaver = game.waiting(duel)
    watch = asks(player, "watch", duel=duel["duel_id"])
    leave = asks(leaver, "leave", what="tournament", id=game.id)
    over = lambda: game.duel(duel["duel_id"])["winner"] == game.to_move(duel).id  # noqa: E731
    return Pair(watch, leave, over, one_refused=("duel_over",))


@race("watch/join")
def _(scenes: Scenes, world: World) -> Pair:
    """A watcher looks for another game: they get the seat, and a watch that came later is refused or ends (R26)."""
    game = scenes.semifinal()
    player = out(game)
    watch = asks(player, "watch", duel=game.duels[0]["duel_id"])
    join = asks(player, "join", language="en")
    return Pair(watch, join, lambda: player.state["game"] in world.lobbies(), one_refused=("not_in_tournament",))


@race("watchAll/end")
def _(scenes: Scenes, world: World) -> Pair:
    """One who watches all sees the end, in the answer or in a frame (R10)."""
    game = scenes.semifinal()
    player, duel = out(game), game.duels[0]

    def holds() -> bool:
        frames = [
            frame.get("duels") or [frame["duel"]] for frame in player.frames if frame["type"] in ("duel", "duels")
        ]
        return any(one["duel_id"] == duel["duel_id"] and one["over"] for duels in frames for one in duels)

    return Pair(asks(player, "watchAll"), guess(game, duel["word"]), holds)


@race("watchAll/join")
def _(scenes: Scenes, world: World) -> Pair:
    """One who watches all looks for another game: nothing of the old one follows them there (R26)."""
    game = scenes.semifinal()
    player = out(game)

    def holds() -> bool:
        return player.state["game"] in world.lobbies() and watched(game, player) == []

    return Pair(
        asks(player, "watchAll"), asks(player, "join", language="en"), holds, one_refused=("not_in_tournament",)
    )


@race("sweep/settle")
def _(scenes: Scenes, world: World) -> Pair:
    game = solved(scenes.semifinal())
    rounds = len(game.state["rounds"])
    world.sleep(WINDOW_MS)
    return Pair(does(world.sweep), settle(game), lambda: len(game.state["rounds"]) == rounds + 1)


@race("forfeit/forfeit")
def _(scenes: Scenes, world: World) -> Pair:
    """Both players of a duel, whose minutes end together: both are leavers of this round, once (R27, R28)."""
    game = scenes.semifinal()
    one, other = game.to_move(game.duels[0]), game.waiting(game.duels[0])
    for player in (one, other):
        player.drop()
    world.sleep(WINDOW_MS)

    def holds() -> bool:
        leavers = game.state["rounds"][-1]["leavers"]
        return sorted(leavers) == sorted((one.id, other.id)) and not (one.state["game"] or other.state["game"])

    return Pair(does(lambda: forfeit(world, one)), does(lambda: forfeit(world, other)), holds)


@race("removeMember/startGroup")
def _(scenes: Scenes, world: World) -> Pair:
    leader, friend, _ = friends(scenes, 3)
    remove = asks(leader, "removeMember", player=friend.id)
    start = asks(leader, "startGroup", language="en")
    return Pair(remove, start, lambda: friend.state["group"] is None and friend.state["game"] is None)


@race("removeMember/leave")
def _(scenes: Scenes, world: World) -> Pair:
    """The member leaves the lobby, and with it the whole group, while the leader removes the member (R29, R31)."""
    leader, friend, other = friends(scenes, 3, waiting=True)

    def holds() -> bool:
        return friend.state["group"] is None and not any(one.state["game"] for one in (leader, friend, other))

    return Pair(asks(leader, "removeMember", player=friend.id), leave_lobby(friend), holds)


def three_and_one(scenes: Scenes) -> tuple[list[Player], Player]:
    *group, guest = scene(scenes, "three friends and a guest", lambda world: [*gather(world, 3), world.player()])
    return group, guest


@race("renewInvite/joinGroup")
def _(scenes: Scenes, world: World) -> Pair:
    """The guest is in by the old invite, or it is not valid any more."""
    group, guest = three_and_one(scenes)
    old = group[0].last("group")["group"]["invite"]
    secret = world.state("GroupsTable", group[0].state["group"])["secret"]

    def holds() -> bool:
        stored = world.state("GroupsTable", group[0].state["group"])
        return stored["secret"] != secret and (guest.id in stored["members"]) == (guest.state["group"] is not None)

    return Pair(
        asks(group[0], "renewInvite"), asks(guest, "joinGroup", invite=old), holds, other_refused=("no_such_group",)
    )


@race("startGroup/joinGroup")
def _(scenes: Scenes, world: World) -> Pair:
    """The guest is in the group and in its lobby, or in neither (R29: all at once or not at all)."""
    group, guest = three_and_one(scenes)
    invite = group[0].last("group")["group"]["invite"]

    def holds() -> bool:
        lobby = group[0].state["game"]
        members = [*group, guest] if guest.state["group"] else group
        return all(one.state["game"] == lobby for one in members) and (guest in members or not guest.state["game"])

    start = asks(group[0], "startGroup", language="en")
    return Pair(start, asks(guest, "joinGroup", invite=invite), holds, other_refused=("group_searching",))


@race("handOver/disconnect")
def _(scenes: Scenes, world: World) -> Pair:
    """The member who is to lead loses the connection: they lead, or the leader hears that they are away (R31)."""
    leader, friend, _ = friends(scenes, 3)
    world.connections.closed.add(friend.connection_id)
    lost = does(lambda: world.disconnected(friend.connection_id))

    def holds() -> bool:
        return world.state("GroupsTable", leader.state["group"])["leader"] in (leader.id, friend.id)

    return Pair(asks(leader, "handOver", player=friend.id), lost, holds, one_refused=("member_away",))


@race("sync/guess")
def _(scenes: Scenes, world: World) -> Pair:
    """Of all frames that the waiting player has, the newest shows the guess."""
    game = scenes.final()
    duel = game.duels[0]
    player = game.waiting(duel)

    def holds() -> bool:
        shown = [frame["duel"] for frame in player.frames if frame["type"] == "duel"]
        shown += [one for frame in player.frames if frame["type"] == "state" for one in frame.get("duels", [])]
        newest = max((one for one in shown if one["duel_id"] == duel["duel_id"]), key=lambda one: int(one["version"]))
        return bool(newest["version"] == world.item("DuelsTable", duel["duel_id"])["version"])

    return Pair(asks(player, "sync"), guess(game), holds)


def run(scenes: Scenes, world: World, name: str, swapped: bool, number: int) -> bool:
    """Run the other move before that call of the first. Return False if the first has fewer calls."""
    pair = RACES[name](scenes, world)
    invariants = Invariants(world)
    invariants.check()
    first, second = (pair.other, pair.one) if swapped else (pair.one, pair.other)
    answers: dict[str, str] = {}
    calls = 0

    def interrupt(service: str, operation: str, params: Mapping[str, Any]) -> None:
        nonlocal calls
        if operation == "PostToConnection" or "second" in answers:
            return
        calls += 1
        if calls == number:
            answers["second"] = ""
            world.sleep(1)
            answers["second"] = second()
            world.sleep(1)

    with world.on_call(interrupt):
        answers["first"] = first()
    if "second" not in answers:
        return False
    one, other = (answers["second"], answers["first"]) if swapped else (answers["first"], answers["second"])
    assert one in (*FINE, *pair.one_refused)
    assert other in (*FINE, *pair.other_refused)
    assert pair.holds(), answers
    invariants.check()
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("name", RACES)
def test_two_moves_that_race_are_right_in_every_order(scenes: Scenes, world: World, name: str) -> None:
    for swapped in (False, True):
        number = 1
        try:
            while run(scenes, world, name, swapped, number):
                number += 1
        except BaseException as error:
            error.add_note(f"{name}: {'the second' if swapped else 'the first'} move interrupted at call {number}")
            raise
        assert number > 1, "it calls AWS"
