"""Renew the invite of the group (R29)."""

from ...delivery.session import Call
from ...lifecycle import groups
from ...lifecycle.groups import new_secret
from ...protocol import messages
from ...protocol.requests import RenewInvite
from ...rules import group as rules


def renew_invite(call: Call, request: RenewInvite) -> messages.GroupChanged:
    """Replace the invite. The old one is not valid any more.

    Raises GameError: NOT_IN_GROUP, NOT_LEADER, NOT_SIGNED_IN, REPLACED.
    """
    return groups.change(call, lambda group, caller: rules.renew(group, caller, new_secret()))
