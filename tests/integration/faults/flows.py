"""Everything that players, the machines and the operator can cause, each in the scene where it matters."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from infra.local.testing import PLAYERS, RECONNECT_MACHINE, WINDOW_MS, Game, Player, World, wrong
from tests.integration.conftest import Scenes, gather
from wordle_tournament.play.admin import verbs

Act = Callable[[], str]
"""Do it once. Return the type of the answer, "" if there was none. Raises what the function raised."""
_REFS = itertools.count(1)


@dataclass(frozen=True)
class Ready:
    """A scene that is set: what comes next, what is true afterwards, and who is there."""

    act: Act
    holds: Callable[[], bool]
    players: list[Player]


Flow = Callable[[Scenes, World], Ready]
FLOWS: dict[str, Flow] = {}


def flow(function: Flow) -> Flow:
    FLOWS[function.__name__.replace("_", " ").strip()] = function
    return function


def asks(player: Player, action: str, /, **fields: Any) -> Act:
    """Return a request that a client sends again with the same ref until it is answered."""
    ref = f"again{next(_REFS)}"

    def act() -> str:
        sent = len(player.frames)
        player.send(action, ref, **fields)
        answers = [frame for frame in player.frames[sent:] if frame.get("ref") == ref]
        return str(answers[-1].get("code", answers[-1]["type"])) if answers else ""

    return act


def does(act: Callable[[], Any]) -> Act:
    """Return a task of a machine or the operator, which has no answer of interest."""

    def do() -> str:
        act()
        return "done"

    return do


def scene(scenes: Scenes, name: str, make: Callable[[World], Iterable[Player]]) -> list[Player]:
    """Return the players of a scene that is made once."""

    def gathered() -> Game:
        scenes.empty()
        return Game(scenes.world, "", {player.id: player for player in make(scenes.world)})

    return scenes.scene(name, gathered).all


def friends(scenes: Scenes, size: int, waiting: bool = False) -> list[Player]:
    """Return a group, the leader first, perhaps in a lobby."""

    def make(world: World) -> list[Player]:
        group = gather(world, size)
        if waiting:
            group[0].ask("startGroup", language="en")
        return group

    return scene(scenes, f"{size} friends {waiting}", make)


def wait(world: World, count: int, rating: int = 1000) -> list[Player]:
    """Return players who wait in a lobby."""
    players = [world.player(rating=rating) for _ in range(count)]
    for player in players:
        player.ask("join", language="en")
    return players


def out(game: Game) -> Player:
    """Return a player who is out and may watch."""
    return next(one for one in game.all if one.state["watching"])


def with_a_bye(scenes: Scenes) -> tuple[Game, Player]:
    """Return a tournament of three and the player without a duel."""

    def make() -> Game:
        game = scenes.last_lives()
        first, *others = game.duels
        for duel in others:
            game.solve(duel["duel_id"])
        game.draw(first["duel_id"])
        game.world.advance(game.id)
        return game

    game = scenes.scene("with a bye", make, begin=True)
    return game, game.players[game.state["rounds"][-1]["bye"]]


def forfeit(world: World, player: Player) -> Any:
    """End the 60 seconds of the player's last disconnection."""
    starts = [start for start in world.started(RECONNECT_MACHINE) if start.input["player_id"] == player.id]
    return world.forfeit(player.id, starts[-1].input["epoch"])


def playing(player: Player) -> bool:
    return player.state["game"] is not None


def group_of(player: Player) -> dict[str, Any]:
    return player.world.state("GroupsTable", player.state["group"])


def returns(player: Player, players: list[Player]) -> Ready:
    player.drop()
    return signs_in_anew(player, players)


def signs_in_anew(player: Player, players: list[Player]) -> Ready:
    player.connection_id = player.world.connection_id()
    hello = asks(player, "hello", token=player.token)
    return Ready(hello, lambda: player.state["connection_id"] == player.connection_id, players)


def deleted(player: Player, players: list[Player]) -> Ready:
    def gone() -> bool:
        return player.id not in player.world.items("PlayersTable")

    return Ready(asks(player, "deleteMe", confirm=True, player=player.id), gone, players)


def dropped(player: Player, players: list[Player]) -> Ready:
    """API Gateway delivers `$disconnect` at most once: nobody repeats it, and it holds only when all is at rest."""
    player.world.connections.closed.add(player.connection_id)
    return Ready(does(lambda: player.world.disconnected(player.connection_id)), lambda: True, players)


def renamed(player: Player, players: list[Player]) -> Ready:
    name = "Ada Lovelace"
    return Ready(asks(player, "rename", nickname=name), lambda: player.state["nickname"] == name, players)


# Signing in


@flow
def new_player(scenes: Scenes, world: World) -> Ready:
    player = Player(world, "")

    def act() -> str:
        # A client that got no token connects anew: the old connection may be a player's by now.
        player.connection_id = world.connection_id()
        return asks(player, "hello")()

    return Ready(act, lambda: bool(player.last("welcome")["you"]["rating"] == 1000), [])


@flow
def come_back_to_a_lobby(scenes: Scenes, world: World) -> Ready:
    players = scenes.lobby().all
    return returns(players[0], players)


@flow
def come_back_to_a_group(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3)
    return returns(group[0], group)


@flow
def come_back_to_a_duel(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    return returns(game.waiting(game.duels[0]), game.all)


@flow
def come_back_after_the_minute(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    player = game.waiting(game.duels[0])
    player.drop()
    world.sleep(WINDOW_MS)
    ready = signs_in_anew(player, game.all)
    return Ready(ready.act, lambda: ready.holds() and player.state["game"] is None, game.all)


@flow
def replace_a_connection_in_a_lobby(scenes: Scenes, world: World) -> Ready:
    players = scenes.lobby().all
    return signs_in_anew(players[0], players)


@flow
def sync(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    return Ready(asks(game.waiting(game.duels[0]), "sync"), lambda: True, game.all)


# Looking for a game


@flow
def join_first(scenes: Scenes, world: World) -> Ready:
    (player,) = players = scene(scenes, "alone", lambda world: [world.player()])
    return Ready(asks(player, "join", language="en"), lambda: playing(player), players)


@flow
def join_in_the_middle(scenes: Scenes, world: World) -> Ready:
    players = scene(scenes, "three wait", lambda world: [*wait(world, 3), world.player()])
    return Ready(
        asks(players[-1], "join", language="en"), lambda: [len(one["seats"]) for one in lobbies(world)] == [4], players
    )


@flow
def join_eighth(scenes: Scenes, world: World) -> Ready:
    players = scenes.lobby().all
    player = players[-1]
    return Ready(
        asks(player, "join", language="en"), lambda: player.state["game"] in world.items("TournamentsTable"), players
    )


@flow
def join_bridging_two_lobbies(scenes: Scenes, world: World) -> Ready:
    """The lobby of 1180 is too far from 820 to merge; once the one of 820 has filled its gap it is not."""

    def make(world: World) -> list[Player]:
        near, far = wait(world, 2, rating=900), wait(world, 1, rating=1150)
        near[0].ask("leave", what="lobby")
        return [*near, *far, world.player(rating=1000)]

    players = scene(scenes, "two lobbies", make)
    return Ready(asks(players[-1], "join", language="en"), lambda: playing(players[-1]), players)


@flow
def join_by_a_watcher(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    player = out(game)
    player.ask("watch", duel=game.duels[0]["duel_id"])
    return Ready(asks(player, "join", language="en"), lambda: playing(player), game.all)


def watched(game: Game, player: Player) -> list[str]:
    """Return the duels of the round in whose audience the player is."""
    items = game.world.items("DuelsTable")
    return [duel["duel_id"] for duel in game.duels if player.id in items[duel["duel_id"]].get("watchers", ())]


def lobbies(world: World) -> list[dict[str, Any]]:
    return list(world.lobbies().values())


@flow
def leave_a_lobby(scenes: Scenes, world: World) -> Ready:
    players = scenes.lobby().all
    leave = asks(players[0], "leave", what="lobby", id=players[0].state["game"])
    return Ready(leave, lambda: not playing(players[0]), players)


@flow
def leave_so_that_lobbies_merge(scenes: Scenes, world: World) -> Ready:
    """One and three friends wait in one lobby, six in another. When the three go, the one moves over to the six."""

    def make(world: World) -> list[Player]:
        (one,), three, six = gather(world, 1), gather(world, 3), gather(world, 6)
        for leader in (three[0], one, six[0]):
            leader.ask("startGroup", language="en")
        return [one, *three, *six]

    players = scene(scenes, "ten in two lobbies", make)
    leave = asks(players[1], "leave", what="lobby", id=players[1].state["game"])
    return Ready(leave, lambda: not playing(players[1]), players)


@flow
def drop_in_a_lobby(scenes: Scenes, world: World) -> Ready:
    players = scenes.lobby().all
    return dropped(players[0], players)


@flow
def forfeit_in_a_lobby(scenes: Scenes, world: World) -> Ready:
    players = scenes.lobby().all
    players[0].drop()
    world.sleep(WINDOW_MS)
    return Ready(does(lambda: forfeit(world, players[0])), lambda: not playing(players[0]), players)


@flow
def rename_in_a_lobby(scenes: Scenes, world: World) -> Ready:
    players = scenes.lobby().all
    return renamed(players[0], players)


@flow
def sweep_of_lobbies(scenes: Scenes, world: World) -> Ready:
    players = scenes.lobby().all
    players[0].drop()
    world.sleep(WINDOW_MS + 1_000)
    return Ready(does(world.sweep), lambda: True, players)


# Groups


@flow
def create_a_group(scenes: Scenes, world: World) -> Ready:
    (player,) = players = scene(scenes, "alone", lambda world: [world.player()])
    return Ready(asks(player, "createGroup"), lambda: group_of(player)["leader"] == player.id, players)


@flow
def create_a_group_in_a_tournament(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    player = game.waiting(game.duels[0])
    return Ready(asks(player, "createGroup"), lambda: group_of(player)["leader"] == player.id, game.all)


@flow
def join_a_group(scenes: Scenes, world: World) -> Ready:
    def make(world: World) -> list[Player]:
        return [*gather(world, 3), world.player()]

    players = scene(scenes, "three friends and a fourth", make)
    invite = players[0].last("group")["group"]["invite"]
    return Ready(
        asks(players[3], "joinGroup", invite=invite), lambda: players[3].id in group_of(players[0])["members"], players
    )


def leaves_group(player: Player, players: list[Player]) -> Ready:
    leave = asks(player, "leaveGroup", group=player.state["group"])
    return Ready(leave, lambda: player.state["group"] is None and player.state["game"] is None, players)


@flow
def leave_a_group_as_its_leader(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3)
    return leaves_group(group[0], group)


@flow
def leave_a_group_in_a_lobby(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3, waiting=True)
    return leaves_group(group[1], group)


@flow
def leave_a_group_as_the_last(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 1)
    return leaves_group(group[0], group)


@flow
def remove_a_member_in_a_lobby(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3, waiting=True)
    return Ready(asks(group[0], "removeMember", player=group[1].id), lambda: group[1].state["group"] is None, group)


@flow
def hand_over(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3)
    return Ready(
        asks(group[0], "handOver", player=group[1].id), lambda: group_of(group[0])["leader"] == group[1].id, group
    )


@flow
def renew_the_invite(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3)
    secret = group_of(group[0])["secret"]
    return Ready(asks(group[0], "renewInvite"), lambda: group_of(group[0])["secret"] != secret, group)


def starts(group: list[Player], players: list[Player]) -> Ready:
    """The last member's answer starts the group: the leader's request waits for it."""
    ref = f"again{next(_REFS)}"

    def act() -> str:
        sent = len(group[0].frames)
        group[0].send("startGroup", ref, language="en")
        answers = [frame for frame in group[0].frames[sent:] if frame.get("ref") == ref]
        return str(answers[-1].get("code", answers[-1]["type"])) if answers else ""

    return Ready(act, lambda: len({player.state["game"] for player in group} - {None}) == 1, players)


@flow
def start_a_group(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3)
    return starts(group, group)


@flow
def start_a_group_that_fills_a_lobby(scenes: Scenes, world: World) -> Ready:
    players = scene(scenes, "five wait for three", lambda world: [*gather(world, 3), *wait(world, 5)])
    return starts(players[:3], players)


@flow
def drop_of_a_leader(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3)
    return dropped(group[0], group)


@flow
def forfeit_of_a_leader(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3)
    group[0].drop()
    world.sleep(WINDOW_MS)
    return Ready(does(lambda: forfeit(world, group[0])), lambda: group_of(group[1])["leader"] == group[1].id, group)


@flow
def forfeit_of_a_group_in_a_lobby(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3, waiting=True)
    group[1].drop()
    world.sleep(WINDOW_MS)
    return Ready(
        does(lambda: forfeit(world, group[1])), lambda: not any(player.state["game"] for player in group), group
    )


@flow
def rename_in_a_group(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3)
    return renamed(group[1], group)


# Deleting


@flow
def delete_in_a_lobby(scenes: Scenes, world: World) -> Ready:
    players = scenes.lobby().all
    return deleted(players[0], players[1:])


@flow
def delete_a_leader_in_a_lobby(scenes: Scenes, world: World) -> Ready:
    group = friends(scenes, 3, waiting=True)
    return deleted(group[0], group[1:])


@flow
def delete_in_the_final(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    player = game.waiting(game.duels[0])
    return deleted(player, [one for one in game.all if one is not player])


# Playing


def guesses(game: Game, word: str) -> Ready:
    duel = game.duels[0]
    turn = len(duel["rows"]) + 1
    guess = asks(game.to_move(duel), "guess", duel=duel["duel_id"], turn=turn, word=word)

    def played() -> bool:
        return bool(game.duel(duel["duel_id"])["rows"][turn - 1]["word"] == word)

    return Ready(guess, played, game.all)


@flow
def guess(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    return guesses(game, wrong(game.duels[0]))


@flow
def solve(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    return guesses(game, game.duels[0]["word"])


@flow
def guess_the_last_row(scenes: Scenes, world: World) -> Ready:
    def make() -> Game:
        game = scenes.final()
        for _ in range(11):
            world.run_out(*game.duels)
            world.skip(game.duels[0]["duel_id"])
        return game

    game = scenes.scene("the last row", make)
    return guesses(game, wrong(game.duels[0]))


@flow
def skip(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    duel = game.duels[0]
    rows = len(duel["rows"])
    world.run_out(duel)
    skip = does(lambda: world.skip(duel["duel_id"]))
    return Ready(skip, lambda: len(game.duel(duel["duel_id"])["rows"]) == rows + 1, game.all)


@flow
def skip_of_one_who_is_gone(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    game.to_move(game.duels[0]).drop(notice=False)
    world.run_out(game.duels[0])
    return Ready(does(lambda: world.skip(game.duels[0]["duel_id"])), lambda: True, game.all)


def leaves(game: Game, player: Player, still_in: bool = True) -> Ready:
    leave = asks(player, "leave", what="tournament", id=game.id)

    def left() -> bool:
        return not playing(player) and still_in == any(player.id in one["leavers"] for one in game.state["rounds"])

    return Ready(leave, left, game.all)


@flow
def leave_the_final(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    return leaves(game, game.waiting(game.duels[0]))


@flow
def leave_of_four(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    return leaves(game, game.waiting(game.duels[0]))


@flow
def leave_in_the_introduction(scenes: Scenes, world: World) -> Ready:
    game = scenes.introduction()
    return leaves(game, game.all[0])


@flow
def leave_on_a_bye(scenes: Scenes, world: World) -> Ready:
    return leaves(*with_a_bye(scenes))


@flow
def leave_when_out(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    return leaves(game, out(game), still_in=False)


@flow
def drop_in_a_duel(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    return dropped(game.to_move(game.duels[0]), game.all)


@flow
def forfeit_in_a_duel(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    player = game.waiting(game.duels[0])
    player.drop()
    world.sleep(WINDOW_MS)
    return Ready(does(lambda: forfeit(world, player)), lambda: not playing(player), game.all)


@flow
def watch(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    player, (one, other) = out(game), game.duels
    player.ask("watch", duel=one["duel_id"])
    return Ready(
        asks(player, "watch", duel=other["duel_id"]), lambda: watched(game, player) == [other["duel_id"]], game.all
    )


@flow
def watch_all(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    player = out(game)
    every = sorted(duel["duel_id"] for duel in game.duels)
    return Ready(asks(player, "watchAll"), lambda: sorted(watched(game, player)) == every, game.all)


@flow
def unwatch_all(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    player = out(game)
    player.ask("watchAll")
    return Ready(asks(player, "unwatch"), lambda: watched(game, player) == [], game.all)


@flow
def unwatch(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    player = out(game)
    player.ask("watch", duel=game.duels[0]["duel_id"])
    return Ready(asks(player, "unwatch"), lambda: watched(game, player) == [], game.all)


@flow
def settle_and_open(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    for duel in game.duels:
        game.solve(duel["duel_id"])
    rounds = len(game.state["rounds"])
    return Ready(does(lambda: advance(game)), lambda: len(game.state["rounds"]) == rounds + 1, game.all)


@flow
def settle_and_end(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    game.solve(game.duels[0]["duel_id"])
    return Ready(does(lambda: advance(game)), lambda: game.over, game.all)


def advance(game: Game) -> None:
    game.world.backend.invoke_task("advance_round", tournament_id=game.id)


@flow
def sweep_of_a_tournament(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    game.waiting(game.duels[0]).drop()
    world.sleep(WINDOW_MS + 1_000)
    return Ready(does(world.sweep), lambda: True, game.all)


# Looking


@flow
def results(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    return Ready(asks(game.all[0], "results", tournament=game.id), lambda: True, game.all)


@flow
def board(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    duel = game.state["rounds"][0]["matches"][0]["duel_id"]
    return Ready(asks(game.all[0], "board", duel=duel), lambda: True, game.all)


@flow
def review(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    duel = game.state["rounds"][0]["matches"][0]["duel_id"]
    return Ready(asks(game.all[0], "review", duel=duel), lambda: True, game.all)


@flow
def profile(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    return Ready(asks(game.all[0], "profile"), lambda: True, game.all)


@flow
def export(scenes: Scenes, world: World) -> Ready:
    game = scenes.final()
    return Ready(asks(game.all[0], "export"), lambda: True, game.all)


# The operator's verbs


@flow
def operator_stops(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    return Ready(does(partial(verbs.stop, game.id)), lambda: game.over and not any(map(playing, game.all)), game.all)


@flow
def operator_voids(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    return Ready(does(partial(verbs.void, game.id)), lambda: game.ratings() == [1000] * PLAYERS, game.all)


@flow
def operator_settles(scenes: Scenes, world: World) -> Ready:
    game = scenes.semifinal()
    for duel in game.duels:
        game.solve(duel["duel_id"])
    rounds = len(game.state["rounds"])
    return Ready(does(partial(verbs.settle, game.id)), lambda: len(game.state["rounds"]) == rounds + 1, game.all)


@flow
def operator_renames(scenes: Scenes, world: World) -> Ready:
    players = scenes.lobby().all
    return Ready(
        does(partial(verbs.rename, players[0].id, "Ada Lovelace")),
        lambda: players[0].state["nickname"] == "Ada Lovelace",
        players,
    )


@flow
def operator_deletes(scenes: Scenes, world: World) -> Ready:
    players = scenes.lobby().all

    def delete() -> None:
        try:
            verbs.delete(players[0].id)
        except verbs.AdminError:
            assert players[0].id not in world.items("PlayersTable"), "refused only if it is done"

    return Ready(does(delete), lambda: players[0].id not in world.items("PlayersTable"), players[1:])
