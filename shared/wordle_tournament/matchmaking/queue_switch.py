"""The operators' switch that opens and closes the queue. Running games are finished either way."""

from ..errors import ErrorCode, GameError
from ..store import SETTINGS, SETTINGS_ID, OperatorSettings, commit, load, put, retry_conflicts


def check_open() -> None:
    """Check that players may look for new games. Raises GameError(QUEUE_CLOSED), and StoreError."""
    if not is_open():
        raise GameError(ErrorCode.QUEUE_CLOSED)


def is_open() -> bool:
    """Return True if players may look for new games. Raises StoreError."""
    settings = load(SETTINGS, SETTINGS_ID)
    return settings is None or settings.value.queue_open


def switch(queue_open: bool) -> None:
    """Open or close the queue. A repeated call does no harm. Raises Conflict or StoreError."""

    def move() -> None:
        before = load(SETTINGS, SETTINGS_ID)
        commit(put(SETTINGS, before, OperatorSettings(queue_open)))

    retry_conflicts(move)
