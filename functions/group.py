"""Routes of groups of friends (R29-R31)."""

from wordle_tournament.entry import dispatch, make_clients, route
from wordle_tournament.play.group.create_group import create_group
from wordle_tournament.play.group.hand_over import hand_over
from wordle_tournament.play.group.join_group import join_group
from wordle_tournament.play.group.leave_group import leave_group
from wordle_tournament.play.group.remove_member import remove_member
from wordle_tournament.play.group.renew_invite import renew_invite
from wordle_tournament.play.group.start_group import start_group
from wordle_tournament.protocol.requests import (
    CreateGroup,
    HandOver,
    JoinGroup,
    LeaveGroup,
    RemoveMember,
    RenewInvite,
    StartGroup,
)

handler = dispatch(
    {
        "createGroup": route(CreateGroup, create_group),
        "joinGroup": route(JoinGroup, join_group),
        "leaveGroup": route(LeaveGroup, leave_group),
        "removeMember": route(RemoveMember, remove_member),
        "handOver": route(HandOver, hand_over),
        "renewInvite": route(RenewInvite, renew_invite),
        "startGroup": route(StartGroup, start_group),
    }
)
make_clients()
