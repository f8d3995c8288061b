"""The whole current screen of a player, for `hello` and `sync`."""

from ..clock import now_ms
from ..delivery import groups, views
from ..delivery.surroundings import Surroundings, read
from ..protocol import messages
from ..rules.player import Player
from . import rescue


def surroundings(player: Player) -> Surroundings:
    """Return all that shows the player. A tournament whose timer has stopped is moved on first.

    Raises Conflict, StoreError, ClientError.
    """
    around = read(player)
    tournament = around.screen.tournament
    if tournament and rescue.stands_still(tournament.value, around.screen.duels, now_ms()):
        rescue.rescue(tournament.value.tournament_id)
        return read(player)
    return around


def snapshot(player: Player, around: Surroundings, at_ms: int) -> messages.Snapshot:
    """Return the screen as a message. Of the running duels it has only the player's own and those watched (R10, R18).

    `at_ms` is a time before any of it was read, by which the client knows which of two frames is newer.
    """
    shown, players = around.screen, around.players
    watched = [duel.value.duel_id for duel in shown.duels if player.player_id in duel.watchers and not duel.value.over]
    visible = [
        duel
        for duel in shown.duels
        if duel.value.over or player.player_id in duel.value.players or duel.value.duel_id in watched
    ]
    return messages.Snapshot(
        now_ms=at_ms,
        you=views.you(player),
        group=groups.show(around.group, around.members, around.started) if around.group else None,
        lobby=views.lobby(shown.lobby, players) if shown.lobby else None,
        tournament=views.tournament(shown.tournament, players) if shown.tournament else None,
        duels=[views.duel(duel) for duel in visible],
        watching=watched[0] if watched else None,
        watched=watched,
        lost_game=views.lost_game(player),
    )
