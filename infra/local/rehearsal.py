"""Rehearsal: put a fresh player into a state that is rare in play, on the real handlers and rules.

`make play ARGS="--scenario NAME"` enters one, `--scenario list` describes all. Seven other players are moved in this
process by messages through the handlers; nothing is written into the tables by hand. Time jumps to the next deadline
instead of passing, so the server's clock is ahead of the machine's afterwards. The state machines stand still: `tick`
does their work, and moves the others, while a developer looks at the state.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast
from unittest import mock

from infra.local import gateway
from infra.local.gateway import Gateway
from infra.local.stack import LocalStack
from infra.local.testing import Game, Player, World, wrong
from infra.local.testing.connections import FakeConnections
from infra.local.testing.world import RECONNECT_MACHINE, TOURNAMENT_MACHINE, TURN_GRACE_MS, WINDOW_MS, idle_machines

TICK_SECONDS = 0.5
PAUSE_TICKS = 8
"""An opponent moves after so many ticks on average."""
SOLVES = 0.15
"""How often an opponent guesses the word."""
LONGEST_DELAY_SECONDS = 1.5
DOUBLED = 0.3
THROTTLED_MESSAGES = 3
LATER_SECONDS = 4.0
ROUNDS = 12
TRIES = 20


class _Connections(FakeConnections):
    """The connections of the others, which are fake, and those of real clients, which are the gateway's."""

    def __init__(self, now_ms: Callable[[], int], real: Gateway) -> None:
        super().__init__(now_ms)
        self._real = real
        self.disordered = False
        """Frames to real clients come late, twice and out of order."""

    def post(self, connection_id: str, data: bytes) -> None:
        if connection_id in self.opened:
            super().post(connection_id, data)
        elif not self.disordered:
            self._real.post(connection_id, data)
        else:
            for _ in range(1 + (random.random() < DOUBLED)):
                late = threading.Timer(random.uniform(0, LONGEST_DELAY_SECONDS), self._post_late, (connection_id, data))
                late.daemon = True
                late.start()

    def _post_late(self, connection_id: str, data: bytes) -> None:
        with contextlib.suppress(Exception):  # the connection is gone
            self._real.post(connection_id, data)

    def delete(self, connection_id: str) -> None:
        if connection_id in self.opened:
            super().delete(connection_id)
        else:
            self._real.delete(connection_id)


class Stage(World):
    """A stack that listens, with players who are moved by hand. Time passes, and jumps where a scenario says so."""

    def __init__(self, seed: int = 1, **options: Any) -> None:
        self._ahead_ms = 0
        super().__init__(seed)
        self._ahead_ms = 0
        self.stack = LocalStack(**options)
        self.stack.jump = self.sleep
        self.stack.template = idle_machines(self.stack.template)
        self.backend = self.stack
        self.connections: _Connections = _Connections(self._clock, self.stack.gateway)
        self._windows: dict[str, int] = {}
        self._player: Player | None = None
        self._scenario: Scenario | None = None

    @property
    def now_ms(self) -> int:
        """The server's clock: the machine's own, and the jumps so far."""
        return time.time_ns() // 1_000_000 + self._ahead_ms

    @now_ms.setter
    def now_ms(self, value: int) -> None:
        self._ahead_ms = value - time.time_ns() // 1_000_000

    def _clock(self) -> int:
        return self.now_ms

    def sleep_until(self, ms: int) -> None:
        self.sleep(max(0, ms - self.now_ms))

    def __enter__(self) -> Stage:
        super().__enter__()
        self._exit.enter_context(mock.patch.object(gateway, "_now_ms", self._clock))
        return self

    def tick(self) -> None:
        """Do what the state machines would do by now, and move the others."""
        for start in self.started(TOURNAMENT_MACHINE):
            state = self.state("TournamentsTable", start.input["tournament_id"])
            if state["ended_at_ms"] is None:
                self._tick_tournament(Game(self, state["tournament_id"], {}))
        for start in self.started(RECONNECT_MACHINE):
            if self.now_ms >= self._windows.setdefault(start.name, self.now_ms + WINDOW_MS):
                self.forfeit(start.input["player_id"], start.input["epoch"])
                self.starts.remove(start)
        self.answer_questions()

    def _tick_tournament(self, game: Game) -> None:
        duels = game.duels
        if all(duel["phase"] == "over" for duel in duels):
            self.advance(game.id)
            return
        for duel in duels:
            if duel["phase"] == "over" or self.now_ms < duel["starts_at_ms"]:
                continue
            if self.now_ms > duel["deadline_ms"] + TURN_GRACE_MS:
                self.skip(duel["duel_id"])
                continue
            mover = Player(self, "", duel["players"][len(duel["rows"]) % 2])
            mover.connection_id = mover.state["connection_id"] or ""
            is_other = mover.connection_id in self.connections.opened - self.connections.closed
            if is_other and random.random() < 1 / PAUSE_TICKS:
                mover.guess(duel, duel["word"] if random.random() < SOLVES else wrong(duel))

    def rehearse(self, name: str) -> Player:
        """Enter a scenario. Its `later` follows some seconds after a client has signed in as its player."""
        self._scenario = SCENARIOS[name]
        self._player = self._scenario.enter(self)
        self.stack.rehearsal_token = self._player.token
        return self._player

    def _look_for_client(self) -> None:
        player, scenario = self._player, self._scenario
        if player is None or scenario is None or scenario.later is None:
            return
        current = player.state["connection_id"]
        if current and current not in self.connections.opened:
            self._scenario = None
            coming = threading.Timer(LATER_SECONDS, scenario.later, (self, player))
            coming.daemon = True
            coming.start()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Tick in a thread of its own."""
        done = threading.Event()

        def run() -> None:
            while not done.wait(TICK_SECONDS):
                with contextlib.suppress(Exception):  # a message crossed it; the next tick looks again
                    self._look_for_client()
                    self.tick()

        thread = threading.Thread(target=run, name="rehearsal", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


@dataclass(frozen=True)
class Scenario:
    """A state to rehearse. `enter` returns its player; `later` is what happens some seconds after signing in."""

    text: str
    enter: Callable[[Stage], Player]
    later: Callable[[Stage, Player], None] | None = None


def _duel_of(game: Game, player: Player) -> dict[str, Any] | None:
    return next((duel for duel in game.duels if player.id in duel["players"]), None)


def _other(game: Game, player: Player) -> Player:
    duel = _duel_of(game, player)
    assert duel is not None
    return game.players[next(one for one in duel["players"] if one != player.id)]


def _play_round(game: Game, player: Player, *, wins: bool) -> None:
    """Play the round to its end; the player wins or loses. Nothing special happens in a round with a bye."""
    game.begin()
    for duel in game.duels:
        if duel["phase"] == "over":
            continue
        winner = None
        if player.id in duel["players"]:
            winner = player if wins else _other(game, player)
        game.solve(duel["duel_id"], winner)
    game.world.advance(game.id)


def _lives(game: Game, player: Player) -> int:
    """Return the player's lives after the settled rounds."""
    lost = [
        result
        for played in game.state["rounds"]
        for match, result in zip(played["matches"], played["results"], strict=False)
        if player.id in match["players"] and result["winner"] != player.id
    ]
    return 3 - len(lost)


def _until(stage: Stage, right: Callable[[Game, Player], bool], *, wins: bool) -> tuple[Game, Player]:
    """Play tournaments until it is right. Raise AssertionError if it never is."""
    for _ in range(TRIES):
        game = stage.tournament()
        player = game.all[0]
        for _ in range(ROUNDS):
            if right(game, player):
                return game, player
            if game.over or player.state["game"] is None:
                break
            _play_round(game, player, wins=wins)
        if right(game, player):
            return game, player
    raise AssertionError("the state was not reached")


def _begun(stage: Stage) -> tuple[Game, Player]:
    game = stage.tournament()
    game.begin()
    return game, game.all[0]


def _last_life(stage: Stage) -> Player:
    game, player = _until(
        stage, lambda game, one: _lives(game, one) == 1 and _duel_of(game, one) is not None, wins=False
    )
    game.begin()
    return player


def _final(stage: Stage) -> Player:
    def right(game: Game, player: Player) -> bool:
        last = game.state["rounds"][-1]
        return not game.over and len(last["matches"]) == 1 and last["bye"] is None and not last["results"]

    game, player = _until(stage, right, wins=True)
    game.begin()
    return player


def _draw(stage: Stage) -> Player:
    game, player = _begun(stage)
    duel = _duel_of(game, player)
    assert duel is not None
    game.draw(duel["duel_id"])
    return player


def _bye(stage: Stage) -> Player:
    def right(game: Game, player: Player) -> bool:
        if len(game.state["rounds"]) == 1 and not game.state["rounds"][-1]["leavers"]:
            game.all[-1].ask("leave", what="tournament")
        return not game.over and bool(game.state["rounds"][-1]["bye"] == player.id)

    game, player = _until(stage, right, wins=True)
    game.begin()
    return player


def _opponent_away(stage: Stage) -> Player:
    game, player = _begun(stage)
    _other(game, player).drop()
    return player


def _own_window(stage: Stage) -> Player:
    _, player = _begun(stage)
    player.drop()
    stage.sleep(20_000)
    return player


def _tie(stage: Stage) -> Player:
    for _ in range(TRIES):
        game = stage.tournament()
        player = game.all[0]
        while not game.over:
            _play_round(game, player, wins=False)
        places = [frame["place"] for other in game.all for frame in other.frames if frame["type"] == "result"]
        own = next(frame["place"] for frame in player.frames if frame["type"] == "result")
        if places.count(own) > 1:
            return player
    raise AssertionError("the state was not reached")


def _placed(stage: Stage) -> Player:
    game, player = _until(stage, lambda game, one: not game.over and one.state["game"] is None, wins=False)
    game.begin()
    return player


def _watcher(stage: Stage) -> Player:
    player = _placed(stage)
    (tournament_id,) = {
        frame["tournament"]["tournament_id"] for frame in player.frames if frame["type"] == "tournament"
    }
    duel = Game(stage, tournament_id, {}).duels[0]
    player.ask("watch", duel=duel["duel_id"])
    return player


def _group(stage: Stage, size: int) -> list[Player]:
    leader, *others = stage.players(size)
    invite = leader.ask("createGroup")["group"]["invite"]
    for other in others:
        other.ask("joinGroup", invite=invite)
    return [leader, *others]


def _merging(stage: Stage) -> Player:
    waiting = stage.players(5)
    for one in waiting:
        one.ask("join", language="en")
    _group(stage, 4)[0].ask("startGroup", language="en")
    return waiting[0]


def _merge(stage: Stage, player: Player) -> None:
    lobby = stage.state("LobbiesTable", player.state["game"])
    for seat in lobby["seats"][-2:]:
        other = Player(stage, stage.state("PlayersTable", seat["player_id"])["connection_id"], seat["player_id"])
        other.ask("leave", what="lobby")


def _leader_gone(stage: Stage) -> Player:
    leader, player, _ = _group(stage, 3)
    leader.ask("leaveGroup")
    return player


def _queue_closed(stage: Stage) -> Player:
    player = stage.player()
    _close_queue()
    return player


def _maintenance(stage: Stage) -> Player:
    _, player = _begun(stage)
    _close_queue()
    return player


def _close_queue() -> None:
    from wordle_tournament.entry import run_admin_command
    from wordle_tournament.play.admin import verbs

    run_admin_command(verbs.close_queue)


def _ended_by_operator(verb: str) -> Callable[[Stage], Player]:
    def enter(stage: Stage) -> Player:
        from wordle_tournament.entry import run_admin_command
        from wordle_tournament.play.admin import verbs

        game = stage.tournament()
        player = game.all[0]
        _play_round(game, player, wins=True)
        game.begin()
        run_admin_command(cast(Any, getattr(verbs, verb)), tournament_id=game.id)
        return player

    return enter


def _in_a_duel(stage: Stage) -> Player:
    return _begun(stage)[1]


def _replace(stage: Stage, player: Player) -> None:
    Player(stage, stage.connection_id(), player.id, player.token).hello()


def _throttle(stage: Stage, player: Player) -> None:
    stage.stack.gateway.throttled = THROTTLED_MESSAGES


def _disorder(stage: Stage, player: Player) -> None:
    stage.connections.disordered = True


SCENARIOS: Mapping[str, Scenario] = {
    "last-life": Scenario("In a duel with one life left. Screens: duel, lives, outlook.", _last_life),
    "final": Scenario("The last two players, in their duel. Screens: duel, the end.", _final),
    "draw": Scenario("The own duel has just been drawn; others play on. Screens: end of a duel.", _draw),
    "bye": Scenario("A round without a duel for the player. Screens: bye, watching.", _bye),
    "opponent-away": Scenario(
        "The opponent's connection is lost, in the duel. Screens: duel, presence.", _opponent_away
    ),
    "reconnect-window": Scenario("20 of the 60 seconds to come back have passed. Screens: coming back.", _own_window),
    "tie": Scenario("Out in the same round as another, with a shared place. Screens: the end, shared places.", _tie),
    "placed": Scenario("Out, with place and rating change; others play on. Screens: out, watching.", _placed),
    "watcher": Scenario("Out, and watching a duel. Screens: watched duel.", _watcher),
    "merging": Scenario("In a lobby that is merged with another soon. Screens: lobby.", _merging, _merge),
    "group-full": Scenario("Leader of a group of eight. Screens: group.", lambda stage: _group(stage, 8)[0]),
    "leader-gone": Scenario("The leader has left the group; the player leads. Screens: group.", _leader_gone),
    "queue-closed": Scenario("In no game, and `join` is refused. Screens: home, refusal.", _queue_closed),
    "maintenance": Scenario("In a duel while no new games are started. Screens: duel, `again` refused.", _maintenance),
    "stopped": Scenario("An operator has stopped the tournament. Screens: the end.", _ended_by_operator("stop")),
    "voided": Scenario("An operator has voided the tournament. Screens: the end, record.", _ended_by_operator("void")),
    "replaced": Scenario("Replaced by a newer connection soon. Screens: replaced.", _in_a_duel, _replace),
    "throttled": Scenario("The gateway turns three messages away soon. Screens: duel, waiting.", _in_a_duel, _throttle),
    "disorder": Scenario(
        "Frames come late, twice and out of order soon. Screens: all of a duel.", _in_a_duel, _disorder
    ),
}
