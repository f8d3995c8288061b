"""`python -m tests.compatibility.record VERSION`: record what the code of today stores and sends, for later versions.

The fixtures of a version are made once, from the code that has its tag, and are never made anew:

- `items-VERSION.json`: one stored item of every kind and shape, by table and shape, as DynamoDB writes it in JSON;
- `running-VERSION.json`: all tables in the middle of a tournament, and what another stack needs to go on with it;
- `frames-VERSION.json`: requests of every action, and frames of every type that were sent;
- `protocol-VERSION.json`: the schema of every message, as docs/asyncapi.yaml has it, without the texts.

The recording is the same each time: time stands still, and ids, tokens and chance come from a fixed seed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import json
import random
import sys
import types
import typing
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import yaml

from infra.local.testing import Frame, Game, Player, World, wrong
from wordle_tournament import entry, store
from wordle_tournament.play.admin import verbs
from wordle_tournament.rules.duel import Duel
from wordle_tournament.rules.group import Group
from wordle_tournament.rules.lobby import Lobby
from wordle_tournament.rules.player import Player as PlayerState
from wordle_tournament.rules.tournament import Tournament

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[1] / "docs" / "asyncapi.yaml"
SEED = 20261201
RUNNING_SEED = 1
"""One by which a player loses the first three duels without a bye, and the one who is away has to move."""
PLAYERS, CONNECTIONS, LOBBIES = "PlayersTable", "ConnectionsTable", "LobbiesTable"
GROUPS, TOURNAMENTS, DUELS = "GroupsTable", "TournamentsTable", "DuelsTable"
STATES = (
    PlayerState,
    store.History,
    store.Connection,
    Lobby,
    store.RecentLobbies,
    store.OperatorSettings,
    Group,
    Tournament,
    Duel,
)
"""The kinds of state that are stored, each in an item of its own."""
COLUMNS = {
    PLAYERS: {"away_partition", "away_since_ms", "expires_at"},
    CONNECTIONS: {"expires_at"},
    LOBBIES: {"open_language", "rating", "expires_at"},
    GROUPS: {"expires_at"},
    TOURNAMENTS: {"running_partition", "due_at_ms", "expires_at"},
    DUELS: {"expires_at", "phase", "task_token", "connections", "watchers"},
}
"""The attributes that an item has outside its state."""

Item = dict[str, Any]
Items = dict[str, dict[str, Item]]


class Recorder:
    """A world in which everything that is written down happens."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.items: Items = defaultdict(dict)
        self.requests: list[Frame] = []

    def keep(self, table: str, shape: str, key: str) -> None:
        """Write the item down as it is now, under the name of its shape."""
        assert shape not in self.items[table], shape
        self.items[table][shape] = self.world.written(table)[key]

    def keep_duel(self, shape: str, duel: Mapping[str, Any]) -> None:
        self.keep(DUELS, shape, duel["duel_id"])

    @property
    def frames(self) -> list[Frame]:
        return [json.loads(text) for text in self.world.connections.texts]


@contextlib.contextmanager
def recording(seed: int = SEED) -> Iterator[Recorder]:
    """A recorder whose world has the same ids, tokens and chance each time."""
    rng = random.Random(seed)
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch("secrets.token_hex", lambda size: rng.randbytes(size).hex()))
        stack.enter_context(mock.patch("secrets.token_urlsafe", lambda size: rng.randbytes(size).hex()[:43]))
        recorder = Recorder(stack.enter_context(World(seed)))
        receive = recorder.world.receive

        def note(connection_id: str, body: str | None, *others: Any, **more: Any) -> int:
            recorder.requests.append(json.loads(body or "{}"))
            return receive(connection_id, body, *others, **more)

        stack.enter_context(mock.patch.object(recorder.world, "receive", note))
        yield recorder


# -- one item of every kind and shape --------------------------------------------------------------


def play_everything(recorder: Recorder) -> None:
    """Bring about every shape that an item can have, and every frame and request."""
    _players_and_lobbies(recorder)
    _settings(recorder)
    _groups(recorder)
    _tournament(recorder)
    _stopped(recorder)
    _answers(recorder)


def _players_and_lobbies(recorder: Recorder) -> None:
    world, keep = recorder.world, recorder.keep
    ann = world.player()
    keep(PLAYERS, "new", ann.id)
    keep(CONNECTIONS, "signed in", ann.connection_id)
    ann.ask("rename", nickname="Zoë-Ann O'Hara")
    world.sleep(1_000)
    ann.ask("rename", nickname="Zoë 2")
    keep(PLAYERS, "renamed", ann.id)
    ann.ask("join", language="en")
    keep(PLAYERS, "in a lobby", ann.id)
    keep(LOBBIES, "opened by one player", ann.state["game"])
    keep(LOBBIES, "door", "door.en")
    lobby_id = ann.state["game"]
    world.player().ask("join", language="en")
    ann.drop()
    keep(PLAYERS, "away in a lobby", ann.id)
    ann.reconnect()
    keep(PLAYERS, "back on another connection", ann.id)
    for player_id in [seat["player_id"] for seat in world.state(LOBBIES, lobby_id)["seats"]]:
        Player(world, world.state(PLAYERS, player_id)["connection_id"], player_id).ask("leave", what="lobby")
    keep(LOBBIES, "left by everybody", lobby_id)

    # Two lobbies that can be one as soon as the opener of the lower one has gone.
    low, middle, high = world.player(1000), world.player(1150), world.player(1300)
    for player in (low, middle, high):
        player.ask("join", language="fr")
    source = middle.state["game"]
    assert source == low.state["game"] != high.state["game"]
    low.ask("leave", what="lobby")
    world.sweep()
    assert middle.state["game"] == high.state["game"]
    keep(LOBBIES, "merged into another", source)


def _settings(recorder: Recorder) -> None:
    entry.run_admin_command(verbs.close_queue)
    recorder.keep(LOBBIES, "settings: queue closed", "settings")
    entry.run_admin_command(verbs.open_queue)
    recorder.keep(LOBBIES, "settings: queue open", "settings")


def _groups(recorder: Recorder) -> None:
    world, keep = recorder.world, recorder.keep
    leader, friend, third = world.player(1000), world.player(1001), world.player(1100)
    invite = leader.ask("createGroup")["group"]["invite"]
    group_id = leader.state["group"]
    friend.ask("joinGroup", invite=invite)
    keep(GROUPS, "of two", group_id)
    keep(PLAYERS, "leading a group", leader.id)
    keep(PLAYERS, "in a group", friend.id)
    leader.ask("startGroup", language="de")
    keep(LOBBIES, "opened by a group", leader.state["game"])
    keep(PLAYERS, "in a group and a lobby", friend.id)
    friend.ask("leave", what="lobby")
    friend.drop()
    keep(PLAYERS, "away in a group", friend.id)
    world.sleep(61_000)
    world.forfeit(friend.id, friend.state["epoch"])
    keep(PLAYERS, "gone", friend.id)
    friend.reconnect()
    leader.ask("renewInvite")
    third.ask("joinGroup", invite=leader.ask("renewInvite")["group"]["invite"])
    leader.ask("handOver", player=friend.id)
    friend.ask("removeMember", player=third.id)
    leader.ask("leaveGroup")
    friend.ask("leaveGroup")
    keep(GROUPS, "ended", group_id)


def _tournament(recorder: Recorder) -> None:
    world, keep = recorder.world, recorder.keep
    players = [world.player(rating) for rating in (1000, 990, 1010, 1020, 980, 1030, 1040, 960)]
    # Three friends among them; ratings are looked at before anybody has a seat.
    invite = players[0].ask("createGroup")["group"]["invite"]
    for friend in players[1:3]:
        friend.ask("joinGroup", invite=invite)
    players[0].ask("startGroup", language="en")
    for player in players[3:]:
        player.ask("join", language="en")
    game = Game(world, players[0].state["game"], {player.id: player for player in players})
    keep(LOBBIES, "started", game.id)
    keep(TOURNAMENTS, "introduction", game.id)
    recorder.keep_duel("created", game.duels[0])
    world.advance(game.id)
    recorder.keep_duel("with a task token", game.duels[0])
    keep(PLAYERS, "in a tournament", players[3].id)
    keep(PLAYERS, "in a group and a tournament", players[1].id)

    game.begin()
    first, second, third, fourth = game.duels
    mover = game.to_move(first)
    mover.guess(first, wrong(first))
    world.run_out(game.duel(first["duel_id"]))
    for duel in (first, second, third, fourth):
        world.skip(duel["duel_id"])
    recorder.keep_duel("with a guessed and a skipped row", first)
    game.solve(first["duel_id"], mover)
    recorder.keep_duel("solved", first)
    mover.ask("watch", duel=second["duel_id"])
    recorder.keep_duel("watched", second)
    mover.ask("sync")
    mover.ask("unwatch")
    leaver = game.to_move(third)
    leaver.ask("leave", what="tournament")
    recorder.keep_duel("forfeited", third)
    keep(TOURNAMENTS, "with one who has left in this round", game.id)
    keep(PLAYERS, "without a place yet", leaver.id)
    away = game.to_move(fourth)
    away.drop()
    keep(PLAYERS, "away in a tournament", away.id)
    away.reconnect()
    game.solve(fourth["duel_id"])
    game.draw(second["duel_id"])
    recorder.keep_duel("drawn", second)
    world.advance(game.id)
    keep(TOURNAMENTS, "with a bye", game.id)
    keep(PLAYERS, "who left and has a place", leaver.id)
    game.draw_round()
    recorder.keep_duel("of last lives", next(duel for duel in game.duels if duel["outlook"]["others_out_at_least"]))
    while not any(player.state["watching"] for player in game.all):
        assert not game.over
        game.finish_round()
    out = next(player for player in game.all if player.state["watching"])
    keep(PLAYERS, "out and watching", out.id)
    game.begin()
    out.ask("watch", duel=game.duels[0]["duel_id"])
    out.ask("sync")
    game.finish()
    keep(TOURNAMENTS, "finished", game.id)
    winner = next(player for player in game.all if _standing(player)["place"] == 1)
    keep(PLAYERS, "who has won", winner.id)
    keep(PLAYERS, "history of one tournament", f"history.{winner.id}")
    _ask_about(game, winner)
    entry.run_admin_command(verbs.void, tournament_id=game.id)
    keep(TOURNAMENTS, "voided", game.id)
    keep(PLAYERS, "history with a voided tournament", f"history.{winner.id}")
    _ask_about(game, winner)


def _standing(player: Player) -> Mapping[str, Any]:
    history = player.world.items(PLAYERS).get(f"history.{player.id}")
    found: Mapping[str, Any] = history["state"]["recent"][0] if history else {"place": None}
    return found


def _ask_about(game: Game, player: Player) -> None:
    player.ask("profile")
    player.ask("export")
    player.ask("results", tournament=game.id)
    player.ask("board", duel=game.state["rounds"][0]["matches"][0]["duel_id"])


def _stopped(recorder: Recorder) -> None:
    game = recorder.world.tournament(language="nl")
    game.begin()
    duel = game.duels[0]
    game.to_move(duel).guess(duel, wrong(duel))
    entry.run_admin_command(verbs.stop, tournament_id=game.id)
    recorder.keep(TOURNAMENTS, "stopped", game.id)
    recorder.keep_duel("cancelled", duel)
    recorder.keep(PLAYERS, "of a stopped tournament", game.all[0].id)


def _answers(recorder: Recorder) -> None:
    """Send the requests, and bring about the answers, that did not occur before."""
    player = recorder.world.player()
    for action in ("ping", "languages", "sync", "profile"):
        player.ask(action)
    for number in range(4):
        # The last is refused.
        player.ask("rename", nickname=f"Otter {number}")
    friend = recorder.world.player()
    invite = player.ask("createGroup")["group"]["invite"]
    friend.ask("joinGroup", invite=invite)
    friend.drop()
    # Refused, and names the friend.
    player.ask("startGroup", language="en")
    player.ask("guess", duel="no-such-duel", turn=1, word="crane")
    player.reconnect()
    player.ask("deleteMe", confirm=True)


# -- a tournament in the middle of a round ---------------------------------------------------------


def play_running(recorder: Recorder) -> dict[str, Any]:
    """A tournament in its fourth round: three friends among eight, one left, one out and watching, one away."""
    world = recorder.world
    players = [world.player(rating) for rating in (1000, 990, 1010, 1020, 980, 1030, 1040, 960)]
    invite = players[0].ask("createGroup")["group"]["invite"]
    for friend in players[1:3]:
        friend.ask("joinGroup", invite=invite)
    players[0].ask("startGroup", language="en")
    for player in players[3:]:
        player.ask("join", language="en")
    game = Game(world, players[0].state["game"], {player.id: player for player in players})
    world.advance(game.id)
    loser, leaver, away = players[2], players[7], players[6]

    for number in range(3):
        game.begin()
        for duel in game.duels:
            if number == 0 and leaver.id in duel["players"]:
                leaver.ask("leave", what="tournament")
            elif loser.id in duel["players"]:
                game.solve(duel["duel_id"], next(game.players[one] for one in duel["players"] if one != loser.id))
            else:
                game.solve(duel["duel_id"])
        world.advance(game.id)
    assert loser.state["watching"] == game.id, "it has lost three duels"
    assert len(game.duels) == 3

    game.begin()
    begun_ms = world.now_ms
    waits = []
    for number, duel in enumerate(game.duels):
        token = f"{game.id}-{number}-of-{duel['duel_id']}"
        assert world.park(duel["duel_id"], token)
        waits.append({"duel_id": duel["duel_id"], "token": token, "heartbeat_seconds": 31, "beat_ms": begun_ms})
    world.sleep(4_000)
    assert any(game.to_move(duel) is away for duel in game.duels)
    first = next(duel for duel in game.duels if away.id not in duel["players"])
    loser.ask("watch", duel=first["duel_id"])
    game.to_move(first).guess(first, wrong(first))
    next(wait for wait in waits if wait["duel_id"] == first["duel_id"])["beat_ms"] = world.now_ms
    world.sleep(3_000)
    away.drop()
    world.sleep(2_000)
    over = next(duel for duel in game.duels if away.id not in duel["players"] and duel["duel_id"] != first["duel_id"])
    game.solve(over["duel_id"])
    return {
        "now_ms": world.now_ms,
        "tournament_id": game.id,
        "players": {player.id: {"connection_id": player.connection_id, "token": player.token} for player in players},
        "roles": {"loser": loser.id, "leaver": leaver.id, "away": away.id, "leader": players[0].id},
        "connections": world.opened_ms,
        "executions": [dataclasses.asdict(start) for start in world.starts],
        "waits": [wait for wait in waits if wait["duel_id"] != over["duel_id"]],
        "tables": {
            table: [item for _, item in sorted(world.written(table).items())] for table in world.backend.template.tables
        },
    }


# -- whether it is all -----------------------------------------------------------------------------


def assert_complete(items: Items, values: Iterable[Any]) -> None:
    """Every field of what is stored has a value other than its default, and each member of an enum occurs.

    Of the columns beside the state each occurs, and those that an item can do without are missing somewhere.
    """
    seen: dict[tuple[type, str], list[Any]] = defaultdict(list)
    members: set[enum.Enum] = set()
    _collect(values, seen, members)
    kinds = set(_kinds(STATES))
    for kind in kinds:
        for each in dataclasses.fields(kind):
            default = None if each.default is dataclasses.MISSING else each.default
            assert any(value not in (default, 0, "") for value in seen[kind, each.name]) or any(
                value != default for value in seen[kind, each.name] if default
            ), f"{kind.__name__}.{each.name} has nowhere a value of its own"
            for member in _enum(kind, each.name):
                assert member in members, f"nothing is {member!r}"
    for table, columns in COLUMNS.items():
        found = [set(item) for item in items[table].values()]
        assert set().union(*found) - {"state", "version"} == columns | {next(iter(_keys(items[table])))}
        always = set.intersection(*found)
        missing = {"PlayersTable": {"away_partition"}, "LobbiesTable": {"open_language"}}.get(table, set())
        assert not always & missing


def _keys(items: Mapping[str, Item]) -> set[str]:
    return {name for item in items.values() for name in item if name.endswith("_id")}


def _kinds(kinds: Iterable[type]) -> Iterator[type]:
    for kind in kinds:
        yield kind
        for hint in typing.get_type_hints(kind).values():
            yield from _kinds(inner for inner in _flat(hint) if dataclasses.is_dataclass(inner))


def _flat(hint: Any) -> Iterator[type]:
    if isinstance(hint, type) and not isinstance(hint, types.GenericAlias):
        yield hint
    for inner in typing.get_args(hint):
        yield from _flat(inner)


def _enum(kind: type, name: str) -> Iterator[enum.Enum]:
    for hint in _flat(typing.get_type_hints(kind)[name]):
        if issubclass(hint, enum.Enum):
            yield from hint


def _collect(value: Any, seen: dict[tuple[type, str], list[Any]], members: set[enum.Enum]) -> None:
    if isinstance(value, enum.Enum):
        members.add(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for each in dataclasses.fields(value):
            seen[type(value), each.name].append(getattr(value, each.name))
            _collect(getattr(value, each.name), seen, members)
    elif isinstance(value, list | tuple):
        for inner in value:
            _collect(inner, seen, members)


def chosen(frames: Iterable[Frame], tag: str) -> dict[str, list[Frame]]:
    """The fewest frames of each kind, the fullest first, that have all fields which the frames of that kind have."""
    kinds: dict[str, list[Frame]] = defaultdict(list)
    for frame in frames:
        if tag in frame:
            kinds[frame[tag]].append(frame)
    result: dict[str, list[Frame]] = {}
    for kind, found in sorted(kinds.items()):
        left = set().union(*(paths(frame) for frame in found))
        result[kind] = []
        while left or not result[kind]:
            best = max(found, key=lambda frame: len(left & paths(frame)))
            result[kind].append(best)
            left -= paths(best)
    return result


def paths(value: Any, path: str = "") -> set[str]:
    """Return every field of a frame, at any depth; with its value where that tells the kind of frame."""
    if isinstance(value, dict):
        return set().union(*(paths(inner, f"{path}.{name}") for name, inner in value.items()), {path})
    if isinstance(value, list):
        return set().union(*(paths(inner, f"{path}[]") for inner in value), {path})
    return {f"{path}={value}" if path.endswith((".code", ".what", ".ending", ".fate")) else path}


# -- writing it down -------------------------------------------------------------------------------


def rendered(value: Any, indent: int = 0, width: int = 118) -> str:
    """JSON in which whatever fits is on one line; in the order of the keys."""
    line = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(line) + indent <= width or not isinstance(value, dict | list) or not value:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(key)}: {rendered(value[key], indent + 2, width)}" for key in sorted(value)]
    else:
        parts = [f"{inner}{rendered(one, indent + 2, width)}" for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n" + ",\n".join(parts) + f"\n{' ' * indent}{closing}"


def protocol() -> dict[str, Any]:
    """The schemas of messages and their parts, and the name of each sent message's schema by its type."""
    components = yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))["components"]
    return {
        "messages": {
            message["name"]: name
            for name, message in components["messages"].items()
            if "type" in components["schemas"][name]["properties"]
        },
        "schemas": _without_texts(components["schemas"]),
    }


def _without_texts(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_texts(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    # A field may be called `description`, and then is a schema of its own.
    return {
        key: _without_texts(part) for key, part in schema.items() if key != "description" or not isinstance(part, str)
    }


def record() -> dict[str, Any]:
    """The content of the four files, by the first part of their names."""
    with recording() as recorder:
        play_everything(recorder)
        values = [_load(recorder, table, item) for table, items in recorder.items.items() for item in items.values()]
        assert_complete(recorder.items, values)
        frames, requests = recorder.frames, recorder.requests
        items = dict(recorder.items)
    with recording(RUNNING_SEED) as recorder:
        running = play_running(recorder)
        frames += recorder.frames
    return {
        "items": items,
        "running": running,
        "frames": {"messages": chosen(frames, "type"), "requests": chosen(requests, "action")},
        "protocol": protocol(),
    }


def aggregates(table: str, key: str) -> Any:
    """The store's table for the item of that key."""
    if key.startswith("history."):
        return store.HISTORIES
    if key.startswith("history-page."):
        return store.HISTORY_PAGES
    if key.startswith("door."):
        return store.RECENT_LOBBIES
    if key == "settings":
        return store.SETTINGS
    return {
        PLAYERS: store.PLAYERS,
        CONNECTIONS: store.CONNECTIONS,
        LOBBIES: store.LOBBIES,
        GROUPS: store.GROUPS,
        TOURNAMENTS: store.TOURNAMENTS,
        DUELS: store.DUELS,
    }[table]


def load(table: str, key: str) -> Any:
    """The item of that key as the store reads it, or None."""
    kind = aggregates(table, key)
    return store.load(kind, key.removeprefix(kind.prefix))


def key_of(world: World, table: str, item: Item) -> str:
    name = world.backend.template.tables[table]["KeySchema"][0]["AttributeName"]
    return str(item[name]["S"])


def _load(recorder: Recorder, table: str, item: Item) -> Any:
    world = recorder.world
    world.write(table, [item])
    now_ms, world.now_ms = world.now_ms, world.now_ms - 86_400_000
    try:
        return load(table, key_of(world, table, item)).value
    finally:
        # Some items have expired meanwhile: they are read as of the day before.
        world.now_ms = now_ms


def main() -> int:
    """Write the four files of the version."""
    (version,) = sys.argv[1:]
    for name, content in record().items():
        path = HERE / f"{name}-{version}.json"
        path.write_text(rendered(content) + "\n", encoding="utf-8")
        sys.stdout.write(f"{path.name}: {path.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
