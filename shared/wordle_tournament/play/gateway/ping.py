"""Show that a connection is alive."""

from ...clock import now_ms
from ...delivery.session import Call
from ...protocol import messages
from ...protocol.requests import Ping


def ping(call: Call, request: Ping) -> messages.Pong:
    """API Gateway itself notes when a connection last spoke (R28), so that there is nothing to do but answer."""
    return messages.Pong(now_ms=now_ms())
