"""Count the pings of both real clients in the reference tournament, played at people's pace in virtual time."""

from __future__ import annotations

import asyncio
import json
import selectors
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from infra.local.testing import TURN_MS, Frame, Game, Machines, World
from tools.bench.reference import Script
from wordle_tournament_client import TournamentClient
from wordle_tournament_client import client as client_module

SEED = 5
"""A seed with nine rounds, as the reference tournament has."""
THINKING_MS = 11_000
"""The time that a player takes for a guess. With it the tournament takes 18 minutes."""
PAGE = Path(__file__).with_name("pings.mjs")

Arrivals = list[tuple[int, Frame]]
"""The frames that a player gets, each with its time in ms since the player's `welcome`, which is the first."""


def arrivals(seed: int = SEED) -> list[Arrivals]:
    """Play the tournament. Return what each of the eight players hears until their own result.

    A player who is out leaves (R10). One who stays and watches a duel hears its turns. One who stays and watches
    nothing pings every 20 seconds, which is not counted here.
    """
    with World(seed) as world:
        heard: dict[str, Arrivals] = {}
        began_ms = world.now_ms

        def note(connection_id: str) -> None:
            heard.setdefault(connection_id, []).append((world.now_ms - began_ms, {}))

        world.connections.on_post = note
        players = world.players(8)
        for player in players:
            player.ask("join", language="en")
        game = Game(world, players[0].state["game"], {player.id: player for player in players})
        machines = Machines(world)
        machines.run(lambda: game.over, clients=_Thinking(game, machines))
        frames = world.connections.frames
        return [
            _until_the_result([(at_ms, frame) for (at_ms, _), frame in zip(times, frames[connection_id], strict=True)])
            for connection_id, times in heard.items()
        ]


def _until_the_result(heard: Arrivals) -> Arrivals:
    end = next(number for number, (_, frame) in enumerate(heard, start=1) if frame["type"] == "result")
    return heard[:end]


class _Thinking(Script):
    """The reference tournament's clients, who think about each guess."""

    def __init__(self, game: Game, machines: Machines) -> None:
        super().__init__(game)
        self._machines = machines
        self._awaited: set[tuple[str, int]] = set()

    def _plays(self, duel: Any) -> bool:
        if not super()._plays(duel):
            return False
        due_ms, key = duel["deadline_ms"] - TURN_MS + THINKING_MS, (duel["duel_id"], len(duel["rows"]))
        if self.game.world.now_ms < due_ms and key not in self._awaited:
            self._awaited.add(key)
            self._machines.at(due_ms, lambda: None)
        return bool(self.game.world.now_ms >= due_ms)


def of_the_page(heard: Arrivals) -> int:
    """Return the pings of the web page's connection. Raise FileNotFoundError without Node.js."""
    node = shutil.which("node")
    if node is None:
        raise FileNotFoundError("node")
    run = subprocess.run(
        [node, str(PAGE)], input=json.dumps(heard), capture_output=True, text=True, check=True, timeout=60
    )
    return int(run.stdout)


def of_the_python_client(heard: Arrivals) -> int:
    """Return the pings of the Python client."""
    loop = _VirtualLoop()
    try:
        with mock.patch.object(client_module, "connect", _Socket.open):
            return loop.run_until_complete(_listen(heard))
    finally:
        loop.close()


async def _listen(heard: Arrivals) -> int:
    loop = asyncio.get_running_loop()
    (_, welcome), *later = heard
    _Socket.current = _Socket(welcome)
    async with TournamentClient("ws://localhost/ws"):
        for at_ms, frame in later:
            text = json.dumps({key: value for key, value in frame.items() if key != "ref"})
            loop.call_at(at_ms / 1000, partial(_Socket.current.put, text))
        await asyncio.sleep(later[-1][0] / 1000 + 1)
    return _Socket.current.pings


class _Socket:
    """A WebSocket whose server answers at once."""

    current: _Socket

    def __init__(self, welcome: Frame) -> None:
        self.pings = 0
        self.transport = mock.Mock()
        self._welcome = welcome
        self._frames: asyncio.Queue[str] = asyncio.Queue()
        self.put: Callable[[str], None] = self._frames.put_nowait

    @classmethod
    async def open(cls, url: str, **_: Any) -> _Socket:
        return cls.current

    async def send(self, text: str) -> None:
        request = json.loads(text)
        self.pings += request["action"] == "ping"
        answers = {"hello": self._welcome, "ping": {"type": "pong"}, "here": {"type": "heard"}}
        self.put(json.dumps({"now_ms": 1, **answers[request["action"]], "ref": request["ref"]}))

    async def close(self) -> None:
        return None

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            yield await self._frames.get()


class _VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only when it has nothing to do."""

    def __init__(self) -> None:
        super().__init__(_Selector(self))
        self.now = 0.0

    def time(self) -> float:
        return self.now


class _Selector(selectors.SelectSelector):
    def __init__(self, loop: _VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        assert timeout is not None, "nothing would ever happen any more"
        self._loop.now += max(timeout, 0)
        return super().select(0)
