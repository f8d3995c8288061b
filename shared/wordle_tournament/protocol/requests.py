"""What a client may send: one JSON object a frame, told apart by `action`; nothing beyond the fields given here."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

VERSION = 1

Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$")]
"""An id as the server gave it. Opaque: do not take it apart."""


class Request(BaseModel):
    """A message from a client. `ref`, if given, comes back on the answer."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    ref: Annotated[str, Field(max_length=64, description="Comes back on the answer; printable text.")] | None = None


class Hello(Request):
    """Sign in on this connection: first message of every connection, answered by `welcome`.

    Without a token it makes a new player; with one it resumes that player, and replaces any older connection.
    """

    action: Literal["hello"] = "hello"
    token: Annotated[
        Annotated[str, Field(max_length=200, description="As `welcome` gave it, whole.")] | None, Field(repr=False)
    ] = None


class Join(Request):
    """Look for a game in a language: takes a seat in a lobby. Answered by `lobby`.

    Sent again while waiting in a lobby of that language it is answered alike.
    """

    action: Literal["join"] = "join"
    language: Annotated[str, Field(min_length=2, max_length=8, description="One of the codes in `welcome`.")]


class Leave(Request):
    """Leave the lobby (free) or the tournament (an automatic loss). Answered by `left`.

    It says which, so that a `leave` meant for the lobby never forfeits a tournament that has just started.
    """

    action: Literal["leave"] = "leave"
    what: Literal["lobby", "tournament"]


class Guess(Request):
    """Guess a word in a duel. Answered by `duel`. The same guess sent again is answered alike and played once."""

    action: Literal["guess"] = "guess"
    duel: Id
    turn: Annotated[int, Field(ge=1, le=12, description="The `turn` of the duel as the player saw it.")]
    word: Annotated[str, Field(max_length=64, repr=False, description="As typed, in any case.")]


class Rename(Request):
    """Choose a nickname. Answered by `you`. A running tournament goes on showing the name it started with."""

    action: Literal["rename"] = "rename"
    nickname: Annotated[str, Field(max_length=200, repr=False)]


class Watch(Request):
    """Watch a running duel of one's own tournament. Answered by `duel`; replaces the duel watched before."""

    action: Literal["watch"] = "watch"
    duel: Id


class Unwatch(Request):
    """Stop watching. Answered by `unwatched`."""

    action: Literal["unwatch"] = "unwatch"


class Sync(Request):
    """Ask for everything needed to draw the current screen. Answered by `state`."""

    action: Literal["sync"] = "sync"


class Languages(Request):
    """Ask for the languages of the game with their letters and keyboards. Answered by `languages`."""

    action: Literal["languages"] = "languages"


class Ping(Request):
    """Show that this connection is alive. Answered by `pong`. Send one after every 20 seconds of silence."""

    action: Literal["ping"] = "ping"


REQUESTS: tuple[type[Request], ...] = (Hello, Join, Leave, Guess, Rename, Watch, Unwatch, Sync, Languages, Ping)
