"""The end of the reconnect window: a player who has not come back counts as having left (R28, R31)."""

from dataclasses import replace

from aws_lambda_powertools import Logger

from ..clock import now_ms
from ..config import settings
from ..delivery import announce
from ..delivery.groups import group_of
from ..metrics import Metric, count
from ..rules import group as group_rules
from ..rules.player import Player, has_left
from ..store import GROUPS, PLAYERS, Change, Versioned, Write, commit, load, load_many, retry_conflicts
from . import groups
from .leaving import remove_from_game

logger = Logger(child=True)


def forfeit(player_id: str, epoch: int) -> bool:
    """Forfeit for the player if they are still away since that connection and the window is over (R28, R31).

    They leave the lobby or tournament. They stay in their group, but do not lead it any longer. Return True if they
    forfeited. Raises Conflict or StoreError; it may be called again.
    """
    player = _overdue(player_id, epoch)
    if player is None:
        return False
    if not player.value.forfeited:
        logger.info("player let go", player_id=player_id, epoch=epoch, tournament_id=player.value.game)
        count(Metric.FORFEITED)
    remove_from_game(player_id, epoch)
    if retry_conflicts(lambda: _apply(player_id, epoch)):
        # A member who reconnects at this moment may not have seen the forfeit, and we may not have seen them connected.
        with announce.best_effort():
            groups.relieve_leader(player.value)
            announce.groups_of([player.value])
    return True


def is_overdue(player: Player) -> bool:
    """Return True if the player has been away past the reconnect window, and still has a game or a group to lose."""
    at_stake = player.game is not None or (player.group is not None and not player.forfeited)
    return at_stake and has_left(player, settings().reconnect_ms, now_ms())


def _overdue(player_id: str, epoch: int) -> Versioned[Player] | None:
    """Return the player if they have been away past the reconnect window and the forfeit has not been applied yet."""
    player = load(PLAYERS, player_id)
    return player if player is not None and player.value.epoch == epoch and is_overdue(player.value) else None


def _apply(player_id: str, epoch: int) -> bool:
    """Mark the forfeit as applied. Return True if the player led a group."""
    player = _overdue(player_id, epoch)
    if player is None:
        return False
    writes: list[Write] = [Change(PLAYERS, player, replace(player.value, forfeited=True))]
    group = group_of(player.value)
    if group is None or group.value.leader != player_id:
        commit(*writes)
        return False
    connected = groups.present(load_many(PLAYERS, group.value.members))
    commit(Change(GROUPS, group, group_rules.succeed(group.value, connected)), *writes)
    return True
