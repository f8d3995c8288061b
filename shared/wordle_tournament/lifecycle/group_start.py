"""The start of a group's game, once all its members have shown that they are there (R28-R31)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count

from aws_lambda_powertools import Logger

from .. import clock
from ..delivery import announce, questions
from ..delivery.session import Call
from ..errors import GameError
from ..matchmaking import queue_switch, seats
from ..matchmaking.seating import seated, waits
from ..matchmaking.seats import Outcome
from ..protocol import messages
from ..rules import group as rules
from ..rules.group import Group, Readiness
from ..rules.lobby import Lobby
from ..rules.player import Player
from ..rules.question import waited_for
from ..store import ANSWERS, GROUPS, PLAYERS, Change, Versioned, commit, load, load_many, retry_conflicts
from . import groups

logger = Logger(child=True)


@dataclass(frozen=True, slots=True)
class Started:
    """The members as they were before, the lobby, and how they got the seats."""

    members: list[Player]
    lobby: Versioned[Lobby]
    outcome: Outcome


def start_or_ask(group: Versioned[Group], leader: str, language: str, ref: str | None, losses: int) -> Started | None:
    """Seat the members if all have shown that they are there; otherwise ask them, and return None.

    Raises GameError: NOT_IN_GROUP, NOT_LEADER, QUEUE_CLOSED, MEMBER_PLAYING, MEMBER_AWAY; Conflict, StoreError.
    """
    players = load_many(PLAYERS, group.value.members)
    members = [player.value for player in players.values()]
    rules.check_leader(group.value, leader)
    lobbies = groups.lobbies_of(members)
    for lobby in lobbies.values():
        if lobby.value.has_party(group.value.group_id) and lobby.value.language == language and waits(lobby):
            return Started(members, lobby, Outcome.AGAIN)
    # Nobody is in a lobby that has expired; a lobby is kept longer than its tournament runs.
    members = [member if member.game in lobbies else replace(member, game=None) for member in members]
    party = rules.party(group.value, leader, members)
    queue_switch.check_open()
    if not _are_there(group, language, ref, {member.player_id: str(member.connection_id) for member in members}):
        return None
    # The group is written too: so a change of its members conflicts, and the group is kept for another day.
    group_write = Change(GROUPS, group, group.value)
    return Started(members, *seats.seat_party(language, party, players, losses, group_write))


def announce_start(call: Call, started: Started) -> messages.LobbyChanged:
    """Notify everybody concerned, unless they had the seats already.

    Return the answer for the leader, on whose connection the call is.
    """
    answer = seated(call, started.members, started.lobby, started.outcome)
    if started.outcome is not Outcome.AGAIN:
        with announce.best_effort():
            announce.groups_of(started.members[:1])
    return answer


def start_if_answered(call: Call, group: Versioned[Group]) -> None:
    """Start the game of a group whose last member has just answered, and answer the leader. Raises nothing but faults.

    A start that is not possible any more is refused when the leader asks again.
    """
    start = group.value.start
    if start is None or clock.now_ms() - start.question.asked_ms >= rules.ANSWER_MS:
        return
    if any(group.value.has(asked.player_id) for asked in waited_for(start.question, group.answers)):
        return
    losses = count()
    try:
        started = retry_conflicts(lambda: _start_again(group.value.group_id, start, next(losses)))
    except GameError as error:
        logger.info("a group cannot start", code=error.code, group_id=group.value.group_id)
        return
    if started is None or started.outcome is Outcome.AGAIN:
        return
    leader = next(member for member in started.members if member.player_id == start.leader)
    answer = announce_start(replace(call, connection_id=str(leader.connection_id)), started)
    for ref in start.refs or (None,):
        announce.tell(answer.model_copy(update={"ref": ref}), [leader.connection_id])


def _start_again(group_id: str, start: rules.Start, losses: int) -> Started | None:
    group = load(GROUPS, group_id)
    if group is None or group.value.start is None or group.value.start.question != start.question:
        return None
    return start_or_ask(group, start.leader, start.language, None, losses)


def _are_there(group: Versioned[Group], language: str, ref: str | None, connections: Mapping[str, str]) -> bool:
    """Return True if all members have shown that they are there; otherwise ask them, or let `ref` wait too."""
    others = {member: connections[member] for member in connections if member != group.value.leader}
    now_ms = clock.now_ms()
    try:
        readiness = rules.readiness(group.value, language, others, group.answers, now_ms)
    except GameError as error:
        if group.value.start is not None and not questions.is_open(group.value.start.question):
            announce.note_silent(others[member] for member in error.players)
        raise
    match readiness:
        case Readiness.READY:
            return True
        case Readiness.UNKNOWN:
            asking = rules.ask_members(group.value, language, ref, others, now_ms)
            write = Change(GROUPS, group, asking, removed_attributes=(ANSWERS,))
        case Readiness.ASKED:
            write = Change(GROUPS, group, rules.await_answer(group.value, ref))
    asked = group
    if write.value != group.value:
        asked = commit(write)[write]
        announce.group(asked)  # it has a new version
    if asked.value.start is not None:
        questions.push("group", group.value.group_id, asked.value.start.question, asked.answers)
    return False
