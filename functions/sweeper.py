"""Scheduled every minute: finish what a crash left undone."""

from typing import Any

from wordle_tournament.entry import make_clients, task
from wordle_tournament.play.sweeper.sweep import sweep


def run(shard: int | None = None, **_: Any) -> dict[str, Any]:
    """Sweep one shard, or all. Return how many things of each kind were found. Ignore what else the schedule sends."""
    return dict(sweep(shard))


handler = task("sweep", run)
make_clients()
