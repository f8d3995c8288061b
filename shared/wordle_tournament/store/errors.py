"""The store's own errors, into which AWS's are translated in this one place."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from pynamodb.exceptions import PynamoDBException, TransactWriteError

from .. import randomness
from ..metrics import Metric, count

R = TypeVar("R")

ATTEMPTS = 25
READ_ATTEMPTS = 8
"""The attempts of a read that is no part of a move. The AWS client has repeated each of them already."""
LONGEST_PAUSE_SECONDS = 0.25

_AGAIN = frozenset(
    {
        "ConditionalCheckFailed",
        "ConditionalCheckFailedException",
        "TransactionConflict",
        "TransactionConflictException",
        "TransactionInProgressException",
        "ThrottlingError",
        "ThrottlingException",
        "ProvisionedThroughputExceeded",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
    }
)


class StoreError(Exception):
    """A table could not be read or written. A write may or may not have happened."""


class Conflict(StoreError):
    """Another writer was first (or is writing), and nothing was written. Load again and decide again."""


@contextmanager
def translated() -> Iterator[None]:
    """Translate PynamoDB's errors into Conflict or StoreError.

    A failed transaction is a conflict only if each of its cancellation reasons is one.
    """
    try:
        yield
    except PynamoDBException as error:
        codes = {_code(error)}
        if isinstance(error, TransactWriteError) and error.cancellation_reasons:
            codes = {reason.code for reason in error.cancellation_reasons if reason}
        if codes <= _AGAIN:
            raise Conflict(", ".join(sorted(filter(None, codes)))) from error
        raise StoreError(", ".join(sorted(filter(None, codes))) or type(error).__name__) from error


def _code(error: PynamoDBException) -> str | None:
    # A call without an answer (a time-out) has None as its response, on which `cause_response_code` fails.
    response = getattr(error.cause, "response", None) or {}
    code: str | None = response.get("Error", {}).get("Code")
    return code


class _Moves(threading.local):
    """The number of moves that this thread is in."""

    def __init__(self) -> None:
        self.number = 0


_moves = _Moves()
_writes: ContextVar[list[bool]] = ContextVar("_writes")
"""True for each write of the request. The threads that work for it share the list."""


def retry_conflicts(move: Callable[[], R]) -> R:
    """Run a whole move (load, decide, commit) until it commits. Back off with jitter between attempts.

    Raises Conflict after ATTEMPTS conflicts, and at once every other error of the move.
    """
    for attempt in range(ATTEMPTS):
        _moves.number += 1
        try:
            return move()
        except Conflict:
            count(Metric.WRITE_CONFLICT)
            if attempt == ATTEMPTS - 1:
                count(Metric.WRITE_GIVEN_UP)
                raise
        finally:
            _moves.number -= 1
        _pause(attempt)
    raise AssertionError("unreachable")


def retry_read(read: Callable[[], R]) -> R:
    """Run a read, and again if it is throttled. Raises Conflict after READ_ATTEMPTS, and StoreError.

    A read inside a move is run once, since the whole move is repeated.
    """
    for attempt in range(READ_ATTEMPTS):
        try:
            return read()
        except Conflict:
            if _moves.number or attempt == READ_ATTEMPTS - 1:
                raise
        _pause(attempt)
    raise AssertionError("unreachable")


def note_write() -> None:
    """Remember that something has been written for the request, in this thread or in one that it has started."""
    _writes.get([]).append(True)


def forget_writes() -> None:
    """Begin a request: nothing has been written for it."""
    _writes.set([])


def has_written() -> bool:
    """Return True if anything has been written for the request."""
    return any(_writes.get([]))


def _pause(attempt: int) -> None:
    time.sleep(randomness.rng.uniform(0, min(LONGEST_PAUSE_SECONDS, 0.01 * 2**attempt)))
