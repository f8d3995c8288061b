"""What is stored but is no part of the game."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Connection:
    """A WebSocket connection and the player who signed in on it."""

    connection_id: str
    player_id: str


@dataclass(frozen=True, slots=True)
class OpenedLobby:
    lobby_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Door:
    """A language's door. Whoever opens a lobby goes through it, so that two at once do not open two (R24)."""

    language: str
    opened: tuple[OpenedLobby, ...] = ()
