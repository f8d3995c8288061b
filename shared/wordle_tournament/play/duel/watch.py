"""Watch a running duel of the player's own tournament (R10)."""

from functools import partial

from ... import parallel
from ...clock import now_ms
from ...delivery import announce, audience, views
from ...delivery.screen import duels_of
from ...delivery.session import Call, signed_in
from ...errors import ErrorCode, GameError
from ...protocol import messages
from ...protocol.requests import Watch
from ...rules.player import Player
from ...store import DUELS, TOURNAMENTS, LiveDuel, load, set_watching


def watch(call: Call, request: Watch) -> messages.DuelChanged:
    """Subscribe the player to the duel, and to no other watched one. Watching changes nothing for its players.

    Raises GameError: NO_SUCH_DUEL, NOT_SIGNED_IN, REPLACED, NOT_IN_TOURNAMENT, IN_DUEL, DUEL_OVER.
    """
    player = signed_in(call).value
    duels = {duel.value.duel_id: duel for duel in _duels(player)}
    duel = duels.pop(request.duel, None) or load(DUELS, request.duel)
    if duel is None:
        raise GameError(ErrorCode.NO_SUCH_DUEL, field="duel")
    if not player.follows(duel.value.tournament_id):
        raise GameError(ErrorCode.NOT_IN_TOURNAMENT, "That duel is of a tournament you are not in.", field="duel")
    others = duels.values()
    if any(player.player_id in other.value.players and not other.value.over for other in (duel, *others)):
        raise GameError(ErrorCode.IN_DUEL, "Your own duel is still running.")
    # The answer was written or read after joining the audience, so that no turn is missing before the first push.
    joined = None if duel.value.over else duel
    if player.player_id not in duel.watchers:
        joined = set_watching(request.duel, player.player_id, True)
    if joined is None:
        raise GameError(ErrorCode.DUEL_OVER, "This duel is over.", field="duel")
    # Only now, so that a refused player keeps the duel that they watched before.
    parallel.each(
        partial(set_watching, other.value.duel_id, player.player_id, False)
        for other in others
        if player.player_id in other.watchers
    )
    if duel.connections.get(player.player_id) != call.connection_id:
        audience.connect(player, [duel])
        with announce.best_effort():
            joined = load(DUELS, request.duel) or joined
    return messages.DuelChanged(now_ms=now_ms(), duel=views.duel(joined))


def _duels(player: Player) -> list[LiveDuel]:
    """Return the duels of the player's round."""
    game = player.game or player.watching
    tournament = load(TOURNAMENTS, game) if game is not None else None
    return [] if tournament is None else duels_of(tournament)
