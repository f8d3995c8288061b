"""The store's own errors, into which AWS's are translated in this one place."""

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


def retry_conflicts(move: Callable[[], R]) -> R:
    """Run a whole move (load, decide, commit) until it commits. Back off with jitter between attempts.

    Raises Conflict after ATTEMPTS conflicts, and at once every other error of the move.
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
