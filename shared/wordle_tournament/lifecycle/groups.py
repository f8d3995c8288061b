"""Changes of a group of friends that several use cases share: finding it, changing it, taking members out (R29-R31)."""

import secrets
from collections.abc import Callable, Collection

from ..clock import now_ms
from ..delivery import announce, views
from ..delivery.groups import group_of
from ..delivery.screen import check_seat
from ..delivery.session import Call, signed_in
from ..errors import ErrorCode, GameError
from ..matchmaking import merging
from ..protocol import messages
from ..rules import group as rules
from ..rules import lobby as lobby_rules
from ..rules.group import Group
from ..rules.lobby import Lobby
from ..rules.player import Player, leave_game, leave_group
from ..store import GROUPS, LOBBIES, PLAYERS, Change, Versioned, Write, commit, load, load_many, retry_conflicts

Players = views.Players


def own_group(call: Call) -> tuple[Versioned[Player], Versioned[Group]]:
    """Return the player on the connection and their group. Raises GameError: NOT_IN_GROUP, and as `signed_in` does."""
    player = signed_in(call)
    group = group_of(player.value)
    if group is None:
        raise GameError(ErrorCode.NOT_IN_GROUP, "You are not in a group.")
    return player, group


def change(call: Call, decide: Callable[[Group, str], Group]) -> messages.GroupChanged:
    """Change the caller's group by a rule of (group, caller), and tell all members.

    If the rule changes nothing, nothing is written and nobody is told. Raises what the rule raises.
    """

    def move() -> tuple[Versioned[Group], bool]:
        player, group = own_group(call)
        after = decide(group.value, player.value.player_id)
        if after == group.value:
            return group, False
        write = Change(GROUPS, group, after)
        return commit(write)[write], True

    group, changed = retry_conflicts(move)
    return announce.group(group, answered=call.connection_id) if changed else announce.group_as_answer(group)


def take_out(group_id: str, player_id: str, decide: Callable[[Group, Players], Group]) -> tuple[Versioned[Group], bool]:
    """Take the player out of the group by a rule of (group, members).

    A group that waits in a lobby leaves it as a whole (R29), and everybody in the lobby is told. Return the group, and
    True if the rule took the player out: then the caller tells the members who stay. Raises what the rule raises.
    """
    group, lobby, withdrawn = retry_conflicts(lambda: _take_out(group_id, player_id, decide))
    if withdrawn is not None and lobby is not None:
        with announce.best_effort():
            tell_withdrawn(withdrawn, lobby, player_id)
    return group, withdrawn is not None


def tell_withdrawn(players: Players, lobby: Versioned[Lobby], by: str) -> None:
    """Tell the party that left the lobby `by` a player, and those who stay. Merge the lobby that is left."""
    left = messages.Left(now_ms=now_ms(), what="lobby", id=lobby.value.lobby_id, by=by)
    announce.tell(left, views.connections(players.values()).values())
    announce.lobby(lobby)
    merging.merge_lobbies(lobby.value.lobby_id)


def new_secret() -> str:
    """Return a new secret of 128 bits, so that nobody can guess the invite."""
    return secrets.token_urlsafe(16)


def depart(group_id: str, player_id: str) -> None:
    """Take the player out of the group, as when they leave it. Raises GameError(NOT_IN_GROUP), Conflict, StoreError."""
    group, _ = take_out(group_id, player_id, lambda group, players: rules.leave(group, player_id, present(players)))
    with announce.best_effort():
        announce.group(group)


def present(players: Players) -> set[str]:
    """Return the ids of the players who are connected."""
    return {player_id for player_id, player in players.items() if not player.value.away}


def relieved(group: Group, players: Players) -> Group:
    """Return the group with a connected leader if its leader has forfeited or been deleted (R31).

    A leader who was disconnected together with all others had no connected successor at that time. `players` are the
    members' records.
    """
    leader = players.get(group.leader)
    return group if leader is not None and not leader.value.forfeited else rules.succeed(group, present(players))


def relieve_leader(player: Player) -> None:
    """Replace the leader of the connected player's group by a connected member if `relieved` says so.

    Raises Conflict or StoreError.
    """

    def move() -> None:
        group = group_of(player)
        if group is None:
            return
        after = relieved(group.value, load_many(PLAYERS, group.value.members))
        if after != group.value:
            commit(Change(GROUPS, group, after))

    retry_conflicts(move)


def _take_out(
    group_id: str, player_id: str, decide: Callable[[Group, Players], Group]
) -> tuple[Versioned[Group], Versioned[Lobby] | None, Players | None]:
    """Return the changed group, the lobby that it left (None if it waited in none), and the members' records before.

    If the rule changes nothing, nothing is written, and there are no records.
    """
    group = load(GROUPS, group_id)
    if group is None:
        raise GameError(ErrorCode.NOT_IN_GROUP, "The group has ended.")
    players = load_many(PLAYERS, group.value.members)
    after = decide(group.value, players)
    if after == group.value:
        return group, None, None
    group_write = Change(GROUPS, group, after)
    changed = {key: player.value for key, player in players.items()}
    lobby = search_of(group.value, players)
    lobby_write = None
    if lobby is not None:
        party = lobby_rules.party_of(lobby.value, player_id)
        lobby_write = Change(LOBBIES, lobby, lobby_rules.leave_seat(lobby.value, player_id))
        changed |= {member: leave_game(changed[member]) for member in party if member in changed}
    if player_id in changed:
        changed[player_id] = leave_group(changed[player_id])
    writes: list[Write] = [group_write] if lobby_write is None else [group_write, lobby_write]
    writes += [Change(PLAYERS, player, changed[key]) for key, player in players.items() if changed[key] != player.value]
    committed = commit(*writes)
    return committed[group_write], None if lobby_write is None else committed[lobby_write], players


def lobbies_of(members: Collection[Player]) -> dict[str, Versioned[Lobby]]:
    """Return the lobbies in which members have seats, by id. Started ones are among them.

    Raises Conflict if a member was moved to another lobby since they were read, and StoreError.
    """
    lobbies = load_many(LOBBIES, {member.game for member in members if member.game is not None})
    for member in members:
        if member.game in lobbies:
            check_seat(member, lobbies[member.game])
    return lobbies


def search_of(group: Group, players: Players) -> Versioned[Lobby] | None:
    """Return the open lobby in which the group waits as a party, or None; `players` are its members.

    Raises Conflict and StoreError, as `lobbies_of` does.
    """
    lobbies = lobbies_of([player.value for player in players.values()])
    return next(
        (lobby for lobby in lobbies.values() if lobby.value.open and lobby.value.has_party(group.group_id)), None
    )
