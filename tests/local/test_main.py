"""`python -m infra.local`, as a person starts it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from infra.local import __main__ as command
from infra.local.stack import LocalStack


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[LocalStack]:
    """The stacks that the command started; none of them has handlers, and each ends at once."""
    stacks: list[LocalStack] = []

    class Bare(LocalStack):
        def __init__(self, parameters: Any, **options: Any) -> None:
            super().__init__(parameters, handlers={}, **options)
            stacks.append(self)

    monkeypatch.setattr(command, "LocalStack", Bare)
    monkeypatch.setattr(command, "_wait_for_the_end", lambda: None)
    monkeypatch.setattr(command, "start_backfill", lambda ws_url: lambda: None)
    return stacks


def test_it_says_where_to_connect_and_that_nothing_stays(
    started: list[LocalStack], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--port", "0"]) == 0
    said = capsys.readouterr().out
    (stack,) = started
    assert stack.ws_url in said
    assert stack.http_url in said
    assert "in memory" in said
    assert "Careful" not in said


def test_it_warns_when_others_can_reach_it(started: list[LocalStack], capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--port", "0", "--host", "0.0.0.0"]) == 0
    assert "Careful" in capsys.readouterr().out


def test_durations_reach_the_functions(started: list[LocalStack]) -> None:
    command.main(["--port", "0", "--turn-seconds", "3", "--intro-seconds", "1", "--reconnect-seconds", "5"])
    environment = started[0].template.functions["DuelFunction"].environment
    assert environment["TURN_SECONDS"] == "3"
    assert environment["ROUND_INTRO_SECONDS"] == "1"
    assert environment["RECONNECT_SECONDS"] == "5"


def test_a_duration_that_cannot_be_is_said_plainly(
    started: list[LocalStack], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--port", "0", "--turn-seconds", "0"]) == 1
    assert capsys.readouterr().out == "TurnSeconds cannot be '0': the least is 1.\n"


def test_a_taken_port_is_said_plainly(started: list[LocalStack], capsys: pytest.CaptureFixture[str]) -> None:
    with LocalStack(handlers={}) as other:
        port = other.port
        other.aws.stop()  # only one account can run in a process; its door stays taken
        assert command.main(["--port", str(port)]) == 1
    said = capsys.readouterr().out
    assert f"Cannot listen on 127.0.0.1:{port}" in said
    assert "--port" in said


@pytest.mark.parametrize("name", ["--port", "--sweep-seconds"])
@pytest.mark.parametrize("text", ["-1", "nan", "many"])
def test_an_argument_that_cannot_be_is_said_plainly_before_anything_starts(
    name: str, text: str, started: list[LocalStack], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        command.main([f"{name}={text}"])
    assert exit_.value.code == 2
    assert f"argument {name}: a " in (said := capsys.readouterr().err)
    assert f"not '{text}'" in said
    assert started == []


@pytest.mark.parametrize("argument", ["--port=65536", "--sweep-seconds=0", "--sweep-seconds=inf"])
def test_the_limits_of_arguments(argument: str, started: list[LocalStack]) -> None:
    with pytest.raises(SystemExit):
        command.main([argument])
    assert started == []


def test_where_nobody_can_listen_is_said_plainly_and_not_taken_for_a_taken_port(
    started: list[LocalStack], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--host", "192.0.2.1", "--port", "0"]) == 1
    said = capsys.readouterr().out
    assert f"Cannot listen on {started[0].host}:{started[0].port}" in said
    assert "another port" not in said


def test_who_stops_it_while_it_starts_is_not_shown_a_traceback(
    started: list[LocalStack], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(self: LocalStack) -> LocalStack:
        raise KeyboardInterrupt

    monkeypatch.setattr(LocalStack, "__enter__", interrupted)
    assert command.main(["--port", "0"]) == 130
    assert "Stopped before it had started" in capsys.readouterr().out


def test_the_backfill_is_started_and_stopped(started: list[LocalStack], monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def start_backfill(ws_url: str) -> Callable[[], None]:
        calls.append(ws_url)
        return lambda: calls.append("stopped")

    monkeypatch.setattr(command, "start_backfill", start_backfill)
    command.main(["--port", "0"])
    assert calls == [started[0].ws_url, "stopped"]
    command.main(["--port", "0", "--no-bots"])
    assert len(calls) == 2


@contextmanager
def sweeping(sweep: Callable[[Any, Any], Any]) -> Iterator[LocalStack]:
    with LocalStack(handlers={"SweeperFunction": sweep}, sweep_seconds=0.01) as stack:
        yield stack


def test_the_schedule_runs_again_after_a_failure() -> None:
    runs = 0
    enough = threading.Event()

    def sweep(event: Any, context: Any) -> None:
        nonlocal runs
        runs += 1
        if runs == 3:
            enough.set()
        raise RuntimeError("this time not")

    with sweeping(sweep):
        assert enough.wait(30)
