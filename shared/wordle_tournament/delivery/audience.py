"""The audience of each duel: the connections that get its updates."""

from collections.abc import Callable, Iterable
from functools import partial

from .. import parallel
from ..store import PLAYERS, LiveDuel, clear_connection, load, set_connection, set_watching


def connect(player_id: str, duels: Iterable[LiveDuel]) -> None:
    """Subscribe the player's current connection to those of the duels that are running.

    After each write, look whether the player has yet another connection: of several that are opened at once the newest
    stays. Raises StoreError.
    """
    running = [duel.value.duel_id for duel in duels if not duel.value.over]
    written: str | None = None
    while running:
        player = load(PLAYERS, player_id)
        if player is None or player.value.connection_id in (None, written):
            return
        written = player.value.connection_id
        for duel_id in running:
            set_connection(duel_id, player_id, str(written))


def leave_audience(player_id: str, duels: Iterable[LiveDuel]) -> None:
    """Stop sending the player updates of those of the duels that are running. Raises StoreError."""
    running = [duel for duel in duels if not duel.value.over]
    updates: list[Callable[[], object]] = [
        partial(set_watching, duel.value.duel_id, player_id, False) for duel in running if player_id in duel.watchers
    ]
    updates += [
        partial(clear_connection, duel.value.duel_id, player_id, duel.connections[player_id])
        for duel in running
        if player_id in duel.connections
    ]
    parallel.each(updates)
