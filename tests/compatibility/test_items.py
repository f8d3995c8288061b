"""Every kind of item that 1.0.0 stored is read, found and written back, and loses nothing by that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from infra.local.testing import START_MS, World
from tests.compatibility.conftest import recorded
from tests.compatibility.record import DUELS, LOBBIES, PLAYERS, TOURNAMENTS, Item, aggregates, key_of, load
from wordle_tournament import store

BEFORE_MS = START_MS - 86_400_000
"""A day before the recording: nothing has expired."""

ITEMS = [
    pytest.param(table, item, id=f"{table.removesuffix('Table')}: {shape}")
    for table, items in recorded("items").items()
    for shape, item in items.items()
]


@pytest.mark.parametrize(("table", "item"), ITEMS)
def test_an_item_that_is_read_and_written_back_loses_nothing(world: World, table: str, item: Item) -> None:
    world.now_ms = BEFORE_MS
    key = key_of(world, table, item)
    world.write(table, [item])
    before = load(table, key)
    assert before.version == int(item["version"]["N"])
    assert_found_by_index(table, key, item)

    store.commit(store.Change(aggregates(table, key), before, before.value))

    # Written back, a group that has ended expires at once.
    world.sleep(-1_000)
    after = load(table, key)
    assert (after.value, after.version) == (before.value, before.version + 1)
    written = world.written(table)[key]
    for name in item.keys() - {"version", "expires_at"}:
        assert_kept(item[name], written.get(name), name)
    assert ("expires_at" in item) == ("expires_at" in written)
    if table == DUELS:
        assert (after.task_token, after.connections, after.watchers) == (
            item.get("task_token", {}).get("S"),
            {player: value["S"] for player, value in item["connections"]["M"].items()},
            frozenset(item.get("watchers", {}).get("SS", ())),
        )
    assert_found_by_index(table, key, item)


@pytest.mark.parametrize(("table", "item"), ITEMS)
def test_an_item_is_there_until_it_expires(world: World, table: str, item: Item) -> None:
    key = key_of(world, table, item)
    world.write(table, [item])
    if "expires_at" not in item:
        world.now_ms = 1 << 42
        assert load(table, key) is not None
        return
    world.now_ms = int(item["expires_at"]["N"]) * 1000 - 1
    assert load(table, key) is not None
    world.now_ms += 1
    assert load(table, key) is None


def assert_kept(before: Any, after: Any, path: str) -> None:
    """Everything that an item held is still there; fields may have been added."""
    if isinstance(before, dict):
        assert isinstance(after, dict), path
        if before.keys() == after.keys() == {"N"}:
            assert float(before["N"]) == float(after["N"]), path
            return
        for name, value in before.items():
            assert name in after, f"{path}.{name} is lost"
            assert_kept(value, after[name], f"{path}.{name}")
    elif isinstance(before, list):
        assert isinstance(after, list), path
        assert len(before) == len(after), path
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            assert_kept(one, other, f"{path}[{number}]")
    else:
        assert before == after, path


def assert_found_by_index(table: str, key: str, item: Mapping[str, Any]) -> None:
    """The item is in the sparse index of its table if it has that index's attributes, and only then."""
    if table == PLAYERS:
        since_ms = int(item.get("away_since_ms", {"N": "0"})["N"])
        assert (key in store.away_players(since_ms + 1)) == ("away_partition" in item)
        assert key not in store.away_players(since_ms)
    elif table == LOBBIES and "open_language" in item:
        # The sweeper finds it by the index of 1.0.0, and its next write puts it into the new one.
        assert set(store.all_waiting_lobbies(item["open_language"]["S"])) == {key}
    elif table == LOBBIES:
        assert not any(set(store.all_waiting_lobbies(language)) for language in ("en", "de", "fr"))
    elif table == TOURNAMENTS:
        running = "running_partition" in item
        assert store.running_tournaments() == running
        due_ms = int(item.get("due_at_ms", {"N": "0"})["N"])
        assert list(store.overdue_tournaments(due_ms + 1)) == ([key] if running else [])
        assert not list(store.overdue_tournaments(due_ms))
