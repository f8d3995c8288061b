"""Why the rules refuse something: the codes a client can act on."""

from enum import StrEnum


class Refusal(StrEnum):
    """A reason, stable: clients translate it."""

    DUEL_OVER = "duel_over"
    IN_DUEL = "in_duel"
    IN_LOBBY = "in_lobby"
    IN_TOURNAMENT = "in_tournament"
    NICKNAME_CHARACTERS = "nickname_characters"
    NICKNAME_LENGTH = "nickname_length"
    NOT_IN_DUEL = "not_in_duel"
    NOT_IN_LOBBY = "not_in_lobby"
    NOT_IN_TOURNAMENT = "not_in_tournament"
    NOT_STARTED = "not_started"
    NOT_WATCHING = "not_watching"
    NOT_YOUR_TURN = "not_your_turn"
    TOO_LATE = "too_late"
    TURN_OVER = "turn_over"


class RuleError(Exception):
    """A move that the rules do not allow; nothing has changed."""

    def __init__(self, refusal: Refusal, message: str) -> None:
        super().__init__(message)
        self.refusal = refusal
        self.message = message
