"""Make a group of friends (R29)."""

import secrets

from ...delivery import announce
from ...delivery.groups import group_of
from ...delivery.screen import lobby_of
from ...delivery.session import Call, signed_in
from ...errors import ErrorCode, GameError
from ...lifecycle.groups import new_secret
from ...protocol import messages
from ...protocol.requests import CreateGroup
from ...rules import group as rules
from ...rules.group import Group
from ...rules.player import check_free, enter_group
from ...store import GROUPS, PLAYERS, Change, Create, Versioned, commit, retry_conflicts


def create_group(call: Call, request: CreateGroup) -> messages.GroupChanged:
    """Create a group of one, led by the player. A resend gets the same group.

    Raises GameError: IN_GROUP, IN_LOBBY, NOT_SIGNED_IN, REPLACED.
    """
    return announce.group_as_answer(retry_conflicts(lambda: _create(call, request.ref)))


def _create(call: Call, ref: str | None) -> Versioned[Group]:
    player = signed_in(call)
    current = group_of(player.value)
    if current is not None and rules.was_made_by(current.value, player.value.player_id, ref):
        return current
    if current is not None:
        raise GameError(ErrorCode.IN_GROUP, "You are in a group already.")
    lobby = lobby_of(player.value)
    if lobby is not None and lobby.value.open:
        check_free(player.value, lobby=True)
    group = rules.create("r" + secrets.token_hex(8), new_secret(), player.value.player_id, ref)
    write = Create(GROUPS, group)
    return commit(write, Change(PLAYERS, player, enter_group(player.value, group.group_id)))[write]
