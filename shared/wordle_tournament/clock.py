"""The time of day, as this server knows it."""

import time


def now_ms() -> int:
    """Return the server's time in milliseconds of the Unix epoch."""
    return time.time_ns() // 1_000_000


def seconds_until(time_ms: int, now: int) -> int:
    """Return the whole seconds from `now` that end just past `time_ms`, or 0 if that has passed. Both are in ms."""
    return max(0, -(-(time_ms - now) // 1000))
