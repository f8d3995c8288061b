"""Route `removeMember`: the leader takes somebody out of the group (R29)."""

from wordle_tournament.entry import route
from wordle_tournament.play.group.remove_member import remove_member
from wordle_tournament.protocol.requests import RemoveMember

handler = route(RemoveMember, remove_member)
