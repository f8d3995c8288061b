"""One client of DynamoDB for all tables, on the session that push and the timers use too.

PynamoDB 6.1 makes a session and a client for each model, and has no setting for that (its issues 422 and 1245). So the
models get a connection of ours. It replaces two public properties of `Connection`, and one private method of `Model`;
`tests/integration/budgets/test_clients.py` fails when a new version no longer asks them.
"""

from functools import cache
from typing import Any

from pynamodb.connection import Connection, TableConnection
from pynamodb.models import Model

from .. import aws

CONNECT_SECONDS, READ_SECONDS = 1, 3
RETRIES, POOL = 3, 25
"""Bounded waits and retries, so that a call fails well before its function does."""


class SharedConnection(Connection):
    """A connection that knows the keys of its own tables, and calls by the client that all share."""

    @property
    def client(self) -> Any:
        return _first().client


class _FirstConnection(Connection):
    """The connection that makes the client."""

    @property
    def session(self) -> Any:
        return aws.session()

    @property
    def client(self) -> Any:
        with aws.lock:
            return super().client


class Record(Model):
    """The base of all tables."""

    @classmethod
    def _get_connection(cls) -> TableConnection:
        table = super()._get_connection()
        if not isinstance(table.connection, SharedConnection):
            shared = SharedConnection()
            shared.add_meta_table(table.get_meta_table())
            table.connection = shared
        return table


def make_client() -> None:
    """Make the client now and not in the first call."""
    _ = _first().client


@cache
def _first() -> _FirstConnection:
    return _FirstConnection(
        connect_timeout_seconds=CONNECT_SECONDS,
        read_timeout_seconds=READ_SECONDS,
        max_retry_attempts=RETRIES,
        max_pool_connections=POOL,
    )


def reset() -> None:
    """Forget the client. Tests use it when they change the account."""
    _first.cache_clear()
