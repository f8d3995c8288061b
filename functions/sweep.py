"""Scheduled every minute: finish what a crash left undone."""

from typing import Any

from wordle_tournament.entry import task
from wordle_tournament.play.sweeper.sweep import sweep


def run(**_: Any) -> dict[str, Any]:
    return dict(sweep())


handler = task(run)
