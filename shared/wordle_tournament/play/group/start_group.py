"""Look for a game with the whole group, as its leader (R29-R31)."""

from dataclasses import replace
from itertools import count

from ...delivery import announce
from ...delivery.session import Call
from ...lifecycle import groups
from ...matchmaking import queue_switch, seats
from ...matchmaking.seating import check_language, seated, waits
from ...matchmaking.seats import Outcome
from ...protocol import messages
from ...protocol.requests import StartGroup
from ...rules import group as rules
from ...rules.lobby import Lobby
from ...rules.player import Player
from ...store import GROUPS, PLAYERS, Change, Versioned, load_many, retry_conflicts


def start_group(call: Call, request: StartGroup) -> messages.LobbyChanged:
    """Seat all members in one lobby, or none; a group of eight starts at once. A resend gets the same answer.

    Raises GameError: UNKNOWN_LANGUAGE, QUEUE_CLOSED, NOT_SIGNED_IN, REPLACED, NOT_IN_GROUP, NOT_LEADER,
    MEMBER_PLAYING, MEMBER_AWAY.
    """
    check_language(request.language)
    losses = count()
    members, lobby, outcome = retry_conflicts(lambda: _start(call, request.language, next(losses)))
    answer = seated(call, members, lobby, outcome)
    announce.groups_of(members[:1])
    return answer


def _start(call: Call, language: str, losses: int) -> tuple[list[Player], Versioned[Lobby], Outcome]:
    """Return the members as they were before, the lobby, and how they got the seats."""
    leader, group = groups.own_group(call)
    players = load_many(PLAYERS, group.value.members)
    members = [player.value for player in players.values()]
    rules.check_leader(group.value, leader.value.player_id)
    lobbies = groups.lobbies_of(members)
    for lobby in lobbies.values():
        if lobby.value.has_party(group.value.group_id) and lobby.value.language == language and waits(lobby):
            return members, lobby, Outcome.AGAIN
    # Nobody is in a lobby that has expired; a lobby is kept longer than its tournament runs.
    members = [member if member.game in lobbies else replace(member, game=None) for member in members]
    party = rules.party(group.value, leader.value.player_id, members)
    queue_switch.check_open()
    # The group is written too: so a change of its members conflicts, and the group is kept for another day.
    group_write = Change(GROUPS, group, group.value)
    return members, *seats.seat_party(language, party, players, losses, group_write)
