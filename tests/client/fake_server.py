"""A server that does as the test says: it signs everybody in, and answers or fails as told."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve

PATIENCE_SECONDS = 20
NOW_MS = 1_700_000_000_000

Frame = dict[str, Any]
Answer = Callable[[Frame], Frame | None]
"""From a request to the answer's fields; None for no answer."""


def lobby(version: int = 1, lobby_id: str = "l1", players: tuple[str, ...] = ("me",), started: bool = False) -> Frame:
    return {
        "lobby_id": lobby_id,
        "version": version,
        "language": "en",
        "rating": 1000.0,
        "players": [{"player_id": one, "nickname": one, "rating": 1000} for one in players],
        "started": started,
    }


def tournament(version: int = 1, tournament_id: str = "l1", over: bool = False) -> Frame:
    return {
        "tournament_id": tournament_id,
        "version": version,
        "language": "en",
        "players": [
            {"player_id": one, "nickname": one, "rating": 1000, "lives": 3, "fate": "in"} for one in ("me", "you")
        ],
        "round": version,
        "matches": [{"duel_id": f"{tournament_id}.{version}.1", "players": ["me", "you"], "length": 5}],
        "leavers": [],
        "starts_at_ms": NOW_MS,
        "over": over,
    }


def duel(version: int = 1, duel_id: str = "l1.1.1") -> Frame:
    """A duel after `version - 1` skipped turns."""
    return {
        "duel_id": duel_id,
        "version": version,
        "tournament_id": duel_id.split(".")[0],
        "round": 1,
        "language": "en",
        "length": 5,
        "players": [{"player_id": "me", "lives": 3}, {"player_id": "you", "lives": 3}],
        "rows": [{"player_id": ("me", "you")[row % 2]} for row in range(version - 1)],
        "turn": version,
        "to_move": ("me", "you")[(version - 1) % 2],
        "starts_at_ms": NOW_MS,
        "deadline_ms": NOW_MS + 30_000,
        "over": False,
    }


def group(version: int = 1, *members: str) -> Frame:
    return {
        "group_id": "g1",
        "version": version,
        "invite": "come",
        "leader": "me",
        "members": [{"player_id": one, "nickname": one, "rating": 1000, "where": "free"} for one in members or ("me",)],
    }


class FakeServer:
    """Answers `hello` with `welcome`, `ping` with `pong`, `join` and so on with something plausible.

    Tests replace entries of `answers`, look at `received` (all frames, of all connections), and push, close and
    abort. `signed_in` counts the welcomes.
    """

    def __init__(self) -> None:
        self.received: list[Frame] = []
        self.signed_in = 0
        self.ping_seconds = 20
        self.answers: dict[str, Answer] = {
            "hello": self.welcome,
            "ping": lambda _: {"type": "pong"},
            "join": lambda _: {"type": "lobby", "lobby": lobby()},
            "leave": lambda frame: {"type": "left", "what": frame["what"]},
            "guess": lambda frame: {"type": "duel", "duel": duel(frame["turn"] + 1, frame["duel"])},
            "watch": lambda frame: {"type": "duel", "duel": duel(1, frame["duel"])},
            "watchAll": lambda _: {"type": "duels", "duels": [duel(1, "l1.1.2"), duel(1, "l1.1.3")]},
            "unwatch": lambda _: {"type": "unwatched"},
            "rename": lambda frame: {"type": "you", "you": {**self.you(), "nickname": frame["nickname"]}},
            "startGroup": lambda _: {"type": "lobby", "lobby": lobby()},
            "leaveGroup": lambda _: {"type": "left", "what": "group"},
            **dict.fromkeys(
                ("createGroup", "joinGroup", "removeMember", "handOver", "renewInvite"),
                lambda _: {"type": "group", "group": group()},
            ),
            "board": lambda frame: {"type": "duel", "duel": duel(13, frame["duel"])},
            "review": lambda frame: {"type": "review", "duel_id": frame["duel"], "answers": 900, "rows": []},
            "profile": lambda _: {"type": "profile", "you": self.you(), "recent": []},
            "results": lambda frame: {
                "type": "results",
                "tournament_id": frame["tournament"],
                "language": "en",
                "started_at_ms": NOW_MS,
                "players": [],
                "rounds": [],
            },
            "export": lambda _: {"type": "export", "data": {"player": 1}},
            "deleteMe": lambda _: {"type": "deleted"},
            "sync": lambda _: {"type": "state", "you": self.you()},
            "languages": lambda _: {"type": "languages", "languages": []},
        }
        self._sockets: list[ServerConnection] = []
        self._server: Server | None = None
        self._heard = asyncio.Condition()

    @staticmethod
    def you() -> Frame:
        return {"player_id": "me", "nickname": "Me", "rating": 1000, "games": 0}

    def welcome(self, frame: Frame) -> Frame:
        self.signed_in += 1
        new = {} if "token" in frame else {"token": "the-token"}
        return {
            "type": "welcome",
            "you": self.you(),
            "timing": {
                "intro_seconds": 1,
                "turn_seconds": 3,
                "reconnect_seconds": 5,
                "ping_seconds": self.ping_seconds,
            },
            "languages": ["en"],
            **new,
        }

    async def open(self, port: int = 0) -> None:
        self._server = await serve(self._talk, "127.0.0.1", port)

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    async def push(self, frame: Frame) -> None:
        """Send to the newest connection; the clock stands still unless the frame has a time."""
        await self._sockets[-1].send(json.dumps({"now_ms": NOW_MS, **frame}))

    async def push_text(self, text: str) -> None:
        await self._sockets[-1].send(text)

    async def end(self, code: int) -> None:
        """End the newest connection with a close code; 1006 without a word, as a broken network does."""
        if code == 1006:
            self._sockets[-1].transport.abort()
        else:
            await self._sockets[-1].close(code)

    def of(self, action: str) -> list[Frame]:
        """The frames received with this action."""
        return [frame for frame in self.received if frame["action"] == action]

    async def hears(self, action: str, times: int = 1) -> list[Frame]:
        """Wait until the action has come so often, over all connections. TimeoutError if it does not."""
        async with asyncio.timeout(PATIENCE_SECONDS), self._heard:
            await self._heard.wait_for(lambda: len(self.of(action)) >= times)
        return self.of(action)

    async def _talk(self, socket: ServerConnection) -> None:
        self._sockets.append(socket)
        async for text in socket:
            frame = json.loads(text)
            self.received.append(frame)
            answer = self.answers[frame["action"]](frame)
            if answer is not None:
                ref = {"ref": frame["ref"]} if "ref" in frame else {}
                await socket.send(json.dumps({"now_ms": NOW_MS, **ref, **answer}))
            async with self._heard:
                self._heard.notify_all()


@contextlib.asynccontextmanager
async def fake_server() -> AsyncIterator[FakeServer]:
    server = FakeServer()
    await server.open()
    try:
        yield server
    finally:
        await server.close()


def error(code: str, field: str | None = None) -> Answer:
    """An answer that refuses."""
    return lambda _: {"type": "error", "code": code, "message": "no", **({"field": field} if field else {})}


def once(first: Answer, then: Answer) -> Answer:
    """`first` for the first request, `then` for all that follow."""
    answers = iter([first])
    return lambda frame: next(answers, then)(frame)
