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
    around = snapshot.surroundings(player)
    duels = around.screen.duels
    audience.connect(player, [duel for duel in duels if duel.connections.get(player.player_id) != call.connection_id])
    return messages.State(**dict(snapshot.snapshot(player, around, at_ms)))
