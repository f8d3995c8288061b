"""The backend in one process for tests and measurements: fake connections, stopped time, machines run by hand."""

from infra.local.testing.connections import FakeConnections, Frame
from infra.local.testing.helpers import at_once, client_error, holds, wrong
from infra.local.testing.machines import Clients, Machines
from infra.local.testing.world import (
    GRACE_MS,
    INTRO_MS,
    PLAYERS,
    RECONNECT_MACHINE,
    START_MS,
    TOURNAMENT_MACHINE,
    TURN_GRACE_MS,
    TURN_MS,
    WINDOW_MS,
    Crash,
    Game,
    Player,
    Start,
    World,
)

__all__ = [
    "GRACE_MS",
    "INTRO_MS",
    "PLAYERS",
    "RECONNECT_MACHINE",
    "START_MS",
    "TOURNAMENT_MACHINE",
    "TURN_GRACE_MS",
    "TURN_MS",
    "WINDOW_MS",
    "Clients",
    "Crash",
    "FakeConnections",
    "Frame",
    "Game",
    "Machines",
    "Player",
    "Start",
    "World",
    "at_once",
    "client_error",
    "holds",
    "wrong",
]
