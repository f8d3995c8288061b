"""The end of a connection: from then on the player has 60 seconds to come back (R28)."""

from functools import partial

from aws_lambda_powertools import Logger

from .. import clock, parallel, push, timers
from ..delivery import announce, presence, surroundings
from ..metrics import Metric, count
from ..rules.player import Player, drop
from ..store import CONNECTIONS, PLAYERS, Change, Delete, Versioned, clear_connection, commit, load, retry_conflicts

logger = Logger(child=True)


def lose_connection(connection_id: str) -> bool:
    """Record that the connection has ended, however that was noticed. Return True if its player has lost it by this.

    A repeated call does no harm. The end of a connection that was replaced, or on which nobody signed in, changes
    nothing. Raises Conflict, StoreError, ClientError.
    """
    connection = load(CONNECTIONS, connection_id)
    if connection is None:
        return False
    player = retry_conflicts(lambda: _drop(connection_id, connection.value.player_id))
    if player is None:
        return False
    # The ids are given here: if a push noticed, this invocation is about another player.
    logger.info(
        "connection lost",
        player_id=player.value.player_id,
        epoch=player.value.epoch,
        tournament_id=player.value.game,
        lost=connection_id,
    )
    count(Metric.DISCONNECTED)
    starting = None
    if player.value.game is not None or player.value.group is not None:
        starting = parallel.start(partial(timers.start_reconnect, player.value.player_id, player.value.epoch))
    # Only now, after the commit: it may be that they have come back, and then the others are told so.
    around = surroundings.read(player.value)
    presence.announce(player.value, around)
    parallel.each(
        partial(clear_connection, duel.value.duel_id, player.value.player_id, connection_id)
        for duel in around.screen.duels
    )
    if starting is not None:
        starting.result()
    return True


def lose_silent_connection(connection_id: str) -> bool:
    """Record that the connection is lost, although it may be open. Return and raise as `lose_connection` does."""
    lost = lose_connection(connection_id)
    # If it is alive after all, closing it tells its client to sign in again.
    push.close(connection_id)
    return lost


def reap_stale_connections() -> None:
    """Record a disconnection for the player of each connection found stale or silent (R28). Raises nothing."""
    while stale := announce.stale_connections():  # announcing one disconnection may find the next
        connection_id = stale.pop(0)
        try:
            if announce.take_silent(connection_id):
                lose_silent_connection(connection_id)
            else:
                lose_connection(connection_id)
        except Exception:
            # The reader of this log finds the cause; the player is found again by the next push or skipped turn.
            logger.exception("a lost connection could not be recorded")


def _drop(connection_id: str, player_id: str) -> Versioned[Player] | None:
    """Delete the connection's record. Return the player, now away, if it was their current connection."""
    player = load(PLAYERS, player_id)
    if player is None or (after := drop(player.value, connection_id, clock.now_ms())) == player.value:
        commit(Delete(CONNECTIONS, connection_id))
        return None
    write = Change(PLAYERS, player, after)
    return commit(write, Delete(CONNECTIONS, connection_id))[write]
