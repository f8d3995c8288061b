"""Route `hello`: sign in, or come back (R28, R34)."""

from wordle_tournament.entry import route
from wordle_tournament.play.presence.hello import hello
from wordle_tournament.protocol.requests import Hello

handler = route(Hello, hello)
