"""The operator's view: each metric counts its event, and log lines tell a game's and a player's story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest

from infra.local.aws import FunctionError
from infra.local.testing import (
    GRACE_MS,
    PLAYERS,
    RECONNECT_MACHINE,
    TOURNAMENT_MACHINE,
    WINDOW_MS,
    Game,
    World,
    client_error,
    wrong,
)
from tests.integration.conftest import Scenes, gather
from wordle_tournament import metrics
from wordle_tournament.store import errors

Line = dict[str, Any]
Written = Callable[[], list[Line]]


def counted(lines: list[Line]) -> Counter[str]:
    """By metric, the count; `Refused:busy` and `Swept:silent` where there is a second dimension. Without routes."""
    total: Counter[str] = Counter()
    for line in lines:
        for directive in line.get("_aws", {}).get("CloudWatchMetrics", []):
            (dimensions,) = directive["Dimensions"]
            assert "service" in dimensions, "stages in one account stay apart"
            if "route" in dimensions:
                continue
            kinds = [line[name] for name in dimensions if name != "service"]
            for metric in directive["Metrics"]:
                total[":".join([metric["Name"], *kinds])] += int(sum(_many(line[metric["Name"]])))
    return total


def units(lines: list[Line]) -> dict[str, str]:
    return {
        metric["Name"]: metric["Unit"]
        for line in lines
        for directive in line.get("_aws", {}).get("CloudWatchMetrics", [])
        for metric in directive["Metrics"]
        if ["route", "service"] not in directive["Dimensions"]
    }


def routes(lines: list[Line]) -> list[tuple[str, int]]:
    """Each route or task that was timed, with its errors, in order."""
    timed = []
    for line in lines:
        for directive in line.get("_aws", {}).get("CloudWatchMetrics", []):
            if directive["Dimensions"] == [["route", "service"]]:
                assert {one["Name"]: one["Unit"] for one in directive["Metrics"]} == {
                    "RouteErrors": "Count",
                    "RouteDuration": "Milliseconds",
                }
                assert 0 <= sum(_many(line["RouteDuration"])) < 60_000
                timed.append((line["route"], int(sum(_many(line["RouteErrors"])))))
    return timed


def _many(value: Any) -> list[float]:
    return value if isinstance(value, list) else [value]


def test_a_lobby_that_fills_is_counted_with_the_seconds_it_took(world: World, written: Written) -> None:
    players = world.players(PLAYERS)
    for player in players:
        world.sleep(2000)
        player.ask("join", language="en")
    lines = written()
    assert counted(lines) == {"TournamentStarted": 1, "LobbyFillSeconds": 14}
    assert units(lines) == {"TournamentStarted": "Count", "LobbyFillSeconds": "Seconds"}


def test_two_lobbies_that_become_one_are_counted(world: World, written: Written) -> None:
    pair, strangers, four = gather(world, 2), world.players(4), gather(world, 4)
    pair[0].ask("startGroup", language="en")
    for stranger in strangers:
        stranger.ask("join", language="en")
    four[0].ask("startGroup", language="en")
    written()
    pair[0].ask("leave", what="lobby")
    assert counted(written()) == {"LobbyMerged": 1, "TournamentStarted": 1, "LobbyFillSeconds": 0}


def test_guesses_late_ones_and_skips_are_counted(scenes: Scenes, world: World, written: Written) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    written()
    game.to_move(duel).guess(duel, wrong(duel))
    game.waiting(duel).ask("guess", duel=duel["duel_id"], turn=2, word="x" * len(duel["word"]))
    world.run_out(game.duel(duel["duel_id"]))
    game.waiting(duel).ask("guess", duel=duel["duel_id"], turn=2, word=wrong(duel))
    world.skip(duel["duel_id"])
    world.skip(duel["duel_id"])
    assert counted(written()) == {
        "GuessAccepted": 1,
        "Refused:not_in_word_list": 1,
        "Refused:turn_over": 1,
        "TurnSkipped": 1,
    }


@pytest.mark.thorough
def test_the_end_is_counted_once(scenes: Scenes, world: World, written: Written) -> None:
    game = scenes.final()
    game.solve(game.duels[0]["duel_id"])
    written()
    world.advance(game.id)
    world.advance(game.id)
    assert counted(written()) == {"TournamentFinished": 1}


def test_losing_returning_and_staying_away_are_counted(scenes: Scenes, world: World, written: Written) -> None:
    game = scenes.begun()
    first, second, *_ = game.all
    written()
    first.drop()
    first.reconnect()
    assert counted(written()) == {"Disconnected": 1, "Returned": 1}
    second.drop()
    world.disconnected(second.connection_id)
    world.sleep(WINDOW_MS)
    world.forfeit(second.id, second.state["epoch"])
    world.forfeit(second.id, second.state["epoch"])
    found = counted(written())
    assert (found["Disconnected"], found["Forfeited"]) == (1, 1)


@pytest.mark.parametrize("code", ["ThrottlingException", "AccessDeniedException", "TaskTimedOut"])
def test_a_clock_that_was_not_told_is_counted_and_a_late_token_is_not(
    scenes: Scenes, world: World, written: Written, code: str
) -> None:
    game = scenes.begun()
    duel = game.duels[0]

    def refuse(service: str, operation: str, params: Any) -> None:
        if operation == "SendTaskHeartbeat":
            raise client_error(code, operation, status=400)

    world.on_call(refuse)
    written()
    game.to_move(duel).guess(duel, wrong(duel))
    lost = {} if code == "TaskTimedOut" else {"ClockNotTold": 1}
    assert counted(written()) == {"GuessAccepted": 1, **lost}


def test_frames_to_the_gone_and_frames_that_fail_are_told_apart(scenes: Scenes, world: World, written: Written) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    gone = game.waiting(duel)
    gone.drop(notice=False)
    throttled = next(player for player in game.all if player.id not in duel["players"])

    def throttle(service: str, operation: str, params: Any) -> None:
        if params.get("ConnectionId") == throttled.connection_id:
            raise client_error("LimitExceededException", operation, status=429)

    world.on_call(throttle)
    written()
    game.to_move(duel).guess(duel, wrong(duel))
    # The one who is gone, and then the throttled one, who would have been told that.
    lines = written()
    assert counted(lines) == {"GuessAccepted": 1, "PushGone": 1, "Disconnected": 1, "PushFailed": 1}
    (failed,) = [line for line in lines if line.get("message") == "a frame was not sent"]
    assert failed["to"] == throttled.connection_id
    assert failed["tournament_id"] == game.id, "threads log what the message is about too"


def test_conflicts_are_counted_and_so_is_giving_up(world: World, written: Written) -> None:
    player = world.player()

    def conflict(service: str, operation: str, params: Any) -> None:
        if operation in ("UpdateItem", "TransactWriteItems"):
            raise client_error("ConditionalCheckFailedException", operation)

    written()
    world.on_call(conflict)
    player.ask("rename", nickname="Somebody Else")
    assert counted(written()) == {"WriteConflict": errors.ATTEMPTS, "WriteGivenUp": 1, "Refused:busy": 1}


def test_the_sweeper_counts_what_runs_and_what_it_had_to_mend(scenes: Scenes, world: World, written: Written) -> None:
    game = scenes.begun()
    waiting, silent, late = world.players(3)
    for player in (waiting, silent, late):
        player.ask("join", language="de")
    world.connections.fall_silent(silent.connection_id)
    late.drop()
    written()
    world.sweep()
    assert counted(written()) == {"TournamentsRunning": 1}
    world.sleep(WINDOW_MS + GRACE_MS)
    world.sweep()
    found = counted(written())
    assert found["TournamentsRunning"] == found["Rescued"] == found["Swept:rescued"] == 1
    assert found["Forfeited"] == found["Swept:forfeited"] == 1
    assert found["Swept:silent"] == 1
    assert found["SweepFailed"] == found["Swept:merged"] == 0
    assert game.state["ended_at_ms"] is None


def test_what_the_sweeper_cannot_mend_is_counted(scenes: Scenes, world: World, written: Written) -> None:
    scenes.begun()
    world.sleep(WINDOW_MS + GRACE_MS)

    def fail(service: str, operation: str, params: Any) -> None:
        if operation == "UpdateItem":
            raise client_error("InternalServerError", operation)

    world.on_call(fail)
    written()
    world.sweep()
    assert counted(written())["SweepFailed"] == 1


# Stories


def about(lines: list[Line], **ids: str) -> list[Line]:
    return [line for line in lines if ids.items() <= line.items()]


def tell(line: Line) -> str:
    names = [metric["Name"] for part in line.get("_aws", {}).get("CloudWatchMetrics", []) for metric in part["Metrics"]]
    return str(line.get("message") or " ".join(names))


@pytest.mark.thorough
def test_one_query_tells_a_tournament_from_the_message_that_filled_it_to_its_end(
    world: World, written: Written
) -> None:
    """`filter tournament_id = "..."`: the request that started it, the execution by its name, each turn, the places."""
    players = world.players(PLAYERS)
    written()
    for player in players:
        player.ask("join", language="en")
    game = Game(world, players[0].state["game"], {player.id: player for player in players})
    world.advance(game.id)
    game.finish()
    story = about(written(), tournament_id=game.id)
    started = next(line for line in story if tell(line) == "tournament started")
    assert {"route", "request_id", "connection_id", "player_id"} <= started.keys()
    assert {line["route"] for line in story[: story.index(started)]} == {"join"}
    assert [start.name for start in world.started(TOURNAMENT_MACHINE)] == [game.id]
    guesses = [line for line in story if "GuessAccepted" in line]
    assert len(guesses) == sum(
        row["word"] is not None for item in world.items("DuelsTable").values() for row in item["state"]["rows"]
    )
    assert all({"player_id", "duel_id", "turn", "route", "request_id"} <= line.keys() for line in guesses)
    settled = [line for line in story if tell(line) == "round settled"]
    assert [line["round"] for line in settled] == list(range(1, len(settled) + 1))
    assert {player for line in settled for player in line["out"]} == {player.id for player in players}
    assert [line["over"] for line in settled] == [False] * (len(settled) - 1) + [True]
    assert all("task" in line for line in settled)


def test_one_query_tells_a_player_through_loss_and_forfeit(scenes: Scenes, world: World, written: Written) -> None:
    """`filter player_id = "..."`, whoever's message or alarm it was that noticed."""
    game = scenes.begun()
    duel = game.duels[0]
    player, other = game.waiting(duel), game.to_move(duel)
    written()
    player.drop(notice=False)
    other.guess(duel, wrong(duel))
    world.run_out(game.duel(duel["duel_id"]))
    world.skip(duel["duel_id"])
    (start,) = world.started(RECONNECT_MACHINE)
    world.sleep(WINDOW_MS)
    world.forfeit(start.input["player_id"], start.input["epoch"])
    story = about(written(), player_id=player.id)
    assert [tell(line) for line in story if "message" in line] == ["connection lost", "turn skipped", "player let go"]
    lost, skipped, let_go = (line for line in story if "message" in line)
    assert lost["route"] == "guess"
    assert start.name == f"{lost['player_id']}-{lost['epoch']}", "the execution that waits for them"
    assert skipped["duel_id"] == duel["duel_id"]
    assert let_go["epoch"] == lost["epoch"]
    assert {line["tournament_id"] for line in (lost, skipped, let_go)} == {game.id}


@pytest.mark.thorough
def test_who_was_deleted_is_told_once_for_whoever_restores_a_backup(world: World, written: Written) -> None:
    player = world.players(1)[0]
    written()
    player.ask("deleteMe", confirm=True)
    (line,) = [line for line in written() if line.get("message") == "player deleted"]
    assert (line["player_id"], line["route"]) == (player.id, "deleteMe")


# Routes, several of which share a function


def test_errors_and_duration_are_counted_by_route(scenes: Scenes, world: World, written: Written) -> None:
    """A refusal is no error of ours, `internal` is one."""
    game = scenes.begun()
    duel = game.duels[0]
    mover = game.to_move(duel)
    written()
    mover.ask("ping")
    mover.guess(duel, wrong(duel), turn=7)

    def fail(service: str, operation: str, params: Any) -> None:
        if operation == "UpdateItem":
            raise client_error("InternalServerError", operation, 500)

    with world.on_call(fail):
        assert mover.send("guess", "x", duel=duel["duel_id"], turn=1, word=wrong(duel)) == 500
    world.disconnected(mover.connection_id)
    assert routes(written()) == [("ping", 0), ("guess", 0), ("guess", 1), ("$disconnect", 0)]


def test_a_task_and_a_lost_connection_that_fail_are_counted_by_their_names(
    scenes: Scenes, world: World, written: Written
) -> None:
    """An exception is an error of the function as well."""
    game = scenes.begun()
    written()

    def fail(service: str, operation: str, params: Any) -> None:
        raise client_error("InternalServerError", operation, 500)

    with world.on_call(fail):
        for act in (
            lambda: world.skip(game.duels[0]["duel_id"]),
            lambda: world.advance(game.id),
            lambda: world.disconnected(game.all[0].connection_id),
        ):
            with pytest.raises(FunctionError):
                act()
    world.advance(game.id)
    failed = [("skip_turn", 1), ("advance_round", 1), ("$disconnect", 1)]
    assert routes(written()) == [*failed, ("advance_round", 0)]


def test_what_an_invocation_has_counted_is_one_line(scenes: Scenes, written: Written) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    written()
    game.to_move(duel).guess(duel, wrong(duel))
    (line,) = [line for line in written() if "_aws" in line]
    assert (line["GuessAccepted"], line["RouteErrors"], line["duel_id"]) == ([1.0], [0.0], duel["duel_id"])


def test_a_route_that_its_function_does_not_know_is_our_error(world: World, written: Written) -> None:
    """The template sends it there. The player gets an answer, the operator a line and a count."""
    player = world.player()
    written()
    function = world.backend.template.routes["ping"]
    event = world.event("board", player.connection_id, body='{"action": "board", "duel": "x.1.1"}')
    assert world.backend.invoke(function, event) == {"statusCode": 500}
    assert player.frames[-1]["code"] == "internal"
    lines = written()
    assert [line["exception_name"] for line in lines if line.get("level") == "ERROR"] == ["LookupError"]
    assert counted(lines) == {"Refused:internal": 1}
    assert routes(lines) == [("board", 1)]


def test_a_task_that_its_function_does_not_know_fails(world: World, written: Written) -> None:
    function = world.backend.template.tasks["skip_turn"]
    with pytest.raises(FunctionError):
        world.backend.invoke(function, {"task": "skip", "duel_id": "x.1.1", "tournament_id": "x"})
    assert [line["message"] for line in written() if line.get("level") == "ERROR"] == ["a task has no handler here"]


def test_a_count_that_cannot_be_written_is_not_kept_for_the_next_invocation(written: Written) -> None:
    metrics.count(metrics.Metric.GUESS_ACCEPTED)
    broken = mock.patch.object(metrics._metrics.provider, "serialize_metric_set", side_effect=ValueError("not written"))
    with broken, pytest.raises(ValueError, match="not written"):
        metrics.flush()
    metrics.flush()
    assert counted(written()) == Counter()


def test_a_count_is_dropped_where_metrics_are_switched_off(monkeypatch: pytest.MonkeyPatch, written: Written) -> None:
    metrics.count(metrics.Metric.GUESS_ACCEPTED)
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    metrics.flush()
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    metrics.flush()
    assert counted(written()) == Counter()
