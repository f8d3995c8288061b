"""Who is told of the duels of a tournament."""

from collections.abc import Iterable

from ..store import LiveDuel, clear_connection, set_watching


def leave_audience(player_id: str, duels: Iterable[LiveDuel]) -> None:
    """Tell the player nothing more of the running duels. Raises StoreError."""
    for duel in duels:
        if duel.value.over:
            continue
        if player_id in duel.watchers:
            set_watching(duel.value.duel_id, player_id, False)
        if player_id in duel.connections:
            clear_connection(duel.value.duel_id, player_id, duel.connections[player_id])
