"""Noticing that an open connection is dead: it is gone, or has not spoken for too long (R28)."""

from .. import clock, push
from ..config import settings
from ..store import LOBBIES, PLAYERS, load, load_many
from .connections import lose_connection


def disconnect_if_silent(connection_id: str) -> bool:
    """Take the connection for lost if it is; whether it was. Raises Conflict, StoreError, ClientError."""
    last_active_ms = push.last_active_ms(connection_id)
    if last_active_ms is not None and clock.now_ms() - last_active_ms < settings().silence_ms:
        return False
    lose_connection(connection_id)
    # Should it be there after all, its client learns that it has to sign in again.
    push.close(connection_id)
    return True


def look_after_lobby(lobby_id: str) -> int:
    """Take the silent connections of those who wait in the lobby for lost; how many. Raises as `disconnect_if_silent`.

    In a lobby no turn runs out, so that nothing else would notice a pulled cable before the game starts.
    """
    lobby = load(LOBBIES, lobby_id)
    if lobby is None or not lobby.value.open:
        return 0
    players = load_many(PLAYERS, [seat.player_id for seat in lobby.value.seats]).values()
    connections = [player.value.connection_id for player in players if player.value.connection_id is not None]
    return sum([disconnect_if_silent(connection_id) for connection_id in connections])
