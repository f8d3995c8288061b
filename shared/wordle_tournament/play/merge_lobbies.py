"""Two lobbies that could be one become one (R24)."""

from functools import partial

from aws_lambda_powertools import Logger

from ..metrics import Metric, count
from ..protocol import messages
from ..rules.lobby import Lobby, merge, merge_plan
from ..rules.player import take_seat
from ..rules.rating import WINDOW
from ..store import (
    LOBBIES,
    PLAYERS,
    Change,
    Stored,
    Write,
    commit,
    load,
    load_many,
    open_lobbies,
    retry_conflicts,
)
from . import announce, start_tournament

logger = Logger(child=True)

REACH = 2 * WINDOW
"""Whoever moves is within the window of the other lobby, and was within that of their own."""


def merge_lobbies(lobby_id: str, answered: str | None = None) -> messages.LobbyChanged | None:
    """Merge the lobby with others as long as it can be. Raises Conflict or StoreError.

    Everybody in what comes of it is told, except the connection `answered`. Returns that message, None if nothing
    was merged.
    """
    message: messages.LobbyChanged | None = None
    while True:
        target = retry_conflicts(partial(_merge_once, lobby_id))
        if target is None:
            return message
        logger.info("lobby merged", tournament_id=target.value.lobby_id, merged=lobby_id)
        count(Metric.LOBBY_MERGED)
        lobby_id = target.value.lobby_id
        start_tournament.begin(target)
        players = load_many(PLAYERS, [seat.player_id for seat in target.value.seats])
        message = announce.lobby(target, players, answered)


def _merge_once(lobby_id: str) -> Stored[Lobby] | None:
    """The lobby that came of it, or None when there is nothing to merge."""
    lobby = load(LOBBIES, lobby_id)
    if lobby is None or not lobby.value.open:
        return None
    near = open_lobbies(lobby.value.language, lobby.value.rating, REACH)
    # The index lags, so that a plan made from it is checked against the lobbies as they are.
    others = load_many(LOBBIES, [stored.value.lobby_id for stored in near if stored.value.lobby_id != lobby_id])
    plan = merge_plan(lobby.value, [stored.value for stored in others.values()])
    if plan is None:
        return None
    stored = {**others, lobby_id: lobby}
    emptied, filled = merge(*plan)
    moved = load_many(PLAYERS, [seat.player_id for seat in plan[0].seats])
    writes: list[Write] = [
        Change(LOBBIES, stored[filled.lobby_id], filled),
        Change(LOBBIES, stored[emptied.lobby_id], emptied),
        *(Change(PLAYERS, player, take_seat(player.value, filled.lobby_id)) for player in moved.values()),
    ]
    if filled.started:
        players = load_many(PLAYERS, [seat.player_id for seat in filled.seats])
        writes += start_tournament.writes(filled, players)
    target: Stored[Lobby] = commit(*writes)[0]
    return target
