"""Why the rules refuse something: the codes a client can act on."""

from enum import StrEnum


class Refusal(StrEnum):
    """A reason, stable: clients translate it."""

    CANNOT_REMOVE_YOURSELF = "cannot_remove_yourself"
    DUEL_OVER = "duel_over"
    GROUP_FULL = "group_full"
    GROUP_SEARCHING = "group_searching"
    IN_DUEL = "in_duel"
    IN_GROUP = "in_group"
    IN_LOBBY = "in_lobby"
    IN_TOURNAMENT = "in_tournament"
    MEMBER_AWAY = "member_away"
    MEMBER_PLAYING = "member_playing"
    NICKNAME_CHARACTERS = "nickname_characters"
    NICKNAME_LENGTH = "nickname_length"
    NICKNAME_MIXED_SCRIPTS = "nickname_mixed_scripts"
    NICKNAME_OFFENSIVE = "nickname_offensive"
    NO_SUCH_GROUP = "no_such_group"
    NOT_IN_DUEL = "not_in_duel"
    NOT_IN_GROUP = "not_in_group"
    NOT_IN_LOBBY = "not_in_lobby"
    NOT_IN_TOURNAMENT = "not_in_tournament"
    NOT_LEADER = "not_leader"
    NOT_STARTED = "not_started"
    NOT_WATCHING = "not_watching"
    NOT_YOUR_TURN = "not_your_turn"
    TOO_LATE = "too_late"
    TOO_MANY_RENAMES = "too_many_renames"
    TURN_OVER = "turn_over"


class RuleError(Exception):
    """A move that the rules do not allow; nothing has changed.

    `players` are those because of whom, if any; `field` is what of the move is to blame, if another value of it might
    have been allowed; `until_ms` is when the same would be allowed, if that is known.
    """

    def __init__(
        self,
        refusal: Refusal,
        message: str,
        players: tuple[str, ...] = (),
        *,
        field: str | None = None,
        until_ms: int | None = None,
    ) -> None:
        super().__init__(message)
        self.refusal = refusal
        self.message = message
        self.players = players
        self.field = field
        self.until_ms = until_ms
