"""Duels have more than their state: the token of the waiting timer, and the connections that get each turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

from pynamodb.exceptions import UpdateError
from pynamodb.expressions.condition import Condition

from ..rules.duel import Duel, Phase
from . import records
from .errors import Conflict, note_write, retry_conflicts, translated
from .load import Table, Versioned
from .values import DAY, GAME_DAYS

Record: Any = records.DuelRecord


@dataclass(frozen=True, slots=True)
class LiveDuel(Versioned[Duel]):
    """A duel with the token of the task that waits for it, the connections of all connected players of the
    tournament, by player, and the players who watch it."""

    task_token: str | None
    connections: Mapping[str, str]
    watchers: frozenset[str]

    @property
    def audience(self) -> dict[str, str]:
        """The connections that get its updates, by player: its players and watchers, and everybody once it is over."""
        if self.value.over:
            return dict(self.connections)
        audience = {*self.value.players, *self.watchers}
        return {player: connection for player, connection in self.connections.items() if player in audience}

    def player_on(self, connection_id: str) -> str | None:
        """Return the player of the duel who is on this connection, or None."""
        for player in self.value.players:
            if self.connections.get(player) == connection_id:
                return player
        return None


def _read(record: Any) -> LiveDuel:
    return LiveDuel(
        value=record.state,
        version=int(record.version),
        task_token=record.task_token,
        connections=dict(record.connections.as_dict()),
        watchers=frozenset(record.watchers or ()),
        answers=frozenset(record.answers or ()),
    )


def _columns(duel: Duel, now_ms: int) -> Mapping[str, Any]:
    # A board is shown only while its tournament is kept. The tournament ends later, so a duel is kept a day longer.
    return {"phase": duel.phase.value, "expires_at": now_ms // 1000 + (GAME_DAYS + 1) * DAY}


DUELS: Table[Duel, LiveDuel] = Table(Record, lambda duel: duel.duel_id, _columns, _read)


def set_connection(duel_id: str, player_id: str, connection_id: str) -> None:
    """Send this duel's updates to `connection_id` from now on. Do nothing once the duel is over. Raises StoreError."""
    _while_playing(duel_id, Record.connections[player_id].set(connection_id))


def clear_connection(duel_id: str, player_id: str, connection_id: str) -> None:
    """Stop sending this duel's updates to `connection_id` unless the player has a newer one. Raises StoreError."""
    path = Record.connections[player_id]
    _while_playing(duel_id, path.remove(), path == connection_id)


def set_watching(duel_id: str, player_id: str, watching: bool) -> LiveDuel | None:
    """Add the player to the duel's watchers, or remove them. Return the duel since then, or None if it is over.

    Raises StoreError.
    """
    action = Record.watchers.add({player_id}) if watching else Record.watchers.delete({player_id})
    return _while_playing(duel_id, action)


def _while_playing(duel_id: str, action: Any, *conditions: Condition) -> LiveDuel | None:
    """Update the duel if it is still on and the conditions hold. Return it, or None otherwise. Raises StoreError.

    The actions may be repeated, so a throttled update is.
    """
    playing: Condition = Record.phase == Phase.PLAYING.value

    def update() -> LiveDuel | None:
        record = Record(duel_id)
        try:
            with translated():
                record.update(actions=[action], condition=reduce(and_, conditions, playing))
        except Conflict as conflict:
            cause = conflict.__cause__
            if isinstance(cause, UpdateError) and cause.cause_response_code == "ConditionalCheckFailedException":
                return None
            raise
        note_write()
        return _read(record)

    return retry_conflicts(update)
