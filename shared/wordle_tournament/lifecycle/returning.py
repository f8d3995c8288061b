"""Catching a player up after they connected: their duels, their group and the others learn of the connection (R28)."""

from ..delivery import announce, audience, presence
from ..delivery.screen import Screen
from ..rules.player import Player
from . import groups, snapshot


def catch_up(player: Player) -> Screen:
    """Subscribe the player's connection to their duels, and tell the others that they are here. Return their screen.

    All of it is done each time, whether the player was away or not: an earlier `hello` may have crashed before it.
    Raises Conflict or StoreError.
    """
    screen = snapshot.screen(player)
    audience.connect(player.player_id, screen.duels)
    with announce.best_effort():
        groups.relieve_leader(player)
    with announce.best_effort():
        presence.announce(player, screen)
        announce.groups_of([player])
    return screen
