"""`make play ARGS="--keep FOLDER"`: what survives a restart, a kill and a damaged file, and what does not."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from infra.local.keeping import FILE, FORMAT, TOURNAMENTS, CannotKeep, Keeper, Tables, tidy
from infra.local.memory_dynamodb import MemoryDynamoDB
from infra.local.stack import LocalStack
from wordle_tournament.protocol.messages import Snapshot
from wordle_tournament.store import PLAYERS, Change, commit, load
from wordle_tournament_client.client import TournamentClient

TABLES = Tables("players", "groups", "lobbies", "tournaments", "duels")
KEYS = {
    "players": "player_id", "groups": "group_id", "lobbies": "lobby_id", "tournaments": "tournament_id",
    "duels": "duel_id",
}  # fmt: skip


def database() -> MemoryDynamoDB:
    """Return empty tables with the keys of the real ones, without their indexes."""
    made = MemoryDynamoDB("us-east-1", "123456789012")
    for name, key in KEYS.items():
        answer = made.request(
            "CreateTable",
            json.dumps(
                {
                    "TableName": name,
                    "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"}],
                    "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
                    "BillingMode": "PAY_PER_REQUEST",
                }
            ).encode(),
        )
        assert answer.status == 200
    return made


def put(made: MemoryDynamoDB, table: str, key: str, expires_in: float = 1000, **more: str) -> None:
    attributes = {name: {"S": value} for name, value in more.items()}
    expires = {"N": str(int(time.time() + expires_in))}
    made.fill(table, [{KEYS[table]: {"S": key}, "expires_at": expires, **attributes}])


def keys(made: MemoryDynamoDB, table: str) -> set[str]:
    return {item[KEYS[table]]["S"] for item in made.items(table)}


@contextmanager
def stack(folder: Path) -> Iterator[LocalStack]:
    with LocalStack({"LogLevel": "ERROR", "TurnSeconds": "60"}, keep=folder) as running:
        yield running


@contextmanager
def keeper(folder: Path) -> Iterator[Keeper]:
    made = Keeper(folder, TABLES)
    made.open()
    try:
        yield made
    finally:
        made.close()


def open_and_restore(folder: Path) -> None:
    one = Keeper(folder, TABLES)
    one.open()
    one.restore(database())


def test_players_ratings_records_and_groups_survive_a_restart(tmp_path: Path) -> None:
    async def first(url: str) -> tuple[str, str]:
        async with TournamentClient(url) as leader, TournamentClient(url) as friend:
            await leader.rename("Grace")
            group = await leader.create_group()
            await friend.join_group(group.invite)
            assert leader.view.you is not None
            stored = load(PLAYERS, leader.view.you.player_id)
            assert stored is not None
            commit(Change(PLAYERS, stored, replace(stored.value, rating=1234, games=7)))
            return str(leader.token), str(friend.token)

    async def second(url: str, tokens: tuple[str, str]) -> None:
        async with TournamentClient(url, tokens[0]) as leader, TournamentClient(url, tokens[1]) as friend:
            you, group = leader.view.you, leader.view.group
            assert you is not None
            assert (you.nickname, you.rating, you.games) == ("Grace", 1234, 7)
            assert group is not None
            assert [member.player_id for member in group.members] == [
                client.view.you.player_id for client in (leader, friend) if client.view.you
            ]
            assert (await leader.profile()).you.rating == 1234

    with stack(tmp_path) as running:
        tokens = asyncio.run(first(running.ws_url))
    with stack(tmp_path) as running:
        assert running.freed == 0
        asyncio.run(second(running.ws_url, tokens))


def test_players_of_a_running_game_are_free_and_are_told_why(tmp_path: Path) -> None:
    async def first(url: str) -> str:
        clients = [TournamentClient(url) for _ in range(8)]
        for client in clients:
            await client.__aenter__()
        try:
            for client in clients:
                await client.join("en")
            await clients[0].until(lambda view: view.tournament)
            return str(clients[0].token)
        finally:
            for client in clients:
                await client.close()

    async def second(url: str, token: str) -> Snapshot:
        async with TournamentClient(url, token) as client:
            state = await client.sync()
            await client.join("en")
            assert client.view.lobby is not None
            return state

    with stack(tmp_path) as running:
        token = asyncio.run(first(running.ws_url))
    with stack(tmp_path) as running:
        assert running.freed == 8
        assert running.items("TournamentsTable") == []
        state = asyncio.run(second(running.ws_url, token))
    assert state.tournament is None
    assert state.lobby is None
    assert state.lost_game is not None
    assert state.lost_game.restarted is True


def test_only_finished_tournaments_and_the_operators_settings_are_kept_of_games(tmp_path: Path) -> None:
    made = database()
    put(made, "tournaments", "over")
    put(made, "tournaments", "running", running_partition="all")
    for duel in ("over.1.1", "running.1.1", "lost.1.1"):
        put(made, "duels", duel)
    for lobby in ("over", "running", "settings", "door.en"):
        put(made, "lobbies", lobby)
    put(made, "players", "p1")
    put(made, "players", "long-ago", expires_in=-5)
    put(made, "groups", "g1")
    with keeper(tmp_path) as one:
        assert one.save(made) == 5
        assert one.save(made) == 0, "nothing has changed"
        put(made, "players", "p2")
        made.drop("groups", {("g1",): made.snapshot().tables["groups"][("g1",)]})
        assert one.save(made) == 2
    kept = sqlite3.connect(tmp_path / FILE).execute("SELECT place, key FROM items ORDER BY place, key").fetchall()
    assert kept == [
        ("duels", "over.1.1"), ("lobbies", "settings"), ("players", "p1"), ("players", "p2"), ("tournaments", "over"),
    ]  # fmt: skip


KILLED = """
import sys
from pathlib import Path
from tests.local.test_keeping import TABLES, database, keeper, put
made = database()
with keeper(Path(sys.argv[1])) as one:
    for number in range(10**6):
        put(made, "players", "p", count=str(number))
        put(made, "groups", "g", count=str(number))
        one.save(made)
        print(number, flush=True)
"""


@pytest.mark.parametrize("saves", [1, 3, 50])
def test_a_kill_at_any_moment_leaves_the_last_save_whole(saves: int, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(saves)]
        with pytest.raises(CannotKeep, match="Another process"):
            Keeper(tmp_path, TABLES).open()
        process.send_signal(signal.SIGKILL)
    with keeper(tmp_path):
        pass
    rows = sqlite3.connect(tmp_path / FILE).execute("SELECT json FROM items").fetchall()
    counts = {json.loads(text)["count"]["S"] for (text,) in rows}
    assert len(rows) == 2
    assert len(counts) == 1, "both items are of the same save"
    assert int(counts.pop()) >= said[-1]


@pytest.mark.parametrize("damage", ["garbage", "half", "item"])
def test_a_damaged_file_is_refused_and_left_as_it_is(damage: str, tmp_path: Path) -> None:
    made = database()
    for number in range(200):
        put(made, "players", f"p{number}", filler="x" * 200)
    with keeper(tmp_path) as one:
        one.save(made)
    path = tmp_path / FILE
    whole = path.read_bytes()
    match damage:
        case "garbage":
            path.write_bytes(b"no database at all" * 1000)
        case "half":
            path.write_bytes(whole[: len(whole) // 2])
        case _:
            file = sqlite3.connect(path)
            with file:
                file.execute("UPDATE items SET json = '{' WHERE key = 'p7'")
            file.close()
    before = path.read_bytes()
    with pytest.raises(CannotKeep, match="cannot be read"):
        open_and_restore(tmp_path)
    assert path.read_bytes() == before


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    with keeper(tmp_path):
        pass
    file = sqlite3.connect(tmp_path / FILE)
    file.execute(f"PRAGMA user_version = {FORMAT + 1}")
    file.close()
    with pytest.raises(CannotKeep, match=f"format {FORMAT + 1}"):
        Keeper(tmp_path, TABLES).open()


def test_a_folder_that_cannot_be_made_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotKeep, match="cannot be used"):
        Keeper(tmp_path / "file" / "folder", TABLES).open()


def test_memory_is_flat_over_many_tournaments() -> None:
    made = database()
    counts = set()
    for number in range(1000):
        tournament = f"t{number}"
        put(made, "tournaments", tournament, expires_in=1000 + number)
        put(made, "lobbies", tournament)
        put(made, "duels", f"{tournament}.1.1")
        put(made, "tournaments", f"running{number % 10}", running_partition="all")
        put(made, "players", "p", expires_in=-1)
        if number % 50 == 49:
            tidy(made, TABLES)
            counts.add(sum(len(items) for items in made.snapshot().tables.values()))
    assert max(counts) == 3 * TOURNAMENTS + 10
    assert keys(made, "players") == set()
    newest = {f"t{number}" for number in range(1000 - TOURNAMENTS, 1000)}
    assert keys(made, "tournaments") - newest == {f"running{number}" for number in range(10)}
    assert keys(made, "duels") == {f"{tournament}.1.1" for tournament in newest}
