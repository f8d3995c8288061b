"""Scheduled every minute: finish what a crash left undone."""

from typing import Any

from wordle_tournament.entry import make_clients, task
from wordle_tournament.play.sweeper.sweep import sweep


def run(**_: Any) -> dict[str, Any]:
    """Sweep once, whatever the schedule sends. Return how many things of each kind were found."""
    return dict(sweep())


handler = task("sweep", run)
make_clients()
