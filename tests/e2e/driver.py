"""A player on plain WebSockets: no client of ours, just what docs/protocol.md asks of one.

A `Connection` is one WebSocket and keeps every frame that it received. A `Player` has one connection after another, and
keeps of all their frames the greatest version of everything.
"""

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable
from typing import Any, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.e2e.frames import Received

Frame = dict[str, Any]
Found = TypeVar("Found")

PATIENCE_SECONDS = 60.0
"""How long to wait for what must come: for a busy machine, and no measure of anything."""


class Gone(Exception):
    """The connection has ended, and with it what was waited for."""


class Connection:
    """One connection. `frames` are the frames received, in order."""

    def __init__(self, socket: ClientConnection, on_frame: Callable[[Frame], None] = lambda frame: None) -> None:
        self.socket = socket
        self.frames: list[Frame] = []
        self.answers = True
        """Whether it answers the server's questions at once, as clients do."""
        self._on_frame = on_frame
        self._news = asyncio.Event()
        self._refs = itertools.count(1)
        self._reader = asyncio.create_task(self._read())
        self._reader.add_done_callback(lambda _: self._news.set())

    @classmethod
    async def open(cls, url: str, on_frame: Callable[[Frame], None] = lambda frame: None) -> "Connection":
        socket = await connect(url, compression=None, ping_interval=None, max_size=None, proxy=None, close_timeout=1)
        return cls(socket, on_frame)

    @property
    def local_address(self) -> tuple[Any, ...]:
        address: tuple[Any, ...] = self.socket.local_address
        return address

    async def send(self, what: str | bytes | Frame) -> None:
        await self.socket.send(json.dumps(what) if isinstance(what, dict) else what)

    async def ask(self, action: str, **fields: Any) -> Frame:
        """Send a request with a `ref` of its own. Return its answer, which may be an error."""
        ref = str(next(self._refs))
        await self.send({"action": action, "ref": ref, **fields})
        return await self.answer(ref)

    async def answer(self, ref: str) -> Frame:
        """The frame that answers the request of that `ref`."""
        return await self.until(lambda: next((frame for frame in self.frames if frame.get("ref") == ref), None))

    async def until(self, look: Callable[[], Found | None]) -> Found:
        """Return the result of `look` as soon as it is not None. Look again after every frame, and at the end.

        Raise Gone if the connection has ended and it is still None.
        """

        def look_or_gone() -> Found | None:
            found = look()
            if found is None and not self.open_still:
                raise Gone(f"the connection has ended; the last frames were {self.frames[-3:]}")
            return found

        return await _until(look_or_gone, self._news, lambda: self.frames[-3:])

    async def ended(self) -> int:
        """The close code, once the connection has ended; 1006 if there was none."""
        await asyncio.wait({self._reader}, timeout=PATIENCE_SECONDS)
        assert self._reader.done(), "the connection is still open"
        return self.socket.close_code or 1006

    @property
    def open_still(self) -> bool:
        return not self._reader.done()

    def cut(self) -> None:
        """The network is gone: no close frame, as when an app is killed."""
        self.socket.transport.abort()

    async def close(self) -> None:
        await self.socket.close()
        await asyncio.wait({self._reader})

    async def _read(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for text in self.socket:
                frame = Received(text)
                self.frames.append(frame)
                self._on_frame(frame)
                self._news.set()
                if frame["type"] == "question" and self.answers:
                    await self.send({"action": "here", **{key: frame[key] for key in ("what", "id", "number")}})


class Player:
    """One player. Everything of the game that they know, they know from their frames."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.player_id = ""
        self.token: str | None = None
        self.connections: list[Connection] = []
        self.you: Frame = {}
        self.lobby: Frame | None = None
        self.tournaments: dict[str, Frame] = {}
        self.duels: dict[str, Frame] = {}
        self.left: set[str] = set()
        self.results: list[Frame] = []
        self.presences: list[Frame] = []
        self._news = asyncio.Event()

    def __repr__(self) -> str:
        return f"<{self.you.get('nickname', 'a player')}>"

    @property
    def connection(self) -> Connection:
        return self.connections[-1]

    @property
    def here(self) -> bool:
        return bool(self.connections) and self.connection.open_still

    @property
    def frames(self) -> list[Frame]:
        """All frames of all connections."""
        return [frame for connection in self.connections for frame in connection.frames]

    # -- what players do ---------------------------------------------------------------------------

    async def connect(self) -> None:
        """Connect anew, and say nothing yet."""
        self.connections.append(await Connection.open(self.url, self._take_in))

    async def sign_in(self) -> Frame:
        """Connect anew and say `hello`: as a new player, or as the one the token names. Returns the `welcome`."""
        await self.connect()
        return await self.hello()

    async def hello(self) -> Frame:
        """Say `hello` on the connection there is."""
        welcome = await self.connection.ask("hello", **({"token": self.token} if self.token else {}))
        assert welcome["type"] == "welcome", welcome
        self.token = welcome.get("token", self.token)
        self.player_id = welcome["you"]["player_id"]
        return welcome

    async def ask(self, action: str, **fields: Any) -> Frame:
        return await self.connection.ask(action, **fields)

    async def refused(self, action: str, **fields: Any) -> str:
        """Send a request that must be refused. Return the code."""
        answer = await self.ask(action, **fields)
        assert answer["type"] == "error", answer
        return str(answer["code"])

    async def guess(self, duel: Frame, word: str, turn: int | None = None) -> Frame:
        """Guess in the duel's turn as it was seen; during the introduction it is sent until that is over."""
        while True:
            answer = await self.ask("guess", duel=duel["duel_id"], turn=turn or duel["turn"], word=word)
            if answer.get("code") != "not_started":
                return answer
            await asyncio.sleep(0.02)

    async def join(self, language: str = "en") -> Frame:
        while (answer := await self.ask("join", language=language)).get("code") == "busy":
            await asyncio.sleep(0.2)
        assert answer["type"] == "lobby", answer
        lobby: Frame = answer["lobby"]
        return lobby

    async def leave(self, what: str = "tournament") -> None:
        answer = await self.ask("leave", what=what)
        assert answer["type"] == "left", answer
        if what == "tournament":
            self.left |= set(self.tournaments)

    async def sync(self) -> Frame:
        state = await self.ask("sync")
        assert state["type"] == "state", state
        return state

    # -- what they see -----------------------------------------------------------------------------

    async def until(self, look: Callable[[], Found | None]) -> Found:
        """Return the result of `look` as soon as it is not None. Look again after every frame."""
        return await _until(look, self._news, lambda: self.frames[-3:])

    async def duel(self, duel_id: str, look: Callable[[Frame], bool] = lambda duel: True) -> Frame:
        """The duel, once this player knows it as `look` wants it."""

        def found() -> Frame | None:
            duel = self.duels.get(duel_id)
            return duel if duel is not None and look(duel) else None

        return await self.until(found)

    async def tournament(self, tournament_id: str, look: Callable[[Frame], bool] = lambda it: True) -> Frame:
        """The tournament, once this player knows it as `look` wants it."""

        def found() -> Frame | None:
            tournament = self.tournaments.get(tournament_id)
            return tournament if tournament is not None and look(tournament) else None

        return await self.until(found)

    async def result(self, tournament_id: str) -> Frame:
        return await self.until(
            lambda: next((one for one in self.results if one["tournament_id"] == tournament_id), None)
        )

    def _take_in(self, frame: Frame) -> None:
        match frame["type"]:
            case "welcome" | "state":
                self.you = frame["you"]
                self.lobby = frame.get("lobby")
                if "tournament" in frame:
                    _keep(self.tournaments, "tournament_id", frame["tournament"])
                for duel in frame["duels"]:
                    _keep(self.duels, "duel_id", duel)
            case "lobby":
                self.lobby = frame["lobby"]
            case "tournament":
                _keep(self.tournaments, "tournament_id", frame["tournament"])
            case "duel":
                _keep(self.duels, "duel_id", frame["duel"])
            case "result":
                self.results.append(frame)
            case "presence":
                self.presences.append(frame)
            case "you":
                self.you = frame["you"]
        self._news.set()


def _keep(known: dict[str, Frame], key: str, thing: Frame) -> None:
    """The greatest version wins."""
    if thing[key] not in known or known[thing[key]]["version"] < thing["version"]:
        known[thing[key]] = thing


async def _until(look: Callable[[], Found | None], news: asyncio.Event, lately: Callable[[], list[Frame]]) -> Found:
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (found := look()) is None:
                news.clear()
                await news.wait()
    except TimeoutError:
        raise AssertionError(f"it never came; the last frames were {lately()}") from None
    return found
