"""What a client may send: one JSON object a frame, told apart by `action`; nothing beyond the fields given here."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from . import messages

VERSION = 1
LONGEST_REF = 64

Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$")]
"""An id as the server gave it. Opaque: do not take it apart."""
LeaveWhat = Literal["lobby", "tournament"]


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("not printable")
    return text


class Request(BaseModel):
    """A message from a client. `ref`, if given, comes back on the answer."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    answer: ClassVar[type[messages.Message]]
    """The message that answers the request unless it is refused. A refused request is answered by an `error`."""

    ref: (
        Annotated[
            str,
            Field(max_length=LONGEST_REF, description="Comes back on the answer; printable text."),
            AfterValidator(_printable),
        ]
        | None
    ) = None


class Hello(Request):
    """Sign in on this connection: first message of every connection, answered by `welcome`.

    Without a token it makes a new player; with one it resumes that player, and replaces any older connection.
    """

    action: Literal["hello"] = "hello"
    answer = messages.Welcome
    token: Annotated[
        Annotated[str, Field(max_length=200, description="As `welcome` gave it, whole.")] | None, Field(repr=False)
    ] = None


class Join(Request):
    """Look for a game in a language: takes a seat in a lobby. Answered by `lobby`.

    Sent again while waiting in a lobby of that language it is answered alike.
    """

    action: Literal["join"] = "join"
    answer = messages.LobbyChanged
    language: Annotated[str, Field(min_length=2, max_length=8, description="One of the codes in `welcome`.")]


class Leave(Request):
    """Leave the lobby (free) or the tournament (an automatic loss). Answered by `left`.

    It says which, so that a `leave` meant for the lobby never forfeits a tournament that has just started. Who waits
    with a group takes the whole group out of the lobby; nobody leaves the group by that.
    """

    action: Literal["leave"] = "leave"
    answer = messages.Left
    what: LeaveWhat


class Guess(Request):
    """Guess a word in a duel. Answered by `duel`. The same guess sent again is answered alike and played once."""

    action: Literal["guess"] = "guess"
    answer = messages.DuelChanged
    duel: Id
    turn: Annotated[int, Field(ge=1, le=12, description="The `turn` of the duel as the player saw it.")]
    word: Annotated[str, Field(max_length=64, repr=False, description="As typed, in any case.")]


class Rename(Request):
    """Choose a nickname, three times an hour at most. Answered by `you`.

    Lobby and group show it at once; a running tournament goes on showing the name it started with.
    """

    action: Literal["rename"] = "rename"
    answer = messages.YouChanged
    nickname: Annotated[str, Field(max_length=200, repr=False)]


class Watch(Request):
    """Watch a running duel of one's own tournament. Answered by `duel`; replaces the duel watched before.

    Goes on after a lost connection, until the duel is over.
    """

    action: Literal["watch"] = "watch"
    answer = messages.DuelChanged
    duel: Id


class Unwatch(Request):
    """Stop watching. Answered by `unwatched`."""

    action: Literal["unwatch"] = "unwatch"
    answer = messages.Unwatched


class Sync(Request):
    """Ask for everything needed to draw the current screen. Answered by `state`."""

    action: Literal["sync"] = "sync"
    answer = messages.State


class Languages(Request):
    """Ask for the languages of the game with their letters and keyboards. Answered by `languages`."""

    action: Literal["languages"] = "languages"
    answer = messages.LanguageList


class Ping(Request):
    """Show that this connection is alive. Answered by `pong`. Send one after every 20 seconds of silence."""

    action: Literal["ping"] = "ping"
    answer = messages.Pong


class CreateGroup(Request):
    """Make a group of friends, and lead it. Answered by `group`, which has the invite.

    In a tournament one may; in a lobby not.
    """

    action: Literal["createGroup"] = "createGroup"
    answer = messages.GroupChanged


class JoinGroup(Request):
    """Join a friend's group by its invite. Answered by `group`. Sent again it is answered alike.

    In a tournament one may; in a lobby not, and not while the group itself waits in one.
    """

    action: Literal["joinGroup"] = "joinGroup"
    answer = messages.GroupChanged
    invite: Annotated[str, Field(min_length=1, max_length=100, repr=False, description="As the group has it, whole.")]


class LeaveGroup(Request):
    """Leave the group; if it is waiting in a lobby, the whole group is taken out of that. Answered by `left`.

    A running tournament goes on. If the leader leaves, another member leads at once.
    """

    action: Literal["leaveGroup"] = "leaveGroup"
    answer = messages.Left


class RemoveMember(Request):
    """Take somebody out of the group; only its leader may. Answered by `group`.

    The invite is a new one then. If the group is waiting in a lobby, the whole group is taken out of that. A running
    tournament goes on.
    """

    action: Literal["removeMember"] = "removeMember"
    answer = messages.GroupChanged
    player: Annotated[Id, Field(description="The member's `player_id`.")]


class HandOver(Request):
    """Have another member lead the group, one who is connected; only its leader may. Answered by `group`."""

    action: Literal["handOver"] = "handOver"
    answer = messages.GroupChanged
    player: Annotated[Id, Field(description="The member's `player_id`.")]


class RenewInvite(Request):
    """Make a new invite, so that the old one is good for nothing; only the leader may. Answered by `group`."""

    action: Literal["renewInvite"] = "renewInvite"
    answer = messages.GroupChanged


class StartGroup(Request):
    """Look for a game with the whole group; only its leader may. Answered by `lobby`.

    All members are seated in one lobby, or nobody: not while one is in a lobby or tournament, or has lost the
    connection. Any member cancels the search for all by `leave` with `what` `lobby`. Sent again while the group waits
    in a lobby of that language it is answered alike.
    """

    action: Literal["startGroup"] = "startGroup"
    answer = messages.LobbyChanged
    language: Annotated[str, Field(min_length=2, max_length=8, description="One of the codes in `welcome`.")]


class Results(Request):
    """Ask how a tournament that one plays or has played in went, for 30 days. Answered by `results`."""

    action: Literal["results"] = "results"
    answer = messages.TournamentResults
    tournament: Id


class Board(Request):
    """Ask for the board of a duel that is over, of a tournament that one has played in. Answered by `duel`.

    Boards are kept for 30 days.
    """

    action: Literal["board"] = "board"
    answer = messages.DuelChanged
    duel: Id


class Profile(Request):
    """Ask for one's own record: rating, games, best place, the last 50 tournaments. Answered by `profile`."""

    action: Literal["profile"] = "profile"
    answer = messages.OwnProfile


class Export(Request):
    """Ask for everything that is stored about oneself. Answered by `export`.

    The tournaments that it names are asked for by `results` and `board`.
    """

    action: Literal["export"] = "export"
    answer = messages.OwnData


class DeleteMe(Request):
    """Delete oneself for good: leaves every game and group, and the token becomes worthless. Answered by `deleted`.

    Opponents keep their results; they see a neutral name. A running tournament counts as left.
    """

    action: Literal["deleteMe"] = "deleteMe"
    answer = messages.Deleted
    # Python takes 1 for True, but nobody is deleted by mistake.
    confirm: Annotated[Literal[True], BeforeValidator(lambda value: value is True)]


REQUESTS: tuple[type[Request], ...] = (
    Hello,
    Join,
    Leave,
    Guess,
    Rename,
    Watch,
    Unwatch,
    Sync,
    Languages,
    Ping,
    CreateGroup,
    JoinGroup,
    LeaveGroup,
    RemoveMember,
    HandOver,
    RenewInvite,
    StartGroup,
    Results,
    Board,
    Profile,
    Export,
    DeleteMe,
)
