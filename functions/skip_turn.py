"""Task of the tournament's machine: a turn's time may be over (R15)."""

from typing import Any

from wordle_tournament.entry import task
from wordle_tournament.play.skip_turn import skip_turn


def skip(duel_id: str, tournament_id: str) -> dict[str, Any]:
    return {"duel_id": duel_id, "tournament_id": tournament_id, "heartbeat_seconds": skip_turn(duel_id)}


handler = task(skip)
