"""Review a duel that is over: how many answers were still possible, row by row (kept for 30 days)."""

from ... import words
from ...clock import now_ms
from ...delivery.session import Call, played_in, signed_in
from ...errors import ErrorCode, GameError
from ...protocol import messages
from ...protocol.requests import Review
from ...rules.review import possible
from ...store import DUELS, load


def review(call: Call, request: Review) -> messages.DuelReview:
    """Return the review to a player of the duel's tournament. It has numbers only: the lists stay here (R18).

    Raises GameError: NO_SUCH_DUEL, NO_SUCH_TOURNAMENT, DUEL_RUNNING, NOT_SIGNED_IN, REPLACED.
    """
    player_id = signed_in(call).value.player_id
    duel = load(DUELS, request.duel)
    if duel is None:
        raise GameError(ErrorCode.NO_SUCH_DUEL, field="duel")
    played_in(duel.value.tournament_id, player_id, field="duel")
    if not duel.value.over:
        raise GameError(ErrorCode.DUEL_RUNNING, field="duel")
    counts = possible(words.answers(duel.value.language, len(duel.value.word)), duel.value.rows)
    return messages.DuelReview(
        now_ms=now_ms(),
        duel_id=duel.value.duel_id,
        answers=counts[0],
        rows=[
            messages.ReviewedRow(player_id=row.player_id, before=before, after=after)
            for row, before, after in zip(duel.value.rows, counts, counts[1:], strict=False)
        ],
    )
