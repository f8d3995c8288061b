"""A player's end of Wordle Tournament in Python: the client, bots that play on it, and a demo.

`client` speaks the protocol and keeps the connection; `view` is what it knows; `solver` chooses words, `bot` plays,
`filler` seats bots beside people who wait; `referee` holds what was sent against the rules, `show` prints it, and
`demo` plays a tournament from lobby to winner.
"""

from .client import TournamentClient
from .errors import ClientError, Ended, Refused, Replaced, Unanswered
from .view import View

__all__ = ["ClientError", "Ended", "Refused", "Replaced", "TournamentClient", "Unanswered", "View"]
