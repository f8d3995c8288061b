"""Route `results`: how a tournament went."""

from wordle_tournament.entry import route
from wordle_tournament.play.player.results import results
from wordle_tournament.protocol.requests import Results

handler = route(Results, results)
