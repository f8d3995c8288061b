"""Merging of two lobbies that could be one (R24)."""

from functools import partial

from aws_lambda_powertools import Logger

from ..delivery import announce
from ..metrics import Metric, count
from ..protocol import messages
from ..rules.lobby import Lobby, merge, merge_plan
from ..rules.player import take_seat
from ..rules.rating import WINDOW
from ..store import (
    LOBBIES,
    PLAYERS,
    Change,
    Conflict,
    Versioned,
    Write,
    commit,
    load,
    load_many,
    retry_conflicts,
    waiting_lobbies,
)
from . import seats, starting

logger = Logger(child=True)

REACH = 2 * WINDOW
"""The greatest distance of two such lobbies: a player who moves is in the rating windows of both."""


def merge_lobbies(lobby_id: str, answered: str | None = None) -> messages.LobbyChanged | None:
    """Merge the lobby with others, or fill one from another, as long as that is possible. Raises StoreError.

    Notify everybody in the resulting lobbies, except the connection `answered`. Return that connection's message, or
    None if nothing was merged. Stop after too many conflicts: then others fill the lobby, or the sweeper finds it.
    """
    message: messages.LobbyChanged | None = None
    while True:
        try:
            merged = retry_conflicts(partial(_merge_once, lobby_id))
        except Conflict:
            return message
        if merged is None:
            return message
        target = merged[0].value.lobby_id
        logger.info("lobby merged", tournament_id=target, merged=lobby_id)
        count(Metric.LOBBY_MERGED)
        for lobby in merged:
            starting.begin(lobby)
            changed, connections = announce.lobby(lobby, answered)
            if message is None or answered in connections:
                message = changed
        lobby_id = merged[-1].value.lobby_id


def _merge_once(lobby_id: str) -> list[Versioned[Lobby]] | None:
    """Merge the lobby once. Return the filled lobby, and the other one if players stay in it; None without a merger."""
    lobby = load(LOBBIES, lobby_id)
    if lobby is None or not lobby.value.open:
        return None
    language, rating = lobby.value.language, lobby.value.rating
    near = waiting_lobbies(language, rating, REACH)
    _, found = seats.load_fresh(language, rating, [other.lobby_id for other in near], REACH)
    lobbies = {**found, lobby_id: lobby}
    plan = merge_plan(lobby.value, [other.value for other in lobbies.values()])
    if plan is None:
        return None
    if any(plan[1].has(seat.player_id) for seat in plan[0].seats):
        # The two were read one after the other, and a player moved between them meanwhile.
        raise Conflict("read while somebody moved")
    left, filled = merge(*plan)
    moved = load_many(PLAYERS, [seat.player_id for seat in plan[0].seats if not left.has(seat.player_id)])
    target_write = Change(LOBBIES, lobbies[filled.lobby_id], filled)
    source_write = Change(LOBBIES, lobbies[left.lobby_id], left)
    writes: list[Write] = [
        target_write,
        source_write,
        *(Change(PLAYERS, player, take_seat(player.value, filled.lobby_id)) for player in moved.values()),
    ]
    if filled.started:
        players = load_many(PLAYERS, [seat.player_id for seat in filled.seats])
        writes += starting.writes(filled, players)
    committed = commit(*writes)
    target, source = committed[target_write], committed[source_write]
    return [target, source] if source.value.open else [target]
