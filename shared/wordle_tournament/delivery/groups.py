"""A group of friends as its members see it (R29-R31)."""

from collections.abc import Mapping

from ..protocol import messages
from ..rules.group import Group
from ..rules.lobby import Lobby
from ..rules.player import Player
from ..store import GROUPS, LOBBIES, PLAYERS, Versioned, load, load_many
from .views import Players


def group_of(player: Player) -> Versioned[Group] | None:
    """Return the player's group, or None if they are in none, it has ended or they were removed. Raises StoreError."""
    group = load(GROUPS, player.group) if player.group else None
    return group if group is not None and group.value.has(player.player_id) else None


def view(group: Versioned[Group]) -> tuple[messages.Group, Players]:
    """Return the group as its members see it, and the members' records. Raises StoreError."""
    players = load_many(PLAYERS, group.value.members)
    games = {player.value.game for player in players.values() if player.value.game is not None}
    lobbies = load_many(LOBBIES, games)
    members = [
        messages.GroupMember(
            player_id=member,
            nickname=players[member].value.nickname,
            rating=players[member].value.rating,
            away=players[member].value.away,
            where=_where(players[member].value, lobbies),
        )
        for member in group.value.members
        if member in players
    ]
    shown = messages.Group(
        group_id=group.value.group_id,
        version=group.version,
        invite=group.value.invite,
        leader=group.value.leader,
        members=members,
    )
    return shown, players


def _where(player: Player, lobbies: Mapping[str, Versioned[Lobby]]) -> messages.Where:
    lobby = lobbies.get(player.game) if player.game is not None else None
    if lobby is None:
        # The player is in no game, or in a lobby that has expired.
        return "free"
    return "tournament" if lobby.value.started else "lobby"
