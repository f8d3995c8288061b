"""A worker of the load generator: a process of its own whose bots play until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from bots.bot import Bot, BotProfile
from tools.load.measure import UNANSWERED, Answered, Counted, Ended, Event, Guessed, Lost, Seen, Skipped
from wordle_tournament.protocol import requests
from wordle_tournament.protocol.errors import ErrorCode
from wordle_tournament.protocol.messages import Duel, DuelChanged, Message, TournamentChanged, Welcome
from wordle_tournament_client.client import TournamentClient
from wordle_tournament_client.errors import ClientError, Refused, Unanswered

REPORT_SECONDS = 0.5
LOOK_SECONDS = 0.05
"""The pause of the look at how late the loop wakes."""
AGAIN_SECONDS = 1.0
"""The pause of a bot whose game ended with an error."""
TIDY_SECONDS = 20.0
"""How long deleting the guests may take."""
TIDIED_AT_ONCE = 16
TOO_LATE = frozenset({ErrorCode.TURN_OVER, ErrorCode.NOT_YOUR_TURN, ErrorCode.DUEL_OVER})


@dataclass(frozen=True, slots=True)
class Orders:
    """How the bots of a worker play."""

    url: str
    languages: tuple[str, ...]
    seed: int
    profile: BotProfile
    tidy: bool
    """Delete the guests at the end."""


class Log:
    """The events since the last report."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.sent = 0
        self.received = 0

    def add(self, event: Event) -> None:
        """Keep an event for the next report."""
        self.events.append(event)


class Timed(TournamentClient):
    """A client that writes to `log` what it sends and receives."""

    def __init__(self, log: Log, *arguments: Any, **options: Any) -> None:
        self._log = log
        frame: Callable[[str], None] | None = options.pop("on_frame", None)

        def on_frame(text: str) -> None:
            log.received += 1
            if frame is not None:
                frame(text)

        super().__init__(*arguments, on_frame=on_frame, on_change=self._changed, **options)
        self._turns: dict[str, Duel] = {}
        self._over: set[str] = set()

    async def _ask_once(self, request: requests.Request, again_seconds: float | None = None) -> Message:
        began = time.monotonic()
        in_time = False
        if isinstance(request, requests.Guess):
            self._log.add(Guessed(began, request.duel, request.turn))
            duel = self.view.duels.get(request.duel)
            in_time = duel is not None and self.server_now_ms() < (duel.deadline_ms or 0)
        code = ""
        try:
            return await super()._ask_once(request, again_seconds)
        except Refused as refused:
            code = refused.code
            if in_time and refused.code in TOO_LATE:
                self._log.add(Lost(time.monotonic()))
            raise
        except Unanswered:
            code = UNANSWERED
            raise
        finally:
            now = time.monotonic()
            self._log.add(Answered(now, request.model_dump()["action"], (now - began) * 1000, code))

    def _welcome(self, welcome: Welcome) -> None:
        now = asyncio.get_running_loop().time()
        self._log.sent += 1
        self._log.add(Answered(time.monotonic(), "hello", (now - self._last_sent) * 1000, ""))
        super()._welcome(welcome)

    async def _send(self, socket: Any, pending: Any) -> None:
        self._log.sent += 1
        await super()._send(socket, pending)

    def _changed(self, message: Message) -> None:
        match message:
            case DuelChanged(duel=duel):
                self._see(duel)
            case TournamentChanged(tournament=tournament) if tournament.over:
                if tournament.tournament_id not in self._over:
                    self._over.add(tournament.tournament_id)
                    self._log.add(Ended(time.monotonic(), tournament.tournament_id))
            case _:
                pass

    def _see(self, duel: Duel) -> None:
        me = self.view.you.player_id if self.view.you is not None else ""
        before = self._turns.get(duel.duel_id)
        self._turns[duel.duel_id] = duel
        if me not in {player.player_id for player in duel.players}:
            return
        now = time.monotonic()
        for turn in range(1 if before is None else len(before.rows) + 1, len(duel.rows) + 1):
            row = duel.rows[turn - 1]
            if row.word is not None:
                self._log.add(Seen(now, duel.duel_id, turn, me))
            elif before is not None and before.turn == turn and before.deadline_ms is not None:
                self._log.add(Skipped(now, self.server_now_ms() - before.deadline_ms))


def work(orders: Orders, pipe: Connection) -> None:
    """Play until the pipe says stop. A number on it is how many bots there should be; events go back in lists."""
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_work(orders, pipe))


async def _work(orders: Orders, pipe: Connection) -> None:
    log, rng = Log(), random.Random(orders.seed)
    bots: list[Bot] = []
    loop = asyncio.get_running_loop()
    heard = asyncio.Event()
    loop.add_reader(pipe.fileno(), heard.set)
    try:
        # An error of our own making ends the worker, which the run then reports.
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(_report(log, pipe, bots))]
            while (wanted := await _hear(pipe, heard)) is not None:
                for _ in range(wanted - len(bots)):
                    language, seed = rng.choice(orders.languages), rng.randrange(2**32)
                    bots.append(Bot(orders.url, language, seed, orders.profile, client=functools.partial(Timed, log)))
                    running.append(tasks.create_task(_play(bots[-1])))
            for task in running:
                task.cancel()
    finally:
        loop.remove_reader(pipe.fileno())
    if orders.tidy:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TIDY_SECONDS):
                await _tidy(orders.url, [bot.token for bot in bots if bot.token is not None])


async def _hear(pipe: Connection, heard: asyncio.Event) -> int | None:
    """Return how many bots there should be, or None when it is time to stop."""
    try:
        while not pipe.poll():  # the loop may call `heard` once more after the message was read
            heard.clear()
            await heard.wait()
        wanted: int | None = pipe.recv()
    except EOFError:
        return None
    return wanted


async def _play(bot: Bot) -> None:
    """Play one tournament after another."""
    while True:
        try:
            await bot.play()
        except (ClientError, OSError, TimeoutError):
            await asyncio.sleep(AGAIN_SECONDS)


async def _tidy(url: str, tokens: list[str]) -> None:
    gate = asyncio.Semaphore(TIDIED_AT_ONCE)

    async def delete(token: str) -> None:
        async with gate:
            with contextlib.suppress(ClientError, OSError):
                async with TournamentClient(url, token) as client:
                    await client.delete_me()

    await asyncio.gather(*(delete(token) for token in tokens))


async def _report(log: Log, pipe: Connection, bots: list[Bot]) -> None:
    cpu = time.process_time()
    while True:
        lag = 0.0
        until = time.monotonic() + REPORT_SECONDS
        while (before := time.monotonic()) < until:
            await asyncio.sleep(LOOK_SECONDS)
            lag = max(lag, time.monotonic() - before - LOOK_SECONDS)
        now = time.process_time()
        log.add(Counted(time.monotonic(), log.sent, log.received, len(bots), now - cpu, lag * 1000))
        events, log.events, log.sent, log.received, cpu = log.events, [], 0, 0, now
        pipe.send(events)
