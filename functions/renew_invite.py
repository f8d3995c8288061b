"""Route `renewInvite`: a new invite for the group (R29)."""

from wordle_tournament.entry import route
from wordle_tournament.play.group.renew_invite import renew_invite
from wordle_tournament.protocol.requests import RenewInvite

handler = route(RenewInvite, renew_invite)
