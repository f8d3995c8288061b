"""Route `createGroup`: make a group of friends (R29)."""

from wordle_tournament.entry import route
from wordle_tournament.play.group.create_group import create_group
from wordle_tournament.protocol.requests import CreateGroup

handler = route(CreateGroup, create_group)
