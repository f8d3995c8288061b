"""Notifying a lobby or tournament that a player is away, or back (R28)."""

from ..config import settings
from ..protocol import messages
from ..rules.player import Player
from . import announce as announcing
from . import groups, views
from .surroundings import Surroundings


def announce(player: Player, around: Surroundings) -> None:
    """Tell everybody else in the player's lobby or running tournament, and in their group, whether they are connected.

    `around` was read after the change.
    """
    _announce_in_game(player, around)
    if around.group is not None:
        shown = groups.show(around.group, around.members, around.started)
        message = messages.GroupChanged(now_ms=around.at_ms, group=shown)
        announcing.tell(message, set(views.connections(around.members.values()).values()))


def _announce_in_game(player: Player, around: Surroundings) -> None:
    game, screen = player.game, around.screen
    if game is None or (screen.tournament and screen.tournament.value.over):
        return
    others = {key: around.players[key] for key in screen.player_ids if key in around.players}
    current = others.pop(player.player_id, None)
    if current is None:
        return
    present = [other for other in others.values() if other.value.follows(game)]
    since_ms = current.value.away_since_ms
    until_ms = None if since_ms is None else since_ms + settings().reconnect_ms
    announcing.tell(
        messages.Presence(now_ms=around.at_ms, player_id=player.player_id, away=current.value.away, until_ms=until_ms),
        views.connections(present).values(),
    )
