"""The leader has another member lead the group (R29)."""

from ..protocol import messages
from ..protocol.requests import HandOver
from ..rules import group as rules
from . import groups
from .session import Call


def hand_over(call: Call, request: HandOver) -> messages.GroupChanged:
    """Raises RuleError: NOT_IN_GROUP, NOT_LEADER; Refused: NOT_SIGNED_IN, REPLACED."""
    return groups.change(call, lambda group, caller: rules.hand_over(group, caller, request.player))
