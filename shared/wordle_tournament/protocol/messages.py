"""The messages of the server: one JSON object per frame, told apart by `type`.

A field without a value is left out. Lobbies, tournaments, duels and groups are sent whole, each with a `version` that
only grows. Frames may overtake each other, so a client keeps the greatest version of each id and drops the others.
`away`, and what the members of a group do, change without a new version: of two frames with the same version, the one
with the later `now_ms` is the newer. Times are milliseconds of the Unix epoch by the server's clock, and every frame
has the server's `now_ms`.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from .errors import ErrorCode

Mark = Literal["correct", "present", "absent"]
Ending = Literal["solved", "drawn", "forfeited"]
Fate = Literal["in", "out", "left", "won"]
Where = Literal["free", "lobby", "tournament"]
TournamentEnding = Literal["finished", "stopped", "voided"]
Outcome = Literal["win", "draw", "loss"]
LeftWhat = Literal["lobby", "tournament", "group"]
QuestionWhat = Literal["duel", "lobby", "tournament", "group"]


class Part(BaseModel):
    """An object inside a message."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class You(Part):
    """The player who is signed in on this connection."""

    player_id: Annotated[str, Field(description="Your id. Opaque; it never changes.")]
    nickname: Annotated[str, Field(description="Your current nickname.")]
    rating: Annotated[int, Field(description="Your current rating; 1000 at first.")]
    games: Annotated[int, Field(description="Tournaments finished.")]


class LobbyPlayer(Part):
    """A player in a lobby."""

    player_id: Annotated[str, Field(description="The player's id.")]
    nickname: Annotated[str, Field(description="The current nickname.")]
    rating: Annotated[int, Field(description="The current rating.")]
    away: Annotated[bool, Field(description="The connection is lost; the seat is kept for a while.")] = False
    away_until_ms: (
        Annotated[int, Field(description="When the player counts as having left; only while away and in the game.")]
        | None
    ) = None


class Lobby(Part):
    """A lobby, whole. When `started` is true, the tournament follows at once under the same id.

    Of two frames with the same version, the one with the later `now_ms` is the newer.
    """

    lobby_id: Annotated[str, Field(description="The id; it changes when lobbies are merged.")]
    version: Annotated[int, Field(description="Grows with every change. Keep the greatest.")]
    language: Annotated[str, Field(description="The language code of the game.")]
    rating: Annotated[
        float, Field(description="Matchmaking seats players, and groups by their mean, at most 200 points from it.")
    ]
    seats: Annotated[int, Field(description="The number of seats.")] = 8
    players: Annotated[list[LobbyPlayer], Field(description="The waiting players. A group comes and goes as a whole.")]
    started: Annotated[bool, Field(description="The lobby is full and the tournament starts: the last `lobby`.")]


class TournamentPlayer(Part):
    """A player of a tournament, as the settled rounds left them."""

    player_id: Annotated[str, Field(description="The player's id.")]
    nickname: Annotated[
        str, Field(description="The nickname at the start; `Deleted player` if the player was deleted since.")
    ]
    rating: Annotated[int, Field(description="The rating at the start of the tournament.")]
    lives: Annotated[int, Field(description="Lives when the round opened; a duel that is over says who lost one.")]
    fate: Fate
    place: Annotated[int, Field(description="The place, once it is fixed. Places can be shared.")] | None = None
    rating_change: (
        Annotated[int, Field(description="The change, once the place is fixed; 0 if the tournament was voided.")] | None
    ) = None
    away: Annotated[bool, Field(description="The connection is lost; turns pass as skips.")] = False
    away_until_ms: (
        Annotated[int, Field(description="When the player counts as having left; only while away and in the game.")]
        | None
    ) = None


class Match(Part):
    """A pair of the current round."""

    duel_id: Annotated[str, Field(description="The id of their duel.")]
    players: Annotated[tuple[str, str], Field(description="Two player ids. The first of the two guesses first.")]
    length: Annotated[int, Field(description="The number of letters of the secret word.")]


class DuelResult(Part):
    """The outcome of a duel that is over. `board` returns its rows."""

    duel_id: Annotated[str, Field(description="The duel's id.")]
    players: Annotated[tuple[str, str], Field(description="Two player ids. The first of the two guessed first.")]
    ending: Ending
    winner: Annotated[str, Field(description="The winner's id; absent after a draw.")] | None = None
    word: Annotated[str, Field(description="The secret word in canonical letters.")]
    display: Annotated[str, Field(description="The word in its normal spelling, for display.")]
    turns: Annotated[int, Field(description="The number of turns played or skipped.")]


class RoundResult(Part):
    """A settled round."""

    number: Annotated[int, Field(description="The number of the round, from 1.")]
    duels: Annotated[list[DuelResult], Field(description="The round's duels.")]
    bye: Annotated[str, Field(description="The id of the player who had no duel.")] | None = None
    leavers: Annotated[list[str], Field(description="The ids of the players who left during the round.")]


class Tournament(Part):
    """A tournament, whole: its players and the current round's pairings.

    Of two frames with the same version, the one with the later `now_ms` is the newer.
    """

    tournament_id: Annotated[str, Field(description="The id: that of its lobby.")]
    version: Annotated[int, Field(description="Grows with every change. Keep the greatest.")]
    language: Annotated[str, Field(description="The language code of the game.")]
    players: Annotated[list[TournamentPlayer], Field(description="All eight players.")]
    round: Annotated[int, Field(description="The number of the current (or last) round, from 1.")]
    matches: Annotated[list[Match], Field(description="The pairings of that round.")]
    bye: Annotated[str, Field(description="The id of the player without a duel in this round.")] | None = None
    leavers: Annotated[list[str], Field(description="The ids of the players who have left during this round.")]
    starts_at_ms: Annotated[int, Field(description="When the introduction ends and the first turns begin.")]
    last_round: (
        Annotated[
            RoundResult, Field(description="The round settled last, with its words; absent during the first round.")
        ]
        | None
    ) = None
    over: Annotated[bool, Field(description="The tournament is over.")]
    ending: Annotated[TournamentEnding, Field(description="Why it is over, once it is.")] | None = None


class Row(Part):
    """One turn on the board."""

    player_id: Annotated[str, Field(description="The player whose turn it was.")]
    word: (
        Annotated[str, Field(description="The guess in canonical letters, one per tile; absent if skipped.")] | None
    ) = None
    marks: Annotated[list[Mark], Field(description="One mark for each letter; empty if skipped.")] = []


class Outlook(Part):
    """The places that are still possible for a player whose last life is gone.

    They depend on the round's other duels. The worst place is certain. The best one counts the players who left before
    the duel was over; if somebody leaves later in the round, the place may be better. It is fixed when the round ends.
    """

    player_id: Annotated[str, Field(description="The player's id.")]
    best_place: Annotated[int, Field(description="The best place possible, unless somebody leaves later in the round.")]
    worst_place: Annotated[int, Field(description="The worst place possible: that is certain.")]


class DuelPlayer(Part):
    """A player of a duel."""

    player_id: Annotated[str, Field(description="The player's id.")]
    lives: Annotated[int, Field(description="The lives left now.")]


class Duel(Part):
    """A duel, whole: the shared board and whose turn it is. It holds the secret word only when it is over."""

    ONLY_RUNNING: ClassVar[frozenset[str]] = frozenset({"to_move", "deadline_ms"})
    """The fields of a duel that runs: it has all of them, and one that is over has none."""
    ONLY_OVER: ClassVar[frozenset[str]] = frozenset({"ending", "winner", "word", "display"})
    """The fields of a duel that is over: one that runs has none of them (R18)."""
    ALWAYS_OVER: ClassVar[frozenset[str]] = frozenset({"word", "display"})
    """Those that every duel that is over has."""

    duel_id: Annotated[str, Field(description="The id.")]
    version: Annotated[int, Field(description="Grows with every change. Keep the greatest.")]
    tournament_id: Annotated[str, Field(description="The tournament that it belongs to.")]
    round: Annotated[int, Field(description="The number of its round.")]
    language: Annotated[str, Field(description="The language code of its word.")]
    length: Annotated[int, Field(description="The number of letters of its word.")]
    players: Annotated[list[DuelPlayer], Field(description="The two players. The first of the two guesses first.")]
    rows: Annotated[list[Row], Field(description="The turns played or skipped, oldest first; at most 12.")]
    turn: Annotated[int, Field(description="The number of the current turn, from 1. No meaning once it is over.")]
    to_move: Annotated[str, Field(description="The id of the player whose turn it is, while it runs.")] | None = None
    starts_at_ms: Annotated[int, Field(description="When the introduction ends and the first turn begins.")]
    turn_ms: Annotated[int, Field(description="How long each of its turns lasts.")] | None = None
    deadline_ms: Annotated[int, Field(description="When the current turn ends, while it runs.")] | None = None
    over: Annotated[bool, Field(description="The duel is over.")]
    ending: (
        Annotated[
            Ending, Field(description="How it ended; absent if an operator stopped it, which costs nobody a life.")
        ]
        | None
    ) = None
    winner: Annotated[str, Field(description="The winner's id, if somebody won.")] | None = None
    word: Annotated[str, Field(description="The secret word in canonical letters; only when it is over.")] | None = None
    display: (
        Annotated[str, Field(description="The word in its normal spelling, for display; only when it is over.")] | None
    ) = None
    out: Annotated[list[Outlook], Field(description="The players who lost their last life in this duel.")] = []


class GroupMember(Part):
    """A member of a group."""

    player_id: Annotated[str, Field(description="The player's id.")]
    nickname: Annotated[str, Field(description="The current nickname.")]
    rating: Annotated[int, Field(description="The current rating.")]
    away: Annotated[bool, Field(description="The connection is lost.")] = False
    where: Annotated[
        Where, Field(description="The member's current activity; `free` also after being eliminated from a tournament.")
    ]


class Group(Part):
    """A group of friends, whole.

    Its version grows when its members, leader or invite change. `where`, nicknames and ratings change without a new
    version: of two frames with the same version, the one with the later `now_ms` is the newer.
    """

    group_id: Annotated[str, Field(description="The id.")]
    version: Annotated[int, Field(description="Grows when the members, the leader or the invite change.")]
    invite: Annotated[str, Field(repr=False, description="The key for `joinGroup`: put it into a link.")]
    leader: Annotated[str, Field(description="The `player_id` of the member who may start.")]
    members: Annotated[list[GroupMember], Field(description="The members in the order in which they joined.")]


class OpponentPart(Part):
    """The part of a rating change that comes from one of the seven opponents."""

    player_id: Annotated[str, Field(description="The opponent's id.")]
    outcome: Outcome
    points: Annotated[
        float, Field(description="Rounded to three decimals; the change is the exact sum of all seven, rounded.")
    ]


class PlayerResult(Part):
    """How a tournament went for one player, as far as it is settled."""

    player_id: Annotated[str, Field(description="The player's id.")]
    nickname: Annotated[
        str, Field(description="The nickname at the start; `Deleted player` if the player was deleted since.")
    ]
    rating: Annotated[int, Field(description="The rating at the start of the tournament.")]
    lives: Annotated[int, Field(description="The lives after the settled rounds.")]
    fate: Fate
    place: Annotated[int, Field(description="The place, once it is fixed.")] | None = None
    rating_change: (
        Annotated[int, Field(description="The change, once the place is fixed; 0 if the tournament was voided.")] | None
    ) = None
    parts: Annotated[
        list[OpponentPart], Field(description="How the change adds up; empty until the place is fixed, or if voided.")
    ] = []


class Finished(Part):
    """A tournament that the player has finished."""

    tournament_id: Annotated[str, Field(description="Its id, for `results`.")]
    at_ms: Annotated[int, Field(description="When the place was fixed.")]
    place: Annotated[int, Field(description="The place.")]
    rating_change: Annotated[int, Field(description="The rating change; 0 if it was voided.")]
    rating: Annotated[int, Field(description="The rating from then on.")]
    voided: Annotated[bool, Field(description="An operator voided it: it does not count.")] = False
    language: Annotated[str, Field(description="The language code of the game; absent in older records.")] | None = None
    solved: Annotated[
        list[int],
        Field(description="The player's own turn (1 to 6) of each word that they guessed."),
    ] = []


class ReviewedRow(Part):
    """A row of a board and how many secret words of the language fitted the board before and after it."""

    player_id: Annotated[str, Field(description="The player whose turn it was.")]
    before: Annotated[int, Field(description="The words that fitted all rows before it.")]
    after: Annotated[int, Field(description="The words that fit this row too; a skipped row excludes none.")]


class Tile(Part):
    """One square of the board in a language."""

    letter: Annotated[str, Field(description="The canonical letter in rows and words; always one character.")]
    label: Annotated[str, Field(description="The text that players see; Uzbek's `ş` is shown as `sh`.")]


class Language(Part):
    """A language that the game is played in, with all that a client needs to draw its board and keyboard."""

    code: Annotated[str, Field(description="The code that `join` takes.")]
    name: Annotated[str, Field(description="The English name.")]
    native_name: Annotated[str, Field(description="The name in the language itself.")]
    tiles: Annotated[list[Tile], Field(description="All letters of the language.")]
    keyboard: Annotated[list[list[str]], Field(description="Rows of keys; each key is the letter of a tile.")]
    spellings: Annotated[
        dict[str, str],
        Field(description="The letters for each other spelling that `guess` accepts, such as `e` for `é`."),
    ] = {}


class Timing(Part):
    """The durations on this server, in seconds."""

    intro_seconds: Annotated[int, Field(description="Introduction before each round.")]
    turn_seconds: Annotated[int, Field(description="Length of a turn.")]
    reconnect_seconds: Annotated[int, Field(description="Time to come back after a lost connection.")]
    ping_seconds: Annotated[int, Field(description="Send a `ping` when nothing was heard for so long.")] = 20


class Message(BaseModel):
    """A frame from the server."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ref: Annotated[str, Field(description="The `ref` of the request that this answers, if it had one.")] | None = None
    now_ms: Annotated[int, Field(description="The server's clock when it made this frame.")]


class LostGame(Part):
    """A game that the player has lost by being away too long, or because the server was started again."""

    what: Annotated[
        Literal["lobby", "tournament"], Field(description="A seat in a lobby, at no cost, or a tournament.")
    ]
    id: Annotated[str, Field(description="The id of the lobby or tournament; `results` shows how the tournament went.")]
    at_ms: Annotated[int, Field(description="When the player counted as having left.")]
    restarted: (
        Annotated[
            Literal[True],
            Field(description="The server was started again; the game counts for nobody. Never on AWS."),
        ]
        | None
    ) = None


class Snapshot(Message):
    """Everything that a client needs to draw the current screen."""

    you: You
    group: Group | None = None
    lobby: Lobby | None = None
    tournament: (
        Annotated[Tournament, Field(description="The current tournament, or a finished one that was not left yet.")]
        | None
    ) = None
    duels: Annotated[
        list[Duel],
        Field(description="The player's own duel, this round's duels that are over, and those being watched."),
    ] = []
    watching: (
        Annotated[str, Field(description="The id of the duel that the player watches, if any: of several the first.")]
        | None
    ) = None
    watched: Annotated[list[str], Field(description="The ids of all duels that the player watches.")] = []
    lost_game: (
        Annotated[LostGame, Field(description="Why there is no lobby or tournament. It stays until the next seat.")]
        | None
    ) = None


class Welcome(Snapshot):
    """The answer to `hello`: the current screen, and how this server plays."""

    type: Literal["welcome"] = "welcome"
    protocol: Annotated[int, Field(description="The version of this protocol.")] = 1
    token: Annotated[
        Annotated[str, Field(description="The only key to the player. Sent once, to a new player: store it.")] | None,
        Field(repr=False),
    ] = None
    timing: Timing
    languages: Annotated[list[str], Field(description="The codes of the languages that the game is played in.")]


class State(Snapshot):
    """The answer to `sync`: the current screen."""

    type: Literal["state"] = "state"


class LobbyChanged(Message):
    """The current state of a lobby: the answer to `join` and `startGroup`, and pushed when it changes."""

    type: Literal["lobby"] = "lobby"
    lobby: Lobby


class Left(Message):
    """You have left that lobby, tournament or group.

    The answer to `leave` and `leaveGroup`, also if you were not in it. Pushed when somebody takes your group out of its
    lobby or removes you from the group.
    """

    type: Literal["left"] = "left"
    what: LeftWhat
    id: Annotated[str | None, Field(description="Its id. In an answer it is that of the request, if that had one.")] = (
        None
    )
    by: Annotated[
        str | None,
        Field(
            description="The `player_id` of the member who left, was lost or removed, or of the leader who removed you."
        ),
    ] = None


class TournamentChanged(Message):
    """The current state of a tournament: pushed when a round opens, when a player leaves and when it is over."""

    type: Literal["tournament"] = "tournament"
    tournament: Tournament


class DuelChanged(Message):
    """The current state of a duel.

    The answer to `guess`, `watch` and `board`. Pushed to its players when the round opens, to its players and watchers
    after each turn, and to everybody in the tournament when it is over.
    """

    type: Literal["duel"] = "duel"
    duel: Duel


class DuelsWatched(Message):
    """The duels that you watch: the answer to `watchAll`. Each of them then changes by `duel`."""

    type: Literal["duels"] = "duels"
    duels: Annotated[
        list[Duel],
        Field(description="All duels of the round except your own. Those that are not over are being watched."),
    ]


class Result(Message):
    """Your place in a tournament is fixed and your rating has changed. Also sent if you have left the tournament."""

    type: Literal["result"] = "result"
    tournament_id: Annotated[str, Field(description="The tournament.")]
    place: Annotated[int, Field(description="Your place.")]
    rating_change: Annotated[int, Field(description="The change of your rating.")]
    rating: Annotated[int, Field(description="Your rating from now on.")]


class YouChanged(Message):
    """Your player: the answer to `rename`. Pushed when an operator renames you or voids one of your tournaments."""

    type: Literal["you"] = "you"
    you: You


class Presence(Message):
    """A player in your lobby or tournament has lost the connection or has come back."""

    type: Literal["presence"] = "presence"
    player_id: Annotated[str, Field(description="The player's id.")]
    away: Annotated[bool, Field(description="True if the connection is lost, false if the player is back.")]
    until_ms: Annotated[int, Field(description="When the player counts as having left; only while away.")] | None = None


class GroupChanged(Message):
    """The current state of a group: the answer to requests that change it, and pushed when something changes."""

    type: Literal["group"] = "group"
    group: Group


class TournamentResults(Message):
    """How a tournament went, as far as it is settled: the answer to `results`."""

    type: Literal["results"] = "results"
    tournament_id: Annotated[str, Field(description="The tournament.")]
    language: Annotated[str, Field(description="The language code of the game.")]
    started_at_ms: Annotated[int, Field(description="When it started.")]
    ended_at_ms: Annotated[int, Field(description="When it ended, once it is over.")] | None = None
    ending: Annotated[TournamentEnding, Field(description="Why it is over, once it is.")] | None = None
    players: Annotated[list[PlayerResult], Field(description="The players, best first.")]
    rounds: Annotated[list[RoundResult], Field(description="The settled rounds, from the first.")]


class DuelReview(Message):
    """How a duel narrowed its word down: the answer to `review`."""

    type: Literal["review"] = "review"
    duel_id: Annotated[str, Field(description="The duel.")]
    answers: Annotated[int, Field(description="How many secret words of its language and length there are.")]
    rows: Annotated[list[ReviewedRow], Field(description="Its rows, from the first.")]


class OwnProfile(Message):
    """The player's own record: the answer to `profile`."""

    type: Literal["profile"] = "profile"
    you: You
    best_place: Annotated[int, Field(description="The best place so far; absent before the first.")] | None = None
    recent: Annotated[list[Finished], Field(description="The last 50 tournaments, newest first.")]


class OwnData(Message):
    """Everything stored about the player, in the form in which it is stored: the answer to `export`.

    Only the hash of the token is left out.
    """

    type: Literal["export"] = "export"
    data: Annotated[dict[str, Any], Field(description="For reading and keeping. Its structure may change at any time.")]


class Deleted(Message):
    """The player is deleted: the answer to `deleteMe`. Nobody is signed in on the connection any more."""

    type: Literal["deleted"] = "deleted"


class Unwatched(Message):
    """You watch no duel any more: the answer to `unwatch`."""

    type: Literal["unwatched"] = "unwatched"


class Replaced(Message):
    """The player has signed in on a newer connection. This one is closed, and must not reconnect by itself."""

    type: Literal["replaced"] = "replaced"


class LanguageList(Message):
    """The languages that the game is played in: the answer to `languages`. They do not change while connected."""

    type: Literal["languages"] = "languages"
    languages: Annotated[list[Language], Field(description="The languages.")]


class Pong(Message):
    """The answer to `ping`."""

    type: Literal["pong"] = "pong"


class Question(Message):
    """Are you still there? Answer it by `here` at once, without asking the person.

    Pushed when a turn of yours was skipped, once a minute while you wait in a lobby or have a bye, and when your group
    starts. A connection on which it is not answered within 20 seconds counts as lost.
    """

    type: Literal["question"] = "question"
    what: Annotated[QuestionWhat, Field(description="The kind of thing that it is about.")]
    id: Annotated[str, Field(description="The id of the duel, lobby, tournament or group.")]
    number: Annotated[int, Field(description="Grows with every question about the same thing.")]


class Heard(Message):
    """The answer to `here`."""

    type: Literal["heard"] = "heard"


class Error(Message):
    """A request was refused or failed. It has changed nothing, unless the code is `internal`."""

    type: Literal["error"] = "error"
    code: ErrorCode
    message: Annotated[str, Field(description="Plain English, for developers. The text may change.")]
    field: Annotated[str, Field(description="The name of the wrong field, if one is to blame.")] | None = None
    players: (
        Annotated[
            list[str],
            Field(description="The ids of the players who are the reason, for `member_playing` and `member_away`."),
        ]
        | None
    ) = None
    until_ms: (
        Annotated[int, Field(description="When the request will be accepted again, for `too_many_renames`.")] | None
    ) = None


MESSAGES: tuple[type[Message], ...] = (
    Welcome,
    State,
    LobbyChanged,
    Left,
    TournamentChanged,
    DuelChanged,
    DuelsWatched,
    Result,
    YouChanged,
    Presence,
    GroupChanged,
    TournamentResults,
    DuelReview,
    OwnProfile,
    OwnData,
    Deleted,
    Unwatched,
    Replaced,
    LanguageList,
    Pong,
    Question,
    Heard,
    Error,
)
