"""A group of friends as its members see it (R29-R31)."""

from collections.abc import Mapping
from typing import TypeAlias

from ..protocol import messages
from ..rules.group import Group
from ..rules.player import Player
from ..store import GROUPS, LOBBIES, PLAYERS, Versioned, load, load_many
from .views import Players

Stored: TypeAlias = Versioned[Group]


def group_of(player: Player) -> Stored | None:
    """Return the player's group, or None if they are in none, it has ended or they were removed. Raises StoreError."""
    group = load(GROUPS, player.group) if player.group else None
    return group if group is not None and group.value.has(player.player_id) else None


def view(group: Stored) -> tuple[messages.Group, Players]:
    """Return the group as its members see it, and the members' records. Raises StoreError."""
    players = load_many(PLAYERS, group.value.members)
    games = {player.value.game for player in players.values() if player.value.game is not None}
    started = {key: lobby.value.started for key, lobby in load_many(LOBBIES, games).items()}
    return show(group, players, started), players


def show(group: Stored, players: Players, started: Mapping[str, bool]) -> messages.Group:
    """Return the group as its members see it.

    `players` are the members' records, and `started` says of each lobby in which they are whether it has started.
    """
    members = [
        messages.GroupMember(
            player_id=member,
            nickname=players[member].value.nickname,
            rating=players[member].value.rating,
            away=players[member].value.away,
            where=_where(players[member].value, started),
        )
        for member in group.value.members
        if member in players
    ]
    return messages.Group(
        group_id=group.value.group_id,
        version=group.version,
        invite=group.value.invite,
        leader=group.value.leader,
        members=members,
    )


def _where(player: Player, started: Mapping[str, bool]) -> messages.Where:
    if player.game is None or player.game not in started:
        # The player is in no game, or in a lobby that has expired.
        return "free"
    return "tournament" if started[player.game] else "lobby"
