"""What the deployment says: read from the environment when asked, never at import."""

import os

from .rules.tournament import Timing


def setting(name: str) -> str:
    """The environment variable `name`. Raises KeyError when the deployment lacks it."""
    return os.environ[name]


def timing() -> Timing:
    """Introduction and turn (R3, R11)."""
    return Timing(intro_ms=_ms("ROUND_INTRO_SECONDS"), turn_ms=_ms("TURN_SECONDS"))


def reconnect_ms() -> int:
    """How long a player may be away (R28)."""
    return _ms("RECONNECT_SECONDS")


def silence_ms() -> int:
    """How long an open connection may be silent before it counts as lost (R28)."""
    return _ms("SILENCE_SECONDS")


def _ms(name: str) -> int:
    return int(setting(name)) * 1000
