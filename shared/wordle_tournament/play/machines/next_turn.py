"""Skip a turn whose time is over, and wait for the next one: a task of the tournament's state machine (R15)."""

from typing import Any

from ...lifecycle import turns


def next_turn(duel_id: str, tournament_id: str, heartbeat_seconds: int, task_token: str) -> dict[str, Any]:
    """Let the task with this token wait, or end its wait. Raises Conflict, StoreError or ClientError."""
    turns.next_turn(duel_id, task_token, heartbeat_seconds)
    return {}
