"""Route `export`: everything stored about a player."""

from wordle_tournament.entry import route
from wordle_tournament.play.account.export import export
from wordle_tournament.protocol.requests import Export

handler = route(Export, export)
