"""What can go wrong for one who uses the client."""

from wordle_tournament.protocol.errors import ErrorCode


class ClientError(Exception):
    """The base of everything that the client raises by itself."""


class Refused(ClientError):
    """The server said no, or failed (`busy`, `internal`).

    `field` is which field is wrong and `players` who is in the way, where it says so.
    """

    def __init__(self, code: ErrorCode, message: str, field: str | None = None, players: tuple[str, ...] = ()) -> None:
        super().__init__(f"{code}: {message}" if field is None else f"{code} ({field}): {message}")
        self.code = code
        self.message = message
        self.field = field
        self.players = players


class Unanswered(ClientError):
    """No answer came: the connection was lost under a request that cannot simply be sent again, or time ran out.

    Whether it took effect is unknown; the client's `view`, renewed after a reconnect, tells.
    """


class Ended(ClientError):
    """The client is closed and will not connect again."""


class Replaced(Ended):
    """The player has connected elsewhere, so this client has closed and does not connect again."""
