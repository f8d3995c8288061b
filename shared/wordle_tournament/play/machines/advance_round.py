"""Settle the round that is over and open the next: a task of the tournament's state machine (R3-R9)."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ...clock import now_ms, seconds_until
from ...lifecycle import rounds
from ...lifecycle.alarms import alarm_seconds


def advance_round(tournament_id: str) -> Callable[[], dict[str, Any]]:
    """Return what tells the state machine where the tournament is. Raises Conflict or StoreError."""
    return partial(_answer, tournament_id, rounds.advance_round(tournament_id, timer=True))


def _answer(tournament_id: str, progress: rounds.Progress) -> dict[str, Any]:
    """Return the seconds of all waits, from now: the alarm of each duel begins when the introduction has ended."""
    now = now_ms()
    return {
        "tournament_id": tournament_id,
        "over": progress.over,
        "wait_seconds": seconds_until(progress.wait_until_ms, now),
        "duels": [
            {
                "duel_id": duel.duel_id,
                "tournament_id": tournament_id,
                "heartbeat_seconds": alarm_seconds(duel, max(now, progress.wait_until_ms)),
            }
            for duel in progress.duels
        ],
    }
