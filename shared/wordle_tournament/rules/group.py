"""A group of friends: its members, its leader, and the conditions of a start (R29-R31)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from ..errors import ErrorCode, GameError
from .lobby import Seat
from .player import Player
from .question import Question, ask, waited_for
from .tournament import PLAYERS

ANSWER_MS = 5_000
"""The time in which the members' answers start the game. After it the leader's next request is refused."""
FRESH_MS = 60_000
"""The time for which the answers to a question count."""
MOST_REFS = 8
"""The most messages of the leader that wait for the answer to one start."""


@dataclass(frozen=True, slots=True)
class Start:
    """The leader's request to start: its language, and the refs of the messages that wait for its answer."""

    question: Question
    language: str
    leader: str
    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Creation:
    """The request that made a group: its player and its `ref`."""

    player_id: str
    ref: str


@dataclass(frozen=True, slots=True)
class Group:
    """A group as it is stored, with `members` in the order in which they came. A group without members has ended.

    `secret` is the part of the invite that cannot be guessed.
    """

    group_id: str
    secret: str = field(repr=False)
    members: tuple[str, ...]
    leader: str
    start: Start | None = None
    """The last start that the members were asked for (R28)."""
    creation: Creation | None = None

    @property
    def invite(self) -> str:
        """The text with which a friend joins."""
        return f"{self.group_id}.{self.secret}"

    def has(self, player_id: str) -> bool:
        return player_id in self.members


def create(group_id: str, secret: str, player_id: str, ref: str | None = None) -> Group:
    """Return a group of one player, who leads it; `ref` is that of the request."""
    creation = None if ref is None else Creation(player_id, ref)
    return Group(group_id, secret, (player_id,), player_id, creation=creation)


def was_made_by(group: Group, player_id: str, ref: str | None) -> bool:
    """Return True if this very request of the player made the group, which the player still leads."""
    return ref is not None and group.leader == player_id and group.creation == Creation(player_id, ref)


def join(group: Group, secret: str, player_id: str) -> Group:
    """Let a friend in by the invite; a member stays a member, even if the invite has been renewed since.

    Raises GameError: NO_SUCH_GROUP if the group has ended or the invite is not valid (any more), GROUP_FULL.
    """
    if group.has(player_id):
        return group
    if not group.members or secret != group.secret:
        raise no_such_group()
    if len(group.members) >= PLAYERS:
        raise GameError(ErrorCode.GROUP_FULL, f"A group has at most {PLAYERS} members.")
    return replace(group, members=(*group.members, player_id))


def leave(group: Group, player_id: str, connected: Collection[str]) -> Group:
    """Remove the member. If they led, the longest-standing connected member leads, else the longest-standing (R31).

    Raises GameError(NOT_IN_GROUP).
    """
    check_member(group, player_id)
    left = replace(group, members=tuple(member for member in group.members if member != player_id))
    return succeed(left, connected) if player_id == group.leader else left


def remove(group: Group, leader: str, player_id: str, secret: str) -> Group:
    """Remove a member at the leader's wish. `secret` is of a new invite: the old one does not let them in again.

    Without that member the group stays as it is. Raises GameError: NOT_LEADER, CANNOT_REMOVE_YOURSELF.
    """
    check_leader(group, leader)
    if player_id == leader:
        raise GameError(ErrorCode.CANNOT_REMOVE_YOURSELF, "To go yourself, leave the group.", field="player")
    if not group.has(player_id):
        return group
    return replace(leave(group, player_id, ()), secret=secret)


def hand_over(group: Group, leader: str, player_id: str, connected: Collection[str]) -> Group:
    """Make another member the leader. They must be connected, or the group might have a leader who never comes back.

    If they lead already, the group stays as it is, whichever member asks. Raises GameError: NOT_LEADER, NOT_IN_GROUP,
    MEMBER_AWAY.
    """
    if player_id == group.leader and group.has(leader):
        return group
    check_leader(group, leader)
    check_named(group, player_id)
    if player_id not in connected:
        raise GameError(ErrorCode.MEMBER_AWAY, "That member has lost the connection.", (player_id,), field="player")
    return replace(group, leader=player_id)


def renew(group: Group, leader: str, secret: str) -> Group:
    """Replace the invite; the old one is not valid any more. Raises GameError(NOT_LEADER)."""
    check_leader(group, leader)
    return replace(group, secret=secret)


def succeed(group: Group, connected: Collection[str]) -> Group:
    """Replace a leader who left: the longest-standing connected member leads, else the longest-standing (R31)."""
    heirs = [member for member in group.members if member in connected] or list(group.members)
    return replace(group, leader=heirs[0]) if heirs else group


def party(group: Group, leader: str, members: Iterable[Player]) -> tuple[Seat, ...]:
    """Return the seats of the whole group as one party, placed by its mean rating (R29).

    `members` are the players' records. Raises GameError: NOT_LEADER; MEMBER_PLAYING while a member is in a lobby or
    tournament (R30) and MEMBER_AWAY while one has lost the connection, each with those `players`.
    """
    check_leader(group, leader)
    players = {player.player_id: player for player in members}
    present = [players[member] for member in group.members if member in players]
    playing = tuple(player.player_id for player in present if player.game is not None)
    if playing:
        raise GameError(ErrorCode.MEMBER_PLAYING, "A member is still in a game.", playing)
    missing = tuple(member for member in group.members if member not in players)
    away = (*missing, *(player.player_id for player in present if player.away))
    if away:
        raise GameError(ErrorCode.MEMBER_AWAY, "A member has lost the connection.", away)
    mean = sum(player.rating for player in present) / len(present)
    return tuple(
        Seat(player.player_id, player.nickname, player.rating, group.group_id, mean, watched=player.watching)
        for player in present
    )


class Readiness(Enum):
    """Whether a group can start: its members have shown that they are there, are being asked, or must be asked."""

    READY = "ready"
    ASKED = "asked"
    UNKNOWN = "unknown"


def readiness(
    group: Group, language: str, connections: Mapping[str, str], answers: Collection[str], now_ms: int
) -> Readiness:
    """Return whether all members have shown that they are there (R28), for a start in that language.

    `connections` are those of the members who must answer. A member whose connection is newer than the question has
    signed in since. Raises GameError(MEMBER_AWAY) with those who have not answered within ANSWER_MS.
    """
    if not connections:
        return Readiness.READY
    if group.start is None or group.start.language != language or group.start.leader != group.leader:
        return Readiness.UNKNOWN
    age_ms = now_ms - group.start.question.asked_ms
    missing = tuple(
        asked.player_id
        for asked in waited_for(group.start.question, answers)
        if connections.get(asked.player_id) == asked.connection_id
    )
    if missing and age_ms >= ANSWER_MS:
        raise GameError(ErrorCode.MEMBER_AWAY, "A member does not answer.", missing)
    if missing:
        return Readiness.ASKED
    return Readiness.READY if age_ms < FRESH_MS else Readiness.UNKNOWN


def ask_members(group: Group, language: str, ref: str | None, connections: Mapping[str, str], now_ms: int) -> Group:
    """Ask the members on these connections whether they are there; the answer to `ref` waits for them."""
    question = ask(None if group.start is None else group.start.question, connections.items(), now_ms)
    return replace(group, start=Start(question, language, group.leader, () if ref is None else (ref,)))


def await_answer(group: Group, ref: str | None) -> Group:
    """Let one more message wait for the answer to the start that the members are asked for."""
    if group.start is None or ref is None or ref in group.start.refs:
        return group
    return replace(group, start=replace(group.start, refs=(*group.start.refs, ref)[-MOST_REFS:]))


def check_member(group: Group, player_id: str) -> None:
    """Check that the player who sends the request is a member. Raises GameError(NOT_IN_GROUP)."""
    if not group.has(player_id):
        raise GameError(ErrorCode.NOT_IN_GROUP, "You are not in a group.")


def check_named(group: Group, player_id: str) -> None:
    """Check that the player whom the request names is a member. Raises GameError(NOT_IN_GROUP)."""
    if not group.has(player_id):
        raise GameError(ErrorCode.NOT_IN_GROUP, "That player is not in your group.", field="player")


def check_leader(group: Group, player_id: str) -> None:
    """Check that the player leads the group. Raises GameError: NOT_IN_GROUP, NOT_LEADER."""
    check_member(group, player_id)
    if group.leader != player_id:
        raise GameError(ErrorCode.NOT_LEADER, "Only the group's leader can do that.")


def no_such_group() -> GameError:
    """Return the error for an invite that opens no group: it is wrong or renewed, or its group has ended."""
    return GameError(ErrorCode.NO_SUCH_GROUP, "The invite is not valid (any more).", field="invite")
