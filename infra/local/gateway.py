"""A WebSocket gateway that behaves as Amazon API Gateway does where clients and handlers can tell.

Sources, all of the API Gateway developer guide: limits and close code 1009, "Quotas for configuring and
running a WebSocket"; close code 1003, "Binary media types for WebSocket APIs"; routes and `$default`,
"Routes for WebSocket APIs"; `$connect` before the connection, `$disconnect` after it and only at best
effort, "Manage connected users and client apps"; pushes, "Use @connections commands". The shape of
events and of error frames follows what the service sends.

Not known from any page, so chosen here: a connection closed through DELETE @connections gets 1000. GetConnection is
missing: no page says what its LastActiveAt means.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import logging
import secrets
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from starlette.responses import JSONResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from infra.local.aws import MAX_MESSAGE_BYTES, GoneError

MAX_FRAME_BYTES = 32 * 1024
"""The largest inbound WebSocket frame. Larger frames and messages close the connection with 1009."""
MAX_SIZES = (MAX_MESSAGE_BYTES, MAX_FRAME_BYTES)
"""In the form of the websockets library. The server parses the frames, so it must get these limits."""
CONCURRENCY = 64
"""How many handlers may run at once, for all connections together."""
IN_FLIGHT = 4
"""How many messages of one connection may be handled at once. Its next ones are not read from the socket until one of
them is done, so that a connection that floods delays itself and nobody else. AWS has no such limit."""

logger = logging.getLogger(__name__)

Invoke = Callable[[str, Any], Any]
"""(route key, event) -> the handler's result; raises the handler's exception."""


@dataclass(eq=False)
class _Connection:
    id: str
    websocket: WebSocket
    loop: asyncio.AbstractEventLoop
    source_ip: str
    peer: tuple[str, int]
    headers: dict[str, str]
    connected_ms: int = field(default_factory=lambda: _now_ms())
    last_used: float = field(default_factory=time.monotonic)
    outbox: asyncio.Queue[str | tuple[int, str]] = field(default_factory=asyncio.Queue)
    """Texts to send, in order; a pair is the close code and reason that end it."""
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(IN_FLIGHT))
    cut: bool = False
    deleted: bool = False
    """True from DeleteConnection on: what the client has sent since, or was not handled yet, goes nowhere."""

    def put(self, output: str | tuple[int, str]) -> None:
        """Queue a text or a close frame, from any thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: there is no connection any more
            self.loop.call_soon_threadsafe(self.outbox.put_nowait, output)


class Gateway:
    """Serve the WebSockets, and receive the pushes (infra.local.aws.Connections).

    `routes` are the existing route keys. A connection is closed with 1001 after `idle_seconds` without a message either
    way, or after `lifetime_seconds` in all. While `deliver_disconnects` is False, `$disconnect` is never called, which
    may happen with the real service.
    """

    def __init__(
        self,
        routes: frozenset[str],
        invoke: Invoke,
        *,
        route_selection: str = "action",
        api_id: str = "local",
        stage: str = "dev",
        idle_seconds: float = 600,
        lifetime_seconds: float = 7200,
    ) -> None:
        self.deliver_disconnects = True
        self.throttled = 0
        """So many messages are turned away from now on, as by a route's throttle. A `hello` passes."""
        self._routes = routes
        self._invoke = invoke
        self._route_selection = route_selection
        self._api_id = api_id
        self._stage = stage
        self._idle_seconds = idle_seconds
        self._lifetime_seconds = lifetime_seconds
        self._open: dict[str, _Connection] = {}
        self._pool = ThreadPoolExecutor(CONCURRENCY, thread_name_prefix="lambda")
        self._stopping = threading.Event()
        self._tasks: set[asyncio.Future[Any]] = set()

    # -- for tests -------------------------------------------------------------------------------

    def connection_ids(self) -> list[str]:
        """Return the open connections, oldest first."""
        return list(self._open)

    def connection_of(self, local_address: tuple[Any, ...]) -> str:
        """Return the id of the connection whose client has this (host, port, ...) as its own address."""
        for connection in list(self._open.values()):
            if connection.peer[1] == local_address[1]:
                return connection.id
        raise GoneError(str(local_address))

    def pull_cable(self, connection_id: str) -> None:
        """Cut a connection: from now on nothing arrives either way, yet it still counts as open.

        Pushes succeed but arrive nowhere. The client's messages and even its close are never seen. Only the idle
        time-out ends the connection.
        """
        self._find(connection_id).cut = True

    # -- pushes, called from handlers' threads ---------------------------------------------------

    def post(self, connection_id: str, data: bytes) -> None:
        """Do PostToConnection. Raise GoneError for a connection that is not open, or not yet."""
        connection = self._find(connection_id)
        connection.last_used = time.monotonic()
        connection.put(data.decode(errors="replace"))

    def delete(self, connection_id: str) -> None:
        """Do DeleteConnection: earlier pushes still go out."""
        connection = self._find(connection_id)
        connection.deleted = True
        connection.put((1000, "Connection closed by the server"))

    def _find(self, connection_id: str) -> _Connection:
        connection = self._open.get(connection_id)
        if connection is None:
            raise GoneError(connection_id)
        return connection

    # -- one connection, on the event loop -------------------------------------------------------

    async def serve(self, websocket: WebSocket) -> None:
        """Serve one connection from its handshake to its end; the endpoint to mount."""
        client = websocket.client
        connection = _Connection(
            id=base64.urlsafe_b64encode(secrets.token_bytes(11)).decode(),
            websocket=websocket,
            loop=asyncio.get_running_loop(),
            source_ip=client.host if client else "127.0.0.1",
            peer=(client.host, client.port) if client else ("", 0),
            headers=dict(websocket.headers),
        )
        if not await self._connect(connection):
            return
        # Only now does the connection exist: a push from inside $connect is answered 410.
        self._open[connection.id] = connection
        await websocket.accept()
        writer = asyncio.create_task(self._write(connection))
        code, reason = 1006, ""
        try:
            code, reason = await self._listen(connection)
        finally:
            writer.cancel()
            self._open.pop(connection.id, None)
            await self._disconnect(connection, code, reason)

    async def _connect(self, connection: _Connection) -> bool:
        """Call `$connect`. Refuse the handshake with its status unless that is 2xx."""
        if "$connect" not in self._routes:
            return True
        event = self._event(connection, "$connect", "CONNECT")
        event["headers"] = connection.headers
        event["multiValueHeaders"] = {key: [value] for key, value in connection.headers.items()}
        if query := dict(connection.websocket.query_params):
            event["queryStringParameters"] = query
            event["multiValueQueryStringParameters"] = {key: [value] for key, value in query.items()}
        status = await self._run("$connect", event)
        if status is not None and 200 <= status < 300:
            return True
        body = {"message": "Forbidden" if status else "Internal server error"}
        body |= {"connectionId": connection.id, "requestId": event["requestContext"]["requestId"]}
        with contextlib.suppress(WebSocketDisconnect):
            await connection.websocket.send_denial_response(JSONResponse(body, status or 502))
        return False

    async def _listen(self, connection: _Connection) -> tuple[int, str]:
        """Take messages until the connection ends. Return the code and reason of its end."""
        websocket = connection.websocket
        ends = time.monotonic() + self._lifetime_seconds
        ending = False
        while True:
            left = min(connection.last_used + self._idle_seconds, ends) - time.monotonic()
            try:
                message = await asyncio.wait_for(websocket.receive(), None if ending else max(left, 0))
            except TimeoutError:
                if time.monotonic() < min(connection.last_used + self._idle_seconds, ends):
                    continue  # it was pushed to meanwhile
                if connection.cut:
                    return 1001, "Going away"
                connection.outbox.put_nowait((1001, "Going away"))
                ending = True
                continue
            if message["type"] == "websocket.disconnect":
                if connection.cut:
                    await self._lie_idle(connection, ends)
                    return 1001, "Going away"
                return int(message.get("code") or 1005), str(message.get("reason") or "")
            if connection.cut or connection.deleted or ending:
                continue
            connection.last_used = time.monotonic()
            text = message.get("text")
            if text is None:
                connection.outbox.put_nowait((1003, "Binary frames are not supported"))
                ending = True
                continue
            await connection.slots.acquire()
            if connection.deleted:
                connection.slots.release()
                continue
            # Not awaited: messages of one connection may well be handled side by side.
            handling = asyncio.ensure_future(self._handle(connection, text))
            handling.add_done_callback(lambda _: connection.slots.release())
            self._keep(handling)

    async def _lie_idle(self, connection: _Connection, ends: float) -> None:
        """Keep a cut connection open after its socket has ended, until it times out."""
        while not self._stopping.is_set():
            left = min(connection.last_used + self._idle_seconds, ends) - time.monotonic()
            if left <= 0:
                return
            await asyncio.sleep(min(left, 0.1))

    async def _write(self, connection: _Connection) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                output = await connection.outbox.get()
                if connection.cut:
                    continue
                if isinstance(output, tuple):
                    await connection.websocket.close(*output)
                    return
                await connection.websocket.send_text(output)

    async def _handle(self, connection: _Connection, text: str) -> None:
        """Run one message through the route that it selects."""
        route = self._select(text)
        event = self._event(connection, route or "$default", "MESSAGE")
        event["requestContext"]["messageId"] = _request_id()
        event["body"] = text
        if self.throttled > 0 and route != "hello":
            self.throttled -= 1
            self._complain(connection, "Too Many Requests", event)
        elif route is None:
            self._complain(connection, "Forbidden", event)
        elif await self._run(route, event) is None:
            self._complain(connection, "Internal server error", event)

    async def _disconnect(self, connection: _Connection, code: int, reason: str) -> None:
        if "$disconnect" not in self._routes or not self.deliver_disconnects:
            return
        if self._stopping.is_set():
            return
        event = self._event(connection, "$disconnect", "DISCONNECT")
        event["headers"] = {"Host": connection.headers.get("host", ""), "x-api-key": ""}
        event["requestContext"] |= {"disconnectStatusCode": code, "disconnectReason": reason}
        # Not awaited: the socket has ended, whatever the result.
        self._keep(asyncio.ensure_future(self._run("$disconnect", event)))

    # -- routes ----------------------------------------------------------------------------------

    def _select(self, text: str) -> str | None:
        """Return the route of a message; None if there is none and no `$default` either."""
        key = None
        with contextlib.suppress(ValueError, RecursionError):
            body = json.loads(text, parse_constant=_refuse_constant)
            key = body.get(self._route_selection) if isinstance(body, dict) else None
        # The three predefined routes cannot be asked for by a message.
        if isinstance(key, str) and key in self._routes and not key.startswith("$"):
            return key
        return "$default" if "$default" in self._routes else None

    async def _run(self, route: str, event: dict[str, Any]) -> int | None:
        """Return the handler's statusCode; None when it raised or returned none, which is a 5xx here."""
        try:
            loop = asyncio.get_running_loop()
            result = await loop.run_in_executor(self._pool, self._invoke, route, event)
        except Exception:
            logger.warning("route %s failed", route)
            return None
        status = result.get("statusCode") if isinstance(result, dict) else None
        if not isinstance(status, int):
            logger.warning("route %s returned no statusCode", route)
            return None
        return status

    def _complain(self, connection: _Connection, message: str, event: dict[str, Any]) -> None:
        request_id = event["requestContext"]["requestId"]
        body = {"message": message, "connectionId": connection.id, "requestId": request_id}
        connection.outbox.put_nowait(json.dumps(body))

    def _event(self, connection: _Connection, route: str, event_type: str) -> dict[str, Any]:
        now_ms = _now_ms()
        return {
            "requestContext": {
                "routeKey": route,
                "eventType": event_type,
                "messageDirection": "IN",
                "connectionId": connection.id,
                "connectedAt": connection.connected_ms,
                "requestId": _request_id(),
                "extendedRequestId": _request_id(),
                "requestTime": datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000"),
                "requestTimeEpoch": now_ms,
                "identity": {
                    "sourceIp": connection.source_ip,
                    "userAgent": connection.headers.get("user-agent", ""),
                },
                "domainName": f"{self._api_id}.execute-api.us-east-1.amazonaws.com",
                "stage": self._stage,
                "apiId": self._api_id,
            },
            "isBase64Encoded": False,
        }

    # -- life ------------------------------------------------------------------------------------

    def _keep(self, task: asyncio.Future[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def begin_stopping(self) -> None:
        """Stop calling `$disconnect`; connections may be closed now."""
        self._stopping.set()

    def stop(self) -> None:
        """Wait for the handlers that still run."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _request_id() -> str:
    return base64.urlsafe_b64encode(uuid.uuid4().bytes[:11]).decode()
