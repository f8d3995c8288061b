"""Telling the others in a lobby or tournament that somebody is away, or back (R28)."""

from ..clock import now_ms
from ..config import reconnect_ms
from ..protocol import messages
from ..rules.player import Player
from ..store import PLAYERS, load_many
from . import announce as announcing
from . import views
from .screen import Screen


def announce(player: Player, shown: Screen) -> None:
    """Tell everybody else in the player's lobby or running tournament whether the player is there."""
    game = player.game
    if game is None or (shown.tournament and shown.tournament.value.over):
        return
    others = load_many(PLAYERS, set(shown.player_ids) - {player.player_id})
    there = views.connections(other for other in others.values() if game in (other.value.game, other.value.watching))
    until_ms = None if player.away_since_ms is None else player.away_since_ms + reconnect_ms()
    announcing.tell(
        messages.Presence(now_ms=now_ms(), player_id=player.player_id, away=player.away, until_ms=until_ms),
        there.values(),
    )
