"""The time of day, as this server knows it."""

import threading
import time

_woken = threading.Event()


def now_ms() -> int:
    """Return the server's time in milliseconds of the Unix epoch."""
    return time.time_ns() // 1_000_000


def seconds_until(time_ms: int, now: int) -> int:
    """Return the whole seconds from `now` that end just past `time_ms`, or 0 if that has passed. Both are in ms."""
    return max(0, -(-(time_ms - now) // 1000))


def sleep(seconds: float) -> None:
    """Wait so long, or until `wake` is called."""
    _woken.wait(seconds)


def wake() -> None:
    """End every `sleep` from now on. The one-process stack does that when it stops."""
    _woken.set()


def rest() -> None:
    """Let `sleep` wait again."""
    _woken.clear()
