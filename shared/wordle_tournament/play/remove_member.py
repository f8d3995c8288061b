"""The leader takes somebody out of the group (R29)."""

from .. import clock
from ..protocol import messages
from ..protocol.requests import RemoveMember
from ..rules import group as rules
from ..store import PLAYERS, load
from . import announce, groups
from .session import Call


def remove_member(call: Call, request: RemoveMember) -> messages.GroupChanged:
    """The member is out of the group, and told so; a tournament they play goes on.

    Raises RuleError: NOT_IN_GROUP, NOT_LEADER, CANNOT_REMOVE_YOURSELF; Refused: NOT_SIGNED_IN, REPLACED.
    """
    leader, own = groups.own_group(call)
    leader_id = leader.value.player_id
    group = groups.take_out(
        own.value.group_id, request.player, lambda before, _: rules.remove(before, leader_id, request.player)
    )
    removed = load(PLAYERS, request.player)
    if removed is not None:
        announce.tell(messages.Left(now_ms=clock.now_ms(), what="group"), [removed.value.connection_id])
    shown, _ = groups.view(group)
    return messages.GroupChanged(now_ms=clock.now_ms(), group=shown)
