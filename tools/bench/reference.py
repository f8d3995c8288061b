"""Play a tournament on the one-process backend, and count what it uses, for `make bench`.

Duels of seven turns, every fifth turn of the tournament skipped. The seed is one with nine rounds, as the reference
tournament has. It has two duels more: twenty decided duels cost one life too few for seven players to be out.
"""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from infra.local.testing import Clients, Game, Machines, World, wrong

SEED = 20
TURNS, SKIPPED = 7, 5
MINUTES = 18
"""How long people take for a tournament (R7); the script guesses at once."""
PINGS = 60
"""Those of all eight clients, who ping when they have heard nothing for 20 s: `tools.bench.pings` counts them."""
INDEXED = {
    "LobbiesTable": ("open_language", "rating"),
    "PlayersTable": ("away_partition", "away_since_ms"),
    "TournamentsTable": ("running_partition", "due_at_ms"),
}
"""The keys of each table's index."""
WHOLE_IN_INDEX = {"LobbiesTable"}


@dataclass
class Usage:
    """The usage. Units are DynamoDB's: 4 KB read consistently, or 1 KB written; in transactions twice that."""

    rounds: int = 0
    duels: int = 0
    turns: int = 0
    skips: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    transitions: int = 0
    invocations: int = 0
    messages_in: int = 0
    messages_out: int = 0
    pings: int = 0
    answers: int = 0
    """Answers to the question whether a client is there."""
    read_units: float = 0
    write_units: float = 0
    largest_item: Counter[str] = field(default_factory=Counter)
    """Bytes by table."""
    largest_frame: Counter[str] = field(default_factory=Counter)
    """Bytes by type."""


def play(seed: int = SEED, watching: bool = False) -> Usage:
    """Play one tournament to its end, the same one every time. Return its usage.

    If `watching`, nobody leaves, and all players watch all other duels of the round as soon as their own is over.
    """
    with World(seed) as world:
        return _play(world, watching)


def _play(world: World, watching: bool) -> Usage:
    usage = Usage()
    meter = Meter(world, usage)
    world.on_call(meter.before)
    world.on_call(meter.after, after=True)
    players = world.players(8)
    for player in players:
        player.ask("join", language="en")
    game = Game(world, players[0].state["game"], {player.id: player for player in players})
    machines = Machines(world)
    script = Script(game, watching)
    machines.run(lambda: game.over, clients=script)
    game.assert_ended_right()
    rounds = game.state["rounds"]
    results = [result for played in rounds for result in played["results"]]
    usage.rounds, usage.duels = len(rounds), len(results)
    usage.turns = sum(result["turns"] for result in results)
    usage.skips = machines.entered["NextTurn"]
    usage.transitions = sum(machines.entered.values())
    usage.answers = sum(frame["type"] == "heard" for frames in world.connections.frames.values() for frame in frames)
    usage.pings = PINGS
    usage.messages_in = usage.turns - usage.skips + 8 * 2 + usage.pings + usage.answers + len(script.watched)
    usage.messages_out = usage.calls["PostToConnection"] + usage.pings
    usage.invocations = usage.messages_in + usage.skips + machines.entered["AdvanceRound"] + 8
    for frames in world.connections.frames.values():
        for frame, text in zip(frames, map(_json, frames), strict=True):
            usage.largest_frame[frame["type"]] = max(usage.largest_frame[frame["type"]], len(text.encode()))
    return usage


class Script(Clients):
    """All clients: seven turns a duel, the last one right; every fifth turn of the tournament is skipped."""

    def __init__(self, game: Game, watching: bool = False) -> None:
        super().__init__(game)
        self.watched: set[tuple[str, str]] = set()
        """By player and a duel of the round: the requests to watch."""
        self._watching = watching
        self._turns = itertools.count(1)
        self._decided: dict[tuple[str, int], bool] = {}

    def act(self) -> None:
        game = self.game
        for duel in game.duels:
            while self._plays(duel):
                game.world.sleep(1)
                last = len(duel["rows"]) + 1 >= TURNS
                game.to_move(duel).guess(duel, duel["word"] if last else wrong(duel))
                duel = game.duel(duel["duel_id"])
            if self._watching:
                self._watch()

    def _watch(self) -> None:
        duels = self.game.duels
        running = [duel for duel in duels if duel["phase"] == "playing"]
        busy = {player_id for duel in running for player_id in duel["players"]}
        for player in self.game.all if running else ():
            if player.id not in busy and (player.id, duels[0]["duel_id"]) not in self.watched:
                self.watched.add((player.id, duels[0]["duel_id"]))
                player.ask("watchAll")

    def _plays(self, duel: Mapping[str, Any]) -> bool:
        now_ms, turn = self.game.world.now_ms, len(duel["rows"]) + 1
        if duel["phase"] != "playing" or not duel["starts_at_ms"] <= now_ms < duel["deadline_ms"]:
            return False
        key = (duel["duel_id"], turn)
        if key not in self._decided:
            self._decided[key] = next(self._turns) % SKIPPED != 0 or turn >= TURNS
        return self._decided[key]


class Meter:
    """Compute units from the sizes of the items, by the rules of DynamoDB's developer guide."""

    def __init__(self, world: World, usage: Usage) -> None:
        self._world, self._usage = world, usage
        self._tables = {world.table(logical_id): logical_id for logical_id in world.backend.template.tables}
        self._before: dict[int, dict[tuple[str, str], Any]] = {}

    def before(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        self._usage.calls[operation] += 1
        if service == "dynamodb":
            self._before[id(params)] = {key: self._item(*key) for key in self._written(operation, params)}

    def after(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        if service != "dynamodb":
            return
        usage = self._usage
        for table, key in self._read(operation, params):
            usage.read_units += math.ceil(max(1, _size(self._item(table, key))) / 4096)
        if operation == "Query":
            usage.read_units += 0.5
        times = 2 if operation == "TransactWriteItems" else 1
        for (table, key), before in self._before.pop(id(params), {}).items():
            now = self._item(table, key)
            usage.largest_item[table] = max(usage.largest_item[table], _size(now))
            usage.write_units += times * math.ceil(max(1, _size(before), _size(now)) / 1024)
            usage.write_units += _index_units(table, before, now)

    def _item(self, table: str, key: str) -> Any:
        try:
            return self._world.item(table, key)
        except KeyError:
            return None

    def _read(self, operation: str, params: Mapping[str, Any]) -> list[tuple[str, str]]:
        if operation == "GetItem":
            return [(self._tables[params["TableName"]], _key(params["Key"]))]
        if operation == "BatchGetItem":
            return [
                (self._tables[table], _key(key))
                for table, asked in params["RequestItems"].items()
                for key in asked["Keys"]
            ]
        return []

    def _written(self, operation: str, params: Mapping[str, Any]) -> list[tuple[str, str]]:
        if operation == "TransactWriteItems":
            parts = [part for item in params["TransactItems"] for part in item.values()]
        else:
            parts = [params] if operation in ("PutItem", "UpdateItem", "DeleteItem") else []
        keys = [(self._tables[part["TableName"]], part.get("Key") or part["Item"]) for part in parts]
        return [(table, self._key_of(table, item)) for table, item in keys]

    def _key_of(self, table: str, item: Mapping[str, Any]) -> str:
        (name,) = (one["AttributeName"] for one in self._world.backend.template.tables[table]["KeySchema"])
        return str(item[name]["S"])


def _key(key: Mapping[str, Any]) -> str:
    ((_, value),) = key.items()
    return str(value["S"])


def _index_units(table: str, before: Any, now: Any) -> int:
    """Return the units of an index: it is written when its content has changed; a changed key costs two writes."""
    if table not in INDEXED:
        return 0

    def entry(item: Any) -> Any:
        keys = tuple((item or {}).get(name) for name in INDEXED[table])
        return keys if None not in keys else None

    old, new = entry(before), entry(now)
    size = math.ceil(max(_size(before), _size(now)) / 1024) if table in WHOLE_IN_INDEX else 1
    if old == new:
        return size if old is not None and table in WHOLE_IN_INDEX else 0
    return size * ((old is not None) + (new is not None))


def _size(value: Any) -> int:
    """Return the approximate size in bytes, by the rules of "DynamoDB item sizes and formats"."""
    match value:
        case None:
            return 1
        case bool():
            return 1
        case int() | float():
            return len(str(value)) // 2 + 2
        case str():
            return len(value.encode())
        case dict():
            return 3 + sum(len(name.encode()) + _size(inner) + 1 for name, inner in value.items())
        case list() | tuple():
            return 3 + sum(_size(inner) + 1 for inner in value)
        case _:
            raise TypeError(f"no size is known for {value!r}")


def _json(frame: Mapping[str, Any]) -> str:
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
