"""Catching a player up after they connected: their duels, their group and the others learn of the connection (R28)."""

from dataclasses import replace
from functools import partial

from ..delivery import announce, audience, presence, surroundings
from ..delivery.surroundings import Surroundings
from ..rules.player import Player
from ..store import CONNECTIONS, Change, Connection, Versioned, commit
from . import groups, snapshot


def catch_up(player: Player, again: Versioned[Connection] | None) -> Surroundings:
    """Subscribe the player's connection to their duels, and tell the others that they are here. Return all they see.

    It is done whether the player was away or not: an earlier `hello` may have crashed before it. `again` is the record
    of the connection if the player was signed in on it already. After the others were told again, it says so, and
    further repetitions tell nobody. Raises Conflict or StoreError.
    """
    around = snapshot.surroundings(player)
    if around.group is not None and groups.relieved(around.group.value, around.members) != around.group.value:
        with announce.best_effort():
            groups.relieve_leader(player)
            around = surroundings.read(player)
    if again is None or not again.value.told:
        presence.announce(player, around)
        if again is not None:
            told = Change(CONNECTIONS, again, replace(again.value, told=True))
            announce.afterwards(partial(commit, told))
    duels = around.screen.duels
    audience.connect(player, [duel for duel in duels if duel.connections.get(player.player_id) != player.connection_id])
    return around
