"""Frames to clients, sent in parallel: one dead or slow connection never holds up the others."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from enum import Enum
from functools import cache, partial
from typing import TYPE_CHECKING

from aws_lambda_powertools import Logger

from .config import settings
from .metrics import Metric, count

if TYPE_CHECKING:
    from mypy_boto3_apigatewaymanagementapi import ApiGatewayManagementApiClient

logger = Logger(child=True)


class Sent(Enum):
    """The result of sending a frame."""

    SENT = "sent"
    STALE = "stale"
    FAILED = "failed"


SIDE_BY_SIDE = 16


def send(frames: Mapping[str, str]) -> frozenset[str]:
    """Send each connection its frame (JSON text). Return the stale connections: API Gateway answered 410.

    A success is no proof of delivery. A failure other than 410 is only logged, since a client can always ask for state.
    """
    if len(frames) <= 1:
        sent = {connection: _post(connection, frame) for connection, frame in frames.items()}
    else:
        _client()  # made here once, or each thread of a cold start would make its own
        # The log lines of a thread get the invocation's ids too.
        posted = {
            connection: _pool().submit(copy_context().run, partial(_post, connection, frame))
            for connection, frame in frames.items()
        }
        sent = {connection: how.result() for connection, how in posted.items()}
    for how in sent.values():
        if how is Sent.FAILED:
            count(Metric.PUSH_FAILED)
    return frozenset(connection for connection, how in sent.items() if how is Sent.STALE)


def close(connection_id: str) -> None:
    """Close the connection if it is still open."""
    from botocore.exceptions import BotoCoreError, ClientError

    client = _client()
    try:
        client.delete_connection(ConnectionId=connection_id)
    except client.exceptions.GoneException:
        pass
    except (ClientError, BotoCoreError) as error:
        logger.warning("a connection was not closed", error=type(error).__name__)


def _post(connection_id: str, frame: str) -> Sent:
    from botocore.exceptions import BotoCoreError, ClientError

    client = _client()
    try:
        client.post_to_connection(ConnectionId=connection_id, Data=frame.encode())
    except client.exceptions.GoneException:
        return Sent.STALE
    except (ClientError, BotoCoreError) as error:
        logger.warning("a frame was not sent", error=type(error).__name__, to=connection_id)
        return Sent.FAILED
    return Sent.SENT


@cache
def _client() -> "ApiGatewayManagementApiClient":
    import boto3
    from botocore.config import Config

    return boto3.client(
        "apigatewaymanagementapi",
        endpoint_url=settings().push_endpoint,
        config=Config(
            connect_timeout=1,
            read_timeout=2,
            retries={"mode": "standard", "total_max_attempts": 2},
            max_pool_connections=SIDE_BY_SIDE,
        ),
    )


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="push")


def reset() -> None:
    """Forget the client. Tests use it when they change the account."""
    _client.cache_clear()
