"""The state machines and the clients of a test, run by hand in the order of time."""

from __future__ import annotations

import heapq
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from infra.local.aws import FunctionError
from infra.local.testing.connections import Frame
from infra.local.testing.world import TOURNAMENT_MACHINE, Crash, Game, Player, Start, World

LATEST_MS = 3_000
"""The most by which a duel is past its deadline while its timer lives, the grace included."""


class Clients:
    """Players' clients: each guesses the word when its frames say that it is its turn. After an error it syncs."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._done: set[tuple[str, str, int]] = set()

    def act(self) -> None:
        for player in self.game.all:
            if player.connection_id not in self.game.world.connections.closed:
                self._play(player)

    def sync(self) -> None:
        """Let the players of the current round ask for the whole state."""
        for player in self.game.all:
            playing = any(player.id in duel["players"] for duel in self.game.duels)
            if playing and player.connection_id not in self.game.world.connections.closed:
                player.ask("sync")

    def _play(self, player: Player) -> None:
        world = self.game.world
        for duel in self._newest_duels(player):
            due = duel["starts_at_ms"] <= world.now_ms < duel.get("deadline_ms", 0)
            once = (player.id, duel["duel_id"], duel["turn"])
            if duel.get("to_move") != player.id or not due or once in self._done:
                continue
            self._done.add(once)
            word = self.game.duel(duel["duel_id"])["word"]
            answer = player.ask("guess", duel=duel["duel_id"], turn=duel["turn"], word=word)
            if answer["type"] == "error":
                player.ask("sync")

    def _newest_duels(self, player: Player) -> list[Frame]:
        """Return the newest state of each duel in the player's frames."""
        newest: dict[str, Frame] = {}
        for frame in player.frames:
            for duel in [frame["duel"]] if frame["type"] == "duel" else frame.get("duels", []):
                if duel["version"] >= newest.get(duel["duel_id"], duel)["version"]:
                    newest[duel["duel_id"]] = duel
        return list(newest.values())


class Machines:
    """Do the work of the two state machines and the sweeper, in the order of time: a few lines each.

    A task that fails is tried again a second later, as the machines' Retry does. The machines learn of the game only by
    the calls of the functions: StartExecution and the SendTask... three.
    """

    def __init__(self, world: World, sweep_seconds: int | None = 60) -> None:
        self.world = world
        self.failures = 0
        self.entered: dict[str, int] = defaultdict(int)
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._known: set[str] = set()
        self._waiting: dict[str, tuple[str, int]] = {}
        """By token: its duel and the seconds of its heartbeat."""
        self._beats: dict[str, int] = {}
        self._parked_ms: dict[str, int] = {}
        self._left: dict[str, set[str]] = {}
        self._resumed: set[str] = set()
        """Executions of 1.0.0, whose definition had no NextTurn."""
        world.on_call(self._hear, after=True)
        if sweep_seconds:
            self._every(sweep_seconds * 1000)

    def run(self, done: Callable[[], bool], hours: float = 2, clients: Clients | None = None) -> None:
        """Let time pass until `done` returns True; the clients play meanwhile."""
        end = self.world.now_ms + int(hours * 3_600_000)
        self._take_up()
        at_once = 0
        while not done():
            if clients is not None:
                clients.act()
                self._take_up()
                if done():
                    return
            assert self._queue, "nothing would ever happen any more"
            at_ms, _, act = heapq.heappop(self._queue)
            assert at_ms < end, "stuck"
            at_once = at_once + 1 if at_ms <= self.world.now_ms else 0
            assert at_once < 100, "a loop without a wait"
            self.world.sleep_until(at_ms)
            act()
            self._take_up()
            self._check_deadlines()

    def _check_deadlines(self) -> None:
        """Assert that no duel is far past its deadline, counted from when its timer lives, unless a task has failed."""
        if self.failures or not self._waiting:
            return
        duels = self.world.written("DuelsTable")
        for token, (duel_id, _) in self._waiting.items():
            state = duels[duel_id]["state"]["M"]
            late_ms = self.world.now_ms - max(int(state["deadline_ms"]["N"]), self._parked_ms.get(token, 0))
            assert state["phase"]["S"] == "over" or late_ms <= LATEST_MS, f"{duel_id} is {late_ms} ms past its deadline"

    @property
    def parked(self) -> bool:
        """True if a token waits in some duel."""
        return bool(self._waiting)

    def resume(self, start: Start, waits: Iterable[Mapping[str, Any]]) -> None:
        """Go on with a tournament's execution of 1.0.0 that waits for duels.

        Each of `waits` is a task that waits: its `duel_id`, `token`, `heartbeat_seconds`, and the last heartbeat's
        `beat_ms`.
        """
        self._known.add(f"{start.machine}/{start.name}")
        self._resumed.add(start.name)
        self._left[start.name] = set()
        for wait in waits:
            duel_id, token, seconds = wait["duel_id"], wait["token"], wait["heartbeat_seconds"]
            self._left[start.name].add(duel_id)
            self._waiting[token], self._beats[token] = (duel_id, seconds), wait["beat_ms"]
            self.at(wait["beat_ms"] + seconds * 1000, partial(self._missed, start.name, duel_id, token))

    def at(self, at_ms: int, act: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (at_ms, next(self._order), act))

    def _after(self, seconds: float, act: Callable[[], None]) -> None:
        self.at(self.world.now_ms + int(seconds * 1000), act)

    def _every(self, ms: int) -> None:
        def again() -> None:
            self._attempt(self.world.sweep)
            self.at(self.world.now_ms + ms, again)

        self.at(self.world.now_ms + ms, again)

    def _attempt(self, act: Callable[[], Any]) -> tuple[bool, Any]:
        try:
            return True, act()
        except (FunctionError, ClientError, BotoCoreError, Crash):
            self.failures += 1
            return False, None

    def _take_up(self) -> None:
        for start in self.world.starts:
            if (key := f"{start.machine}/{start.name}") in self._known:
                continue
            self._known.add(key)
            if start.machine == TOURNAMENT_MACHINE:
                self._advance(start.name, start.input["tournament_id"])
            else:
                self._after(start.input["seconds"], lambda start=start: self._forfeit(start))  # type: ignore[misc]

    def _forfeit(self, start: Start) -> None:
        worked, _ = self._attempt(lambda: self.world.forfeit(start.input["player_id"], start.input["epoch"]))
        if not worked:
            self._after(1, lambda: self._forfeit(start))

    def _advance(self, name: str, tournament_id: str) -> None:
        self._count("AdvanceRound", "IsOver")
        task = partial(self.world.backend.invoke_task, "advance_round", tournament_id=tournament_id)
        worked, answer = self._attempt(task)
        if not worked:
            self._after(1, lambda: self._advance(name, tournament_id))
            return
        if answer["over"]:
            self._count("Over")
            return

        def play() -> None:
            self._count("PlayDuels")
            self._left[name] = {duel["duel_id"] for duel in answer["duels"]}
            for duel in answer["duels"]:
                self._wait(name, duel["duel_id"], duel["heartbeat_seconds"])
            if not answer["duels"]:
                self._advance(name, tournament_id)

        self._count("Introduce")
        self._after(answer["wait_seconds"], play)

    def _wait(self, name: str, duel_id: str, seconds: int) -> None:
        self._count("DuelTurn")
        token = self._token(name, duel_id)
        worked, parked = self._attempt(lambda: self.world.park(duel_id, token))
        if not worked:
            self._after(1, lambda: self._wait(name, duel_id, seconds))
            return
        if not parked:
            self._count("DuelOver")
            self._ended(name, duel_id)
            return
        self._begin_wait(name, duel_id, token, seconds)

    def _next(self, name: str, duel_id: str, seconds: int) -> None:
        self._count("NextTurn")
        token = self._token(name, duel_id)
        self._begin_wait(name, duel_id, token, seconds)
        worked, _ = self._attempt(lambda: self.world.next_turn(duel_id, token, seconds))
        # Its wait may have ended before the task failed.
        if not worked and self._waiting.pop(token, None) is not None:
            self._after(1, lambda: self._next(name, duel_id, seconds))

    def _token(self, name: str, duel_id: str) -> str:
        return f"{name}-{next(self._order)}-of-{duel_id}"

    def _begin_wait(self, name: str, duel_id: str, token: str, seconds: int) -> None:
        self._waiting[token] = (duel_id, seconds)
        self._beats[token] = self._parked_ms[token] = self.world.now_ms
        self._after(seconds, lambda: self._missed(name, duel_id, token))

    def _missed(self, name: str, duel_id: str, token: str) -> None:
        if token not in self._waiting:
            return
        seconds = self._waiting[token][1]
        due_ms = self._beats[token] + seconds * 1000
        if self.world.now_ms < due_ms:
            self.at(due_ms, lambda: self._missed(name, duel_id, token))
            return
        del self._waiting[token]
        if name in self._resumed:
            self._skip(name, duel_id)
        else:
            self._next(name, duel_id, seconds)

    def _skip(self, name: str, duel_id: str) -> None:
        self._count("SkipTurn")
        worked, seconds = self._attempt(lambda: self.world.skip(duel_id))
        if worked:
            self._wait(name, duel_id, seconds)
        else:
            self._after(1, lambda: self._skip(name, duel_id))

    def _ended(self, name: str, duel_id: str) -> None:
        self._left[name].discard(duel_id)
        if not self._left[name]:
            tournament_id = duel_id.split(".")[0]
            self._after(0, lambda: self._advance(name, tournament_id))

    def _hear(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        token = params.get("taskToken")
        if token not in self._waiting:
            return
        if operation == "SendTaskHeartbeat":
            self._beats[token] = self.world.now_ms
        elif operation == "SendTaskSuccess":
            duel_id, _ = self._waiting.pop(token)
            name = token.rsplit("-", 3)[0]
            self._after(0, lambda: self._ended(name, duel_id))
        elif operation == "SendTaskFailure":
            duel_id, _ = self._waiting.pop(token)
            name = token.rsplit("-", 3)[0]
            self._after(0, lambda: self._skip(name, duel_id))

    def _count(self, *states: str) -> None:
        for state in states:
            self.entered[state] += 1
