"""Remove a member from the group, as its leader (R29)."""

from ... import clock
from ...delivery import announce
from ...delivery.session import Call
from ...lifecycle import groups
from ...lifecycle.groups import new_secret
from ...protocol import messages
from ...protocol.requests import RemoveMember
from ...rules import group as rules
from ...store import PLAYERS, load


def remove_member(call: Call, request: RemoveMember) -> messages.GroupChanged:
    """Remove the member, notify them, and renew the invite. A tournament that they play goes on.

    A group without that member stays as it is. Raises GameError: NOT_IN_GROUP, NOT_LEADER, CANNOT_REMOVE_YOURSELF,
    NOT_SIGNED_IN, REPLACED.
    """
    leader, own = groups.own_group(call)
    leader_id = leader.value.player_id
    group, taken_out = groups.take_out(
        own.value.group_id,
        request.player,
        lambda group, _: rules.remove(group, leader_id, request.player, new_secret()),
    )
    if not taken_out:
        return announce.group_as_answer(group)
    with announce.best_effort():
        removed = load(PLAYERS, request.player)
        left = messages.Left(now_ms=clock.now_ms(), what="group", id=own.value.group_id, by=leader_id)
        announce.tell(left, [removed.value.connection_id] if removed is not None else [])
    return announce.group(group, answered=call.connection_id)
