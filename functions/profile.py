"""Route `profile`: a player's own record."""

from wordle_tournament.entry import route
from wordle_tournament.play.player.profile import profile
from wordle_tournament.protocol.requests import Profile

handler = route(Profile, profile)
