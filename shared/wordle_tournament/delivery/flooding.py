"""Closing connections that flood. It comes after the answer and after all frames, and raises nothing."""

from .. import push, randomness
from ..clock import now_ms
from ..errors import ErrorCode
from ..log import logger
from ..metrics import count_refusal
from ..protocol import messages
from ..protocol.errors import MEANING
from ..rules import flooding as rules
from ..store import add_message
from . import announce


def draw() -> float:
    """Return a number drawn evenly from 0 to 1, without 1. Tests replace it."""
    return randomness.rng.random()


def count_message(connection_id: str) -> None:
    """Count the message if it belongs to the sample. Close the connection if it floods, and tell it why before."""
    if not rules.is_counted(draw()):
        return
    announce.stale_connections()  # the players wait for their frames, and nobody for this
    with announce.best_effort():
        at_ms = now_ms()
        if not rules.floods(counted := add_message(connection_id, at_ms)):
            return
        logger.warning("a connection floods", counted=counted)
        count_refusal(ErrorCode.FLOODING)
        error = messages.Error(now_ms=at_ms, code=ErrorCode.FLOODING, message=MEANING[ErrorCode.FLOODING])
        announce.answer(error, connection_id)
        push.close(connection_id)
