"""Settle the round that is over and open the next: a task of the tournament's state machine (R3-R9)."""

from typing import Any

from ...lifecycle import rounds


def advance_round(tournament_id: str) -> dict[str, Any]:
    """Return where the tournament is by now, as the state machine reads it. Raises Conflict or StoreError."""
    progress = rounds.advance_round(tournament_id, timer=True)
    return {
        "tournament_id": tournament_id,
        "over": progress.over,
        "wait_seconds": progress.wait_seconds,
        "duels": [
            {
                "duel_id": alarm.duel_id,
                "tournament_id": tournament_id,
                "heartbeat_seconds": alarm.heartbeat_seconds,
            }
            for alarm in progress.alarms
        ],
    }
