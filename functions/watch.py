"""Route `watch`: watch a running duel (R10)."""

from wordle_tournament.entry import route
from wordle_tournament.play.duel.watch import watch
from wordle_tournament.protocol.requests import Watch

handler = route(Watch, watch)
