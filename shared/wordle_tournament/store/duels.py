"""Duels, which carry more than their state: the clock's token, and who is told of each turn."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

from pynamodb.exceptions import UpdateError
from pynamodb.expressions.condition import Condition

from ..rules.duel import Duel, Phase
from . import records
from .errors import Conflict, translated
from .load import Stored, Table, load_record, load_records
from .values import DAY, GAME_DAYS

Record: Any = records.DuelRecord


def _columns(duel: Duel, now_ms: int) -> Mapping[str, Any]:
    # A day longer than its tournament, which ends later and without which no board is shown: none goes before it.
    return {"phase": duel.phase.value, "expires_at": now_ms // 1000 + (GAME_DAYS + 1) * DAY}


DUELS: Table[Duel] = Table(Record, lambda duel: duel.duel_id, _columns)


@dataclass(frozen=True, slots=True)
class LiveDuel(Stored[Duel]):
    """A duel with what surrounds it: the waiting task's token, the connections of everybody in the tournament who
    is there, by player, and the players who watch it."""

    task_token: str | None
    connections: Mapping[str, str]
    watchers: frozenset[str]

    @property
    def audience(self) -> dict[str, str]:
        """Who is told of it, player to connection: its players and watchers, and once it is over everybody."""
        if self.value.over:
            return dict(self.connections)
        audience = {*self.value.players, *self.watchers}
        return {player: connection for player, connection in self.connections.items() if player in audience}

    def player_on(self, connection_id: str) -> str | None:
        """The player of the duel who is on this connection."""
        for player in self.value.players:
            if self.connections.get(player) == connection_id:
                return player
        return None


def live(record: Any) -> LiveDuel:
    return LiveDuel(
        value=record.state,
        version=int(record.version),
        task_token=record.task_token,
        connections=dict(record.connections.as_dict()),
        watchers=frozenset(record.watchers or ()),
    )


def load_duel(duel_id: str) -> LiveDuel | None:
    """The duel, or None. Raises StoreError."""
    record = load_record(DUELS, duel_id)
    return None if record is None else live(record)


def load_duels(duel_ids: Iterable[str]) -> list[LiveDuel]:
    """Those of the duels that exist, in order of their ids, in one call. Raises StoreError."""
    return [live(record) for _, record in sorted(load_records(DUELS, duel_ids).items())]


def set_connection(duel_id: str, player_id: str, connection_id: str) -> None:
    """Send this duel's updates to `connection_id` from now on. Do nothing once the duel is over. Raises StoreError."""
    _while_playing(duel_id, Record.connections[player_id].set(connection_id))


def clear_connection(duel_id: str, player_id: str, connection_id: str) -> None:
    """Stop sending this duel's updates to `connection_id`, unless the player has a newer one. Raises StoreError."""
    path = Record.connections[player_id]
    _while_playing(duel_id, path.remove(), path == connection_id)


def set_watching(duel_id: str, player_id: str, watching: bool) -> bool:
    """Add the player to those who watch, or take them off; False once the duel is over. Raises StoreError."""
    action = Record.watchers.add({player_id}) if watching else Record.watchers.delete({player_id})
    return _while_playing(duel_id, action)


def _while_playing(duel_id: str, action: Any, *conditions: Condition) -> bool:
    playing: Condition = Record.phase == Phase.PLAYING.value
    try:
        with translated():
            Record(duel_id).update(actions=[action], condition=reduce(and_, conditions, playing))
    except Conflict as conflict:
        cause = conflict.__cause__
        if isinstance(cause, UpdateError) and cause.cause_response_code == "ConditionalCheckFailedException":
            return False
        raise
    return True
