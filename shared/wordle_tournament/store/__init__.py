"""State in DynamoDB. The only room that knows PynamoDB.

An aggregate is one item with a version and its state. Every change is the same move: load it, decide, and write it
back on the condition that the version is unchanged; what spans aggregates is one transaction under all conditions.
"""

from .aggregates import (
    CONNECTIONS,
    GROUPS,
    HISTORIES,
    HISTORY_PAGES,
    LOBBIES,
    PLAYERS,
    RECENT_LOBBIES,
    SETTINGS,
    SETTINGS_ID,
    TOURNAMENTS,
    recent_lobbies_id,
)
from .answers import ANSWERS, add_answer
from .commit import Change, Committed, Create, Delete, Write, commit, put
from .connection import make_client
from .duels import DUELS, LiveDuel, clear_connection, set_connection, set_watching
from .errors import Conflict, StoreError, forget_writes, has_written, retry_conflicts
from .load import Versioned, as_stored, load, load_many
from .message_counts import add_message
from .queries import all_waiting_lobbies, away_players, overdue_tournaments, running_tournaments, waiting_lobbies
from .shards import MOST_SHARDS, shard_of
from .values import (
    RECENT,
    Connection,
    Finished,
    History,
    HistoryPage,
    OpenedLobby,
    OperatorSettings,
    RecentLobbies,
    add_to_history,
    void_in_history,
)

__all__ = [
    "ANSWERS",
    "CONNECTIONS",
    "DUELS",
    "GROUPS",
    "HISTORIES",
    "HISTORY_PAGES",
    "LOBBIES",
    "MOST_SHARDS",
    "PLAYERS",
    "RECENT",
    "RECENT_LOBBIES",
    "SETTINGS",
    "SETTINGS_ID",
    "TOURNAMENTS",
    "Change",
    "Committed",
    "Conflict",
    "Connection",
    "Create",
    "Delete",
    "Finished",
    "History",
    "HistoryPage",
    "LiveDuel",
    "OpenedLobby",
    "OperatorSettings",
    "RecentLobbies",
    "StoreError",
    "Versioned",
    "Write",
    "add_answer",
    "add_message",
    "add_to_history",
    "all_waiting_lobbies",
    "as_stored",
    "away_players",
    "clear_connection",
    "commit",
    "forget_writes",
    "has_written",
    "load",
    "load_many",
    "make_client",
    "overdue_tournaments",
    "put",
    "recent_lobbies_id",
    "retry_conflicts",
    "running_tournaments",
    "set_connection",
    "set_watching",
    "shard_of",
    "void_in_history",
    "waiting_lobbies",
]
