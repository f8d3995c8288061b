"""The codes of refusals. They are stable: clients translate them."""

from enum import StrEnum


class ErrorCode(StrEnum):
    """Why a message was refused, or what went wrong with it."""

    # The message itself.
    BAD_JSON = "bad_json"
    BAD_REQUEST = "bad_request"
    UNKNOWN_ACTION = "unknown_action"
    # Who sends it.
    NOT_SIGNED_IN = "not_signed_in"
    ALREADY_SIGNED_IN = "already_signed_in"
    BAD_TOKEN = "bad_token"
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
    # Nicknames.
    NICKNAME_LENGTH = "nickname_length"
    NICKNAME_CHARACTERS = "nickname_characters"
    NICKNAME_MIXED_SCRIPTS = "nickname_mixed_scripts"
    NICKNAME_OFFENSIVE = "nickname_offensive"
    TOO_MANY_RENAMES = "too_many_renames"
    # The server.
    BUSY = "busy"
    INTERNAL = "internal"


MEANING: dict[ErrorCode, str] = {
    ErrorCode.BAD_JSON: "The frame is not one JSON object (or repeats a key, or nests too deep).",
    ErrorCode.BAD_REQUEST: "A field is missing, unknown or of the wrong type; `field` says which.",
    ErrorCode.UNKNOWN_ACTION: "There is no such action.",
    ErrorCode.NOT_SIGNED_IN: "Send `hello` first on this connection.",
    ErrorCode.ALREADY_SIGNED_IN: "This connection belongs to another player already; open a new one.",
    ErrorCode.BAD_TOKEN: "The token names no player. Without a token `hello` makes a new player.",
    ErrorCode.REPLACED: "The player is connected elsewhere by now; this connection is of no use any more.",
    ErrorCode.UNKNOWN_LANGUAGE: "The game is not played in that language; `welcome` lists those it is played in.",
    ErrorCode.IN_LOBBY: "You wait in a lobby already (for `join`: one of another language); leave it first.",
    ErrorCode.NOT_IN_LOBBY: "You are in no lobby.",
    ErrorCode.IN_TOURNAMENT: "You are still in a tournament.",
    ErrorCode.NOT_IN_TOURNAMENT: "You are in no tournament, or not in this one.",
    ErrorCode.TOO_LATE: "The tournament has started, so the lobby cannot be left any more.",
    ErrorCode.IN_GROUP: "You are in a group, whose leader starts for all; leave it to play alone or join another.",
    ErrorCode.NOT_IN_GROUP: "You are in no group (any more), or the player named is not in yours.",
    ErrorCode.NOT_LEADER: "Only the group's leader can do that.",
    ErrorCode.NO_SUCH_GROUP: "The invite is not valid, or not any more.",
    ErrorCode.GROUP_FULL: "The group has eight members already.",
    ErrorCode.GROUP_SEARCHING: "The group is looking for a game right now; join once it is back.",
    ErrorCode.MEMBER_PLAYING: "A member, perhaps you, is still in a lobby or tournament; `players` says who.",
    ErrorCode.MEMBER_AWAY: "A member has lost the connection; `players` says who. Wait, or go on without them.",
    ErrorCode.CANNOT_REMOVE_YOURSELF: "To go yourself, leave the group.",
    ErrorCode.QUEUE_CLOSED: "No new games are started at the moment; those that run are finished. Try again later.",
    ErrorCode.NO_SUCH_TOURNAMENT: "You have played in no such tournament, or it ended more than 30 days ago.",
    ErrorCode.DUEL_RUNNING: "That duel is still running; its board can be seen by watching it.",
    ErrorCode.NO_SUCH_DUEL: "There is no duel with that id, or it was over more than 30 days ago.",
    ErrorCode.NOT_IN_DUEL: "You do not play in that duel.",
    ErrorCode.IN_DUEL: "Your own duel is still running, so you cannot watch another.",
    ErrorCode.DUEL_OVER: "The duel is over.",
    ErrorCode.NOT_STARTED: "The introduction is still running.",
    ErrorCode.NOT_YOUR_TURN: "It is your opponent's turn.",
    ErrorCode.TURN_OVER: "That turn has been played or skipped, or its time is over.",
    ErrorCode.NOT_WATCHING: "You are not watching a duel.",
    ErrorCode.WRONG_LENGTH: "The guess has not as many letters as the word. The turn and its clock go on.",
    ErrorCode.UNKNOWN_LETTER: "The language does not have one of the letters. The turn and its clock go on.",
    ErrorCode.NOT_IN_WORD_LIST: "The guess is not in the word list. The turn and its clock go on.",
    ErrorCode.NICKNAME_LENGTH: "A nickname has 3 to 20 characters.",
    ErrorCode.NICKNAME_CHARACTERS: "A nickname has letters and digits, with single spaces, - _ or ' between them.",
    ErrorCode.NICKNAME_MIXED_SCRIPTS: "A word of a nickname mixes alphabets or styles, so as to look like another.",
    ErrorCode.NICKNAME_OFFENSIVE: "The nickname has a slur in it.",
    ErrorCode.TOO_MANY_RENAMES: "A nickname can be changed three times an hour; `until_ms` says when again.",
    ErrorCode.BUSY: "Too many changes at once; nothing has happened. Send the message again.",
    ErrorCode.INTERNAL: "Our fault. Send the message again, or `sync` to see where things stand.",
}
"""What each code means, for the published document; the `message` of an error may say more."""
