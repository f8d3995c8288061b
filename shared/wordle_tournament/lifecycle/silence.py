"""Noticing that an open connection is dead: API Gateway has closed it, or it has been silent for too long (R28)."""

from .. import clock, push
from ..config import settings
from ..store import LOBBIES, PLAYERS, load, load_many
from .connections import lose_connection


def disconnect_if_silent(connection_id: str) -> bool:
    """Record the connection as lost if it is closed or silent. Return True if it was.

    Raises Conflict, StoreError, ClientError.
    """
    last_active_ms = push.last_active_ms(connection_id)
    if last_active_ms is not None and clock.now_ms() - last_active_ms < settings().silence_ms:
        return False
    lose_connection(connection_id)
    # If it is alive after all, closing it tells its client to sign in again.
    push.close(connection_id)
    return True


def disconnect_silent_players(lobby_id: str) -> int:
    """Record the silent connections of the waiting players as lost. Return their number.

    In a lobby no turn runs out, so nothing else would notice a pulled cable before the game starts. Raises Conflict,
    StoreError, ClientError.
    """
    lobby = load(LOBBIES, lobby_id)
    if lobby is None or not lobby.value.open:
        return 0
    players = load_many(PLAYERS, [seat.player_id for seat in lobby.value.seats]).values()
    connections = [player.value.connection_id for player in players if player.value.connection_id is not None]
    return sum([disconnect_if_silent(connection_id) for connection_id in connections])
