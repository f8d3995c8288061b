"""Catching a player up after they connected: their duels, their group and the others learn of the connection (R28)."""

from dataclasses import replace
from functools import partial

from ..delivery import announce, audience, presence
from ..delivery.screen import Screen
from ..rules.player import Player
from ..store import CONNECTIONS, Change, Connection, Versioned, commit
from . import groups, snapshot


def catch_up(player: Player, again: Versioned[Connection] | None) -> Screen:
    """Subscribe the player's connection to their duels, and tell the others that they are here. Return their screen.

    It is done whether the player was away or not: an earlier `hello` may have crashed before it. `again` is the record
    of the connection if the player was signed in on it already. After the others were told again, it says so, and
    further repetitions tell nobody. Raises Conflict or StoreError.
    """
    screen = snapshot.screen(player)
    unaware = [duel for duel in screen.duels if duel.connections.get(player.player_id) != player.connection_id]
    audience.connect(player.player_id, unaware)
    with announce.best_effort():
        groups.relieve_leader(player)
    if again is None or not again.value.told:
        with announce.best_effort():
            presence.announce(player, screen)
            announce.groups_of([player])
            if again is not None:
                told = Change(CONNECTIONS, again, replace(again.value, told=True))
                announce.afterwards(partial(commit, told))
    return screen
