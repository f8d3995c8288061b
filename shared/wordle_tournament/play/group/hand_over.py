"""Hand the lead of the group to another member (R29)."""

from ...delivery.session import Call
from ...lifecycle import groups
from ...protocol import messages
from ...protocol.requests import HandOver
from ...rules import group as rules
from ...store import PLAYERS, load_many


def hand_over(call: Call, request: HandOver) -> messages.GroupChanged:
    """Make the named member the leader. Change nothing and tell nobody if they lead already.

    Raises GameError: NOT_IN_GROUP, NOT_LEADER, MEMBER_AWAY, NOT_SIGNED_IN, REPLACED.
    """

    def decide(group: rules.Group, caller: str) -> rules.Group:
        connected = groups.present(load_many(PLAYERS, [request.player]))
        return rules.hand_over(group, caller, request.player, connected)

    return groups.change(call, decide)
