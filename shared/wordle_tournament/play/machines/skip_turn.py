"""Skip a turn whose time is over: a task of the tournament's state machine (R15)."""

from typing import Any

from ...lifecycle import turns


def skip_turn(duel_id: str, tournament_id: str) -> dict[str, Any]:
    """Return the input of the duel's next wait. Raises Conflict or StoreError."""
    return {"duel_id": duel_id, "tournament_id": tournament_id, "heartbeat_seconds": turns.skip_turn(duel_id)}
