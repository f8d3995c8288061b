"""Route `languages`: letters and keyboards (R32)."""

from wordle_tournament.entry import route
from wordle_tournament.play.gateway.languages import languages
from wordle_tournament.protocol.requests import Languages

handler = route(Languages, languages)
