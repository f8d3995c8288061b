"""The sparse indexes. There is no scan."""

from ..rules.lobby import Lobby
from .aggregates import ALL
from .errors import translated
from .load import Versioned, is_alive, read_versioned
from .records import LobbyRecord, PlayerRecord, TournamentRecord

HAIR = 0.001
"""The edge is inside, and means of groups are floats: the rules decide, the index must not leave anything out."""
AT_MOST = 200
"""Lobbies looked at for one player: the fullest of so many is full enough."""


def open_lobbies(language: str, rating: float, window: float) -> list[Versioned[Lobby]]:
    """Open lobbies of a language whose rating is at most `window` from `rating`; the index lags a little."""
    with translated():
        records = LobbyRecord.open.query(
            language,
            LobbyRecord.rating.between(rating - window - HAIR, rating + window + HAIR),
            limit=AT_MOST,
        )
        return [read_versioned(record) for record in records if is_alive(record)]


def away_players(before_ms: int) -> list[str]:
    """Seated players who have been away since before that."""
    with translated():
        records = PlayerRecord.away.query(ALL, PlayerRecord.away_since_ms < before_ms, limit=AT_MOST)
        return [record.player_id for record in records]


def running_tournaments() -> int:
    """How many tournaments are under way, a moment ago."""
    with translated():
        return int(TournamentRecord.running.count(ALL))


def overdue_tournaments(now_ms: int) -> list[str]:
    """Running tournaments whose current round has been going for a while."""
    with translated():
        records = TournamentRecord.running.query(ALL, TournamentRecord.due_at_ms < now_ms, limit=AT_MOST)
        return [record.tournament_id for record in records]
