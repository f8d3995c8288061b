"""The operators' command beside the real state machines."""

from __future__ import annotations

import time

import pytest

from infra.local.stack import LocalStack
from tests.admin.conftest import PARAMETERS, Command, Scene


def test_both_clocks_of_a_stopped_tournament_end_without_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    # The duels hold the second clock's tokens, so that the first hears of the end when its turn runs out.
    with LocalStack({**PARAMETERS, "TurnSeconds": "8"}, sweep_seconds=3600) as stack:
        scene = Scene(stack)
        with scene.exit:
            table = scene.tournament()
            command = Command(["--local", stack.http_url], scene, capsys)
            command.shown("settle", table.tournament_id)  # starts a second clock beside the first
            command.shown("stop", table.tournament_id)
            deadline = time.monotonic() + 120
            while (ended := _statuses(stack)) != ["SUCCEEDED", "SUCCEEDED"]:
                assert "FAILED" not in ended
                assert time.monotonic() < deadline, ended
                time.sleep(0.5)


def _statuses(stack: LocalStack) -> list[str]:
    return [clock.status for clock in stack.executions("TournamentMachine")]
