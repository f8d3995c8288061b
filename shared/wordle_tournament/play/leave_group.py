"""Leave the group (R29, R31)."""

from .. import clock
from ..protocol import messages
from ..protocol.requests import LeaveGroup
from ..rules import group as rules
from . import groups
from .session import Call


def leave_group(call: Call, request: LeaveGroup) -> messages.Left:
    """The player is out of the group; a running tournament goes on. If they led, another does, at once.

    Raises RuleError(NOT_IN_GROUP); Refused: NOT_SIGNED_IN, REPLACED.
    """
    player, group = groups.own_group(call)
    depart(group.value.group_id, player.value.player_id)
    return messages.Left(now_ms=clock.now_ms(), what="group")


def depart(group_id: str, player_id: str) -> None:
    """Take the player out as if they had left. Raises RuleError(NOT_IN_GROUP), Conflict, StoreError."""
    groups.take_out(group_id, player_id, lambda group, players: rules.leave(group, player_id, groups.present(players)))
