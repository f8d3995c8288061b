"""How many sampled messages a connection has sent in a window of time, in the connections' table.

Each window has an item of its own, so nothing has to be reset. It is not the connection's item, which is missing until
somebody signs in, and which `hello` writes anew.
"""

from ..rules.flooding import WINDOW_MS, window
from .errors import translated
from .records import MessageCountRecord

KEPT_SECONDS = 3600
"""DynamoDB may delete a window's item so long after the window's end."""


def add_message(connection_id: str, at_ms: int) -> int:
    """Count a message of that time. Return the count of its window. Raises StoreError."""
    number = window(at_ms)
    record = MessageCountRecord(f"{connection_id}#{number}")
    expires_at = (number + 1) * WINDOW_MS // 1000 + KEPT_SECONDS
    with translated():
        record.update(
            actions=[MessageCountRecord.messages.add(1), MessageCountRecord.expires_at.set(expires_at)],
        )
    return int(record.messages)
