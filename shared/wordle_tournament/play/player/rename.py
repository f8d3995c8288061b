"""Choose a nickname (R34, R35)."""

from ...clock import now_ms
from ...delivery import views
from ...delivery.session import Call, signed_in
from ...lifecycle.nicknames import checked, give_name
from ...protocol import messages
from ...protocol.requests import Rename
from ...rules.player import rename as rename_player


def rename(call: Call, request: Rename) -> messages.YouChanged:
    """Rename the player, in the lobby they wait in too; a running tournament keeps the old name.

    Raises GameError: NICKNAME_LENGTH, NICKNAME_CHARACTERS, NICKNAME_MIXED_SCRIPTS, TOO_MANY_RENAMES,
    NICKNAME_OFFENSIVE, NOT_SIGNED_IN, REPLACED.
    """
    nickname = checked(request.nickname)
    player = give_name(lambda: signed_in(call), lambda before: rename_player(before, nickname, now_ms()))
    return messages.YouChanged(now_ms=now_ms(), you=views.you(player))
