"""`make verify` on the one-process stack: checks answer, and one that cannot be answered here says why."""

from __future__ import annotations

import asyncio
import re

import pytest

from infra.local import template
from infra.local.stack import LocalStack
from tools.verify import __main__ as command
from tools.verify.checks import CHECKS, Assumption
from tools.verify.stage import Finding, Limits, NotAnswered, Stage

QUICK = Limits(idle=1, gone=20, turn=30, logs=1, alarms=1)
BY_CLIENT = ["handshake", "disconnect-after-crash", "disconnect-after-close", "skip-on-time"]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Finding | Exception]:
    """Return the finding of each check, in place of a stage."""
    given: dict[str, Finding | Exception] = {name: Finding("held", "as it should be") for name in CHECKS}

    def stand_in(name: str) -> Assumption:
        async def check(stage: Stage) -> Finding:
            answer = given[name]
            if isinstance(answer, Exception):
                raise answer
            return answer

        return Assumption(CHECKS[name].sentence, CHECKS[name].change, check)

    monkeypatch.setattr(command, "CHECKS", {name: stand_in(name) for name in CHECKS})
    return given


@pytest.mark.thorough
def test_a_client_can_verify_the_one_process_stack() -> None:
    with LocalStack({"TurnSeconds": "1", "RoundIntroSeconds": "0", "LogLevel": "ERROR"}) as stack:
        found = asyncio.run(command.verify(Stage(stack.ws_url, limits=QUICK), BY_CLIENT))
    assert {name: finding.verdict for name, finding in found.items()} == dict.fromkeys(BY_CLIENT, "held"), found


def test_a_stage_that_cannot_be_reached_ends_it_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--url", "ws://127.0.0.1:9/ws"]) == 2
    printed = capsys.readouterr().out
    assert "idle-limit" not in printed
    assert "1 did not hold" in printed


def test_all_that_held_is_success(answers: dict[str, Finding | Exception]) -> None:
    assert command.main(["--url", "ws://x"]) == 0


def test_what_did_not_hold_comes_with_what_to_change(
    answers: dict[str, Finding | Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    answers["cold-start"] = Finding("did not hold", "4000 ms at most")
    assert command.main(["--url", "ws://x"]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "cold-start: Raise TurnGraceSeconds" in printed
    assert "14 held, 1 did not hold, 0 not answered" in printed


@pytest.mark.parametrize("error", [NotAnswered("give --stack"), TimeoutError(), KeyError("events"), OSError("reset")])
def test_a_check_without_an_answer_ends_no_other(answers: dict[str, Finding | Exception], error: Exception) -> None:
    answers["push-order"] = error
    found = asyncio.run(command.verify(Stage("ws://x"), list(CHECKS)))
    assert found["push-order"].verdict == "not answered"
    assert len(found) == len(CHECKS)


def test_what_needs_the_account_says_so() -> None:
    found = asyncio.run(command.verify(Stage("ws://127.0.0.1:9/ws"), ["metrics", "gradual-deployment"]))
    assert {finding.verdict for finding in found.values()} == {"not answered"}
    assert all("--stack" in finding.measured for finding in found.values())


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_says_what_is_assumed_and_what_to_change(name: str) -> None:
    assumption = CHECKS[name]
    assert re.fullmatch(r"[a-z-]+", name)
    assert assumption.sentence.endswith(".")
    assert len(assumption.change) > 20
    for path in re.findall(r"\b(?:infra|client|docs)/[\w/.]+\w", assumption.change):
        assert (template.ROOT / path).exists(), path


def test_the_page_of_assumptions_names_every_check_and_no_other() -> None:
    page = (template.ROOT / "docs" / "assumptions.md").read_text()
    rows = [line.rsplit("|", 2)[1] for line in page.splitlines() if line.startswith("| ")][2:]
    named = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)}
    assert named <= CHECKS.keys()
    assert [name for name in CHECKS if f"`{name}`" not in page] == []
