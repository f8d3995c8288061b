"""Task of the reconnect machine: the 60 seconds are over (R28)."""

from typing import Any

from wordle_tournament.entry import task
from wordle_tournament.play.forfeit import forfeit


def end_window(player_id: str, epoch: int) -> dict[str, Any]:
    return {"forfeited": forfeit(player_id, epoch)}


handler = task(end_window)
