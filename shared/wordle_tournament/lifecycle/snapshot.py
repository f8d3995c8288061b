"""Everything a player needs to draw the current screen: after `hello`, and on `sync`."""

from ..clock import now_ms
from ..delivery import views
from ..delivery.groups import group_of, view
from ..delivery.screen import Screen, read
from ..protocol import messages
from ..rules.player import Player
from ..store import PLAYERS, load_many
from . import rescue


def screen(player: Player) -> Screen:
    """Where the player is; a tournament whose clock seems to stand still is moved on first. Raises StoreError."""
    shown = read(player)
    if shown.tournament and rescue.stands_still(shown.tournament.value, shown.duels, now_ms()):
        rescue.rescue(shown.tournament.value.tournament_id)
        shown = read(player)
    return shown


def snapshot(player: Player, shown: Screen, at_ms: int) -> messages.Snapshot:
    """The screen as a message: of the running duels only the own one and the one watched (R10, R18).

    `at_ms` is a time before any of it was read, for the client to tell what is newer.
    """
    players = load_many(PLAYERS, shown.player_ids)
    watched = next((duel for duel in shown.duels if player.player_id in duel.watchers and not duel.value.over), None)
    visible = [
        duel for duel in shown.duels if duel.value.over or player.player_id in duel.value.players or duel is watched
    ]
    group = group_of(player)
    return messages.Snapshot(
        now_ms=at_ms,
        you=views.you(player),
        group=view(group)[0] if group else None,
        lobby=views.lobby(shown.lobby, players) if shown.lobby else None,
        tournament=views.tournament(shown.tournament, players) if shown.tournament else None,
        duels=[views.duel(duel) for duel in visible],
        watching=watched.value.duel_id if watched else None,
    )
