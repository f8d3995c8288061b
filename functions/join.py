"""Route `join`: look for a game (R23, R24, R26)."""

from wordle_tournament.entry import route
from wordle_tournament.play.lobby.join import join
from wordle_tournament.protocol.requests import Join

handler = route(Join, join)
