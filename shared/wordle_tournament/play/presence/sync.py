"""Ask for everything again."""

from ...clock import now_ms
from ...delivery import audience
from ...delivery.session import Call, signed_in
from ...lifecycle import snapshot
from ...protocol import messages
from ...protocol.requests import Sync


def sync(call: Call, request: Sync) -> messages.State:
    """Everything needed to draw the current screen. Raises GameError: NOT_SIGNED_IN, REPLACED."""
    at_ms = now_ms()
    player = signed_in(call).value
    shown = snapshot.screen(player)
    stale = [duel for duel in shown.duels if duel.connections.get(player.player_id) != call.connection_id]
    if stale:
        audience.connect(player.player_id, stale)
    return messages.State(**dict(snapshot.snapshot(player, shown, at_ms)))
