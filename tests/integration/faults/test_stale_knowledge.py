"""Act on what one item says and another does not know yet: a connection, a deleted player, an existing item."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from infra.local.aws import FunctionError
from infra.local.testing import RECONNECT_MACHINE, WINDOW_MS, Crash, Game, Player, World, wrong
from tests.integration.conftest import Scenes
from tests.integration.faults.flows import asks, out, watched
from wordle_tournament.rules.player import Player as PlayerState
from wordle_tournament.store import CONNECTIONS, PLAYERS, Connection, Create, commit, load
from wordle_tournament.store.errors import Conflict


def return_half_way(player: Player) -> None:
    """Come back by a `hello` that dies right after it has written the player: no duel knows the new connection."""

    def die(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if operation == "TransactWriteItems":
            raise Crash(operation)

    player.drop()
    player.connection_id = player.world.connection_id()
    with player.world.on_call(die, after=True), suppress(Crash, FunctionError):
        player.send("hello", "dies", token=player.token)
    assert player.state["connection_id"] == player.connection_id


def knows(game: Game, duel_id: str, player: Player) -> bool:
    """Return True if the duel sends its frames to the player's connection."""
    return bool(game.world.item("DuelsTable", duel_id)["connections"].get(player.id) == player.connection_id)


def test_a_guess_on_a_connection_that_the_duel_does_not_know_yet_counts(scenes: Scenes) -> None:
    """The player is back (R28), so the guess is played, and the opponent's answer to it reaches them."""
    game = scenes.final()
    duel = game.duels[0]
    player, opponent = game.to_move(duel), game.waiting(duel)
    return_half_way(player)
    assert not knows(game, duel["duel_id"], player)
    word = wrong(duel)
    assert player.guess(duel, word)["type"] == "duel"
    after = game.duel(duel["duel_id"])
    assert [(row["player_id"], row["word"]) for row in after["rows"]][-1] == (player.id, word)
    opponent.guess(after, wrong(after, but=[word]))
    assert len(player.last("duel")["duel"]["rows"]) == len(after["rows"]) + 1


def test_watching_on_a_connection_that_the_duel_does_not_know_yet_shows_its_turns(scenes: Scenes) -> None:
    """The answer is the board, and every later turn reaches the new connection (R10)."""
    game = scenes.semifinal()
    duel = game.duels[0]
    player = out(game)
    return_half_way(player)
    assert not knows(game, duel["duel_id"], player)
    assert player.ask("watch", duel=duel["duel_id"])["type"] == "duel"
    game.to_move(duel).guess(duel, wrong(duel))
    assert len(player.last("duel")["duel"]["rows"]) == len(duel["rows"]) + 1


def test_a_forfeit_is_looked_for_when_the_minute_is_surely_over(scenes: Scenes, world: World) -> None:
    """The machine's clock may be almost a second ahead of ours: its one look must not come too early (R28)."""
    game = scenes.semifinal()
    player = game.waiting(game.duels[0])
    player.drop()
    (start,) = [one for one in world.started(RECONNECT_MACHINE) if one.input["player_id"] == player.id]
    wait_ms = start.input["seconds"] * 1000
    assert WINDOW_MS + 1_000 <= wait_ms <= WINDOW_MS + 2_000
    world.sleep(wait_ms - 1_000)
    assert world.forfeit(player.id, start.input["epoch"])
    assert player.id in game.state["rounds"][-1]["leavers"]


def test_a_watcher_who_joins_hears_nothing_more_of_the_old_duel(scenes: Scenes) -> None:
    """A player who looks for another game has left the old one (R10, R26)."""
    game = scenes.semifinal()
    duel = game.duels[0]
    player = out(game)
    player.ask("watch", duel=duel["duel_id"])
    assert watched(game, player) == [duel["duel_id"]]
    assert player.ask("join", language="en")["type"] == "lobby"
    assert watched(game, player) == []
    frames = len(player.frames)
    game.to_move(duel).guess(duel, wrong(duel))
    assert [frame for frame in player.frames[frames:] if frame["type"] == "duel"] == []


@pytest.mark.parametrize(
    ("action", "fields"), [("join", {"language": "en"}), ("leave", {"what": "tournament"})], ids=["join", "leave"]
)
def test_a_watcher_who_left_by_a_request_that_died_hears_nothing_more_after_the_resend(
    action: str, fields: dict[str, Any], scenes: Scenes
) -> None:
    """The player's record is written then, and the duel's audience is not."""
    game = scenes.semifinal()
    duel = game.duels[0]
    player = out(game)
    player.ask("watch", duel=duel["duel_id"])
    if action == "leave":
        fields = {**fields, "id": game.id}

    def die(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if "PlayersTable" in str(params) and operation in ("TransactWriteItems", "UpdateItem"):
            raise Crash(operation)

    with player.world.on_call(die, after=True), suppress(Crash, FunctionError):
        player.send(action, "dies", **fields)
    assert player.state["watching"] is None
    assert watched(game, player) == [duel["duel_id"]]
    assert player.ask(action, **fields)["type"] in ("lobby", "left")
    assert watched(game, player) == []


@pytest.mark.usefixtures("scenes")
@pytest.mark.parametrize("together", [False, True], ids=["alone", "in a transaction"])
def test_nothing_is_created_over_an_item_that_is_there(together: bool) -> None:
    first = PlayerState("p1", "hash", "Quiet Otter", 1)
    commit(Create(PLAYERS, first))
    other = [Create(CONNECTIONS, Connection("c1", "p1"))] if together else []
    with pytest.raises(Conflict):
        commit(Create(PLAYERS, replace(first, nickname="Brave Otter")), *other)
    stored = load(PLAYERS, "p1")
    assert stored is not None
    assert (stored.value, stored.version) == (first, 1)
    assert load(CONNECTIONS, "c1") is None


def test_hello_against_delete_me_never_brings_a_deleted_player_back(scenes: Scenes, world: World) -> None:
    """At each call of the `hello`, the player deletes themselves on the older connection (R28)."""
    outcomes = set()
    number = 0
    reached = True
    while reached:
        number += 1
        player = scenes.lobby().all[0]
        fresh = Player(world, world.connection_id(), player.id, player.token)
        calls = 0
        deleted = ""

        def delete(service: str, operation: str, params: Mapping[str, Any]) -> None:
            nonlocal calls, deleted
            calls += 1
            if calls == number and not deleted:  # noqa: B023
                deleted = "nobody hears the answer"
                deleted = asks(player, "deleteMe", confirm=True, player=player.id)() or deleted  # noqa: B023

        with world.on_call(delete):
            answer = fresh.ask("hello", token=player.token)
        reached = bool(deleted)
        gone = player.id not in world.items("PlayersTable")
        connections = {item["state"]["player_id"] for item in world.items("ConnectionsTable").values()}
        if reached:
            outcomes.add((deleted, answer.get("code", answer["type"])))
            assert gone == (deleted == "deleted"), number
            assert gone == (answer.get("code") == "bad_token"), number
            assert (player.id in connections) == (not gone), number
    assert {("deleted", "bad_token"), ("nobody hears the answer", "welcome")} <= outcomes, outcomes
