"""A player's leaving, or a stopped timer, has the same effects whichever function causes or notices it.

Each way runs in a function of its own, with permissions of its own (`make policies`).
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from infra.local.testing import GRACE_MS, TOURNAMENT_MACHINE, WINDOW_MS, Game, Player, World
from tests.integration.conftest import Scenes, gather

Way = Callable[[Game, Player], object]


def come_back_late(game: Game, player: Player) -> None:
    stay_away(player)
    player.reconnect()


def be_forfeited(game: Game, player: Player) -> None:
    stay_away(player)
    assert player.world.forfeit(player.id, player.state["epoch"])


def be_swept(game: Game, player: Player) -> None:
    stay_away(player)
    done = player.world.sweep()
    assert done["forfeited"] + done["rescued"] == 1


def be_skipped(game: Game, player: Player) -> None:
    stay_away(player)
    player.world.skip(game.duels[0]["duel_id"])


def be_missed(game: Game, player: Player) -> None:
    """The opponent's client asks what is going on."""
    stay_away(player)
    game.waiting(game.duels[0]).ask("sync")


def stay_away(player: Player) -> None:
    player.drop()
    player.world.sleep(WINDOW_MS + 1)


def remove(game: Game, player: Player) -> None:
    """Another leads, and takes the player out."""
    friend = game.all[1]
    assert player.ask("handOver", player=friend.id)["type"] == "group"
    assert friend.ask("removeMember", player=player.id)["type"] == "group"


EVERYWHERE: dict[str, Way] = {
    "hello": come_back_late,
    "forfeit": be_forfeited,
    "sweep": be_swept,
    "deleteMe": lambda game, player: player.ask("deleteMe", confirm=True),
}
OUT_OF_A_LOBBY: dict[str, Way] = {
    **EVERYWHERE,
    "leave": lambda game, player: player.ask("leave", what="lobby"),
    "leaveGroup": lambda game, player: player.ask("leaveGroup"),
    "removeMember": remove,
}
OUT_OF_A_TOURNAMENT: dict[str, Way] = {
    **EVERYWHERE,
    "leave": lambda game, player: player.ask("leave", what="tournament"),
    "skipTurn": be_skipped,
    "sync": be_missed,
}


@pytest.mark.parametrize("way", OUT_OF_A_LOBBY)
def test_whoever_leaves_a_lobby_may_make_room_for_a_merger_that_starts(scenes: Scenes, world: World, way: str) -> None:
    """A group of two and four strangers in one lobby, a group of four in another: without the two they are eight."""

    def make() -> Game:
        scenes.empty()
        pair, strangers, four = gather(world, 2), world.players(4), gather(world, 4)
        pair[0].ask("startGroup", language="en")
        for stranger in strangers:
            stranger.ask("join", language="en")
        four[0].ask("startGroup", language="en")
        return Game(world, pair[0].state["game"], {player.id: player for player in [*pair, *strangers, *four]})

    crowd = scenes.scene("crowd", make)
    goer, friend, *others = crowd.all
    assert len(world.lobbies()) == 2
    OUT_OF_A_LOBBY[way](crowd, goer)
    (start,) = world.started(TOURNAMENT_MACHINE)
    assert {player.state["game"] for player in others} == {start.name}
    assert world.state("TournamentsTable", start.name)["ended_at_ms"] is None
    assert friend.state["game"] is None


@pytest.mark.parametrize("way", OUT_OF_A_TOURNAMENT)
def test_whoever_leaves_a_final_ends_it(scenes: Scenes, world: World, way: str) -> None:
    """The other has won at once (R27), and the clock need not wait; who is gone does not lead friends (R31)."""
    game = scenes.final()
    duel = game.duels[0]
    goer, winner, friend = game.to_move(duel), game.waiting(duel), world.player()
    friend.ask("joinGroup", invite=goer.ask("createGroup")["group"]["invite"])
    told: list[str] = []
    world.on_call(lambda service, operation, params: told.append(operation), after=True)
    OUT_OF_A_TOURNAMENT[way](game, goer)
    assert game.over
    assert winner.state["games"] == 1
    assert winner.last("result")["place"] == 1
    assert "SendTaskSuccess" in told
    if way != "leave":
        assert friend.last("group")["group"]["leader"] == friend.id


def resume(player: Player) -> None:
    player.reconnect()


def ask(player: Player) -> None:
    player.ask("sync")


def sweep(player: Player) -> None:
    assert player.world.sweep()["rescued"] == 1


NOTICE = pytest.mark.parametrize("notice", [resume, ask, sweep])


@NOTICE
def test_whoever_notices_that_the_clock_stands_still_skips_and_finds_the_silent(
    scenes: Scenes, world: World, notice: Callable[[Player], None]
) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    mover, waiting = game.to_move(duel), game.waiting(duel)
    world.connections.fall_silent(mover.connection_id)
    world.sleep_until(duel["deadline_ms"] + GRACE_MS + 1)
    notice(waiting)
    duel = game.duel(duel["duel_id"])
    assert duel["rows"][0]["word"] is None
    world.sleep_until(duel["deadline_ms"] + GRACE_MS + 1)
    notice(waiting)
    assert mover.state["connection_id"] is None
    assert mover.connection_id in world.connections.closed
    assert len(world.started(TOURNAMENT_MACHINE)) == 3, "the clock was started anew, each time"


@NOTICE
def test_whoever_notices_that_the_clock_stands_still_opens_the_next_round(
    scenes: Scenes, world: World, notice: Callable[[Player], None]
) -> None:
    game = scenes.last_lives()
    for duel in game.duels:
        game.solve(duel["duel_id"])
    world.sleep(GRACE_MS + 1)
    notice(game.all[0])
    assert len(game.state["rounds"]) == 4
    assert sum(player.state["games"] for player in game.all) == 4, "who is out has the rating and the record"
