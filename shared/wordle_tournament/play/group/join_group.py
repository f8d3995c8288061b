"""Join a friend's group by its invite (R29)."""

from ...delivery import announce
from ...delivery.groups import group_of
from ...delivery.screen import lobby_of
from ...delivery.session import Call, signed_in
from ...errors import ErrorCode, GameError
from ...lifecycle import groups
from ...protocol import messages
from ...protocol.requests import JoinGroup
from ...rules import group as rules
from ...rules.group import Group
from ...rules.player import check_free, enter_group
from ...store import GROUPS, PLAYERS, Change, Versioned, commit, load, load_many, retry_conflicts


def join_group(call: Call, request: JoinGroup) -> messages.GroupChanged:
    """Let the player in; a member gets the group as it is.

    A group that plays can be joined (its next start waits for all). One that looks for a game cannot be. Raises
    GameError: NO_SUCH_GROUP, GROUP_FULL, GROUP_SEARCHING, IN_GROUP (another one), IN_LOBBY, NOT_SIGNED_IN,
    REPLACED.
    """
    group, joined = retry_conflicts(lambda: _join(call, request.invite))
    return announce.group(group, answered=call.connection_id) if joined else announce.group_as_answer(group)


def _join(call: Call, invite: str) -> tuple[Versioned[Group], bool]:
    """Return the group, and False if the player was a member already."""
    player = signed_in(call)
    group_id, _, secret = invite.partition(".")
    group = load(GROUPS, group_id) if group_id and secret else None
    if group is None:
        raise rules.no_such_group()
    after = rules.join(group.value, secret, player.value.player_id)
    if after == group.value and player.value.group == group_id:
        return group, False
    current = group_of(player.value)
    if current is not None and current.value.group_id != group_id:
        raise GameError(ErrorCode.IN_GROUP, "You are in another group; leave it first.")
    lobby = lobby_of(player.value)
    if lobby is not None and lobby.value.open:
        check_free(player.value, lobby=True)
    members = load_many(PLAYERS, group.value.members)
    if groups.search_of(group.value, members) is not None:
        raise GameError(ErrorCode.GROUP_SEARCHING, "The group is looking for a game right now.")
    after = groups.relieved(after, {**members, player.value.player_id: player})
    write = Change(GROUPS, group, after)
    return commit(write, Change(PLAYERS, player, enter_group(player.value, group_id)))[write], True
