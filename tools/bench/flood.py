"""The cost of a flood: the most expensive messages of each route at list prices, and how many its throttle passes.

They are counted as a played tournament is (`tools.bench.reference`), with a group of eight in one tournament: each
change is pushed to the seven others. docs/security.md says how much of this is possible at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from infra.local import template
from infra.local.testing import Game, Player, World, wrong
from tools.bench.prices import GB_SECOND, INVOCATION, MESSAGE, READ_UNIT, TRANSITION, WRITE_UNIT
from tools.bench.reference import Meter, Usage

GB_SECONDS = 0.5 * 0.2
"""An invocation of 512 MB for 200 ms: an assumption, three times an ordinary one's."""
CONNECTIONS = 500
"""New ones a second: API Gateway's quota for an account."""
LOST = 2
"""State transitions of the reconnect machine."""
LEFT_AT_ONCE = 15
"""Those of a tournament that all leave in its first introduction: four for the round, two a duel, three at its end."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The average cost of a message in US dollars, and how many pass in a second."""

    route: str
    by: str
    dollars: float
    frames: float
    read_units: float
    write_units: float
    passes: int


def count() -> list[Cost]:
    """Count the costs, on the one-process backend."""
    with World() as world:
        flood = _Flood(world)
        flood.nobody()
        flood.friends()
        flood.strangers()
    return flood.costs


class _Flood:
    def __init__(self, world: World) -> None:
        self.costs: list[Cost] = []
        self._world, self._usage = world, Usage()
        meter = Meter(world, self._usage)
        world.on_call(meter.before)
        world.on_call(meter.after, after=True)
        self._stage = next(
            one["Properties"] for one in template.deployed({}).values() if one["Type"] == "AWS::ApiGatewayV2::Stage"
        )

    def nobody(self) -> None:
        """Players whom nobody sees."""
        guest = Player(self._world, self._world.connection_id())
        self._add("hello", "a new guest", guest.hello)
        self._add("$disconnect", "a guest", guest.drop)
        for action in ("languages", "ping", "win"):
            self._add(action if action != "win" else "$default", "anybody", partial(self._world.player().ask, action))
        guest.reconnect()
        guest.ask("createGroup")
        self._add("$disconnect", "one alone in a group", guest.drop, transitions=LOST)
        self._add("hello", "the same, back", guest.reconnect)

    def friends(self) -> None:
        """Eight who see each other twice, in their group and in their tournament."""
        leader, *friends = everybody = self._world.players(8)
        last = friends[-1]
        self._add("createGroup", "", partial(leader.ask, "createGroup"))
        for friend in friends[:-1]:
            friend.ask("joinGroup", invite=_invite(leader))
        self._add("joinGroup", "the eighth", partial(last.ask, "joinGroup", invite=_invite(leader)))
        self._add("leaveGroup", "one of eight", partial(last.ask, "leaveGroup"))
        last.ask("joinGroup", invite=_invite(leader))
        self._add("removeMember", "one of eight", partial(leader.ask, "removeMember", player=last.id))
        last.ask("joinGroup", invite=_invite(leader))
        self._add("handOver", "one of eight", partial(leader.ask, "handOver", player=last.id))
        last.ask("handOver", player=leader.id)
        self._add("renewInvite", "one of eight", partial(leader.ask, "renewInvite"))
        self._add("rename", "one of eight", partial(leader.ask, "rename", nickname="Another Name"))
        start = partial(leader.ask, "startGroup", language="en")
        self._add("startGroup", "a group of eight", start, transitions=LEFT_AT_ONCE)
        self._add("startGroup", "the same again", start)
        game = Game(self._world, leader.state["game"], {one.id: one for one in everybody})
        self._world.advance(game.id)
        self._add("$disconnect", "one of eight", last.drop, transitions=LOST)
        self._add("hello", "the same, back", last.reconnect)
        self._add("sync", "one of eight", partial(last.ask, "sync"))
        game.begin()
        self._duels(game)
        self._add("leave", "all eight", lambda: [one.ask("leave", what="tournament") for one in everybody], messages=8)

    def _duels(self, game: Game) -> None:
        own, other, third, _ = game.duels
        self._add("guess", "", partial(game.to_move(own).guess, own, wrong(own)))
        game.solve(own["duel_id"])
        player = game.players[own["players"][0]]
        player.ask("watch", duel=other["duel_id"])
        self._add("watch", "another duel", partial(player.ask, "watch", duel=third["duel_id"]))
        player.ask("unwatch")
        self._add("watchAll", "three duels", partial(player.ask, "watchAll"))
        self._add("unwatch", "three duels", partial(player.ask, "unwatch"))
        self._add("board", "", partial(player.ask, "board", duel=own["duel_id"]))
        self._add("review", "", partial(player.ask, "review", duel=own["duel_id"]))
        self._add("results", "", partial(player.ask, "results", tournament=game.id))
        self._add("profile", "", partial(player.ask, "profile"))
        self._add("export", "", partial(player.ask, "export"))

    def strangers(self) -> None:
        """Eight accounts that fill a lobby, and leave at once."""
        waiting = self._world.player()
        waiting.ask("join", language="fr")
        self._world.connections.fall_silent(waiting.connection_id)
        self._world.sweep()
        question = {key: waiting.last("question")[key] for key in ("what", "id", "number")}
        self._add("here", "in a lobby", partial(waiting.ask, "here", **question))
        waiting.ask("leave", what="lobby")
        eight = self._world.players(8)
        self._add(
            "join",
            "all eight",
            lambda: [one.ask("join", language="de") for one in eight],
            messages=8,
            transitions=LEFT_AT_ONCE,
        )
        self._add("deleteMe", "one of eight", partial(eight[0].ask, "deleteMe", confirm=True))

    def _add(self, route: str, by: str, act: Callable[[], Any], messages: int = 1, transitions: int = 0) -> None:
        """Count the cost of `act`, which sends `messages`; its executions will make `transitions`."""
        used = self._usage
        before = used.calls["PostToConnection"], used.read_units, used.write_units
        act()
        frames = used.calls["PostToConnection"] - before[0]
        reads, writes = used.read_units - before[1], used.write_units - before[2]
        dollars = (
            (messages + frames) * MESSAGE
            + messages * (INVOCATION + GB_SECONDS * GB_SECOND)
            + reads * READ_UNIT
            + writes * WRITE_UNIT
            + transitions * TRANSITION
        )
        self.costs.append(
            Cost(
                route=route,
                by=by,
                dollars=dollars / messages,
                frames=frames / messages,
                read_units=reads / messages,
                write_units=writes / messages,
                passes=self._passes(route),
            )
        )

    def _passes(self, route: str) -> int:
        settings = self._stage["RouteSettings"].get(route, self._stage["DefaultRouteSettings"])
        passes = int(settings["ThrottlingRateLimit"])
        return min(passes, CONNECTIONS) if route in ("hello", "$disconnect") else passes


def _invite(leader: Player) -> str:
    return str(leader.last("group")["group"]["invite"])
