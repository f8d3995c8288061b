"""Show that a connection is alive."""

from ...clock import now_ms
from ...delivery.session import Call
from ...protocol import messages
from ...protocol.requests import Ping


def ping(call: Call, request: Ping) -> messages.Pong:
    """Answer. API Gateway itself records when a connection was last active (R28), so nothing is stored."""
    return messages.Pong(now_ms=now_ms())
