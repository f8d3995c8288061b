"""Task of the tournament's machine: settle the round that is over and open the next (R3-R9)."""

from typing import Any

from wordle_tournament.entry import task
from wordle_tournament.play.advance_round import advance_round


def advance(tournament_id: str) -> dict[str, Any]:
    progress = advance_round(tournament_id)
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


handler = task(advance)
