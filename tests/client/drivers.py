"""Both clients behind one interface, so that one suite of scripted servers moves them alike."""

import asyncio
import contextlib
import itertools
import json
import shutil
import time
from pathlib import Path
from typing import Any, Protocol
from unittest import mock

from wordle_tournament_client import Ended, Refused, TournamentClient, Unanswered

NODE = shutil.which("node")
DRIVER = Path(__file__).with_name("driver.mjs")
PATIENCE_SECONDS = 20


class Failed(Exception):
    """A client has raised an error: its class and code."""

    def __init__(self, kind: str, code: str) -> None:
        super().__init__(f"{kind} {code}")
        self.kind, self.code = kind, code


class Driver(Protocol):
    """A client of some language. The methods' names are those of the Python client."""

    async def connect(self, url: str, token: str | None = None) -> None: ...
    async def call(self, method: str, *values: Any) -> Any: ...
    async def look(self) -> dict[str, Any]: ...
    async def now_ms(self) -> float: ...
    async def set_clock_back(self) -> None: ...
    async def close(self) -> None: ...


class PythonDriver:
    """The Python client, in this process."""

    def __init__(self) -> None:
        self._client: TournamentClient | None = None
        self._patches = contextlib.ExitStack()

    @property
    def client(self) -> TournamentClient:
        assert self._client is not None
        return self._client

    async def connect(self, url: str, token: str | None = None) -> None:
        self._client = TournamentClient(url, token, backoff_seconds=(0.01, 0.05), patience_seconds=0.4)
        try:
            await self._client.__aenter__()
        except (Refused, Ended, Unanswered) as error:
            raise _failed(error) from error

    async def call(self, method: str, *values: Any) -> Any:
        try:
            return await getattr(self.client, method)(*values)
        except (Refused, Ended, Unanswered) as error:
            raise _failed(error) from error

    async def look(self) -> dict[str, Any]:
        view = self.client.view
        return {
            "nickname": view.you and view.you.nickname,
            "rating": view.you and view.you.rating,
            "lobby": view.lobby and [view.lobby.lobby_id, view.lobby.version],
            "tournament": view.tournament and [view.tournament.tournament_id, view.tournament.version],
            "duels": {duel.duel_id: duel.version for duel in view.duels.values()},
            "watching": view.watching,
            "group": view.group and [view.group.group_id, view.group.version],
            "away": [one for one in ("me", "you") if view.away(one)],
            "connected": self.client.connected,
            "ended": type(self.client.ended).__name__ if self.client.ended else None,
            "token": self.client.token,
        }

    async def now_ms(self) -> float:
        return self.client.server_now_ms()

    async def set_clock_back(self) -> None:
        self._patches.enter_context(mock.patch.object(time, "time", return_value=0.0))

    async def close(self) -> None:
        self._patches.close()
        if self._client is not None:
            await self._client.close()


def _failed(error: Exception) -> Failed:
    return Failed(type(error).__name__, str(getattr(error, "code", error)))


class JavaScriptDriver:
    """The JavaScript client, in a process of Node."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._ids = itertools.count()
        self._waiting: dict[int, asyncio.Future[Any]] = {}

    async def connect(self, url: str, token: str | None = None) -> None:
        assert NODE
        pipe = asyncio.subprocess.PIPE
        command = (NODE, "--experimental-websocket", "--no-warnings", str(DRIVER))
        self._process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        self._reader = asyncio.create_task(self._read())
        await self._send("connect", url, token)

    async def call(self, method: str, *values: Any) -> Any:
        first, *others = method.split("_")
        return await self._send("call", first + "".join(map(str.capitalize, others)), *values)

    async def look(self) -> dict[str, Any]:
        found: dict[str, Any] = await self._send("look")
        return found

    async def now_ms(self) -> float:
        return float(await self._send("now"))

    async def set_clock_back(self) -> None:
        await self._send("setClockBack")

    async def close(self) -> None:
        if self._process is None or self._process.stdin is None:
            return
        self._process.stdin.close()
        await self._process.wait()
        if self._reader is not None:
            await self._reader

    async def _send(self, command: str, *values: Any) -> Any:
        assert self._process is not None
        assert self._process.stdin is not None
        number = next(self._ids)
        self._waiting[number] = answer = asyncio.get_running_loop().create_future()
        line = json.dumps({"id": number, "command": command, "values": values})
        self._process.stdin.write(line.encode() + b"\n")
        async with asyncio.timeout(PATIENCE_SECONDS):
            said = await answer
        if "error" in said:
            raise Failed(said["error"], said["code"])
        return said["result"]

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            said = json.loads(line)
            self._waiting.pop(said["id"]).set_result(said)
