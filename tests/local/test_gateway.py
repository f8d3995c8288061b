"""The gateway against real WebSocket clients: what API Gateway does, it does too."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from infra.local.gateway import IN_FLIGHT
from infra.local.stack import LocalStack

OK = {"statusCode": 200}


def push(event: Any, message: Any) -> None:
    """Send `message` to the connection that `event` came from, as a handler would."""
    context = event["requestContext"]
    client = boto3.client(
        "apigatewaymanagementapi",
        endpoint_url=f"https://{context['domainName']}/{context['stage']}",
    )
    client.post_to_connection(ConnectionId=context["connectionId"], Data=json.dumps(message).encode())


def echo(event: Any, context: Any) -> Any:
    """Pushes back the route it was reached by and the body."""
    push(event, {"route": event["requestContext"]["routeKey"], "body": event["body"]})
    return OK


class Door:
    """Fake handlers for a few routes; keeps the events of $connect and $disconnect."""

    def __init__(self) -> None:
        self.connects: queue.Queue[Any] = queue.Queue()
        self.disconnects: queue.Queue[Any] = queue.Queue()
        self.status = 200
        self.push_in_connect = ""
        self.meet = threading.Barrier(2)

    def connect(self, event: Any, context: Any) -> Any:
        self.connects.put(event)
        try:
            push(event, {"too": "early"})
        except ClientError as error:
            self.push_in_connect = error.response["Error"]["Code"]
        return {"statusCode": self.status}

    def disconnect(self, event: Any, context: Any) -> Any:
        try:
            push(event, {"too": "late"})
        except ClientError as error:
            event["push"] = error.response["Error"]["Code"]
        self.disconnects.put(event)
        return OK

    def break_down(self, event: Any, context: Any) -> Any:
        raise RuntimeError("secret detail")

    def forget_status(self, event: Any, context: Any) -> Any:
        return None

    def wait_for_another(self, event: Any, context: Any) -> Any:
        self.meet.wait(timeout=10)
        return echo(event, context)

    def hang_up(self, event: Any, context: Any) -> Any:
        push(event, {"good": "bye"})
        client = boto3.client(
            "apigatewaymanagementapi", endpoint_url="https://local.execute-api.us-east-1.amazonaws.com/dev"
        )
        client.delete_connection(ConnectionId=event["requestContext"]["connectionId"])
        return OK

    def handlers(self) -> dict[str, Any]:
        return {
            "$connect": self.connect,
            "$disconnect": self.disconnect,
            "$default": echo,
            "ping": echo,
            "guess": self.break_down,
            "join": self.forget_status,
            "sync": self.wait_for_another,
            "leave": self.hang_up,
        }


def replace(stack: LocalStack, route: str, handler: Any) -> None:
    """Have this handler answer the route; the function's other routes stay as they are."""
    name = stack.template.functions[stack.template.routes[route]].name
    others = stack.aws.functions[name]

    def choose(event: Any, context: Any) -> Any:
        return (handler if event["requestContext"]["routeKey"] == route else others)(event, context)

    stack.aws.functions[name] = choose


@pytest.fixture
def door() -> Door:
    return Door()


@pytest.fixture
def stack(door: Door) -> Iterator[LocalStack]:
    with LocalStack(handlers=door.handlers()) as running:
        yield running


async def take(websocket: ClientConnection) -> Any:
    return json.loads(await asyncio.wait_for(websocket.recv(), 10))


async def closed_with(websocket: ClientConnection) -> int | None:
    with pytest.raises(ConnectionClosed) as caught:
        await asyncio.wait_for(websocket.recv(), 10)
    return caught.value.rcvd.code if caught.value.rcvd else None


def fetch(url: str) -> bytes:
    with urllib.request.urlopen(url) as response:
        return bytes(response.read())


async def test_an_action_selects_its_route(stack: LocalStack) -> None:
    async with connect(stack.ws_url) as websocket:
        body = '{"action": "ping", "ref": "é"}'
        await websocket.send(body)
        assert await take(websocket) == {"route": "ping", "body": body}


@pytest.mark.parametrize(
    "body",
    [
        "",
        "null",
        "1",
        "[]",
        '{"action": "pi',
        '{"action": "unheard of"}',
        '{"action": 7}',
        '{"action": {"action": "ping"}}',
        '{"action": "$connect"}',
        '{"other": "ping"}',
        '{"action": "ping", "n": NaN}',
        "[" * 5000,
        '{"action": "ping' + "\u202e" + '"}',
    ],
)
async def test_whatever_selects_no_route_goes_to_default(stack: LocalStack, body: str) -> None:
    async with connect(stack.ws_url) as websocket:
        await websocket.send(body)
        assert await take(websocket) == {"route": "$default", "body": body}


async def test_without_default_such_a_message_is_forbidden(stack: LocalStack) -> None:
    stack.gateway._routes = frozenset({"ping"})
    async with connect(stack.ws_url) as websocket:
        await websocket.send("hello?")
        answer = await take(websocket)
        assert answer["message"] == "Forbidden"
        assert set(answer) == {"message", "connectionId", "requestId"}


@pytest.mark.parametrize("action", ["guess", "join", "rename"])
async def test_a_failing_handler_is_an_internal_server_error(stack: LocalStack, action: str) -> None:
    async with connect(stack.ws_url) as websocket:
        await websocket.send(json.dumps({"action": action}))
        answer = await take(websocket)
        assert answer["message"] == "Internal server error"
        assert answer["connectionId"] in stack.gateway.connection_ids()
        assert "secret" not in json.dumps(answer)
        # The connection lives on.
        await websocket.send('{"action": "ping"}')
        assert (await take(websocket))["route"] == "ping"


async def test_connect_comes_before_the_connection(stack: LocalStack, door: Door) -> None:
    async with connect(stack.ws_url + "?language=en", additional_headers={"X-Test": "1"}):
        event = door.connects.get(timeout=10)
    assert door.push_in_connect == "GoneException"
    assert event["requestContext"]["eventType"] == "CONNECT"
    assert event["headers"]["x-test"] == "1"
    assert event["queryStringParameters"] == {"language": "en"}


async def test_connect_can_refuse(stack: LocalStack, door: Door) -> None:
    door.status = 403
    with pytest.raises(InvalidStatus) as caught:
        await connect(stack.ws_url)
    assert caught.value.response.status_code == 403
    assert stack.gateway.connection_ids() == []


async def test_events_have_the_shape_of_the_real_ones(stack: LocalStack) -> None:
    seen: queue.Queue[Any] = queue.Queue()

    def keep(event: Any, context: Any) -> Any:
        seen.put(event)
        return OK

    replace(stack, "ping", keep)
    async with connect(stack.ws_url) as websocket:
        await websocket.send('{"action": "ping"}')
        event = await asyncio.to_thread(seen.get, timeout=10)
        (connection_id,) = stack.gateway.connection_ids()
    context = event.pop("requestContext")
    assert event == {"body": '{"action": "ping"}', "isBase64Encoded": False}
    assert set(context) == {
        "routeKey",
        "messageId",
        "eventType",
        "messageDirection",
        "connectionId",
        "connectedAt",
        "requestId",
        "extendedRequestId",
        "requestTime",
        "requestTimeEpoch",
        "identity",
        "domainName",
        "stage",
        "apiId",
    }
    assert context["eventType"] == "MESSAGE"
    assert context["connectionId"] == connection_id
    assert context["identity"]["sourceIp"] == "127.0.0.1"
    assert context["requestTimeEpoch"] >= context["connectedAt"]


async def test_disconnect_comes_when_the_connection_is_gone(stack: LocalStack, door: Door) -> None:
    async with connect(stack.ws_url) as websocket:
        (connection_id,) = stack.gateway.connection_ids()
        await websocket.close(4001, "bye")
    event = await asyncio.to_thread(door.disconnects.get, timeout=10)
    context = event["requestContext"]
    assert context["connectionId"] == connection_id
    assert (context["eventType"], context["routeKey"]) == ("DISCONNECT", "$disconnect")
    assert (context["disconnectStatusCode"], context["disconnectReason"]) == (4001, "bye")
    assert event["push"] == "GoneException"


async def test_disconnect_may_be_lost(stack: LocalStack, door: Door) -> None:
    stack.gateway.deliver_disconnects = False
    async with connect(stack.ws_url):
        assert len(stack.gateway.connection_ids()) == 1
    while stack.gateway.connection_ids():
        await asyncio.sleep(0.01)
    stack.gateway.deliver_disconnects = True
    async with connect(stack.ws_url) as websocket:
        await websocket.close(4002)
    event = await asyncio.to_thread(door.disconnects.get, timeout=10)
    assert event["requestContext"]["disconnectStatusCode"] == 4002
    assert door.disconnects.empty()


async def test_a_pulled_cable_leaves_the_connection_open_and_dumb(stack: LocalStack, door: Door) -> None:
    async with connect(stack.ws_url) as websocket:
        connection_id = stack.gateway.connection_of(websocket.local_address)
        stack.gateway.pull_cable(connection_id)
        await websocket.send('{"action": "ping"}')
        stack.gateway.post(connection_id, b"into nowhere")
    async with connect(stack.ws_url) as other:
        await other.send('{"action": "ping"}')
        await take(other)
    assert connection_id in stack.gateway.connection_ids()
    event = await asyncio.to_thread(door.disconnects.get, timeout=10)
    assert event["requestContext"]["connectionId"] != connection_id


async def test_messages_of_one_connection_are_handled_side_by_side(stack: LocalStack) -> None:
    async with connect(stack.ws_url) as websocket:
        await websocket.send('{"action": "sync", "n": 1}')
        await websocket.send('{"action": "sync", "n": 2}')
        answers = [await take(websocket), await take(websocket)]
    assert {json.loads(answer["body"])["n"] for answer in answers} == {1, 2}


async def test_a_flood_waits_for_itself_and_for_nobody_else(stack: LocalStack) -> None:
    """A hundred messages of one connection fill its own slots; another's is answered while all of them wait."""
    begun: queue.Queue[str] = queue.Queue()
    go_on = threading.Event()

    def wait(event: Any, context: Any) -> Any:
        begun.put(event["requestContext"]["connectionId"])
        go_on.wait(timeout=30)
        return echo(event, context)

    replace(stack, "leave", wait)
    async with connect(stack.ws_url) as flooding, connect(stack.ws_url) as patient:
        for number in range(100):
            await flooding.send(json.dumps({"action": "leave", "n": number}))
        for _ in range(IN_FLIGHT):
            await asyncio.to_thread(begun.get, timeout=10)
        await patient.send('{"action": "ping"}')
        assert (await take(patient))["route"] == "ping"
        assert begun.empty()
        go_on.set()
        answers = [json.loads((await take(flooding))["body"])["n"] for _ in range(100)]
    assert sorted(answers) == list(range(100))


async def test_nothing_is_handled_after_the_server_hung_up(stack: LocalStack) -> None:
    """A flood lies in buffers when its connection is deleted. Only what was in flight then is still handled."""
    handled: queue.Queue[int] = queue.Queue()

    def count(event: Any, context: Any) -> Any:
        handled.put(1)
        return OK

    replace(stack, "leave", count)
    async with connect(stack.ws_url) as flooding, connect(stack.ws_url) as patient:
        connection_id = stack.gateway.connection_of(flooding.local_address)
        stack.gateway.delete(connection_id)
        for number in range(50):
            with suppress(ConnectionClosed):
                await flooding.send(json.dumps({"action": "leave", "n": number}))
        assert await closed_with(flooding) == 1000
        await patient.send('{"action": "ping"}')
        assert (await take(patient))["route"] == "ping"
    assert handled.empty()


async def test_frames_over_32_kilobytes_close_with_1009(stack: LocalStack) -> None:
    async with connect(stack.ws_url) as websocket:
        body = "x" * 32_768
        await websocket.send(body)
        assert (await take(websocket))["body"] == body
        await websocket.send("x" * 32_769)
        assert await closed_with(websocket) == 1009


async def test_messages_over_128_kilobytes_close_with_1009(stack: LocalStack) -> None:
    def measure(event: Any, context: Any) -> Any:
        push(event, {"length": len(event["body"])})
        return OK

    replace(stack, "$default", measure)
    async with connect(stack.ws_url) as websocket:
        await websocket.send(["x" * 32_768] * 4)
        assert await take(websocket) == {"length": 131_072}
        await websocket.send(["x" * 32_768] * 4 + ["x"])
        assert await closed_with(websocket) == 1009


async def test_binary_frames_close_with_1003(stack: LocalStack) -> None:
    async with connect(stack.ws_url) as websocket:
        await websocket.send(b"{}")
        assert await closed_with(websocket) == 1003


async def test_the_server_can_hang_up_after_what_it_said(stack: LocalStack, door: Door) -> None:
    async with connect(stack.ws_url) as websocket:
        await websocket.send('{"action": "leave"}')
        assert await take(websocket) == {"good": "bye"}
        assert await closed_with(websocket) == 1000
    await asyncio.to_thread(door.disconnects.get, timeout=10)


async def test_idle_connections_go_away(door: Door) -> None:
    with LocalStack(handlers=door.handlers(), idle_seconds=0.3) as stack:
        async with connect(stack.ws_url) as websocket:
            for _ in range(3):
                await asyncio.sleep(0.15)
                await websocket.send('{"action": "ping"}')
                await take(websocket)
            assert await closed_with(websocket) == 1001
        event = await asyncio.to_thread(door.disconnects.get, timeout=10)
        assert event["requestContext"]["disconnectReason"] == "Going away"


async def test_no_connection_outlives_its_lifetime(door: Door) -> None:
    with LocalStack(handlers=door.handlers(), lifetime_seconds=0.5) as stack:
        async with connect(stack.ws_url) as websocket:
            with suppress(ConnectionClosed):
                while True:
                    await websocket.send('{"action": "ping"}')
                    await take(websocket)
            assert websocket.close_code == 1001


async def test_health_and_stopping_with_open_connections(door: Door) -> None:
    stack = LocalStack(handlers=door.handlers())
    stack.start()
    async with connect(stack.ws_url) as websocket:
        assert await asyncio.to_thread(fetch, stack.http_url + "health") == b'{"status":"ok"}'
        await asyncio.to_thread(stack.stop)
        await closed_with(websocket)
    assert door.disconnects.empty()


def test_a_browser_asks_each_time_for_the_page_and_shows_it_in_no_other_sites_frame() -> None:
    with LocalStack(handlers={}) as stack:
        for file in ("", "main.js", "style.css"):
            with urllib.request.urlopen(stack.http_url + file) as answer:
                assert answer.headers["Cache-Control"] == "no-cache"
                assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
