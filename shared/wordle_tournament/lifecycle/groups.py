"""What all that concerns a group of friends shares: finding it, showing it, and taking somebody out of it (R29-R31)."""

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
    """The player on the connection and their group. Raises GameError as `signed_in`; GameError(NOT_IN_GROUP)."""
    player = signed_in(call)
    group = group_of(player.value)
    if group is None:
        raise GameError(ErrorCode.NOT_IN_GROUP, "You are not in a group.")
    return player, group


def change(call: Call, decide: Callable[[Group, str], Group]) -> messages.GroupChanged:
    """Change the caller's group by a rule of (group, caller), and tell everybody in it. Raises what the rule raises."""

    def move() -> Versioned[Group]:
        player, group = own_group(call)
        write = Change(GROUPS, group, decide(group.value, player.value.player_id))
        return commit(write)[write]

    return announce.group(retry_conflicts(move), answered=call.connection_id)


def take_out(
    group_id: str, player_id: str, decide: Callable[[Group, Players], Group], answered: str | None = None
) -> messages.GroupChanged:
    """Take the player out of the group by a rule of (group, members), and tell all who are concerned.

    If the group is waiting in a lobby, it is taken out of that as a whole (R29). Returns what those who stay are told,
    except the connection that gets it as an answer. Raises what the rule raises.
    """
    group, lobby, withdrawn = retry_conflicts(lambda: _take_out(group_id, player_id, decide))
    if lobby is not None:
        tell_withdrawn(withdrawn, lobby)
    return announce.group(group, answered)


def tell_withdrawn(players: Players, lobby: Versioned[Lobby], answered: str | None = None) -> None:
    """The players' party is out of the lobby: tell them and those who stay, and merge what is left."""
    left = messages.Left(now_ms=now_ms(), what="lobby")
    announce.tell(left, set(views.connections(players.values()).values()) - {answered})
    announce.lobby(lobby)
    merging.merge_lobbies(lobby.value.lobby_id)


def new_secret() -> str:
    """128 bits that make an invite unguessable."""
    return secrets.token_urlsafe(16)


def depart(group_id: str, player_id: str) -> None:
    """Take the player out as if they had left. Raises GameError(NOT_IN_GROUP), Conflict, StoreError."""
    take_out(group_id, player_id, lambda group, players: rules.leave(group, player_id, present(players)))


def present(players: Players) -> set[str]:
    """Those of the players who are connected."""
    return {player_id for player_id, player in players.items() if not player.value.away}


def relieved(group: Group, players: Players) -> Group:
    """The group with somebody connected leading if its leader is gone for good (R31).

    There was nobody to succeed a leader who was lost with everybody else. `players` are the members' records.
    """
    leader = players.get(group.leader)
    return group if leader is not None and not leader.value.forfeited else rules.succeed(group, present(players))


def relieve_leader(player: Player) -> None:
    """The player is there: if their group's leader is gone, somebody who is there leads.

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
) -> tuple[Versioned[Group], Versioned[Lobby] | None, Players]:
    """The group as it is now; and the lobby that it was taken out of, with the members' records, if it was."""
    group = load(GROUPS, group_id)
    if group is None:
        raise GameError(ErrorCode.NOT_IN_GROUP, "The group has ended.")
    players = load_many(PLAYERS, group.value.members)
    after = decide(group.value, players)
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
    """The lobbies in which members have seats, also those that have started, by id.

    Raises Conflict if somebody was moved to another one since they were read, and StoreError.
    """
    lobbies = load_many(LOBBIES, {member.game for member in members if member.game is not None})
    for member in members:
        if member.game in lobbies:
            check_seat(member, lobbies[member.game])
    return lobbies


def search_of(group: Group, players: Players) -> Versioned[Lobby] | None:
    """The open lobby in which the group waits as a party, if it does; `players` are its members.

    Raises Conflict and StoreError, as `lobbies_of` does.
    """
    lobbies = lobbies_of([player.value for player in players.values()])
    return next((one for one in lobbies.values() if one.value.open and one.value.has_party(group.group_id)), None)
