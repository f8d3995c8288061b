"""The kinds of aggregates, with the columns for their indexes and their expiry."""

from collections.abc import Mapping
from typing import Any

from ..rules.group import Group
from ..rules.lobby import Lobby
from ..rules.player import Player
from ..rules.tournament import Tournament
from . import records
from .load import Plain, Table, read_versioned
from .shards import partition, shard_of
from .values import DAY, GAME_DAYS, Connection, History, HistoryPage, OperatorSettings, RecentLobbies, page_id

ALL = "all"
"""The partitions of the sparse indexes that the sweeper reads are named after it."""

PLAYER_DAYS = 365
LOBBY_DAYS = 2
CONNECTION_DAYS = 2
"""Far longer than API Gateway keeps a connection. When a group is used again after a day, a push may be the first to
find a connection stale, and only this record tells whose it was."""
OVERDUE_GRACE_MS = 10_000


def _player_columns(player: Player, now_ms: int) -> Mapping[str, Any]:
    # Index players with a pending absence: they hold a seat or are in a group, and have not forfeited (R28, R31).
    expected = player.game is not None or player.group is not None
    missing = player.away_since_ms is not None and expected and not player.forfeited
    return {
        "away_partition": partition(ALL, shard_of(player.player_id)) if missing else None,
        "away_since_ms": player.away_since_ms if missing else None,
        "expires_at": now_ms // 1000 + PLAYER_DAYS * DAY,
    }


def _connection_columns(connection: Connection, now_ms: int) -> Mapping[str, Any]:
    return {"expires_at": now_ms // 1000 + CONNECTION_DAYS * DAY}


def _lobby_columns(lobby: Lobby, now_ms: int) -> Mapping[str, Any]:
    waiting = partition(lobby.language, shard_of(lobby.lobby_id))
    return {
        # The index of 1.0.0, which its code reads while an update is under way, and after one is taken back.
        "open_language": lobby.language if lobby.open else None,
        "waiting_partition": waiting if lobby.open else None,
        "seats_taken": len(lobby.seats) if lobby.open else None,
        "opened_at_ms": lobby.opened_at_ms if lobby.open else None,
        "rating": lobby.rating if lobby.open else None,
        "expires_at": now_ms // 1000 + LOBBY_DAYS * DAY,
    }


def _recent_lobbies_columns(recent: RecentLobbies, now_ms: int) -> Mapping[str, Any]:
    return {"expires_at": None}


def _settings_columns(settings: OperatorSettings, now_ms: int) -> Mapping[str, Any]:
    return {"expires_at": None}


def _group_columns(group: Group, now_ms: int) -> Mapping[str, Any]:
    """Return the expiry: a group ends after a day without use, and at once when it has no members."""
    return {"expires_at": now_ms // 1000 + (DAY if group.members else 0)}


def _history_columns(history: History, now_ms: int) -> Mapping[str, Any]:
    return {"expires_at": now_ms // 1000 + PLAYER_DAYS * DAY}


def _history_page_columns(page: HistoryPage, now_ms: int) -> Mapping[str, Any]:
    # A day longer than the tournaments that it names.
    return {"expires_at": page.newest_at_ms // 1000 + (GAME_DAYS + 1) * DAY}


def _tournament_columns(tournament: Tournament, now_ms: int) -> Mapping[str, Any]:
    # Counted from its end: a later write (a deleted name, a void) does not extend it.
    since_ms = now_ms if tournament.ended_at_ms is None else tournament.ended_at_ms
    return {
        "running_partition": None if tournament.over else partition(ALL, shard_of(tournament.tournament_id)),
        "due_at_ms": None if tournament.over else tournament.round.starts_at_ms + OVERDUE_GRACE_MS,
        "expires_at": since_ms // 1000 + GAME_DAYS * DAY,
    }


def recent_lobbies_id(recent: RecentLobbies) -> str:
    """Return the id of the recent lobbies of a language, band and shard."""
    if recent.band is None:
        return recent.language
    return partition(f"{recent.language}.{recent.band}", recent.shard)


HISTORY_PREFIX = "history."
HISTORY_PAGE_PREFIX = "history-page."
RECENT_LOBBIES_PREFIX = "door."
"""The stored prefix is that of 1.0.0."""
SETTINGS_ID = "settings"
"""There is one item of operators' settings."""

PLAYERS: Plain[Player] = Table(
    records.PlayerRecord,
    lambda player: player.player_id,
    _player_columns,
    read_versioned,
    other_prefixes=(HISTORY_PREFIX, HISTORY_PAGE_PREFIX),
)
HISTORIES: Plain[History] = Table(
    records.HistoryRecord, lambda history: history.player_id, _history_columns, read_versioned, HISTORY_PREFIX
)
HISTORY_PAGES: Plain[HistoryPage] = Table(
    records.HistoryPageRecord,
    lambda page: page_id(page.player_id, page.newest_at_ms),
    _history_page_columns,
    read_versioned,
    HISTORY_PAGE_PREFIX,
)
CONNECTIONS: Plain[Connection] = Table(
    records.ConnectionRecord, lambda connection: connection.connection_id, _connection_columns, read_versioned
)
LOBBIES: Plain[Lobby] = Table(
    records.LobbyRecord,
    lambda lobby: lobby.lobby_id,
    _lobby_columns,
    read_versioned,
    other_prefixes=(RECENT_LOBBIES_PREFIX, SETTINGS_ID),
)
RECENT_LOBBIES: Plain[RecentLobbies] = Table(
    records.RecentLobbiesRecord,
    recent_lobbies_id,
    _recent_lobbies_columns,
    read_versioned,
    RECENT_LOBBIES_PREFIX,
)
SETTINGS: Plain[OperatorSettings] = Table(
    records.SettingsRecord, lambda settings: SETTINGS_ID, _settings_columns, read_versioned
)
GROUPS: Plain[Group] = Table(records.GroupRecord, lambda group: group.group_id, _group_columns, read_versioned)
TOURNAMENTS: Plain[Tournament] = Table(
    records.TournamentRecord, lambda tournament: tournament.tournament_id, _tournament_columns, read_versioned
)
