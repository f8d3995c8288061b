"""The one list of error codes, and the one exception that refuses a request."""

from enum import StrEnum


class AnsweredLater(Exception):  # it is no error
    """The request is accepted, and another invocation sends its answer."""


class ErrorCode(StrEnum):
    """The reason why a request was refused or failed."""

    # The frame.
    BAD_JSON = "bad_json"
    BAD_REQUEST = "bad_request"
    UNKNOWN_ACTION = "unknown_action"
    FLOODING = "flooding"
    # Sign-in.
    NOT_SIGNED_IN = "not_signed_in"
    ALREADY_SIGNED_IN = "already_signed_in"
    BAD_TOKEN = "bad_token"
    CLIENT_OUTDATED = "client_outdated"
    REPLACED = "replaced"
    # Lobby and tournament.
    UNKNOWN_LANGUAGE = "unknown_language"
    IN_LOBBY = "in_lobby"
    NOT_IN_LOBBY = "not_in_lobby"
    IN_TOURNAMENT = "in_tournament"
    NOT_IN_TOURNAMENT = "not_in_tournament"
    TOO_LATE = "too_late"
    # Groups.
    IN_GROUP = "in_group"
    NOT_IN_GROUP = "not_in_group"
    NOT_LEADER = "not_leader"
    NO_SUCH_GROUP = "no_such_group"
    GROUP_FULL = "group_full"
    GROUP_SEARCHING = "group_searching"
    MEMBER_PLAYING = "member_playing"
    MEMBER_AWAY = "member_away"
    CANNOT_REMOVE_YOURSELF = "cannot_remove_yourself"
    # Results.
    NO_SUCH_TOURNAMENT = "no_such_tournament"
    DUEL_RUNNING = "duel_running"
    QUEUE_CLOSED = "queue_closed"
    # Duels.
    NO_SUCH_DUEL = "no_such_duel"
    NOT_IN_DUEL = "not_in_duel"
    IN_DUEL = "in_duel"
    DUEL_OVER = "duel_over"
    NOT_STARTED = "not_started"
    NOT_YOUR_TURN = "not_your_turn"
    TURN_OVER = "turn_over"
    NOT_WATCHING = "not_watching"
    # Words.
    WRONG_LENGTH = "wrong_length"
    UNKNOWN_LETTER = "unknown_letter"
    NOT_IN_WORD_LIST = "not_in_word_list"
    WORD_NOT_ALLOWED = "word_not_allowed"
    # Nicknames.
    NICKNAME_LENGTH = "nickname_length"
    NICKNAME_CHARACTERS = "nickname_characters"
    NICKNAME_MIXED_SCRIPTS = "nickname_mixed_scripts"
    NICKNAME_OFFENSIVE = "nickname_offensive"
    TOO_MANY_RENAMES = "too_many_renames"
    # The server.
    BUSY = "busy"
    INTERNAL = "internal"


class GameError(Exception):
    """A request that is refused; nothing has changed.

    `message` is for developers; without one, the code says it all. `players` are the players who are the reason, if
    any; `field` names the wrong field of the request, if another value of it might have been accepted; `until_ms` is
    when the same request would be accepted, if that is known.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str | None = None,
        players: tuple[str, ...] = (),
        *,
        field: str | None = None,
        until_ms: int | None = None,
    ) -> None:
        super().__init__(message or code.value)
        self.code = code
        self.message = message
        self.players = players
        self.field = field
        self.until_ms = until_ms
