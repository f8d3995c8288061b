"""The time of a turn's alarm: its deadline and the grace (R15, R17)."""

from ..clock import seconds_until
from ..config import settings
from ..rules.duel import Duel


def alarm_seconds(duel: Duel, now_ms: int) -> int:
    """Return the seconds from `now_ms` until the alarm of the current turn, at least 1."""
    return max(1, seconds_until(duel.deadline_ms + settings().turn_grace_ms, now_ms))
