"""The clients of AWS in this process. All come from one botocore session, whose making is slow.

A function calls `entry.make_clients` when it starts. A process that does not makes each client when it first needs it.
"""

import threading
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from botocore.session import Session

lock = threading.RLock()
"""Held while a client is made: a session supports one thread only (boto3's guide, "Multithreading or multiprocessing
with clients")."""


def session() -> "Session":
    """Return the session of this process."""
    with lock:
        return _session()


def make_client(service: str, *, endpoint_url: str | None = None, **options: Any) -> Any:
    """Return a new client of the service. The `options` are those of botocore's Config."""
    from botocore.config import Config

    with lock:
        return session().create_client(service, endpoint_url=endpoint_url, config=Config(**options))


@cache
def _session() -> "Session":
    from botocore.session import get_session

    return get_session()


def reset() -> None:
    """Forget the session. Tests use it when they change the account."""
    _session.cache_clear()
