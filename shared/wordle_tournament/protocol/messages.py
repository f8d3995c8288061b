"""What the server sends: one JSON object a frame, told apart by `type`.

A field that is absent has no value. Lobbies, tournaments, duels and groups are sent whole, each with a `version` that
only grows: frames may overtake each other, so a client keeps the greatest version of each id and drops the others.
Who is `away`, and in a group what its members do, changes without a new version: of two frames with the same version
the one with the later `now_ms` is the newer. Times are milliseconds of the Unix epoch by the server's clock, and
every frame says the server's `now_ms`.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from .errors import ErrorCode

Mark = Literal["correct", "present", "absent"]
Ending = Literal["solved", "drawn", "forfeited"]
Fate = Literal["in", "out", "left", "won"]
Where = Literal["free", "lobby", "tournament"]
TournamentEnding = Literal["finished", "stopped", "voided"]
Outcome = Literal["win", "draw", "loss"]
LeftWhat = Literal["lobby", "tournament", "group"]


class Part(BaseModel):
    """A piece of a message."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class You(Part):
    """The player on this connection."""

    player_id: str
    nickname: str
    rating: int
    games: Annotated[int, Field(description="Tournaments finished.")]


class LobbyPlayer(Part):
    """A player waiting in a lobby."""

    player_id: str
    nickname: str
    rating: int
    away: Annotated[bool, Field(description="The connection is lost; the seat is kept for a while.")] = False


class Lobby(Part):
    """A lobby, whole. When `started` is true the tournament follows at once under the same id.

    Of two with the same version the one with the later `now_ms` is the newer.
    """

    lobby_id: str
    version: int
    language: str
    rating: Annotated[float, Field(description="Seats players, and groups by their mean, at most 200 points from it.")]
    seats: Annotated[int, Field(description="How many seats there are.")] = 8
    players: Annotated[list[LobbyPlayer], Field(description="Who waits. A group comes and goes as a whole.")]
    started: bool


class TournamentPlayer(Part):
    """A player of a tournament, by the rounds settled so far."""

    player_id: str
    nickname: Annotated[str, Field(description="As it was at the start; `Deleted player` for one deleted since.")]
    rating: Annotated[int, Field(description="As it was when the tournament started.")]
    lives: Annotated[int, Field(description="When the current round opened; a duel that is over says who lost one.")]
    fate: Fate
    place: Annotated[int, Field(description="Once it is fixed; equal for equal fate.")] | None = None
    rating_change: Annotated[int, Field(description="Once the place is fixed; 0 if it was voided.")] | None = None
    away: Annotated[bool, Field(description="The connection is lost; turns pass as skips.")] = False


class Match(Part):
    """A pair of the current round. The first of `players` guesses first."""

    duel_id: str
    players: tuple[str, str]
    length: Annotated[int, Field(description="Letters of the secret word.")]


class DuelResult(Part):
    """How a duel ended; its board can be asked for by `board`."""

    duel_id: str
    players: tuple[str, str]
    ending: Ending
    winner: str | None = None
    word: str
    display: str
    turns: Annotated[int, Field(description="Turns played or skipped.")]


class RoundResult(Part):
    """A settled round."""

    number: int
    duels: list[DuelResult]
    bye: str | None = None
    leavers: list[str]


class Tournament(Part):
    """A tournament, whole: who is in it and the current round's pairings.

    Of two with the same version the one with the later `now_ms` is the newer.
    """

    tournament_id: str
    version: int
    language: str
    players: list[TournamentPlayer]
    round: Annotated[int, Field(description="Number of the current (or last) round, from 1.")]
    matches: list[Match]
    bye: Annotated[str, Field(description="Player without a duel in this round.")] | None = None
    leavers: Annotated[list[str], Field(description="Players who have left during the current round.")]
    starts_at_ms: Annotated[int, Field(description="When the introduction ends and the first turns begin.")]
    last_round: (
        Annotated[RoundResult, Field(description="The round settled last, with its words; none during the first.")]
        | None
    ) = None
    over: bool
    ending: Annotated[TournamentEnding, Field(description="Why it is over, once it is.")] | None = None


class Row(Part):
    """One turn on the board. Without a word it was skipped."""

    player_id: str
    word: Annotated[str, Field(description="In canonical letters, one for each tile.")] | None = None
    marks: list[Mark] = []


class Outlook(Part):
    """The best and the worst place that are still possible for one whose last life is gone.

    As the round's duels can make it; somebody leaving can only improve it. The place is fixed when the round ends.
    """

    player_id: str
    best_place: int
    worst_place: int


class DuelPlayer(Part):
    """A player of a duel, with the lives they have now."""

    player_id: str
    lives: int


class Duel(Part):
    """A duel, whole: the shared board and whose turn it is. The word is there once the duel is over, not before."""

    duel_id: str
    version: int
    tournament_id: str
    round: int
    language: str
    length: int
    players: Annotated[list[DuelPlayer], Field(description="The first of the two guesses first.")]
    rows: Annotated[list[Row], Field(description="Turns played or skipped, oldest first; at most 12.")]
    turn: Annotated[int, Field(description="Number of the turn being played, from 1; of no use once it is over.")]
    to_move: Annotated[str, Field(description="Whose turn it is, while the duel runs.")] | None = None
    starts_at_ms: int
    deadline_ms: Annotated[int, Field(description="When the turn is skipped, while the duel runs.")] | None = None
    over: bool
    ending: (
        Annotated[Ending, Field(description="Once it is over; not if an operator has stopped it, which costs nothing.")]
        | None
    ) = None
    winner: str | None = None
    word: Annotated[str, Field(description="The secret word, canonical; only when the duel is over.")] | None = None
    display: Annotated[str, Field(description="The word as it is really written.")] | None = None
    out: Annotated[list[Outlook], Field(description="Players whom this duel took the last life.")] = []


class GroupMember(Part):
    """A friend in a group."""

    player_id: str
    nickname: str
    rating: int
    away: Annotated[bool, Field(description="The connection is lost.")] = False
    where: Annotated[Where, Field(description="What they are doing; one who is out of a tournament is `free`.")]


class Group(Part):
    """A group of friends, whole.

    Its version grows when its members, leader or invite change; what the members do, are called and are rated changes
    without one: of two with the same version the one with the later `now_ms` is the newer.
    """

    group_id: str
    version: int
    invite: Annotated[str, Field(repr=False, description="What friends join with: put it into a link.")]
    leader: Annotated[str, Field(description="The `player_id` of the member who may start.")]
    members: Annotated[list[GroupMember], Field(description="In the order in which they came.")]


class OpponentPart(Part):
    """What one of the seven opponents contributed to a rating change."""

    player_id: str
    outcome: Outcome
    points: Annotated[float, Field(description="To three decimals; the change is the exact sum of all seven, rounded.")]


class PlayerResult(Part):
    """How a tournament went for one player, as far as it is settled."""

    player_id: str
    nickname: Annotated[str, Field(description="As it was at the start; `Deleted player` for one deleted since.")]
    rating: Annotated[int, Field(description="When the tournament started.")]
    lives: Annotated[int, Field(description="After the settled rounds.")]
    fate: Fate
    place: Annotated[int, Field(description="Once it is fixed.")] | None = None
    rating_change: Annotated[int, Field(description="Once the place is fixed; 0 if it was voided.")] | None = None
    parts: Annotated[list[OpponentPart], Field(description="How the change adds up; empty until there is one.")] = []


class Finished(Part):
    """A tournament of one's own that has been finished."""

    tournament_id: str
    at_ms: Annotated[int, Field(description="When the place was fixed.")]
    place: int
    rating_change: int
    rating: Annotated[int, Field(description="From then on.")]
    voided: Annotated[bool, Field(description="It does not count any more; `rating_change` is 0.")] = False


class Tile(Part):
    """A letter of a language: `letter` is what words are stored in, `label` what a player sees on the key."""

    letter: str
    label: str


class Language(Part):
    """A language that the game is played in, with what a client needs to draw its keyboard."""

    code: str
    name: str
    native_name: str
    tiles: list[Tile]
    keyboard: Annotated[list[list[str]], Field(description="Rows of letters, each one of the tiles.")]


class Timing(Part):
    """How long things take here, in seconds."""

    intro_seconds: int
    turn_seconds: int
    reconnect_seconds: int
    ping_seconds: Annotated[int, Field(description="Send a ping after so much silence.")] = 20


class Message(BaseModel):
    """A frame from the server. `ref` is there on the answer to a message that had one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ref: str | None = None
    now_ms: Annotated[int, Field(description="The server's clock when it made this frame.")]


class Snapshot(Message):
    """Everything needed to draw the current screen."""

    you: You
    group: Group | None = None
    lobby: Lobby | None = None
    tournament: (
        Annotated[Tournament, Field(description="The one being played, or the one finished but not left yet.")] | None
    ) = None
    duels: Annotated[
        list[Duel], Field(description="The own duel, those of this round that are over, and the one watched.")
    ] = []
    watching: Annotated[str, Field(description="Duel being watched.")] | None = None


class Welcome(Snapshot):
    """The answer to `hello`. The token is there once, when the player is made: keep it, it is the only key."""

    type: Literal["welcome"] = "welcome"
    protocol: Annotated[int, Field(description="Version of this protocol.")] = 1
    token: Annotated[
        Annotated[str, Field(description="Only when the player was made just now.")] | None, Field(repr=False)
    ] = None
    timing: Timing
    languages: Annotated[list[str], Field(description="Codes of the languages the game is played in.")]


class State(Snapshot):
    """The answer to `sync`."""

    type: Literal["state"] = "state"


class LobbyChanged(Message):
    """A lobby as it is now: the answer to `join`, and sent to all in it when it changes."""

    type: Literal["lobby"] = "lobby"
    lobby: Lobby


class Left(Message):
    """You are out of that lobby, tournament or group.

    The answer to `leave` and `leaveGroup`. Unasked when somebody has taken your group out of its lobby, or you out of
    the group.
    """

    type: Literal["left"] = "left"
    what: LeftWhat


class TournamentChanged(Message):
    """A tournament as it is now: when a round opens, when somebody leaves, when it is over."""

    type: Literal["tournament"] = "tournament"
    tournament: Tournament


class DuelChanged(Message):
    """A duel as it is now.

    The answer to `guess` and `watch`; sent to its players when the round opens, to them and its watchers after each
    turn, and to everybody when it is over.
    """

    type: Literal["duel"] = "duel"
    duel: Duel


class Result(Message):
    """Your place in a tournament is fixed, and the rating change applied; also if you have left it."""

    type: Literal["result"] = "result"
    tournament_id: str
    place: int
    rating_change: int
    rating: Annotated[int, Field(description="Your rating from now on.")]


class YouChanged(Message):
    """You as you are now: the answer to `rename`. Unasked when an operator has renamed you or voided a tournament."""

    type: Literal["you"] = "you"
    you: You


class Presence(Message):
    """Somebody in your lobby or tournament has lost the connection, or has come back."""

    type: Literal["presence"] = "presence"
    player_id: str
    away: bool
    until_ms: Annotated[int, Field(description="When one who is away counts as having left.")] | None = None


class GroupChanged(Message):
    """A group as it is now: the answer to what changes it, and sent to all in it."""

    type: Literal["group"] = "group"
    group: Group


class TournamentResults(Message):
    """How a tournament went, as far as it is settled: the answer to `results`."""

    type: Literal["results"] = "results"
    tournament_id: str
    language: str
    started_at_ms: int
    ended_at_ms: Annotated[int, Field(description="Once the tournament is over.")] | None = None
    ending: Annotated[TournamentEnding, Field(description="Why it is over, once it is.")] | None = None
    players: Annotated[list[PlayerResult], Field(description="Best first.")]
    rounds: Annotated[list[RoundResult], Field(description="Those that are settled, from the first.")]


class OwnProfile(Message):
    """One's own record: the answer to `profile`."""

    type: Literal["profile"] = "profile"
    you: You
    best_place: Annotated[int, Field(description="The best of all so far.")] | None = None
    recent: Annotated[list[Finished], Field(description="The last 50 tournaments, newest first.")]


class OwnData(Message):
    """Everything stored about oneself, as it is stored, but for the token's hash: the answer to `export`."""

    type: Literal["export"] = "export"
    data: Annotated[dict[str, Any], Field(description="To read and to keep; its inner form may change at any time.")]


class Deleted(Message):
    """The player is deleted: the answer to `deleteMe`. Nobody is signed in on the connection any more."""

    type: Literal["deleted"] = "deleted"


class Unwatched(Message):
    """The answer to `unwatch`."""

    type: Literal["unwatched"] = "unwatched"


class Replaced(Message):
    """The player has connected elsewhere: this connection is closed and must not reconnect by itself."""

    type: Literal["replaced"] = "replaced"


class LanguageList(Message):
    """The languages that the game is played in: the answer to `languages`. They do not change while connected."""

    type: Literal["languages"] = "languages"
    languages: list[Language]


class Pong(Message):
    """The answer to `ping`."""

    type: Literal["pong"] = "pong"


class Error(Message):
    """A message was refused, or failed; nothing has changed unless the code is `internal`."""

    type: Literal["error"] = "error"
    code: ErrorCode
    message: Annotated[str, Field(description="Plain English, for developers.")]
    field: Annotated[str, Field(description="Which field is wrong, where that is known.")] | None = None
    players: (
        Annotated[list[str], Field(description="Who is in the way: with `member_playing` and `member_away`.")] | None
    ) = None
    until_ms: Annotated[int, Field(description="Until when it will be refused: with `too_many_renames`.")] | None = None


MESSAGES: tuple[type[Message], ...] = (
    Welcome,
    State,
    LobbyChanged,
    Left,
    TournamentChanged,
    DuelChanged,
    Result,
    YouChanged,
    Presence,
    GroupChanged,
    TournamentResults,
    OwnProfile,
    OwnData,
    Deleted,
    Unwatched,
    Replaced,
    LanguageList,
    Pong,
    Error,
)
