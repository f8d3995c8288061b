"""The end of a connection: from then on the player has 60 seconds to come back (R28)."""

from aws_lambda_powertools import Logger

from .. import clock, push, timers
from ..delivery import announce, presence
from ..delivery.screen import read
from ..metrics import Metric, count
from ..rules.player import drop
from ..store import CONNECTIONS, PLAYERS, Change, Delete, clear_connection, commit, load, retry_conflicts

logger = Logger(child=True)


def lose_connection(connection_id: str) -> bool:
    """Record that the connection has ended, however that was noticed. Return True if its player has lost it by this.

    A repeated call does no harm. The end of a connection that was replaced, or on which nobody signed in, changes
    nothing. Raises Conflict, StoreError, ClientError.
    """
    connection = load(CONNECTIONS, connection_id)
    if connection is None or not retry_conflicts(lambda: _drop(connection_id, connection.value.player_id)):
        return False
    player = load(PLAYERS, connection.value.player_id)
    if player is None or not player.value.away:
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
    if player.value.game is not None or player.value.group is not None:
        timers.start_reconnect(player.value.player_id, player.value.epoch)
    screen = read(player.value)
    for duel in screen.duels:
        clear_connection(duel.value.duel_id, player.value.player_id, connection_id)
    presence.announce(player.value, screen)
    announce.groups_of([player.value])
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


def _drop(connection_id: str, player_id: str) -> bool:
    """Delete the connection's record. Return True if it was the player's current connection."""
    player = load(PLAYERS, player_id)
    after = player and drop(player.value, connection_id, clock.now_ms())
    if player is None or after is None or after == player.value:
        commit(Delete(CONNECTIONS, connection_id))
        return False
    commit(Change(PLAYERS, player, after), Delete(CONNECTIONS, connection_id))
    return True
