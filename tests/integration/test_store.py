"""A commit gives back typed values, and a key of one kind is no id of another kind in the same DynamoDB table."""

from dataclasses import replace

import pytest

from tests.unit.factories import a_duel
from wordle_tournament import store
from wordle_tournament.rules.player import Player
from wordle_tournament.store import (
    CONNECTIONS,
    DUELS,
    HISTORIES,
    LOBBIES,
    PLAYERS,
    RECENT_LOBBIES,
    SETTINGS,
    SETTINGS_ID,
    Change,
    Connection,
    Create,
    Delete,
    History,
    LiveDuel,
    OperatorSettings,
    RecentLobbies,
    Versioned,
    commit,
    load,
    load_many,
    put,
)
from wordle_tournament.store.load import Table


def a_player() -> Player:
    return Player("p1", "hash", "Quiet Otter", 1)


@pytest.mark.usefixtures("scenes")
def test_a_commit_gives_back_each_aggregate_by_its_write() -> None:
    player, connection = Create(PLAYERS, a_player()), Create(CONNECTIONS, Connection("c1", "p1"))
    committed = commit(connection, player)
    created: Versioned[Player] = committed[player]
    assert created == load(PLAYERS, "p1") == Versioned(a_player(), 1)
    assert committed[connection].value.player_id == "p1"

    rename = Change(PLAYERS, created, replace(created.value, nickname="Brave Otter"))
    deletion = Delete(CONNECTIONS, "c1")
    assert commit(rename, deletion)[rename] == load(PLAYERS, "p1") == Versioned(rename.value, 2)
    assert load(CONNECTIONS, "c1") is None


@pytest.mark.usefixtures("scenes")
def test_a_changed_duel_comes_back_with_its_token_and_connections() -> None:
    creation = Create(DUELS, a_duel(), {"connections": {"ann": "c1"}, "task_token": "token"})
    created: LiveDuel = commit(creation)[creation]
    assert (created.task_token, created.connections) == ("token", {"ann": "c1"})
    alone = Change(DUELS, created, replace(created.value, turn_ms=1))
    changed: LiveDuel = commit(alone)[alone]
    together = Change(DUELS, changed, replace(created.value, turn_ms=2))
    committed = commit(together, Create(PLAYERS, a_player()))
    assert committed[together] == replace(created, value=together.value, version=3) == load(DUELS, a_duel().duel_id)


@pytest.mark.usefixtures("scenes")
def test_a_write_that_was_not_committed_has_no_result() -> None:
    write = Create(PLAYERS, a_player())
    committed = commit(write)
    with pytest.raises(KeyError):
        committed[Create(PLAYERS, a_player())]


@pytest.mark.usefixtures("scenes")
def test_put_creates_what_was_not_there_and_changes_what_was() -> None:
    write = put(RECENT_LOBBIES, None, RecentLobbies("en"))
    created = commit(write)[write]
    change = put(RECENT_LOBBIES, created, RecentLobbies("en"))
    assert commit(change)[change].version == 2
    with pytest.raises(store.Conflict):
        commit(put(RECENT_LOBBIES, None, RecentLobbies("en")))


@pytest.mark.usefixtures("scenes")
def test_a_key_of_another_kind_is_no_id() -> None:
    commit(Create(HISTORIES, History("p1", 1)), Create(RECENT_LOBBIES, RecentLobbies("en")))
    commit(Create(SETTINGS, OperatorSettings(queue_open=False)))
    assert load(HISTORIES, "p1")
    assert load_many(HISTORIES, ["p1"]).keys() == {"p1"}
    assert load(RECENT_LOBBIES, "en")
    assert load(SETTINGS, SETTINGS_ID)
    assert load(PLAYERS, "history.p1") is None
    assert load_many(PLAYERS, ["history.p1"]) == {}
    assert load(LOBBIES, "door.en") is None
    assert load_many(LOBBIES, ["door.en", SETTINGS_ID]) == {}


@pytest.mark.usefixtures("scenes")
def test_kinds_that_share_a_table_share_no_id() -> None:
    """An id from outside reaches only its own kind, whatever kind is added to a table."""
    kinds = {name: value for name, value in vars(store).items() if isinstance(value, Table)}
    keys = {name: kind.stored_key(SETTINGS_ID if kind is SETTINGS else "x") for name, kind in kinds.items()}
    for name, kind in kinds.items():
        for other_name, other in kinds.items():
            shared = other is not kind and other.record.Meta.table_name == kind.record.Meta.table_name
            if shared and (other.prefix or other is SETTINGS) and kind is not SETTINGS:
                assert kind.prefix or not kind.may_have(keys[other_name]), f"{name} finds {keys[other_name]}"
