"""Calls in a row: the number of AWS calls that have to end one after the other until players see a change.

A count says what a message costs; the depth says how long it takes.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ReadTimeoutError

from infra.local.testing import World, client_error, wrong
from infra.local.testing.in_turn import InRow
from tests.integration.conftest import Scenes, gather
from tests.integration.faults.flows import out
from wordle_tournament import push


def row(calls: list[InRow]) -> dict[str, list[int]]:
    """Return the depths of the calls, by operation."""
    depths: dict[str, list[int]] = {}
    for call in calls:
        depths.setdefault(call.operation, []).append(call.depth)
    return {operation: sorted(found) for operation, found in depths.items()}


def test_both_players_see_a_guess_after_three_calls_in_a_row(scenes: Scenes, world: World) -> None:
    """One read, one write, and then the timer and everybody's frames at the same time."""
    game = scenes.begun()
    duel = game.duels[0]
    with world.calls_in_a_row() as calls:
        game.to_move(duel).guess(duel, wrong(duel))
    assert [(call.operation, call.depth) for call in calls] == [
        ("GetItem", 1),
        ("UpdateItem", 2),
        ("SendTaskHeartbeat", 3),
        ("PostToConnection", 3),
        ("PostToConnection", 3),
    ]


def test_all_see_the_end_of_a_duel_after_three_calls_in_a_row(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    with world.calls_in_a_row() as calls:
        game.to_move(duel).guess(duel, duel["word"])
    assert [call.depth for call in calls if call.operation == "PostToConnection"] == [3] * 8
    assert max(call.depth for call in calls) == 3


def test_all_see_a_join_after_six_calls_in_a_row(scenes: Scenes, world: World) -> None:
    """Connection and the queue's switch, player and index, lobby, transaction, the players that it shows, frames."""
    world.player().ask("join", language="en")
    joining = world.player()
    with world.calls_in_a_row() as calls:
        joining.ask("join", language="en")
    assert row(calls) == {
        "GetItem": [1, 1, 2, 3],
        "Query": [2],
        "TransactWriteItems": [4],
        "BatchGetItem": [5],
        "PostToConnection": [6, 6],
    }


def test_the_timer_of_a_full_lobby_starts_beside_the_announcement(scenes: Scenes, world: World) -> None:
    eighth = scenes.lobby().all[-1]
    with world.calls_in_a_row() as calls:
        eighth.ask("join", language="en")
    found = row(calls)
    assert found["PostToConnection"] == [7] * 8, "one more read: who starts"
    assert found["StartExecution"] == [6]


def test_the_others_see_a_lost_connection_after_six_calls_in_a_row(scenes: Scenes, world: World) -> None:
    """Connection, player, transaction, tournament, its duels and players, frames; the 60 seconds begin in between."""
    player = scenes.begun().all[0]
    with world.calls_in_a_row() as calls:
        player.drop()
    assert row(calls) == {
        "GetItem": [1, 2, 4],
        "TransactWriteItems": [3],
        "StartExecution": [4],
        "BatchGetItem": [5, 5],
        "PostToConnection": [6] * 7,
        "UpdateItem": [6] * 4,
    }


def test_a_sync_reads_what_it_shows_after_five_calls_in_a_row(scenes: Scenes, world: World) -> None:
    player = scenes.begun().all[0]
    with world.calls_in_a_row() as calls:
        player.ask("sync")
    assert row(calls) == {"GetItem": [1, 2, 3], "BatchGetItem": [4, 4], "PostToConnection": [5]}


@pytest.mark.parametrize("place", ["nowhere", "lobby", "tournament", "group", "group in a tournament"])
@pytest.mark.parametrize("action", ["sync", "$disconnect"])
def test_no_item_of_what_is_shown_is_read_twice(scenes: Scenes, world: World, place: str, action: str) -> None:
    if place == "lobby":
        player = scenes.lobby().all[0]
    elif place == "group":
        player, *_ = gather(world, 3)
    elif place == "nowhere":
        player = world.player()
    else:
        player, friend = scenes.begun().all[:2]
        if place == "group in a tournament":
            friend.ask("joinGroup", invite=player.ask("createGroup")["group"]["invite"])
    keys: Counter[str] = Counter()

    def note(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if operation == "GetItem":
            keys[f"{params['TableName']} {params['Key']}"] += 1
        if operation == "BatchGetItem":
            for table, wanted in params["RequestItems"].items():
                keys.update(f"{table} {key}" for key in wanted["Keys"])

    world.on_call(note)
    if action == "sync":
        assert player.ask("sync")["type"] == "state"
    else:
        player.drop()
    # A lost player is read before the commit, and with the others after it.
    own = [key for key in keys if player.id in key]
    assert keys.total() > 1
    assert [key for key, times in keys.items() if times > 1 and key not in own] == []
    assert all(keys[key] <= 2 for key in own)


def test_the_own_answer_does_not_wait_for_a_hung_connection(scenes: Scenes, world: World) -> None:
    """All other connections hang until the guesser has the answer: if it waited for them, it would never come."""
    game = scenes.begun()
    duel = game.duels[0]
    player, answered = game.to_move(duel), threading.Event()

    def hang(connection_id: str) -> None:
        if connection_id == player.connection_id:
            answered.set()
        else:
            assert answered.wait(30)

    world.connections.on_post = hang
    with world.in_parallel():
        assert player.guess(duel, duel["word"])["duel"]["over"]
    assert all(other.last("duel")["duel"]["over"] for other in game.all), "the function waits for the others"


def test_a_heartbeat_does_not_hold_up_the_players(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    player, opponent, seen = game.to_move(duel), game.waiting(duel), threading.Event()
    got: set[str] = set()

    def hang(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if operation == "SendTaskHeartbeat":
            assert seen.wait(30)

    def note(connection_id: str) -> None:
        got.add(connection_id)
        if got == {player.connection_id, opponent.connection_id}:
            seen.set()

    world.on_call(hang)
    world.connections.on_post = note
    with world.in_parallel():
        assert player.guess(duel, wrong(duel))["type"] == "duel"
    assert seen.is_set()


def test_frames_to_one_connection_keep_their_order(world: World) -> None:
    slow, quick = world.connection_id(), world.connection_id()
    quick_has_all = threading.Event()

    def hold(connection_id: str) -> None:
        if connection_id == slow and not world.connections.frames[slow]:
            assert quick_has_all.wait(30)
        if connection_id == quick and len(world.connections.frames[quick]) == 3:
            quick_has_all.set()

    world.connections.on_post = hold
    with world.in_parallel():
        for number in range(4):
            push.send({slow: f'{{"type": "{number}"}}', quick: f'{{"type": "{number}"}}'})
        assert push.finish() == []
    for connection_id in (slow, quick):
        assert [frame["type"] for frame in world.connections.frames[connection_id]] == ["0", "1", "2", "3"]


def test_a_stale_connection_gets_no_second_frame(world: World) -> None:
    gone = world.connection_id()
    world.connections.closed.add(gone)
    with world.calls_in_a_row() as calls:
        push.send({gone: '{"type": "first"}'})
        push.send({gone: '{"type": "second"}'})
        push.close(gone)
        assert push.finish() == [gone]
    assert [call.operation for call in calls] == ["PostToConnection"]


def test_a_push_takes_about_a_second_at_most(world: World) -> None:
    config: Config = push._client().meta.config
    options = vars(config)
    assert options["retries"]["total_max_attempts"] == 1, "botocore would pause for up to a second"
    assert options["connect_timeout"] + options["read_timeout"] + push.AGAIN_WITHIN_SECONDS <= 1.25


@pytest.mark.parametrize(
    ("failure", "after_seconds", "attempts"),
    [
        (client_error("LimitExceededException", "PostToConnection", status=429), 0.0, 2),
        (client_error("InternalServerError", "PostToConnection", status=500), 0.1, 2),
        (client_error("ForbiddenException", "PostToConnection", status=403), 0.0, 1),
        (ReadTimeoutError(endpoint_url="https://api"), 0.5, 1),
    ],
)
def test_only_what_failed_soon_is_sent_again(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    failure: ClientError | ReadTimeoutError,
    after_seconds: float,
    attempts: int,
) -> None:
    """A push that hung has had its second."""
    seconds = [0.0]
    monkeypatch.setattr(push, "monotonic", lambda: seconds[0])

    def fail(service: str, operation: str, params: Mapping[str, Any]) -> None:
        seconds[0] += after_seconds
        raise failure

    world.on_call(fail)
    connection_id = world.connection_id()
    with world.calls_in_a_row() as calls:
        push.send({connection_id: '{"type": "lost"}'})
        assert push.finish() == []
    assert len(calls) <= attempts
    assert seconds[0] == pytest.approx(after_seconds * attempts)


def test_a_player_who_comes_back_is_shown_everything_after_seven_calls_in_a_row(scenes: Scenes, world: World) -> None:
    """Player and connection, transaction, tournament, duels and players, frames and subscriptions, player, answer."""
    player = scenes.begun().all[0]
    player.drop()
    with world.calls_in_a_row() as calls:
        player.reconnect()
    assert row(calls) == {
        "GetItem": [1, 1, 3, 6],
        "TransactWriteItems": [2],
        "BatchGetItem": [4, 4],
        "PostToConnection": [*[5] * 7, 7],
        "UpdateItem": [5] * 4,
    }


def test_a_watcher_sees_the_board_after_six_calls_in_a_row(scenes: Scenes, world: World) -> None:
    """Connection, player, tournament, its duels, the duel's watchers, answer; nothing is read twice."""
    game = scenes.semifinal()
    player = out(game)
    with world.calls_in_a_row() as calls:
        player.ask("watch", duel=game.duels[0]["duel_id"])
    assert row(calls) == {"GetItem": [1, 2, 3], "BatchGetItem": [4], "UpdateItem": [5], "PostToConnection": [6]}
