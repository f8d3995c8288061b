"""All that shows a player: their game, their group, and everybody in both. Each item is read once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from .. import parallel
from ..clock import now_ms
from ..rules.player import Player
from ..store import GROUPS, LOBBIES, PLAYERS, TOURNAMENTS, load, load_many
from . import groups
from .screen import Screen, duels_of, lobby_on_screen
from .views import Players


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A player's screen and group, the records of the players in both, and whether other games of the group run.

    `at_ms` is a time before any of it was read.
    """

    at_ms: int
    screen: Screen
    group: groups.Stored | None
    players: Players
    started: Mapping[str, bool]

    @property
    def members(self) -> Players:
        """The records of the members of the group."""
        ids = self.group.value.members if self.group else ()
        return {key: self.players[key] for key in ids if key in self.players}


def read(player: Player) -> Surroundings:
    """Read the player's surroundings: what does not depend on each other at the same time. Raises StoreError."""
    at_ms, game = now_ms(), player.game or player.watching
    tournament, group = parallel.at_once(
        lambda: load(TOURNAMENTS, game) if game is not None else None, partial(_group, player)
    )
    members = group.value.members if group else ()
    started: dict[str, bool] = {}
    if tournament is not None:
        entrants = [entrant.player_id for entrant in tournament.value.entrants]
        duels, players = parallel.at_once(
            partial(duels_of, tournament), partial(load_many, PLAYERS, {*entrants, *members})
        )
        screen = Screen(tournament=tournament, duels=tuple(duels))
        started[tournament.value.tournament_id] = True
        seated: set[str] = set()
    else:
        lobby, players = parallel.at_once(partial(lobby_on_screen, player), partial(load_many, PLAYERS, members))
        screen = Screen(lobby=lobby)
        seated = set(screen.player_ids) - players.keys()
        if lobby is not None:
            started[lobby.value.lobby_id] = lobby.value.started
    games = {players[key].value.game for key in members if key in players} - started.keys() - {None}
    others, lobbies = parallel.at_once(
        partial(load_many, PLAYERS, seated), partial(load_many, LOBBIES, [str(game) for game in games])
    )
    started |= {key: lobby.value.started for key, lobby in lobbies.items()}
    return Surroundings(at_ms, screen, group, {**players, **others}, started)


def _group(player: Player) -> groups.Stored | None:
    # Each function may find a stale connection, and has for that the right to read groups together.
    found = load_many(GROUPS, [player.group] if player.group else []).get(player.group or "")
    return found if found is not None and found.value.has(player.player_id) else None
