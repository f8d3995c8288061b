"""Notifying a lobby or tournament that a player is away, or back (R28)."""

from ..clock import now_ms
from ..config import settings
from ..protocol import messages
from ..rules.player import Player
from ..store import PLAYERS, load_many
from . import announce as announcing
from . import views
from .screen import Screen


def announce(player: Player, screen: Screen) -> None:
    """Tell everybody else in the player's lobby or running tournament whether the player is connected now."""
    game = player.game
    if game is None or (screen.tournament and screen.tournament.value.over):
        return
    at_ms = now_ms()
    others = load_many(PLAYERS, screen.player_ids)
    current = others.pop(player.player_id, None)
    if current is None:
        return
    present = [other for other in others.values() if other.value.follows(game)]
    since_ms = current.value.away_since_ms
    until_ms = None if since_ms is None else since_ms + settings().reconnect_ms
    announcing.tell(
        messages.Presence(now_ms=at_ms, player_id=player.player_id, away=current.value.away, until_ms=until_ms),
        views.connections(present).values(),
    )
