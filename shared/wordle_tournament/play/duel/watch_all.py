"""Watch all running duels of the player's own tournament and round (R10)."""

from functools import partial

from ... import parallel
from ...clock import now_ms
from ...delivery import announce, audience, views
from ...delivery.screen import duels_of
from ...delivery.session import Call, signed_in
from ...errors import ErrorCode, GameError
from ...protocol import messages
from ...protocol.requests import WatchAll
from ...store import PLAYERS, TOURNAMENTS, load, set_watching


def watch_all(call: Call, request: WatchAll) -> messages.DuelsWatched:
    """Subscribe the player to each running duel of the round: one write for each that they do not watch yet.

    Raises GameError: NOT_SIGNED_IN, REPLACED, NOT_IN_TOURNAMENT, IN_DUEL.
    """
    player = signed_in(call).value
    game = player.game or player.watching
    tournament = load(TOURNAMENTS, game) if game is not None else None
    if tournament is None:
        raise GameError(ErrorCode.NOT_IN_TOURNAMENT)
    duels = duels_of(tournament)
    running = [duel for duel in duels if not duel.value.over]
    if any(player.player_id in duel.value.players for duel in running):
        raise GameError(ErrorCode.IN_DUEL)
    parallel.each(
        partial(set_watching, duel.value.duel_id, player.player_id, True)
        for duel in running
        if player.player_id not in duel.watchers
    )
    unknown = [duel for duel in running if duel.connections.get(player.player_id) != call.connection_id]
    if unknown:
        audience.connect(player, unknown)
    # Read after joining the audience, so that no turn is missing between this answer and the first push.
    with announce.best_effort():
        current, duels = parallel.at_once(partial(load, PLAYERS, player.player_id), partial(duels_of, tournament))
        if current is None or not current.value.follows(tournament.value.tournament_id):
            # They left meanwhile, perhaps before these writes.
            audience.leave_audience(player.player_id, duels)
            raise GameError(ErrorCode.NOT_IN_TOURNAMENT)
    shown = [views.duel(duel) for duel in duels if player.player_id not in duel.value.players]
    return messages.DuelsWatched(now_ms=now_ms(), duels=shown)
