"""Watch a running duel of one's own tournament (R10)."""

from ...clock import now_ms
from ...delivery import audience, views
from ...delivery.screen import duels_of
from ...delivery.session import Call, signed_in
from ...errors import ErrorCode, GameError
from ...protocol import messages
from ...protocol.requests import Watch
from ...rules.player import Player
from ...store import DUELS, TOURNAMENTS, LiveDuel, load, set_watching


def watch(call: Call, request: Watch) -> messages.DuelChanged:
    """Show the duel from now on, and no other. Watching changes nothing for its players.

    Raises GameError: NO_SUCH_DUEL, NOT_SIGNED_IN, REPLACED, NOT_IN_TOURNAMENT, IN_DUEL, DUEL_OVER.
    """
    player = signed_in(call).value
    duel = load(DUELS, request.duel)
    if duel is None:
        raise GameError(ErrorCode.NO_SUCH_DUEL, field="duel")
    if duel.value.tournament_id not in (player.game, player.watching):
        raise GameError(ErrorCode.NOT_IN_TOURNAMENT, "That duel is of a tournament you are not in.", field="duel")
    others = [other for other in _duels(player) if other.value.duel_id != request.duel]
    if any(player.player_id in one.value.players and not one.value.over for one in (duel, *others)):
        raise GameError(ErrorCode.IN_DUEL, "Your own duel is still running.")
    if not set_watching(request.duel, player.player_id, True):
        raise GameError(ErrorCode.DUEL_OVER, "This duel is over.", field="duel")
    # Only now: who is refused goes on watching what they watched.
    for other in others:
        if player.player_id in other.watchers:
            set_watching(other.value.duel_id, player.player_id, False)
    if duel.connections.get(player.player_id) != call.connection_id:
        audience.connect(player.player_id, [duel])
    # Read after joining the audience, so that no turn falls between what is shown and what is pushed.
    shown = load(DUELS, request.duel) or duel
    return messages.DuelChanged(now_ms=now_ms(), duel=views.duel(shown))


def _duels(player: Player) -> list[LiveDuel]:
    tournament = load(TOURNAMENTS, str(player.game or player.watching))
    return [] if tournament is None else duels_of(tournament)
