"""Show the board of a duel that is over (kept for 30 days)."""

from ...clock import now_ms
from ...delivery import views
from ...delivery.session import Call, played_in, signed_in
from ...errors import ErrorCode, GameError
from ...protocol import messages
from ...protocol.requests import Board
from ...store import DUELS, load


def board(call: Call, request: Board) -> messages.DuelChanged:
    """Return the whole duel to a player of its tournament. A running duel can be watched instead (R10).

    Raises GameError: NO_SUCH_DUEL, NO_SUCH_TOURNAMENT, DUEL_RUNNING, NOT_SIGNED_IN, REPLACED.
    """
    player_id = signed_in(call).value.player_id
    duel = load(DUELS, request.duel)
    if duel is None:
        raise GameError(ErrorCode.NO_SUCH_DUEL, field="duel")
    played_in(duel.value.tournament_id, player_id, field="duel")
    if not duel.value.over:
        raise GameError(ErrorCode.DUEL_RUNNING, field="duel")
    return messages.DuelChanged(now_ms=now_ms(), duel=views.duel(duel))
