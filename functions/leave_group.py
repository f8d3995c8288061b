"""Route `leaveGroup`: leave the group (R29, R31)."""

from wordle_tournament.entry import route
from wordle_tournament.play.group.leave_group import leave_group
from wordle_tournament.protocol.requests import LeaveGroup

handler = route(LeaveGroup, leave_group)
