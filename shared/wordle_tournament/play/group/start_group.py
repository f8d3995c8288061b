"""Look for a game with the whole group, as its leader (R28-R31)."""

from itertools import count

from ...delivery.session import Call
from ...errors import AnsweredLater
from ...lifecycle import groups
from ...lifecycle.group_start import Started, announce_start, start_or_ask
from ...matchmaking.seating import check_language
from ...protocol import messages
from ...protocol.requests import StartGroup
from ...store import retry_conflicts


def start_group(call: Call, request: StartGroup) -> messages.LobbyChanged:
    """Seat all members in one lobby, or none; a group of eight starts at once. A resend gets the same answer.

    The other members are asked first whether they are there, and the last of them who answers starts. Raises
    AnsweredLater then, and GameError: UNKNOWN_LANGUAGE, QUEUE_CLOSED, NOT_SIGNED_IN, REPLACED, NOT_IN_GROUP,
    NOT_LEADER, MEMBER_PLAYING, MEMBER_AWAY.
    """
    check_language(request.language)
    losses = count()

    def start() -> Started | None:
        leader, group = groups.own_group(call)
        return start_or_ask(group, leader.value.player_id, request.language, request.ref, next(losses))

    started = retry_conflicts(start)
    if started is None:
        raise AnsweredLater
    return announce_start(call, started)
