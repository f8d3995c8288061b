"""Refusals that the rules know nothing of."""

from ..protocol.errors import MEANING, ErrorCode


class Refused(Exception):
    """The message is refused with this code; nothing has changed. `field` names the wrong field, if one is."""

    def __init__(self, code: ErrorCode, message: str | None = None, field: str | None = None) -> None:
        self.code = code
        self.message = message or MEANING[code]
        self.field = field
        super().__init__(self.message)
