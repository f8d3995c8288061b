"""The end of the 60 seconds: one who has not come back counts as having left (R28)."""

from ..clock import now_ms
from ..config import reconnect_ms
from ..rules.player import has_left
from ..store import PLAYERS, load
from .leave import remove_from_game


def forfeit(player_id: str, epoch: int) -> bool:
    """Whether the player had to be taken for having left: still away since that connection, and for long enough.

    Raises Conflict or StoreError.
    """
    player = load(PLAYERS, player_id)
    if player is None or player.value.epoch != epoch or not has_left(player.value, reconnect_ms(), now_ms()):
        return False
    remove_from_game(player_id, epoch)
    return True
