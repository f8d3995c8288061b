"""AWS calls at the same time, in one pool of threads for the process.

A call that the answer need not wait for goes to the background. `finish` waits for these: Lambda freezes all threads
as soon as a function returns.
"""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import cache
from typing import Any, TypeVar, overload

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
R = TypeVar("R")

THREADS = 16


class _Background(threading.local):
    """The calls in the background, for each thread: the local stack runs handlers in parallel."""

    def __init__(self) -> None:
        self.calls: list[Future[Any]] = []
        self.to_end: list[Future[Any]] = []
        """Those whose result nobody takes before `finish`."""


_background = _Background()


def start(call: Callable[[], R]) -> "Future[R]":
    """Start the call in another thread, whose log lines get the ids of this invocation. Return its future result.

    The call may wait for one that was started before it, and for no other.
    """
    started = _pool().submit(copy_context().run, call)
    _background.calls.append(started)
    return started


@overload
def at_once(one: Callable[[], A], two: Callable[[], B], /) -> tuple[A, B]: ...
@overload
def at_once(one: Callable[[], A], two: Callable[[], B], three: Callable[[], C], /) -> tuple[A, B, C]: ...
def at_once(*calls: Callable[[], Any]) -> tuple[Any, ...]:
    """Make the calls at the same time, the last of them in this thread. Return their results.

    Raises the error of the first call that failed, once all have ended.
    """
    return tuple(each(calls))


def each(calls: Iterable[Callable[[], R]]) -> list[R]:
    """Make the calls at the same time, as `at_once` does."""
    every = list(calls)
    if not every:
        return []
    *others, last = every
    started = [start(call) for call in others]
    own = _done(last)
    for number, call in enumerate(others):
        queued = started[number]
        # The pool has no thread for it yet. If all of its threads waited here, none would ever come.
        if queued.cancel():
            _background.calls.remove(queued)
            started[number] = _done(call)
    wait(started)
    return [one.result() for one in (*started, own)]


def _done(call: Callable[[], R]) -> "Future[R]":
    done: Future[R] = Future()
    try:
        done.set_result(call())
    except Exception as error:
        done.set_exception(error)
    return done


def in_background(call: Callable[[], Any]) -> None:
    """Start a call whose result nobody needs. `finish` raises its errors."""
    _background.to_end.append(start(call))


def finish() -> None:
    """Wait for all calls that this thread has started."""
    while _background.calls:
        wait([_background.calls.pop()])
    while _background.to_end:
        _background.to_end.pop().result()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="parallel")
