"""Leave the group (R29, R31)."""

from ... import clock
from ...delivery.session import Call
from ...lifecycle import groups
from ...lifecycle.groups import depart
from ...protocol import messages
from ...protocol.requests import LeaveGroup


def leave_group(call: Call, request: LeaveGroup) -> messages.Left:
    """Take the player out of the group; a running tournament goes on. If they led, another member leads at once.

    Raises GameError: NOT_IN_GROUP, NOT_SIGNED_IN, REPLACED.
    """
    player, group = groups.own_group(call)
    depart(group.value.group_id, player.value.player_id)
    return messages.Left(now_ms=clock.now_ms(), what="group")
