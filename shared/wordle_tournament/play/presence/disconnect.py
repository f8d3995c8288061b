"""A connection has ended, and API Gateway says so: the player has 60 seconds to come back (R28)."""

from ...lifecycle.connections import lose_connection


def disconnect(connection_id: str) -> None:
    """Record that the connection has ended. Raises Conflict or StoreError; it may be called again."""
    lose_connection(connection_id)
