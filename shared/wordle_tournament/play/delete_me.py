"""Delete a player for good."""

from contextlib import suppress
from functools import partial

from ..clock import now_ms
from ..protocol import messages
from ..protocol.requests import DeleteMe
from ..rules.lobby import rename_seat
from ..rules.nickname import DELETED
from ..rules.refusal import RuleError
from ..rules.tournament import forget
from ..store import (
    CONNECTIONS,
    HISTORIES,
    LOBBIES,
    PLAYERS,
    TOURNAMENTS,
    Change,
    Conflict,
    Delete,
    commit,
    load,
    retry_conflicts,
)
from . import groups
from .leave import remove_from_game
from .leave_group import depart
from .session import Call, signed_in


def delete_me(call: Call, request: DeleteMe) -> messages.Deleted:
    """Leave every game (a running tournament counts as left, R27) and group, then delete all that is the player's.

    Tournaments keep their results under a neutral name. Raises Refused: NOT_SIGNED_IN, REPLACED.
    """
    player_id = signed_in(call).value.player_id
    delete_player(player_id)
    commit(Delete(CONNECTIONS, call.connection_id))
    return messages.Deleted(now_ms=now_ms())


def delete_player(player_id: str) -> None:
    """Delete the player; nothing if there is none (any more). Raises Conflict or StoreError; it may be called again."""
    player = load(PLAYERS, player_id)
    if player is None:
        return
    history = load(HISTORIES, f"history.{player_id}")
    played = {finished.tournament_id for finished in history.value.recent} if history else set()
    retry_conflicts(partial(_delete, player_id))
    for tournament_id in {*played, player.value.game, player.value.watching} - {None}:
        retry_conflicts(partial(_forget, str(tournament_id), player_id))


def _delete(player_id: str) -> None:
    remove_from_game(player_id)
    player = load(PLAYERS, player_id)
    if player is None:
        return
    if player.value.group is not None and groups.group_of(player.value) is not None:
        # The leader may take them out in this very moment.
        with suppress(RuleError):
            depart(player.value.group, player_id)
        raise Conflict("look again without the group")
    if player.value.game is not None:
        raise Conflict("seated again meanwhile")
    commit(Delete(PLAYERS, player_id, player), Delete(HISTORIES, f"history.{player_id}"))


def _forget(tournament_id: str, player_id: str) -> None:
    writes: list[Change] = []
    tournament, lobby = load(TOURNAMENTS, tournament_id), load(LOBBIES, tournament_id)
    if tournament is not None:
        writes.append(Change(TOURNAMENTS, tournament, forget(tournament.value, player_id, DELETED)))
    if lobby is not None:
        writes.append(Change(LOBBIES, lobby, rename_seat(lobby.value, player_id, DELETED)))
    changed = [write for write in writes if write.value != write.before.value]
    if changed:
        commit(*changed)
