"""Frames to clients, sent in parallel: one dead or slow connection never holds up the others.

Frames to one connection arrive in the order in which they were sent here.
"""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from enum import Enum
from functools import cache, partial
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING

from aws_lambda_powertools import Logger

from . import aws, parallel, randomness
from .config import settings
from .metrics import Metric, count

if TYPE_CHECKING:
    from mypy_boto3_apigatewaymanagementapi import ApiGatewayManagementApiClient

logger = Logger(child=True)

ATTEMPT_SECONDS = 0.5
"""The time to connect, and again the time to answer: a frame takes about a second at most."""
AGAIN_WITHIN_SECONDS = 0.2
"""A frame that has failed so soon (a throttle, a connection that was closed) is sent once more."""
PAUSE_SECONDS = 0.05
"""The longest pause before that."""


class Sent(Enum):
    """The result of sending a frame."""

    SENT = "sent"
    STALE = "stale"
    FAILED = "failed"


class _Sending(threading.local):
    """The frames on their way, for each thread: the local stack runs handlers in parallel."""

    def __init__(self) -> None:
        self.frames: list[tuple[str, Future[Sent]]] = []
        self.last: dict[str, Future[Sent]] = {}
        """The last frame of each connection."""


_sending = _Sending()


def make_client() -> None:
    """Make the client now and not with the first frame."""
    _client()


def send(frames: Mapping[str, str]) -> None:
    """Begin to send each connection its frame (JSON text). `finish` waits for all of them."""
    if frames:
        _client()  # made here once, or each thread of a cold start would make its own
    for connection_id, frame in frames.items():
        _start(connection_id, partial(_post, connection_id, frame))


def send_now(connection_id: str, frame: str) -> None:
    """Send the frame in this thread. It waits for frames to the same connection alone."""
    _client()
    before = _sending.last.get(connection_id)
    done: Future[Sent] = Future()
    done.set_result(_after(before, partial(_post, connection_id, frame)))
    _note(connection_id, done)


def close(connection_id: str) -> None:
    """Begin to close the connection if it is still open, after the frames to it. `finish` waits for it."""
    _client()
    _start(connection_id, partial(_close, connection_id))


def finish() -> list[str]:
    """Wait for what was begun in this thread. Return the connections that are stale: API Gateway answered 410.

    A success is no proof of delivery. A failure other than 410 is only logged, since a client can always ask for state.
    """
    stale: dict[str, None] = {}
    _sending.last.clear()
    while _sending.frames:
        connection_id, sending = _sending.frames.pop(0)
        match sending.result():
            case Sent.FAILED:
                count(Metric.PUSH_FAILED)
            case Sent.STALE:
                stale[connection_id] = None
            case Sent.SENT:
                pass
    return list(stale)


def _start(connection_id: str, call: Callable[[], Sent]) -> None:
    _note(connection_id, parallel.start(partial(_after, _sending.last.get(connection_id), call)))


def _note(connection_id: str, sending: "Future[Sent]") -> None:
    _sending.last[connection_id] = sending
    _sending.frames.append((connection_id, sending))


def _after(before: "Future[Sent] | None", call: Callable[[], Sent]) -> Sent:
    """Make the call once the one before, to the same connection, has ended. A stale connection stays stale."""
    if before is not None:
        wait([before])
        if before.exception() is None and before.result() is Sent.STALE:
            return Sent.STALE
    return call()


def _close(connection_id: str) -> Sent:
    from botocore.exceptions import BotoCoreError, ClientError

    client = _client()
    try:
        client.delete_connection(ConnectionId=connection_id)
    except client.exceptions.GoneException:
        pass
    except (ClientError, BotoCoreError) as error:
        logger.warning("a connection was not closed", error=type(error).__name__)
    return Sent.SENT


def _post(connection_id: str, frame: str) -> Sent:
    from botocore.exceptions import BotoCoreError, ClientError

    client = _client()
    began, again = monotonic(), True
    while True:
        try:
            client.post_to_connection(ConnectionId=connection_id, Data=frame.encode())
        except client.exceptions.GoneException:
            return Sent.STALE
        except (ClientError, BotoCoreError) as error:
            if not again or not _is_transient(error) or monotonic() - began > AGAIN_WITHIN_SECONDS:
                logger.warning("a frame was not sent", error=type(error).__name__, to=connection_id)
                return Sent.FAILED
            again = False
            time.sleep(randomness.rng.uniform(0, PAUSE_SECONDS))
        else:
            return Sent.SENT


def _is_transient(error: Exception) -> bool:
    """Return True if the same call may succeed soon: after a throttle, a fault of the server or of the network."""
    answer = getattr(error, "response", None) or {}
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
    return bool(status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR)


@cache
def _client() -> "ApiGatewayManagementApiClient":
    client: ApiGatewayManagementApiClient = aws.make_client(
        "apigatewaymanagementapi",
        endpoint_url=settings().push_endpoint,
        connect_timeout=ATTEMPT_SECONDS,
        read_timeout=ATTEMPT_SECONDS,
        # The standard pause before a second attempt is up to a second.
        retries={"mode": "standard", "total_max_attempts": 1},
        max_pool_connections=parallel.THREADS + 1,
    )
    return client


def reset() -> None:
    """Forget the client. Tests use it when they change the account."""
    _client.cache_clear()
