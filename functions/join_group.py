"""Route `joinGroup`: join a friend's group (R29)."""

from wordle_tournament.entry import route
from wordle_tournament.play.group.join_group import join_group
from wordle_tournament.protocol.requests import JoinGroup

handler = route(JoinGroup, join_group)
