"""End the 60 seconds in which a player can come back: the task of the reconnect state machine (R28)."""

from typing import Any

from ...lifecycle.forfeits import forfeit


def end_reconnect_window(player_id: str, epoch: int) -> dict[str, Any]:
    """Return whether the player has forfeited by this. Raises Conflict or StoreError."""
    return {"forfeited": forfeit(player_id, epoch)}
