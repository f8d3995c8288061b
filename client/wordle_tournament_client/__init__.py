"""A player's end of Wordle Tournament in Python.

`client` speaks the protocol and keeps the connection; `view` is the state that it knows; `errors` are its exceptions.
Of the server's packages it needs `wordle_tournament.protocol` alone: the messages, without rules and word lists.
"""

from .client import TournamentClient
from .errors import ClientError, Ended, Refused, Replaced, Unanswered
from .view import View

__all__ = ["ClientError", "Ended", "Refused", "Replaced", "TournamentClient", "Unanswered", "View"]
