"""The tables as PynamoDB models: keys, index columns, and the state as one native map."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError
from pynamodb.attributes import (
    Attribute,
    MapAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)
from pynamodb.constants import MAP
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex, IncludeProjection, KeysOnlyProjection

from ..config import Settings, settings
from ..rules.duel import Duel
from ..rules.group import Group
from ..rules.lobby import Lobby
from ..rules.player import Player
from ..rules.tournament import Tournament
from .connection import Record
from .values import Connection, History, HistoryPage, OperatorSettings, RecentLobbies
from .wire import from_wire, to_wire

T = TypeVar("T")


class _TableName:
    """The name of a table, which the settings give when it is needed."""

    def __init__(self, name_of: Callable[[Settings], str]) -> None:
        self._name_of = name_of

    def __get__(self, instance: object, owner: type) -> str:
        return self._name_of(settings())


class StateAttribute(Attribute[T], Generic[T]):
    """A frozen dataclass as a native DynamoDB map, readable in the console."""

    attr_type = MAP

    def __init__(self, kind: type[T], stored_names: Mapping[str, str] | None = None) -> None:
        """`stored_names` maps fields that were renamed since 1.0.0 to the names under which they are stored."""
        super().__init__()
        self._adapter = TypeAdapter(kind)
        self._stored_names = dict(stored_names or {})

    def plain(self, value: T) -> dict[str, Any]:
        """Return the value as JSON holds it, under the stored names."""
        plain: dict[str, Any] = self._adapter.dump_python(value, mode="json")
        return {self._stored_names.get(name, name): field for name, field in plain.items()}

    def serialize(self, value: T) -> Any:
        plain = self.plain(value)
        return to_wire(plain)["M"]

    def deserialize(self, value: Any) -> T:
        plain = from_wire({"M": value})
        for name, stored_name in self._stored_names.items():
            if stored_name in plain:
                plain[name] = plain.pop(stored_name)
        try:
            return self._adapter.validate_python(plain)
        except ValidationError as error:
            # Pydantic's text shows its input, which may hold a secret word (R18).
            wrong = [".".join(map(str, part["loc"])) for part in error.errors(include_input=False)]
            raise ValueError(f"stored state is not what it should be: {', '.join(wrong)}") from None


class AwayIndex(GlobalSecondaryIndex["PlayerRecord"]):  # type: ignore[no-untyped-call]
    """Players who lost the connection while they have a seat or a group; the others are not in it."""

    class Meta:
        index_name = "away"
        projection = KeysOnlyProjection()

    away_partition = UnicodeAttribute(hash_key=True)
    away_since_ms = NumberAttribute(range_key=True)


class PlayerRecord(Record):
    class Meta:
        table_name = _TableName(lambda settings: settings.players_table)

    player_id = UnicodeAttribute(hash_key=True)
    version = NumberAttribute()
    state = StateAttribute(Player, {"forfeited": "gone"})
    expires_at = NumberAttribute(null=True)
    away_partition = UnicodeAttribute(null=True)
    away_since_ms = NumberAttribute(null=True)
    away = AwayIndex()


class ConnectionRecord(Record):
    class Meta:
        table_name = _TableName(lambda settings: settings.connections_table)

    connection_id = UnicodeAttribute(hash_key=True)
    version = NumberAttribute()
    state = StateAttribute(Connection)
    expires_at = NumberAttribute(null=True)


class WaitingIndex(GlobalSecondaryIndex["LobbyRecord"]):  # type: ignore[no-untyped-call]
    """Lobbies that wait for players, by language and shard, and rating, with what choosing one of them needs."""

    class Meta:
        index_name = "waiting"
        projection = IncludeProjection(["seats_taken", "opened_at_ms", "expires_at"])

    waiting_partition = UnicodeAttribute(hash_key=True)
    rating = NumberAttribute(range_key=True)


class MessageCountRecord(Record):
    """A count of messages in the connections' table, under `<connection id>#<window>`."""

    class Meta:
        table_name = _TableName(lambda settings: settings.connections_table)

    connection_id = UnicodeAttribute(hash_key=True)
    messages = NumberAttribute()
    expires_at = NumberAttribute()


class OpenIndex(GlobalSecondaryIndex["LobbyRecord"]):  # type: ignore[no-untyped-call]
    """The index of 1.0.0: lobbies that wait for players, whole, by language and rating. Only the sweeper reads it."""

    class Meta:
        index_name = "open"
        projection = AllProjection()

    open_language = UnicodeAttribute(hash_key=True)
    rating = NumberAttribute(range_key=True)


class LobbyRecord(Record):
    class Meta:
        table_name = _TableName(lambda settings: settings.lobbies_table)

    lobby_id = UnicodeAttribute(hash_key=True)
    version = NumberAttribute()
    state = StateAttribute(Lobby)
    answers = UnicodeSetAttribute(null=True)
    expires_at = NumberAttribute(null=True)
    open_language = UnicodeAttribute(null=True)
    waiting_partition = UnicodeAttribute(null=True)
    rating = NumberAttribute(null=True)
    seats_taken = NumberAttribute(null=True)
    opened_at_ms = NumberAttribute(null=True)
    open = OpenIndex()
    waiting = WaitingIndex()


class RecentLobbiesRecord(Record):
    """A language's recent lobbies, in the lobbies' table. Stored under `door.<language>` since 1.0.0."""

    class Meta:
        table_name = _TableName(lambda settings: settings.lobbies_table)

    lobby_id = UnicodeAttribute(hash_key=True)
    version = NumberAttribute()
    state = StateAttribute(RecentLobbies)
    expires_at = NumberAttribute(null=True)


class GroupRecord(Record):
    class Meta:
        table_name = _TableName(lambda settings: settings.groups_table)

    group_id = UnicodeAttribute(hash_key=True)
    version = NumberAttribute()
    state = StateAttribute(Group)
    answers = UnicodeSetAttribute(null=True)
    expires_at = NumberAttribute(null=True)


class HistoryRecord(Record):
    """A player's record, in the players' table. It is read only when a player asks for it, and when it grows."""

    class Meta:
        table_name = _TableName(lambda settings: settings.players_table)

    player_id = UnicodeAttribute(hash_key=True)
    version = NumberAttribute()
    state = StateAttribute(History)
    expires_at = NumberAttribute(null=True)


class HistoryPageRecord(Record):
    """A page of a player's record, in the players' table, read only when the player is deleted or asks for the page."""

    class Meta:
        table_name = _TableName(lambda settings: settings.players_table)

    player_id = UnicodeAttribute(hash_key=True)
    version = NumberAttribute()
    state = StateAttribute(HistoryPage)
    expires_at = NumberAttribute(null=True)


class SettingsRecord(Record):
    """The operators' settings, in the lobbies' table."""

    class Meta:
        table_name = _TableName(lambda settings: settings.lobbies_table)

    lobby_id = UnicodeAttribute(hash_key=True)
    version = NumberAttribute()
    state = StateAttribute(OperatorSettings)
    expires_at = NumberAttribute(null=True)


class RunningIndex(GlobalSecondaryIndex["TournamentRecord"]):  # type: ignore[no-untyped-call]
    """Running tournaments, by the time when their round is due to have moved on."""

    class Meta:
        index_name = "running"
        projection = KeysOnlyProjection()

    running_partition = UnicodeAttribute(hash_key=True)
    due_at_ms = NumberAttribute(range_key=True)


class TournamentRecord(Record):
    class Meta:
        table_name = _TableName(lambda settings: settings.tournaments_table)

    tournament_id = UnicodeAttribute(hash_key=True)
    version = NumberAttribute()
    state = StateAttribute(Tournament)
    answers = UnicodeSetAttribute(null=True)
    expires_at = NumberAttribute(null=True)
    running_partition = UnicodeAttribute(null=True)
    due_at_ms = NumberAttribute(null=True)
    running = RunningIndex()


class DuelRecord(Record):
    """A duel. `task_token`, `connections`, `watchers` and `answers` are outside the versioned state: a change of the
    state never writes them, and they change without a new version. So neither a timer nor a watcher can conflict with a
    guess.
    """

    class Meta:
        table_name = _TableName(lambda settings: settings.duels_table)

    duel_id = UnicodeAttribute(hash_key=True)
    version = NumberAttribute()
    state = StateAttribute(Duel)
    answers = UnicodeSetAttribute(null=True)
    expires_at = NumberAttribute(null=True)
    phase = UnicodeAttribute()
    task_token = UnicodeAttribute(null=True)
    connections: MapAttribute[str, str] = MapAttribute(default=dict)  # type: ignore[no-untyped-call]
    watchers = UnicodeSetAttribute(null=True)
