"""Stop watching (R10)."""

from ...clock import now_ms
from ...delivery.screen import read
from ...delivery.session import Call, signed_in
from ...protocol import messages
from ...protocol.requests import Unwatch
from ...store import set_watching


def unwatch(call: Call, request: Unwatch) -> messages.Unwatched:
    """End the subscription to the watched duel, if there is one. Raises GameError: NOT_SIGNED_IN, REPLACED."""
    player = signed_in(call).value
    for duel in read(player).duels:
        if player.player_id in duel.watchers:
            set_watching(duel.value.duel_id, player.player_id, False)
    return messages.Unwatched(now_ms=now_ms())
