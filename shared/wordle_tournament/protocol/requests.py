"""The requests of a client: one JSON object per frame, told apart by `action`, with no fields but those here."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from . import messages

VERSION = 1
LONGEST_REF = 64

Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$")]
"""An id that the server has sent. Opaque: a client does not take it apart."""
LeaveWhat = Literal["lobby", "tournament"]


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("not printable")
    return text


class Request(BaseModel):
    """A request from a client. Its answer carries the same `ref`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    answer: ClassVar[type[messages.Message]]
    """The message that answers the request unless it is refused. A refused request is answered by an `error`."""

    ref: (
        Annotated[
            str,
            Field(max_length=LONGEST_REF, description="Comes back on the answer. Printable text."),
            AfterValidator(_printable),
        ]
        | None
    ) = None


class Hello(Request):
    """Sign in. It is the first request on every connection. Answered by `welcome`.

    Without a token it makes a new player. With a token it resumes that player and replaces any older connection.
    """

    action: Literal["hello"] = "hello"
    answer = messages.Welcome
    token: Annotated[
        Annotated[str, Field(max_length=200, description="The token from `welcome`, whole.")] | None, Field(repr=False)
    ] = None
    client: (
        Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,31}$", description="The name of the client's software.")]
        | None
    ) = None
    client_version: (
        Annotated[str, Field(pattern=r"^[0-9]{1,5}(\.[0-9]{1,5}){0,3}$", description="The version of that software.")]
        | None
    ) = None


class Join(Request):
    """Look for a game in a language: take a seat in a lobby. Answered by `lobby`.

    The same request sent again while the player waits in a lobby of that language gets the same answer.
    """

    action: Literal["join"] = "join"
    answer = messages.LobbyChanged
    language: Annotated[str, Field(min_length=2, max_length=8, description="One of the language codes in `welcome`.")]


class Leave(Request):
    """Leave the lobby (free) or the tournament (an automatic loss). Answered by `left`.

    It names which, so that a `leave` meant for the lobby never forfeits a tournament that has just started, and with
    the `id` a late one never hits the next game. A player who is not in it (any more) gets the same answer. A member of
    a group takes the whole group out of the lobby; everybody stays in the group.
    """

    action: Literal["leave"] = "leave"
    answer = messages.Left
    what: LeaveWhat
    id: Annotated[Id, Field(description="The id of the lobby or tournament.")] | None = None


class Guess(Request):
    """Guess the word of a duel. Answered by `duel`.

    The same guess sent again gets the same answer and is played once.
    """

    action: Literal["guess"] = "guess"
    answer = messages.DuelChanged
    duel: Annotated[Id, Field(description="The duel's id.")]
    turn: Annotated[int, Field(ge=1, le=12, description="The `turn` of the duel that the player saw.")]
    word: Annotated[str, Field(max_length=64, repr=False, description="The word as the player typed it, in any case.")]


class Rename(Request):
    """Choose a nickname, at most three times an hour. Answered by `you`.

    The lobby and the group show it at once; a running tournament keeps the name with which it started.
    """

    action: Literal["rename"] = "rename"
    answer = messages.YouChanged
    nickname: Annotated[str, Field(max_length=200, repr=False, description="The new nickname.")]


class Watch(Request):
    """Watch a running duel of the player's own tournament. Answered by `duel`.

    It replaces the duel watched before. It lasts until the duel is over, across lost connections.
    """

    action: Literal["watch"] = "watch"
    answer = messages.DuelChanged
    duel: Annotated[Id, Field(description="The duel's id.")]


class WatchAll(Request):
    """Watch all running duels of the player's own tournament and round. Answered by `duels`.

    Each lasts until it is over, across lost connections. Sent again, it gets the boards as they are then.
    """

    action: Literal["watchAll"] = "watchAll"
    answer = messages.DuelsWatched


class Unwatch(Request):
    """Stop watching, also several duels. Answered by `unwatched`, also if nothing was watched (any more)."""

    action: Literal["unwatch"] = "unwatch"
    answer = messages.Unwatched


class Sync(Request):
    """Ask for everything needed to draw the current screen. Answered by `state`."""

    action: Literal["sync"] = "sync"
    answer = messages.State


class Languages(Request):
    """Ask for the letters and keyboards of all languages. Answered by `languages`."""

    action: Literal["languages"] = "languages"
    answer = messages.LanguageList


class Ping(Request):
    """Show that this connection works, after 20 seconds in which nothing was heard. Answered by `pong`."""

    action: Literal["ping"] = "ping"
    answer = messages.Pong


class Here(Request):
    """Answer a `question`: yes, the player's client is still there. Answered by `heard`.

    Send it at once and without asking the person. Copy the three fields from the `question`.
    """

    action: Literal["here"] = "here"
    answer = messages.Heard
    what: messages.QuestionWhat
    id: Annotated[Id, Field(description="The `id` of the question.")]
    number: Annotated[int, Field(ge=1, description="The `number` of the question.")]


class CreateGroup(Request):
    """Make a group of friends and lead it. Answered by `group`, which has the invite.

    It is allowed in a tournament, but not in a lobby. Sent again with the same `ref`, it gets the group that it made,
    as long as the player leads it.
    """

    action: Literal["createGroup"] = "createGroup"
    answer = messages.GroupChanged


class JoinGroup(Request):
    """Join a friend's group by its invite. Answered by `group`. Sent again, it gets the same answer.

    It is allowed in a tournament, but not in a lobby, and not while the group itself waits in a lobby.
    """

    action: Literal["joinGroup"] = "joinGroup"
    answer = messages.GroupChanged
    invite: Annotated[
        str, Field(min_length=1, max_length=100, repr=False, description="The `invite` of the group, whole.")
    ]


class LeaveGroup(Request):
    """Leave the group. Answered by `left`, also if the player is not in it (any more).

    If the group waits in a lobby, the whole group is taken out of it. A running tournament goes on. If the leader
    leaves, another member leads at once.
    """

    action: Literal["leaveGroup"] = "leaveGroup"
    answer = messages.Left
    group: Annotated[Id, Field(description="The group's id: a late request never hits the next group.")] | None = None


class RemoveMember(Request):
    """Remove a member from the group; only its leader may. Answered by `group`, also if they are no member (any more).

    The group gets a new invite. If it waits in a lobby, the whole group is taken out of it. A running tournament goes
    on.
    """

    action: Literal["removeMember"] = "removeMember"
    answer = messages.GroupChanged
    player: Annotated[Id, Field(description="The member's `player_id`.")]


class HandOver(Request):
    """Make another member the leader, one who is connected; only the leader may. Answered by `group`.

    If that member leads already, any member gets this answer.
    """

    action: Literal["handOver"] = "handOver"
    answer = messages.GroupChanged
    player: Annotated[Id, Field(description="The member's `player_id`.")]


class RenewInvite(Request):
    """Replace the invite, so that the old one is not valid any more; only the leader may. Answered by `group`."""

    action: Literal["renewInvite"] = "renewInvite"
    answer = messages.GroupChanged


class StartGroup(Request):
    """Look for a game with the whole group; only its leader may. Answered by `lobby`.

    Either all members get seats in one lobby or nobody does. It is refused while a member is in a lobby or tournament
    or has lost the connection. The other members are asked whether they are there (`question`), and the answer comes
    when the last one has answered. After five seconds the same request is refused with the names of those who have not.
    Any member cancels the search for all by `leave` with `what` `lobby`. The same request
    sent again while the group waits in a lobby of that language gets the same answer.
    """

    action: Literal["startGroup"] = "startGroup"
    answer = messages.LobbyChanged
    language: Annotated[str, Field(min_length=2, max_length=8, description="One of the language codes in `welcome`.")]


class Results(Request):
    """Ask how a tournament went that the player plays or has played in. Answered by `results`.

    Results are kept for 30 days.
    """

    action: Literal["results"] = "results"
    answer = messages.TournamentResults
    tournament: Annotated[Id, Field(description="The tournament's id.")]


class Board(Request):
    """Ask for the board of a duel that is over, of a tournament that the player has played in. Answered by `duel`.

    Boards are kept for 30 days.
    """

    action: Literal["board"] = "board"
    answer = messages.DuelChanged
    duel: Annotated[Id, Field(description="The duel's id.")]


class Review(Request):
    """Ask how many answers were still possible before and after each row of a duel that is over. Answered by `review`.

    A player of its tournament may ask. Duels are kept for 30 days.
    """

    action: Literal["review"] = "review"
    answer = messages.DuelReview
    duel: Annotated[Id, Field(description="The duel's id.")]


class Profile(Request):
    """Ask for the own record: rating, games, best place, the last 50 tournaments. Answered by `profile`."""

    action: Literal["profile"] = "profile"
    answer = messages.OwnProfile


class Export(Request):
    """Ask for everything that is stored about the player. Answered by `export`.

    `results` and `board` return the tournaments that it names. If `history` has `pages`, the older tournaments of each
    are asked for by its number.
    """

    action: Literal["export"] = "export"
    answer = messages.OwnData
    page: Annotated[int, Field(ge=1, le=10_000, description="The number of a page, from 1.")] | None = None


class DeleteMe(Request):
    """Delete the player for good: leave every game and group, and make the token worthless. Answered by `deleted`.

    Opponents keep their results and see a neutral name. A running tournament counts as left. With the `player`, a
    request sent again after the deletion gets the same answer, on any connection, and never deletes another player.
    """

    action: Literal["deleteMe"] = "deleteMe"
    answer = messages.Deleted
    player: Annotated[Id, Field(description="The own `player_id`.")] | None = None
    # In Python 1 equals True, but nobody must be deleted by mistake.
    confirm: Annotated[
        Literal[True],
        BeforeValidator(lambda value: value is True),
        Field(description="Ask the person before you send it."),
    ]


REQUESTS: tuple[type[Request], ...] = (
    Hello,
    Join,
    Leave,
    Guess,
    Rename,
    Watch,
    WatchAll,
    Unwatch,
    Sync,
    Languages,
    Ping,
    Here,
    CreateGroup,
    JoinGroup,
    LeaveGroup,
    RemoveMember,
    HandOver,
    RenewInvite,
    StartGroup,
    Results,
    Board,
    Review,
    Profile,
    Export,
    DeleteMe,
)
