"""State in DynamoDB. The only room that knows PynamoDB.

An aggregate is one item with a version and its state. Every change is the same move: load it, decide, and write it
back on the condition that the version is unchanged; what spans aggregates is one transaction under all conditions.
"""

from .aggregates import CONNECTIONS, DOORS, GROUPS, HISTORIES, LOBBIES, PLAYERS, SETTINGS, TOURNAMENTS
from .commit import Change, Create, Delete, Write, commit
from .duels import DUELS, LiveDuel, clear_connection, load_duel, load_duels, set_connection, set_watching
from .errors import Conflict, StoreError, retry_conflicts
from .load import Stored, load, load_many
from .queries import away_players, open_lobbies, overdue_tournaments, running_tournaments
from .values import RECENT, Connection, Door, Finished, History, OpenedLobby, Settings, add_to_history, void_in_history

__all__ = [
    "CONNECTIONS",
    "DOORS",
    "DUELS",
    "GROUPS",
    "HISTORIES",
    "LOBBIES",
    "PLAYERS",
    "RECENT",
    "SETTINGS",
    "TOURNAMENTS",
    "Change",
    "Conflict",
    "Connection",
    "Create",
    "Delete",
    "Door",
    "Finished",
    "History",
    "LiveDuel",
    "OpenedLobby",
    "Settings",
    "StoreError",
    "Stored",
    "Write",
    "add_to_history",
    "away_players",
    "clear_connection",
    "commit",
    "load",
    "load_duel",
    "load_duels",
    "load_many",
    "open_lobbies",
    "overdue_tournaments",
    "retry_conflicts",
    "running_tournaments",
    "set_connection",
    "set_watching",
    "void_in_history",
]
