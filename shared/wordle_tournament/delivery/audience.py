"""The audience of each duel: the connections that get its updates."""

from collections.abc import Callable, Iterable
from functools import partial

from .. import parallel
from ..rules.player import Player
from ..store import PLAYERS, TOURNAMENTS, LiveDuel, clear_connection, load, set_connection, set_watching


def connect(player: Player, duels: Iterable[LiveDuel]) -> None:
    """Subscribe the player's connection to those of the duels that are running.

    After each write, look whether the player has yet another connection: of several that are opened at once the newest
    stays. Raises StoreError.
    """
    running = [duel.value.duel_id for duel in duels if not duel.value.over]
    connection_id = player.connection_id
    while running and connection_id is not None:
        written = connection_id
        parallel.each(partial(set_connection, duel_id, player.player_id, written) for duel_id in running)
        current = load(PLAYERS, player.player_id)
        connection_id = (
            None if current is None or current.value.connection_id == written else current.value.connection_id
        )


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


def leave_audiences(player_id: str, tournament_id: str) -> None:
    """Do the same for the duels of a tournament that the player has left: a request that did so may have died then.

    Raises StoreError.
    """
    from .screen import duels_of  # a guess loads this module, and has no need of that one

    tournament = load(TOURNAMENTS, tournament_id)
    if tournament is not None and not tournament.value.over:
        leave_audience(player_id, duels_of(tournament))
