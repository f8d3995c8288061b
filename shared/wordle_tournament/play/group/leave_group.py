"""Leave the group (R29, R31)."""

from contextlib import suppress

from ... import clock
from ...delivery.groups import group_of
from ...delivery.session import Call, signed_in
from ...errors import GameError
from ...lifecycle.groups import depart
from ...protocol import messages
from ...protocol.requests import LeaveGroup


def leave_group(call: Call, request: LeaveGroup) -> messages.Left:
    """Take the player out of the group; a running tournament goes on. If they led, another member leads at once.

    A player who is not in that group gets the same answer. Raises GameError: NOT_SIGNED_IN, REPLACED.
    """
    player = signed_in(call).value
    group = group_of(player)
    group_id = request.group or (player.group if group is not None else None)
    if group is not None and group.value.group_id == group_id:
        with suppress(GameError):  # removed by the leader at the same moment
            depart(group.value.group_id, player.player_id)
    return messages.Left(now_ms=clock.now_ms(), what="group", id=group_id)
