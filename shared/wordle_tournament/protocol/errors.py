"""The meanings of the error codes. The codes are stable: clients act on them and translate them."""

from enum import StrEnum

from ..errors import ErrorCode

__all__ = ["ADVICE", "MEANING", "RETIRED", "Advice", "ErrorCode"]

RETIRED = frozenset({ErrorCode.NOT_IN_LOBBY, ErrorCode.NOT_WATCHING})
"""Codes that only servers of release 1.0.0 send: what was so already is a success since."""

MEANING: dict[ErrorCode, str] = {
    ErrorCode.BAD_JSON: "The frame is not one JSON object, repeats a key, or nests too deep.",
    ErrorCode.BAD_REQUEST: "A field is missing, unknown, `null`, of the wrong type or out of bounds; `field` names it.",
    ErrorCode.UNKNOWN_ACTION: "No request has this `action`.",
    ErrorCode.FLOODING: (
        "The connection has sent far too many messages, also refused ones, and is closed. "
        "Pause for ten seconds or more before the next one."
    ),
    ErrorCode.NOT_SIGNED_IN: (
        "Nobody is signed in on this connection: it has not sent `hello`, it counted as lost, or its player is deleted."
    ),
    ErrorCode.ALREADY_SIGNED_IN: "Another player is signed in on this connection. Open a new one.",
    ErrorCode.BAD_TOKEN: "No player has this token (any more). Without a token, `hello` makes a new player.",
    ErrorCode.CLIENT_OUTDATED: "This version of the client is not served any more. A newer one has to be loaded.",
    ErrorCode.REPLACED: "The player has signed in on a newer connection. This one cannot be used any more.",
    ErrorCode.UNKNOWN_LANGUAGE: "The game is not played in that language. `welcome` lists its languages.",
    ErrorCode.IN_LOBBY: "You are in a lobby: with `join`, of another language. Leave it first.",
    ErrorCode.NOT_IN_LOBBY: "You are not in a lobby. Only servers of release 1.0.0 say so.",
    ErrorCode.IN_TOURNAMENT: (
        "You are still in a tournament. Until its first turns begin, only the same `join` again is answered."
    ),
    ErrorCode.NOT_IN_TOURNAMENT: "You are in a lobby, or the duel belongs to a tournament that you are not in.",
    ErrorCode.TOO_LATE: "The tournament has started, so the lobby cannot be left any more.",
    ErrorCode.IN_GROUP: "You are in a group. Its leader starts for all; leave it to play alone or to join another.",
    ErrorCode.NOT_IN_GROUP: "You are not in a group (any more), or the named player is not a member of it.",
    ErrorCode.NOT_LEADER: "Only the group's leader can do that.",
    ErrorCode.NO_SUCH_GROUP: "The invite is not valid: it is wrong, it was renewed, or the group has ended.",
    ErrorCode.GROUP_FULL: "The group has eight members.",
    ErrorCode.GROUP_SEARCHING: "The group waits in a lobby. Join when it has left the lobby or the game has started.",
    ErrorCode.MEMBER_PLAYING: "A member, perhaps you, is still in a lobby or tournament; `players` lists them.",
    ErrorCode.MEMBER_AWAY: "A member's connection is lost; `players` lists them.",
    ErrorCode.CANNOT_REMOVE_YOURSELF: "You cannot remove yourself. Send `leaveGroup`.",
    ErrorCode.QUEUE_CLOSED: "No new games are started at the moment. Running games go on. Try again later.",
    ErrorCode.NO_SUCH_TOURNAMENT: "You have not played in that tournament, or it ended more than 30 days ago.",
    ErrorCode.DUEL_RUNNING: "The duel is not over. Its board can be seen by watching it.",
    ErrorCode.NO_SUCH_DUEL: "There is no duel with that id, or it ended more than 30 days ago.",
    ErrorCode.NOT_IN_DUEL: "You do not play in that duel.",
    ErrorCode.IN_DUEL: "Your own duel is running, so you cannot watch another.",
    ErrorCode.DUEL_OVER: "The duel is over.",
    ErrorCode.NOT_STARTED: "The round's introduction is running.",
    ErrorCode.NOT_YOUR_TURN: "It is your opponent's turn, or the turn number is too high.",
    ErrorCode.TURN_OVER: "The turn was played or skipped, or its time is over.",
    ErrorCode.NOT_WATCHING: "You are not watching a duel. Only servers of release 1.0.0 say so.",
    ErrorCode.WRONG_LENGTH: "The guess does not have as many letters as the word. The turn and its clock go on.",
    ErrorCode.UNKNOWN_LETTER: "The language does not have one of the letters. The turn and its clock go on.",
    ErrorCode.NOT_IN_WORD_LIST: "The guess is not in the word list. The turn and its clock go on.",
    ErrorCode.WORD_NOT_ALLOWED: "The guess is a slur, which no board shows. The turn and its clock go on.",
    ErrorCode.NICKNAME_LENGTH: "A nickname has 3 to 20 characters.",
    ErrorCode.NICKNAME_CHARACTERS: (
        "A nickname has letters and digits with single spaces, - _ or ' between them, and no stacks of accents."
    ),
    ErrorCode.NICKNAME_MIXED_SCRIPTS: (
        "A word of the nickname mixes alphabets or kinds of digits, or has characters that imitate others."
    ),
    ErrorCode.NICKNAME_OFFENSIVE: "A word of the nickname is a slur in one of the game's languages.",
    ErrorCode.TOO_MANY_RENAMES: "A nickname can be changed three times an hour; `until_ms` says when it can be again.",
    ErrorCode.BUSY: "Too many changes at the same time; nothing has happened. Send the request again.",
    ErrorCode.INTERNAL: "The server failed; the request may or may not have had its effect. `sync` shows the result.",
}
"""The meaning of each code: the default `message` of an error, and the text of the published documents."""


class Advice(StrEnum):
    """The first thing that a client should do about a refusal."""

    RETRY = "retry"
    """Send the same request again, after a pause."""
    SYNC = "sync"
    """The client's view is old: ask `sync` and draw what it shows."""
    TELL = "tell"
    """Tell the player, who decides."""
    START_OVER = "start over"
    """Sign in again."""
    FIX = "fix"
    """The client has a mistake."""


ADVICE: dict[ErrorCode, Advice] = {
    ErrorCode.BAD_JSON: Advice.FIX,
    ErrorCode.BAD_REQUEST: Advice.FIX,
    ErrorCode.UNKNOWN_ACTION: Advice.FIX,
    ErrorCode.FLOODING: Advice.START_OVER,
    ErrorCode.NOT_SIGNED_IN: Advice.START_OVER,
    ErrorCode.ALREADY_SIGNED_IN: Advice.START_OVER,
    ErrorCode.BAD_TOKEN: Advice.TELL,
    ErrorCode.CLIENT_OUTDATED: Advice.TELL,
    ErrorCode.REPLACED: Advice.TELL,
    ErrorCode.UNKNOWN_LANGUAGE: Advice.TELL,
    ErrorCode.IN_LOBBY: Advice.TELL,
    ErrorCode.NOT_IN_LOBBY: Advice.SYNC,
    ErrorCode.IN_TOURNAMENT: Advice.SYNC,
    ErrorCode.NOT_IN_TOURNAMENT: Advice.SYNC,
    ErrorCode.TOO_LATE: Advice.SYNC,
    ErrorCode.IN_GROUP: Advice.TELL,
    ErrorCode.NOT_IN_GROUP: Advice.SYNC,
    ErrorCode.NOT_LEADER: Advice.SYNC,
    ErrorCode.NO_SUCH_GROUP: Advice.TELL,
    ErrorCode.GROUP_FULL: Advice.TELL,
    ErrorCode.GROUP_SEARCHING: Advice.TELL,
    ErrorCode.MEMBER_PLAYING: Advice.TELL,
    ErrorCode.MEMBER_AWAY: Advice.TELL,
    ErrorCode.CANNOT_REMOVE_YOURSELF: Advice.TELL,
    ErrorCode.QUEUE_CLOSED: Advice.TELL,
    ErrorCode.NO_SUCH_TOURNAMENT: Advice.TELL,
    ErrorCode.DUEL_RUNNING: Advice.TELL,
    ErrorCode.NO_SUCH_DUEL: Advice.SYNC,
    ErrorCode.NOT_IN_DUEL: Advice.SYNC,
    ErrorCode.IN_DUEL: Advice.TELL,
    ErrorCode.DUEL_OVER: Advice.SYNC,
    ErrorCode.NOT_STARTED: Advice.RETRY,
    ErrorCode.NOT_YOUR_TURN: Advice.SYNC,
    ErrorCode.TURN_OVER: Advice.SYNC,
    ErrorCode.NOT_WATCHING: Advice.SYNC,
    ErrorCode.WRONG_LENGTH: Advice.TELL,
    ErrorCode.UNKNOWN_LETTER: Advice.TELL,
    ErrorCode.NOT_IN_WORD_LIST: Advice.TELL,
    ErrorCode.WORD_NOT_ALLOWED: Advice.TELL,
    ErrorCode.NICKNAME_LENGTH: Advice.TELL,
    ErrorCode.NICKNAME_CHARACTERS: Advice.TELL,
    ErrorCode.NICKNAME_MIXED_SCRIPTS: Advice.TELL,
    ErrorCode.NICKNAME_OFFENSIVE: Advice.TELL,
    ErrorCode.TOO_MANY_RENAMES: Advice.TELL,
    ErrorCode.BUSY: Advice.RETRY,
    ErrorCode.INTERNAL: Advice.SYNC,
}
"""The advice for each code. A client treats a code that it does not know as `internal`."""
