"""Scheduled every five minutes, if the stage has an address for it: visit the stage as a player does."""

from typing import Any

from wordle_tournament.entry import task
from wordle_tournament.play.synthetic.visit import visit


def run(**_: Any) -> dict[str, Any]:
    """Visit once, whatever the schedule sends. Return the number of answers."""
    return visit()


handler = task("visit", run)
