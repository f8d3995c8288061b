"""Route `unwatch`: stop watching (R10)."""

from wordle_tournament.entry import route
from wordle_tournament.play.duel.unwatch import unwatch
from wordle_tournament.protocol.requests import Unwatch

handler = route(Unwatch, unwatch)
