"""Players as light as they can be, so that the stack is measured and not its clients: JSON frames and no models.

Each plays sensible Wordle over a WebSocket of its own, thinks for a share of the turn, and joins again after a
tournament. Guesses are timed from their sending until both players of the duel have the row.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from wordle_tournament import words
from wordle_tournament.rules.marks import mark

Frame = dict[str, Any]

PACE = (0.1, 0.5)
"""The share of a turn that a player thinks, as the bots of `make play` do."""
PLAYERS = 8
PING_SECONDS = 0.05


@dataclass(slots=True)
class _Duel:
    """A duel as its two players know it; they are in one process, so what is known is kept once."""

    possible: Sequence[str]
    rows: int = 0


@dataclass(slots=True)
class Crowd:
    """All players of a bench, and what they have measured."""

    url: str
    language: str = "en"
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    latencies: list[float] = field(default_factory=list)
    """Seconds from a guess to both players, each guess once."""
    guesses: int = 0
    refused: int = 0
    lost: int = 0
    """Connections that ended before they were closed."""
    over: set[str] = field(default_factory=set)
    """The tournaments that are over."""
    running: set[str] = field(default_factory=set)
    """The tournaments that have begun to play."""
    _sent: dict[tuple[str, int], float] = field(default_factory=dict)
    _seen: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    _duels: dict[str, _Duel] = field(default_factory=dict)

    async def play(self, games: int) -> None:
        """Let so many games play, again and again, until this is cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(games * PLAYERS):
                group.create_task(_Player(self).play())
                await asyncio.sleep(0.01)

    def forget(self) -> None:
        """Begin to measure anew."""
        self.latencies.clear()
        self.guesses = 0

    def sent(self, duel_id: str, turn: int) -> None:
        self.guesses += 1
        self._sent[duel_id, turn] = time.perf_counter()

    def received(self, player_id: str, duel: Frame) -> None:
        """Note that the player has this state of a duel."""
        turn = len(duel["rows"])
        began = self._sent.get((duel["duel_id"], turn))
        if began is None:
            return
        seen = self._seen.setdefault((duel["duel_id"], turn), set())
        seen.add(player_id)
        if len(seen) == 2:
            self.latencies.append(time.perf_counter() - began)
            del self._sent[duel["duel_id"], turn], self._seen[duel["duel_id"], turn]

    def word(self, duel: Frame) -> str:
        """Return a word that could be the secret."""
        known = self._duels.setdefault(duel["duel_id"], _Duel(words.answers(self.language, duel["length"])))
        for row in duel["rows"][known.rows :]:
            if row.get("word"):
                marks = tuple(row["marks"])
                known.possible = [one for one in known.possible if mark(row["word"], one) == marks]
        known.rows = len(duel["rows"])
        return self.rng.choice(known.possible or words.answers(self.language, duel["length"]))

    def ended(self, duel_id: str) -> None:
        self._duels.pop(duel_id, None)


class _Player:
    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self._id = ""
        self._token: str | None = None
        self._done: set[tuple[str, int]] = set()
        self._playing = ""
        self._socket: ClientConnection
        self._tasks: set[asyncio.Task[None]] = set()

    async def play(self) -> None:
        while True:
            try:
                async with connect(self._crowd.url, compression=None, ping_interval=None, proxy=None) as self._socket:
                    await self._send(action="hello", **({"token": self._token} if self._token else {}))
                    async for text in self._socket:
                        await self._receive(json.loads(text))
            except (ConnectionClosed, OSError):
                pass
            self._crowd.lost += 1

    async def _receive(self, frame: Frame) -> None:
        match frame["type"]:
            case "welcome":
                self._id = frame["you"]["player_id"]
                self._token = frame.get("token", self._token)
                await self._send(action="join", language=self._crowd.language)
            case "question":
                await self._send(action="here", what=frame["what"], id=frame["id"], number=frame["number"])
            case "tournament":
                await self._tournament(frame["tournament"])
            case "duel":
                self._duel(frame["duel"], frame["now_ms"])
            case "error":
                self._crowd.refused += 1
                if frame["code"] in ("busy", "in_game"):
                    self._later(1, action="join", language=self._crowd.language)

    async def _tournament(self, tournament: Frame) -> None:
        if tournament["over"]:
            self._crowd.over.add(tournament["tournament_id"])
            if tournament["tournament_id"] == self._playing:
                self._playing = ""
                await self._send(action="join", language=self._crowd.language)
        else:
            self._playing = tournament["tournament_id"]

    def _duel(self, duel: Frame, now_ms: int) -> None:
        if self._id not in (one["player_id"] for one in duel["players"]):
            return
        self._crowd.received(self._id, duel)
        if duel["over"]:
            self._crowd.ended(duel["duel_id"])
            return
        turn = (duel["duel_id"], duel["turn"])
        if duel["to_move"] != self._id or turn in self._done:
            return
        self._done.add(turn)
        thinks = self._crowd.rng.uniform(*PACE) * duel["turn_ms"]
        begins_ms = max(now_ms, duel["deadline_ms"] - duel["turn_ms"])
        self._start(self._guess(duel, (begins_ms - now_ms + thinks) / 1000))

    async def _guess(self, duel: Frame, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._crowd.running.add(duel["tournament_id"])
        word = self._crowd.word(duel)
        self._crowd.sent(duel["duel_id"], duel["turn"])
        await self._send(action="guess", duel=duel["duel_id"], turn=duel["turn"], word=word)

    def _later(self, seconds: float, **request: Any) -> None:
        async def send() -> None:
            await asyncio.sleep(seconds)
            await self._send(**request)

        self._start(send())

    def _start(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, **request: Any) -> None:
        with contextlib.suppress(ConnectionClosed):
            await self._socket.send(json.dumps(request))
