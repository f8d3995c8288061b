"""AWS calls at the same time, in one pool of threads for the process.

A call that the answer need not wait for goes to the background. `finish` waits for these: Lambda freezes all threads
as soon as a function returns.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import Any, TypeVar

R = TypeVar("R")

THREADS = 16


class _Background(threading.local):
    """The calls in the background, for each thread: the local stack runs handlers in parallel."""

    def __init__(self) -> None:
        self.calls: list[Future[Any]] = []


_background = _Background()


def start(call: Callable[[], R]) -> "Future[R]":
    """Start the call in another thread, whose log lines get the ids of this invocation. Return its future result.

    The call may wait for one that was started before it, and for no other.
    """
    return _pool().submit(copy_context().run, call)


def in_background(call: Callable[[], Any]) -> None:
    """Start a call that raises nothing and whose result nobody needs."""
    _background.calls.append(start(call))


def finish() -> None:
    """Wait for this thread's calls in the background."""
    while _background.calls:
        _background.calls.pop(0).result()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="parallel")
