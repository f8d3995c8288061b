"""The sender of a message: from a connection to its player."""

from collections.abc import Callable
from dataclasses import dataclass

from .. import log
from ..errors import ErrorCode, GameError
from ..rules.player import Player
from ..rules.tournament import Tournament
from ..store import CONNECTIONS, PLAYERS, TOURNAMENTS, Connection, Versioned, load


@dataclass(frozen=True, slots=True)
class Call:
    """The origin of a message: its connection, when API Gateway received it (R17) and opened the connection."""

    connection_id: str
    received_ms: int
    opened_at_ms: int


def signed_in(call: Call, meanwhile: Callable[[Connection], None] | None = None) -> Versioned[Player]:
    """Return the player on the connection. Raises GameError: NOT_SIGNED_IN, REPLACED.

    `meanwhile` may start what needs the connection's record only, before the player's is read.
    """
    connection = load(CONNECTIONS, call.connection_id)
    if connection is None:
        raise GameError(ErrorCode.NOT_SIGNED_IN)
    if meanwhile is not None:
        meanwhile(connection.value)
    player = load(PLAYERS, connection.value.player_id)
    if player is None:
        raise GameError(ErrorCode.NOT_SIGNED_IN)
    if player.value.connection_id != call.connection_id:
        raise GameError(ErrorCode.REPLACED)
    log.about(
        player_id=player.value.player_id,
        tournament_id=player.value.game or player.value.watching,
        group_id=player.value.group,
    )
    return player


def played_in(tournament_id: str, player_id: str, field: str) -> Versioned[Tournament]:
    """Return the tournament, which the player must have entered. Raises GameError(NO_SUCH_TOURNAMENT) with `field`."""
    tournament = load(TOURNAMENTS, tournament_id)
    if tournament is None or all(entrant.player_id != player_id for entrant in tournament.value.entrants):
        raise GameError(ErrorCode.NO_SUCH_TOURNAMENT, field=field)
    return tournament
