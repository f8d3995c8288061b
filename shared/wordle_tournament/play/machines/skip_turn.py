"""Set the alarm of a duel anew, and skip a turn whose time is over: a task of the tournament's state machine (R15)."""

from collections.abc import Callable
from typing import Any

from ... import clock
from ...lifecycle import turns
from ...lifecycle.alarms import alarm_seconds


def skip_turn(duel_id: str, tournament_id: str) -> Callable[[], dict[str, Any]]:
    """Return what makes the input of the duel's next wait, when that begins. Raises Conflict or StoreError."""
    duel = turns.skip_turn(duel_id)

    def answer() -> dict[str, Any]:
        seconds = 1 if duel is None or duel.over else alarm_seconds(duel, clock.now_ms())
        return {"duel_id": duel_id, "tournament_id": tournament_id, "heartbeat_seconds": seconds}

    return answer
