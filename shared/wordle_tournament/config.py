"""The settings of the deployment, read from the environment and checked once, on first use and never at import."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from .rules.tournament import Timing


class SettingsError(Exception):
    """The environment lacks settings or has wrong ones. The text names every one of them."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of setting: how it is described, and the pattern that its text matches."""

    description: str
    pattern: str


_TABLE = _Kind("the name of a DynamoDB table", r"[\w.-]{3,255}")
_MACHINE = _Kind("the ARN of a state machine", r"arn:[\w-]+:states:[\w-]*:\d*:stateMachine:[\w.-]+")
_ADDRESS = _Kind("an http or https address", r"https?://\S+")
_SOCKET_OR_NONE = _Kind("a ws or wss address", r"(wss?://\S+)?")
_SECONDS = _Kind("a whole number of seconds above 0", r"0*[1-9]\d*")
_SECONDS_OR_NONE = _Kind("a whole number of seconds", r"\d+")
_SHARDS = _Kind("a whole number from 1 to 8", r"[1-8]")
_HASHES = _Kind("SHA-256 hashes in hexadecimal, with commas between them", r"([0-9a-f]{64}(,[0-9a-f]{64})*)?")
_VERSION = r"[a-z][a-z0-9-]{0,31}=[0-9]{1,5}(\.[0-9]{1,5}){0,3}"
_VERSIONS = _Kind("NAME=VERSION of clients, with commas between them", rf"({_VERSION}(,{_VERSION})*)?")


def _setting(kind: _Kind, default: str | None = None) -> Any:
    """Declare a setting; with a `default`, its variable may be missing, as in deployments of older templates."""
    return field(metadata={"kind": kind, "default": default})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a deployment. The environment variable of each has its name in upper case."""

    players_table: str = _setting(_TABLE)
    connections_table: str = _setting(_TABLE)
    lobbies_table: str = _setting(_TABLE)
    groups_table: str = _setting(_TABLE)
    tournaments_table: str = _setting(_TABLE)
    duels_table: str = _setting(_TABLE)
    tournament_machine_arn: str = _setting(_MACHINE)
    reconnect_machine_arn: str = _setting(_MACHINE)
    push_endpoint: str = _setting(_ADDRESS)
    round_intro_seconds: int = _setting(_SECONDS_OR_NONE)
    turn_seconds: int = _setting(_SECONDS)
    turn_grace_seconds: int = _setting(_SECONDS_OR_NONE)
    reconnect_seconds: int = _setting(_SECONDS)
    silence_seconds: int = _setting(_SECONDS)
    shards: int = _setting(_SHARDS, default="1")
    """The partitions over which the sparse indexes are spread, and the records of recent lobbies of a rating band."""
    front_secret_hashes: str = _setting(_HASHES, default="")
    oldest_clients: str = _setting(_VERSIONS, default="")
    synthetic_url: str = _setting(_SOCKET_OR_NONE, default="")

    @property
    def timing(self) -> Timing:
        """The durations of a round's introduction and of a turn (R3, R11)."""
        return Timing(intro_ms=self.round_intro_seconds * 1000, turn_ms=self.turn_seconds * 1000)

    @property
    def turn_grace_ms(self) -> int:
        """The time after a turn's deadline in which a guess received in time is still processed (R17)."""
        return self.turn_grace_seconds * 1000

    @property
    def reconnect_ms(self) -> int:
        """The time in which a disconnected player may come back (R28)."""
        return self.reconnect_seconds * 1000

    @property
    def silence_ms(self) -> int:
        """The time after which an open but silent connection counts as lost (R28)."""
        return self.silence_seconds * 1000


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings of the environment. Raises SettingsError, which names all that are missing or wrong."""
    values: dict[str, Any] = {}
    problems = []
    for setting in fields(Settings):
        variable, kind = setting.name.upper(), setting.metadata["kind"]
        text = environment.get(variable, setting.metadata["default"])
        if text is None:
            problems.append(f"{variable} must be {kind.description}, but is not set")
        elif not re.fullmatch(kind.pattern, text, re.ASCII):
            problems.append(f"{variable} must be {kind.description}, but is {text!r}")
        else:
            values[setting.name] = int(text) if kind in (_SECONDS, _SECONDS_OR_NONE, _SHARDS) else text
    if problems:
        raise SettingsError("; ".join(problems))
    return Settings(**values)


@cache
def settings() -> Settings:
    """Return the settings of this process. Raises SettingsError."""
    return read_settings(os.environ)


def reset() -> None:
    """Forget the settings. Tests and the local stack use it when they change the environment."""
    settings.cache_clear()
