"""The end of the 60 seconds: one who has not come back counts as having left (R28, R31)."""

from dataclasses import replace

from aws_lambda_powertools import Logger

from ..clock import now_ms
from ..config import reconnect_ms
from ..metrics import Metric, count
from ..rules import group as group_rules
from ..rules.player import Player, has_left
from ..store import GROUPS, PLAYERS, Change, Stored, Write, commit, load, load_many, retry_conflicts
from . import groups
from .leave import remove_from_game

logger = Logger(child=True)


def forfeit(player_id: str, epoch: int) -> bool:
    """Let the player go if they are still away since that connection, and for long enough; whether they were.

    They leave the lobby or tournament. They stay in their group, but do not lead it any longer. Raises Conflict or
    StoreError; it may be called again.
    """
    player = _left(player_id, epoch)
    if player is None:
        return False
    if not player.value.gone:
        logger.info("player let go", player_id=player_id, epoch=epoch, tournament_id=player.value.game)
        count(Metric.FORFEITED)
    remove_from_game(player_id, epoch)
    if retry_conflicts(lambda: _gone(player_id, epoch)):
        # A member who came back in this moment may not have seen that the leader is gone, nor we that they are there.
        groups.relieve_leader(player.value)
        groups.announce_groups([player.value])
    return True


def _left(player_id: str, epoch: int) -> Stored[Player] | None:
    """The player, if that absence has lasted long enough and still has to have consequences."""
    player = load(PLAYERS, player_id)
    if player is None or player.value.epoch != epoch or not has_left(player.value, reconnect_ms(), now_ms()):
        return None
    at_stake = player.value.game is not None or (player.value.group is not None and not player.value.gone)
    return player if at_stake else None


def _gone(player_id: str, epoch: int) -> bool:
    """Remember that the absence has had its consequences; whether they led a group until then."""
    player = _left(player_id, epoch)
    if player is None:
        return False
    writes: list[Write] = [Change(PLAYERS, player, replace(player.value, gone=True))]
    group = groups.group_of(player.value)
    if group is None or group.value.leader != player_id:
        commit(*writes)
        return False
    connected = groups.present(load_many(PLAYERS, group.value.members))
    commit(Change(GROUPS, group, group_rules.succeed(group.value, connected)), *writes)
    return True
