"""Moving on a tournament whose timer has stopped: its execution never started, has failed, or lost an answer."""

from collections.abc import Sequence

from aws_lambda_powertools import Logger

from .. import clock, timers
from ..delivery.screen import duels_of
from ..metrics import Metric, count
from ..rules.tournament import Tournament
from ..store import TOURNAMENTS, LiveDuel, load
from .rounds import advance_round
from .turns import skip_turn

logger = Logger(child=True)

GRACE_MS = 10_000
"""The delay after which a timer counts as stopped."""


def stands_still(tournament: Tournament, duels: Sequence[LiveDuel], now_ms: int) -> bool:
    """Return True if something was due more than GRACE_MS ago.

    A live timer stores a token in each duel as soon as the introduction is over. So without any token there is no need
    to wait until a turn runs out.
    """
    if tournament.over:
        return False
    running = [duel for duel in duels if not duel.value.over]
    if not running:
        due_ms = max((duel.value.ended_at_ms or 0 for duel in duels), default=0)
    elif all(duel.task_token is None for duel in running):
        due_ms = tournament.round.starts_at_ms
    else:
        due_ms = min(duel.value.deadline_ms for duel in running)
    return now_ms - due_ms > GRACE_MS


def rescue(tournament_id: str) -> bool:
    """Do what is overdue and start a new timer. Return True if anything was. Raises Conflict, StoreError, ClientError.

    The old timer may turn out to be alive: two timers do no harm.
    """
    tournament = load(TOURNAMENTS, tournament_id)
    if tournament is None:
        return False
    duels = duels_of(tournament)
    now_ms = clock.now_ms()
    if not stands_still(tournament.value, duels, now_ms):
        return False
    logger.warning("clock stood still", tournament_id=tournament_id)
    count(Metric.RESCUED)
    for duel in duels:
        skip_turn(duel.value.duel_id)
    if not advance_round(tournament_id).over:
        # One name a minute: several callers who notice at once start only one timer.
        timers.start_tournament(tournament_id, rescue=f"-rescue-{now_ms // 60_000}")
    return True
