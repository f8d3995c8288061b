"""The sparse indexes spread over several partitions, and a change of their number under play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import boto3
import pytest

from infra.local.testing import World
from wordle_tournament import config, store
from wordle_tournament.matchmaking.seats import band_of
from wordle_tournament.rules.lobby import Lobby, Seat
from wordle_tournament.store import LOBBIES, MOST_SHARDS, RECENT_LOBBIES, Create, commit
from wordle_tournament.store.aggregates import _lobby_columns

SHARDS = MOST_SHARDS


@pytest.fixture
def shards(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The setting can be changed by `monkeypatch.setenv("SHARDS", ...)` and `config.reset()`."""
    yield monkeypatch
    config.reset()


def spread(patch: pytest.MonkeyPatch, number: int) -> None:
    patch.setenv("SHARDS", str(number))
    config.reset()


def waiting(number: int, language: str = "en") -> Lobby:
    """Return a lobby of seven; no two of them fit together."""
    seats = [Seat(f"w{number}.{seat}", "Otter", 1000, f"w{number}.{seat}", 1000) for seat in range(7)]
    return Lobby(f"g{number}", language, 1000, 0, tuple(seats))


def test_lobbies_are_spread_over_all_partitions_and_all_are_found(world: World, shards: pytest.MonkeyPatch) -> None:
    spread(shards, SHARDS)
    lobbies = [waiting(number) for number in range(80)]
    commit(*[Create(LOBBIES, lobby) for lobby in lobbies])
    places = Counter(_lobby_columns(lobby, 0)["waiting_partition"] for lobby in lobbies)
    assert len(places) == SHARDS
    assert max(places.values()) < 80 / SHARDS * 2
    found = {one.lobby_id for one in store.waiting_lobbies("en", 1000, 0)}
    assert found == {lobby.lobby_id for lobby in lobbies}
    listed = [lobby_id for shard in range(SHARDS) for lobby_id in store.all_waiting_lobbies("en", shard)]
    assert set(listed) == found


def test_each_sweep_finishes_its_own_share(world: World, shards: pytest.MonkeyPatch) -> None:
    spread(shards, SHARDS)
    games = [world.tournament() for _ in range(3)]
    world.sleep(300_000)
    late = {game.id for game in games}
    listed = [
        (tournament, shard) for shard in range(SHARDS) for tournament in store.overdue_tournaments(world.now_ms, shard)
    ]
    assert {tournament for tournament, _ in listed} == late
    assert all(shard == store.shard_of(tournament) for tournament, shard in listed)
    assert store.running_tournaments() == len(games)


@pytest.mark.parametrize(("before", "after"), [(1, SHARDS), (SHARDS, 1)])
def test_players_meet_though_the_number_of_shards_changes(
    before: int, after: int, world: World, shards: pytest.MonkeyPatch
) -> None:
    spread(shards, before)
    early = world.players(3)
    for player in early:
        player.ask("join", language="en")
    spread(shards, after)
    world.sweep()  # within a minute it puts each lobby where it belongs
    late = world.players(5)
    for player in late:
        player.ask("join", language="en")
    world.sweep()
    games = {player.state["game"] for player in (*early, *late)}
    assert len(games) == 1
    assert store.running_tournaments() == 1
    spread(shards, before)
    assert store.running_tournaments() == 1, "it stays where its last write put it, and is found there"


def test_a_lobby_that_older_code_has_started_leaves_the_new_index(world: World) -> None:
    """Code of 1.0.0 does not know the columns of the new index, and leaves them as they are."""
    player = world.player()
    player.ask("join", language="en")
    lobby_id = player.state["game"]
    table = world.backend.template.tables["LobbiesTable"]["TableName"]
    key = {"lobby_id": {"S": lobby_id}}
    boto3.client("dynamodb").update_item(
        TableName=table,
        Key=key,
        UpdateExpression="SET #state.started = :yes REMOVE open_language",
        ExpressionAttributeNames={"#state": "state"},
        ExpressionAttributeValues={":yes": {"BOOL": True}},
    )
    assert [one.lobby_id for one in store.waiting_lobbies("en", 1000, 0)] == [lobby_id]
    world.sweep()
    assert store.waiting_lobbies("en", 1000, 0) == []


def test_openings_of_bands_that_are_far_apart_do_not_meet(world: World) -> None:
    low, high = world.player(700), world.player(1500)
    low.ask("join", language="en")
    high.ask("join", language="en")
    records = world.backend.items("LobbiesTable")
    doors = {item["lobby_id"] for item in records if item["lobby_id"].startswith("door.")}
    assert doors == {f"door.en.{band_of(700)}", f"door.en.{band_of(1500)}"}
    assert store.load(RECENT_LOBBIES, f"en.{band_of(700)}")
