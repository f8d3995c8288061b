"""The alarm of a turn: skip it if its time is over (R15), and see whether its player is still there (R28)."""

from aws_lambda_powertools import Logger

from .. import clock
from ..clock import seconds_until
from ..delivery import announce
from ..metrics import Metric, count
from ..rules import duel as rules
from ..store import DUELS, PLAYERS, Change, LiveDuel, commit, load, retry_conflicts
from .forfeits import forfeit
from .silence import disconnect_if_silent

logger = Logger(child=True)


def skip_turn(duel_id: str) -> int:
    """Skip the turn whose deadline has passed; returns in how many seconds (at least 1) to look again.

    An early, late or repeated alarm changes nothing, and tells the duel's audience once more how it stands. A duel that
    is over or unknown needs no more looking after. Raises Conflict or StoreError.
    """
    duel, skipped = retry_conflicts(lambda: _skip(duel_id))
    if duel is None:
        return 1
    if skipped is not None:
        # Whoever noticed: this is another's line if the clock stood still.
        logger.info("turn skipped", duel_id=duel_id, tournament_id=duel.value.tournament_id, player_id=skipped)
        count(Metric.TURN_SKIPPED)
    # Whoever guessed, skipped or left without telling the clock may have died before telling anybody.
    announce.duel(duel)
    if skipped is not None:
        _look_after(duel, skipped)
    return 1 if duel.value.over else max(1, seconds_until(duel.value.deadline_ms, clock.now_ms()))


def _skip(duel_id: str) -> tuple[LiveDuel | None, str | None]:
    """The duel as it is now, and whose turn was skipped if one was."""
    duel = load(DUELS, duel_id)
    if duel is None:
        return None, None
    after = rules.skip(duel.value, duel.value.turn, clock.now_ms())
    if after == duel.value:
        return duel, None
    write = Change(DUELS, duel, after)
    return commit(write)[write], duel.value.to_move


def _look_after(duel: LiveDuel, player_id: str) -> None:
    """Notice that the player whose turn ran out has lost the connection, or has been away too long."""
    connection_id = duel.connections.get(player_id)
    if connection_id is not None:
        disconnect_if_silent(connection_id)
        return
    player = load(PLAYERS, player_id)
    if player is not None:
        forfeit(player_id, player.value.epoch)
