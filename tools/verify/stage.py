"""A deployed stage, as `make verify` reaches it: by WebSocket as a client does, by AWS's APIs as an operator does."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

T = TypeVar("T")
Frame = dict[str, Any]
Verdict = Literal["held", "did not hold", "not answered"]


class NotAnswered(Exception):
    """The check cannot be answered here; the text says why, and what would answer it."""


@dataclass(frozen=True)
class Limits:
    """How long the checks wait at most, in seconds. AWS's own limits are the defaults; an emulator is quicker."""

    idle: float = 660
    gone: float = 120
    turn: float = 60
    logs: float = 180
    alarms: float = 1500


@dataclass(frozen=True)
class Finding:
    """The result of a check, with what it measured in a sentence."""

    verdict: Verdict
    measured: str


def judged(held: bool, measured: str) -> Finding:
    """Return the finding of an assumption that holds or does not."""
    return Finding("held" if held else "did not hold", measured)


@dataclass
class Visitor:
    """A guest on a connection of its own, without the client's repairs. `arrived` has every frame, in order."""

    socket: ClientConnection
    player_id: str = ""
    arrived: list[Frame] = field(default_factory=list)

    async def ask(self, action: str, **fields: Any) -> Frame:
        """Send a request. Return its answer. Raise ConnectionClosed, TimeoutError, or NotAnswered for an error."""
        ref = f"v{time.monotonic_ns()}"
        await self.socket.send(json.dumps({"action": action, "ref": ref, **fields}))
        answer = await self.until(lambda frame: frame.get("ref") == ref)
        if answer["type"] == "error":
            raise NotAnswered(f"{action} was refused: {answer['code']}, {answer['message']}")
        return answer

    async def until(self, wanted: Callable[[Frame], bool], seconds: float = 30) -> Frame:
        """Return the first frame from now on that is wanted. Raise TimeoutError and ConnectionClosed."""
        async with asyncio.timeout(seconds):
            while True:
                frame = await self.next()
                if wanted(frame):
                    return frame

    async def next(self) -> Frame:
        """Return the next frame. A question whether the guest is there is answered. Raise ConnectionClosed."""
        frame: Frame = json.loads(await self.socket.recv())
        self.arrived.append(frame)
        if frame.get("type") == "question":
            await self.socket.send(
                json.dumps({"action": "here", **{key: frame[key] for key in ("what", "id", "number")}})
            )
        return frame

    async def ended(self, seconds: float) -> tuple[float, int] | None:
        """Read until the connection ends. Return after how many seconds and with which code; None if it does not."""
        started = time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                while True:
                    await self.next()
        except ConnectionClosed as closed:
            return time.monotonic() - started, closed.rcvd.code if closed.rcvd else 1006
        except TimeoutError:
            return None

    async def delete(self) -> None:
        """Delete the guest. Raise ConnectionClosed, TimeoutError, or NotAnswered if it plays."""
        await self.ask("deleteMe", confirm=True)

    def abort(self) -> None:
        """End the TCP connection without a word of WebSocket, as a crash does."""
        self.socket.transport.abort()


@dataclass(frozen=True)
class Stage:
    """The stage under test. Without a `stack`, everything that needs AWS's APIs raises NotAnswered."""

    url: str
    stack: str | None = None
    region: str | None = None
    limits: Limits = Limits()
    started: float = field(default_factory=time.time)

    @asynccontextmanager
    async def visitor(self) -> AsyncIterator[Visitor]:
        """Connect and sign in as a new guest, and delete the guest at the end, if its connection is still there."""
        async with connect(self.url, ping_interval=None, open_timeout=30) as socket:
            visitor = Visitor(socket)
            visitor.player_id = (await visitor.ask("hello"))["you"]["player_id"]
            try:
                yield visitor
            finally:
                # The guest of a dead connection stays, as every guest does, for a year.
                with suppress(ConnectionClosed, TimeoutError, NotAnswered, OSError):
                    await visitor.delete()

    def client(self, service: str, **options: Any) -> Any:
        """Return a client of an AWS service. Raise NotAnswered without a stack."""
        import boto3

        if self.stack is None:
            raise NotAnswered("give --stack, and credentials for its account")
        return boto3.client(service, region_name=self.region, **options)  # type: ignore[call-overload]

    @cached_property
    def ids(self) -> dict[str, str]:
        """The physical ids of the stack's resources."""
        pages = self.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=self.stack)
        return {
            one["LogicalResourceId"]: one["PhysicalResourceId"]
            for page in pages
            for one in page["StackResourceSummaries"]
            if "PhysicalResourceId" in one
        }

    @cached_property
    def environment(self) -> dict[str, str]:
        """The environment of the functions."""
        name = self.ids["DuelFunction"]
        found: dict[str, str] = self.client("lambda").get_function_configuration(FunctionName=name)["Environment"][
            "Variables"
        ]
        return found

    @cached_property
    def pushes(self) -> Any:
        """The client that pushes to connections of this stage."""
        return self.client("apigatewaymanagementapi", endpoint_url=self.environment["PUSH_ENDPOINT"])

    async def connection_of(self, visitor: Visitor) -> str:
        """Return the id of a visitor's connection, which only the table knows."""
        table, key = self.environment["PLAYERS_TABLE"], {"player_id": {"S": visitor.player_id}}
        dynamodb = self.client("dynamodb")
        item = (await in_thread(lambda: dynamodb.get_item(TableName=table, Key=key, ConsistentRead=True)))["Item"]
        return next(str(value["S"]) for name, value in _leaves(item) if name == "connection_id")

    async def push(self, connection_id: str, data: dict[str, Any]) -> bool:
        """Push to a connection. Return False if it is gone (410)."""
        try:
            await in_thread(
                lambda: self.pushes.post_to_connection(ConnectionId=connection_id, Data=json.dumps(data).encode())
            )
        except self.pushes.exceptions.GoneException:
            return False
        return True

    async def gone_after(self, connection_id: str, since: float) -> float | None:
        """Push until the connection is gone. Return the seconds since then; None if it is not gone in time."""
        while time.monotonic() - since < self.limits.gone:
            if not await self.push(connection_id, {"type": "verify"}):
                return time.monotonic() - since
            await asyncio.sleep(0.5)
        return None


async def in_thread(call: Callable[[], T]) -> T:
    """Run a blocking call beside the event loop."""
    return await asyncio.to_thread(call)


Check = Callable[[Stage], Awaitable[Finding]]


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every attribute of an item, with its name."""
    if isinstance(value, dict):
        if "S" in value and isinstance(value["S"], str):
            yield name, value
        for key, inner in value.items():
            yield from _leaves(inner, key if key != "M" else name)
