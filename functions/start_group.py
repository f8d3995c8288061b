"""Route `startGroup`: look for a game with the whole group (R29-R31)."""

from wordle_tournament.entry import route
from wordle_tournament.play.group.start_group import start_group
from wordle_tournament.protocol.requests import StartGroup

handler = route(StartGroup, start_group)
