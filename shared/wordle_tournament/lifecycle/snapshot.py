"""The whole current screen of a player, for `hello` and `sync`."""

from ..clock import now_ms
from ..delivery import views
from ..delivery.groups import group_of, view
from ..delivery.screen import Screen, read
from ..protocol import messages
from ..rules.player import Player
from ..store import PLAYERS, load_many
from . import rescue


def screen(player: Player) -> Screen:
    """Return the player's screen. A tournament whose timer has stopped is moved on first.

    Raises Conflict, StoreError, ClientError.
    """
    current = read(player)
    if current.tournament and rescue.stands_still(current.tournament.value, current.duels, now_ms()):
        rescue.rescue(current.tournament.value.tournament_id)
        return read(player)
    return current


def snapshot(player: Player, shown: Screen, at_ms: int) -> messages.Snapshot:
    """Return the screen as a message. Of the running duels it has only the player's own and the watched one (R10, R18).

    `at_ms` is a time before any of it was read, by which the client knows which of two frames is newer.
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
        lost_game=views.lost_game(player),
    )
