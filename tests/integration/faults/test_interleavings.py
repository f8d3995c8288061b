"""Events between two calls of one move, placed there on purpose (R15, R24, R25, R27, R28, R31)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from infra.local.testing import RECONNECT_MACHINE, TURN_GRACE_MS, WINDOW_MS, Crash, Player, World, wrong
from tests.integration.conftest import Scenes, gather

Act = Callable[[], Any]


def interrupt(world: World, operation: str, table: str, act: Act, *, after: bool = False) -> None:
    """Do that right before, or after, the next such call to the table; "" for one that is to none."""
    name = world.table(table) if table else ""

    def look(service: str, called: str, params: Any) -> None:
        if called == operation and name in str(params):
            hook.close()
            act()

    hook = world.on_call(look, after=after)


def forfeit(world: World, player: Player) -> bool:
    """The end of the 60 seconds."""
    starts = [start for start in world.started(RECONNECT_MACHINE) if start.input["player_id"] == player.id]
    return world.forfeit(player.id, starts[-1].input["epoch"])


@pytest.mark.parametrize("way", ["leave", "forfeit", "deleteMe", "startGroup", "leaveGroup"])
def test_who_is_moved_to_another_lobby_between_two_readings_is_found_there(world: World, way: str) -> None:
    """One and three friends wait in one lobby, six in another. When the three go, the one moves over to the six."""
    (one,), three, six = gather(world, 1), gather(world, 3), gather(world, 6)
    for leader in (three[0], one, six[0]):
        leader.ask("startGroup", language="en")
    full = six[0].state["game"]
    assert one.state["game"] == three[0].state["game"] != full
    if way == "forfeit":
        one.drop()
        world.sleep(WINDOW_MS)
    read = "BatchGetItem" if way in ("startGroup", "leaveGroup") else "GetItem"
    interrupt(world, read, "LobbiesTable", lambda: three[0].ask("leave", what="lobby"))
    match way:
        case "forfeit":
            assert forfeit(world, one)
        case "startGroup":
            assert one.ask("startGroup", language="en")["lobby"]["lobby_id"] == full
        case "leave":
            assert one.ask("leave", what="lobby")["type"] == "left"
        case "deleteMe":
            assert one.ask("deleteMe", confirm=True)["type"] == "deleted"
        case _:
            assert one.ask(way)["type"] == "left"
    assert three[0].state["game"] is None, "it did cross"
    assert set(world.lobbies()) == {full}
    seated = {seat["player_id"] for seat in world.lobbies()[full]["seats"]}
    assert seated == {player.id for player in six} | ({one.id} if way == "startGroup" else set())


def test_a_member_who_comes_back_as_the_lost_leader_goes_leads(world: World) -> None:
    leader, friend = gather(world, 2)
    leader.drop()
    friend.drop()
    world.sleep(WINDOW_MS)
    interrupt(world, "TransactWriteItems", "GroupsTable", friend.reconnect)
    assert forfeit(world, leader)
    assert world.state("GroupsTable", friend.state["group"])["leader"] == friend.id
    assert friend.last("group")["group"]["leader"] == friend.id


def told_last(player: Player, lost: Player) -> bool:
    """Whether somebody is away, by the frame with the latest clock."""
    told: list[tuple[int, bool]] = []
    for frame in player.frames:
        if frame["type"] == "presence":
            told.append((frame["now_ms"], frame["away"]))
        for kind, people in (("lobby", "players"), ("tournament", "players"), ("group", "members")):
            told += [
                (frame["now_ms"], one["away"])
                for one in frame.get(kind, {}).get(people, [])
                if one["player_id"] == lost.id
            ]
    return max(told)[1]


@pytest.mark.parametrize("way", ["presence", "group", "tournament", "state"])
def test_what_was_read_first_is_not_told_as_the_newest(world: World, way: str) -> None:
    """Absences have no version: of two frames the one with the later timestamp counts."""
    reader, lost, other = gather(world, 3)
    if way != "group":
        reader.ask("startGroup", language="en")
        for stranger in world.players(5):
            stranger.ask("join", language="en")
        world.advance(reader.state["game"])
        for member in (reader, lost, other):
            member.ask("leaveGroup")

    def meanwhile(act: Act) -> Act:
        def do() -> None:
            world.sleep(1)
            act()
            world.sleep(1)

        return do

    world.sleep(1)
    if way == "presence":
        interrupt(world, "StartExecution", "", meanwhile(lost.reconnect), after=True)
        lost.drop()
        assert not told_last(reader, lost)
        return
    interrupt(world, "BatchGetItem", "PlayersTable", meanwhile(lost.drop), after=True)
    if way == "group":
        other.ask("rename", nickname="Other Otter")
    elif way == "tournament":
        other.ask("leave", what="tournament")
    else:
        reader.ask("sync")
    assert told_last(reader, lost)


def test_a_lobbys_frame_is_as_old_as_what_was_read_for_it(world: World) -> None:
    reader, lost = world.players(2)
    for player in (reader, lost):
        player.ask("join", language="en")

    def act() -> None:
        world.sleep(1)
        lost.drop()
        world.sleep(1)

    world.sleep(1)
    interrupt(world, "BatchGetItem", "PlayersTable", act, after=True)
    reader.ask("rename", nickname="Other Otter")
    assert told_last(reader, lost)


@pytest.mark.parametrize("place", ["lobby", "group"])
def test_that_somebody_is_back_is_told_though_the_first_hello_died(world: World, place: str) -> None:
    friend, lost = gather(world, 2) if place == "group" else world.players(2)
    if place == "lobby":
        for player in (friend, lost):
            player.ask("join", language="en")
    lost.drop()
    assert told_last(friend, lost)
    world.sleep(1)

    def die() -> None:
        raise Crash

    interrupt(world, "TransactWriteItems", "PlayersTable", die, after=True)
    with pytest.raises(Crash):
        lost.reconnect()
    lost.reconnect()
    assert not told_last(friend, lost)


@pytest.mark.parametrize("way", ["guess", "skip", "leave"])
def test_what_nobody_was_told_of_is_told_by_the_next_alarm(scenes: Scenes, world: World, way: str) -> None:
    """The process died right after it changed the duel; the waiting player is told without asking (R15, R27)."""
    game = scenes.begun()
    duel = game.duels[0]
    mover, waiting = game.to_move(duel), game.waiting(duel)

    def die() -> None:
        raise Crash

    acts: dict[str, Act] = {
        "guess": lambda: mover.guess(duel, wrong(duel)),
        "skip": lambda: world.skip(duel["duel_id"]),
        "leave": lambda: mover.ask("leave", what="tournament"),
    }
    world.sleep_until(duel["deadline_ms"] + (TURN_GRACE_MS if way == "skip" else -1))
    interrupt(world, "TransactWriteItems" if way == "leave" else "UpdateItem", "DuelsTable", die, after=True)
    with pytest.raises(Crash):
        acts[way]()
    world.run_out(duel)
    world.skip(duel["duel_id"])
    told = waiting.last("duel")["duel"]
    assert told["version"] == world.item("DuelsTable", duel["duel_id"])["version"] == 2
    assert told["over"] == (way == "leave")
