"""Scheduled every minute: finish what a crash left undone."""

from typing import Any

from wordle_tournament.play.sweep import sweep


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return dict(sweep())
