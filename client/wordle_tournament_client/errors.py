"""The exceptions that the client raises."""

from wordle_tournament.protocol.errors import ErrorCode


class ClientError(Exception):
    """The base of all exceptions that the client raises by itself."""


class Refused(ClientError):
    """The server refused the request, or failed (`busy`, `internal`).

    `field` names the wrong field, and `players` the players who prevent the request, if the server says so.
    """

    def __init__(self, code: ErrorCode, message: str, field: str | None = None, players: tuple[str, ...] = ()) -> None:
        super().__init__(f"{code}: {message}" if field is None else f"{code} ({field}): {message}")
        self.code = code
        self.message = message
        self.field = field
        self.players = players


class Unanswered(ClientError):
    """No answer came: the connection was lost during a request that cannot safely be sent again, or time ran out.

    The request may have taken effect or not; the client's `view`, renewed after a reconnect, shows it.
    """


class Ended(ClientError):
    """The client is closed and will not connect again."""


class Replaced(Ended):
    """The player has connected elsewhere, so this client has closed and does not connect again."""
