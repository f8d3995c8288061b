"""Ask for everything again."""

from ...clock import now_ms
from ...delivery import audience
from ...delivery.session import Call, signed_in
from ...lifecycle import snapshot
from ...protocol import messages
from ...protocol.requests import Sync


def sync(call: Call, request: Sync) -> messages.State:
    """Return the whole current screen. Raises GameError: NOT_SIGNED_IN, REPLACED."""
    at_ms = now_ms()
    player = signed_in(call).value
    screen = snapshot.screen(player)
    unaware = [duel for duel in screen.duels if duel.connections.get(player.player_id) != call.connection_id]
    if unaware:
        audience.connect(player.player_id, unaware)
    return messages.State(**dict(snapshot.snapshot(player, screen, at_ms)))
