"""AWS's errors in our words, translated in this one place."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from pynamodb.exceptions import PynamoDBException, TransactWriteError

from .. import randomness
from ..metrics import Metric, count

R = TypeVar("R")

ATTEMPTS = 25
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
    """The table could not be read or written; whether the write happened is not known."""


class Conflict(StoreError):
    """Somebody else wrote first (or is writing): nothing was written. Load again and decide again."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn what PynamoDB raises into Conflict or StoreError.

    A transaction is a conflict only if each of its reasons is one: they are read one by one.
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
    # What never got an answer (a time-out) has None for a response, on which `cause_response_code` stumbles.
    response = getattr(error.cause, "response", None) or {}
    code: str | None = response.get("Error", {}).get("Code")
    return code


def retry_conflicts(move: Callable[[], R]) -> R:
    """Run a whole move (load, decide, commit) until it commits, pausing with jitter between attempts.

    Raises Conflict when it never could within the bound, and whatever else the move raises at once.
    """
    for attempt in range(ATTEMPTS):
        try:
            return move()
        except Conflict:
            count(Metric.WRITE_CONFLICT)
            if attempt == ATTEMPTS - 1:
                count(Metric.WRITE_GIVEN_UP)
                raise
            time.sleep(randomness.rng.uniform(0, min(LONGEST_PAUSE_SECONDS, 0.01 * 2**attempt)))
    raise AssertionError("unreachable")
