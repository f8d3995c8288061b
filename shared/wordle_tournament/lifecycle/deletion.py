"""Deleting a player for good."""

from collections.abc import Collection
from contextlib import suppress
from functools import partial

from aws_lambda_powertools import Logger

from ..delivery.groups import group_of
from ..delivery.screen import lobby_of
from ..errors import GameError
from ..rules.lobby import rename_seat
from ..rules.nickname import DELETED
from ..rules.tournament import forget
from ..store import (
    CONNECTIONS,
    HISTORIES,
    HISTORY_PAGES,
    LOBBIES,
    PLAYERS,
    TOURNAMENTS,
    Change,
    Conflict,
    Delete,
    Write,
    commit,
    load,
    load_many,
    retry_conflicts,
)
from . import groups
from .leaving import remove_from_game

logger = Logger(child=True)


def delete_player(player_id: str) -> str | None:
    """Delete the player. Return the connection they were on; None if they had none or do not exist (any more).

    Raises Conflict or StoreError; it may be called again.
    """
    return retry_conflicts(partial(_delete, player_id))


def _delete(player_id: str) -> str | None:
    remove_from_game(player_id)
    player = load(PLAYERS, player_id)
    if player is None:
        return None
    if player.value.group is not None and group_of(player.value) is not None:
        # The leader may remove them at the same moment.
        with suppress(GameError):
            groups.depart(player.value.group, player_id)
        raise Conflict("look again without the group")
    if lobby_of(player.value) is not None:
        raise Conflict("seated again meanwhile")
    history = load(HISTORIES, player_id)
    finished = [one.tournament_id for one in history.value.recent] if history else []
    # This comes first, while the player exists and can ask again. A game that ends meanwhile changes the player, which
    # is a conflict.
    _forget([*finished, *player.value.unplaced], player_id)
    for page_id in history.value.page_ids if history else ():
        page = load(HISTORY_PAGES, page_id)
        if page is not None:
            _forget(page.value.tournaments, player_id)
            commit(Delete(HISTORY_PAGES, page_id))
    deletions: list[Write] = [Delete(PLAYERS, player_id, player), Delete(HISTORIES, player_id)]
    if player.value.connection_id is not None:
        deletions.append(Delete(CONNECTIONS, player.value.connection_id))
    commit(*deletions)
    # An operator who restores a backup has to delete them again (docs/runbook.md).
    logger.info("player deleted", player_id=player_id)
    return player.value.connection_id


def _forget(tournament_ids: Collection[str], player_id: str) -> None:
    """Show the player under the neutral name in those of the tournaments, and their lobbies, that are still kept.

    Those in which that is done already cost no more than being read, so a repeated call gets further.
    """
    tournaments, lobbies = load_many(TOURNAMENTS, tournament_ids), load_many(LOBBIES, tournament_ids)
    named = {key for key, stored in tournaments.items() if forget(stored.value, player_id, DELETED) != stored.value}
    named |= {key for key, stored in lobbies.items() if rename_seat(stored.value, player_id, DELETED) != stored.value}
    for tournament_id in sorted(named):
        retry_conflicts(partial(_forget_in, tournament_id, player_id))


def _forget_in(tournament_id: str, player_id: str) -> None:
    writes: list[Write] = []
    tournament, lobby = load(TOURNAMENTS, tournament_id), load(LOBBIES, tournament_id)
    if tournament is not None and (results := forget(tournament.value, player_id, DELETED)) != tournament.value:
        writes.append(Change(TOURNAMENTS, tournament, results))
    if lobby is not None and (seats := rename_seat(lobby.value, player_id, DELETED)) != lobby.value:
        writes.append(Change(LOBBIES, lobby, seats))
    if writes:
        commit(*writes)
