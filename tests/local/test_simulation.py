"""Whole tournaments in virtual time, with faults: no rule is broken, and a seed is one history."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from infra.local.simulation.engine import Engine
from infra.local.simulation.executions import read
from infra.local.simulation.faults import KINDS, MOVES
from infra.local.simulation.search import play
from infra.local.simulation.shrink import shortened

SEEDS = 28
PER_TEST = 7
REPLAYED = 9


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.mark.parametrize("first", range(1, SEEDS, PER_TEST))
def test_whatever_fails_no_rule_is_broken_in_whole_tournaments(engine: Engine, first: int) -> None:
    """`make simulate` plays more seeds, and shortens a history that fails."""
    played = 0
    for seed in range(first, first + PER_TEST):
        outcome = play(engine, seed)
        assert not outcome.failure, f'make simulate ARGS="--seed {seed}"'
        played += outcome.tournaments
    assert played >= PER_TEST


def test_a_seed_is_one_history_whatever_was_played_before_and_whatever_strings_hash_to(engine: Engine) -> None:
    here = play(engine, REPLAYED)
    play(engine, REPLAYED + 1)
    assert play(engine, REPLAYED).digest == here.digest
    code = (
        "from infra.local.simulation.engine import Engine; from infra.local.simulation.search import play\n"
        f"with Engine() as engine: print(play(engine, {REPLAYED}).digest)"
    )
    for hashes in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hashes}
        there = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        assert there.stdout.split()[-1] == here.digest


def test_other_seeds_are_other_histories(engine: Engine) -> None:
    assert len({play(engine, seed, kinds=()).digest for seed in (2, 7, 9)}) == 3


def test_without_faults_and_moves_nothing_strikes(engine: Engine) -> None:
    outcome = play(engine, 2, kinds=())
    assert (outcome.failure, outcome.struck) == ("", [])
    assert outcome.tournaments == 1
    assert outcome.rounds[0] >= 3


def test_a_fault_that_is_taken_out_leaves_the_others_as_they_were(engine: Engine) -> None:
    whole = play(engine, 2)
    moves = [fault for fault in whole.struck if fault.split(" @ ")[0] in MOVES]
    assert 0 < len(moves) < len(whole.struck)
    part = play(engine, 2, only=moves)
    assert part.struck
    assert set(part.struck) <= set(moves)


def test_an_earlier_release_takes_calls_and_then_half_of_them(engine: Engine) -> None:
    if engine.release is None:
        pytest.skip("this copy of the repository has no tag of the release")
    kinds = ("release", "doubled")
    outcome = next(one for seed in range(1, 20) if (one := play(engine, seed, kinds=kinds)).counts["release"])
    assert not outcome.failure
    assert outcome.tournaments


def test_a_deployment_changes_settings_under_play(engine: Engine) -> None:
    outcomes = [play(engine, seed, kinds=("settings",)) for seed in range(1, 9)]
    assert not [one.failure for one in outcomes if one.failure]
    deployed = [one for one in outcomes if one.counts["settings"]]
    assert any("  deploy " in line for one in deployed for line in one.lines)


# -- planted faults ----------------------------------------------------------------------------------


def a_resend_beats_too(engine: Engine) -> contextlib.AbstractContextManager[Any]:
    """Every delivery of a guess restarts the turn's timer, as one did once."""
    guess = importlib.import_module("wordle_tournament.play.duel.guess")
    original = guess._play
    beat = SimpleNamespace(
        duel_ended=guess.timers.duel_ended,
        turn_passed=lambda token, began_ms: guess.timers.turn_passed(token, engine.now_ms()),
    )
    return mock.patch.multiple(guess, _play=lambda call, request: (original(call, request)[0], True), timers=beat)


def an_early_alarm_skips(engine: Engine) -> contextlib.AbstractContextManager[Any]:
    """The alarm skips the turn without a look at the stored deadline."""
    from wordle_tournament.rules import duel

    original = duel.skip
    return mock.patch.object(duel, "skip", lambda value, turn, now_ms, grace_ms: original(value, turn, 2**60, grace_ms))


def a_write_has_no_condition(engine: Engine) -> contextlib.AbstractContextManager[Any]:
    """A change is written whatever version is stored."""
    commit = importlib.import_module("wordle_tournament.store.commit")
    return mock.patch.object(commit, "_unchanged", return_value=None)


@pytest.mark.parametrize(
    ("plant", "kinds"),
    [
        (a_resend_beats_too, (*MOVES, "resent", "doubled")),
        (an_early_alarm_skips, (*MOVES, "answer lost", "throttled")),
        (a_write_has_no_condition, (*MOVES, "doubled", "storm")),
    ],
)
def test_a_planted_fault_is_found(
    engine: Engine, plant: Callable[[Engine], contextlib.AbstractContextManager[Any]], kinds: tuple[str, ...]
) -> None:
    with plant(engine):
        failed = next((one for seed in range(1, 40) if (one := play(engine, seed, kinds=kinds)).failure), None)
        assert failed is not None
        assert play(engine, failed.seed, failed.struck, kinds).digest == failed.digest
    assert not play(engine, failed.seed, kinds=kinds).failure


# -- parts -----------------------------------------------------------------------------------------


def test_a_history_is_shortened_until_nothing_more_can_go() -> None:
    tried: list[Sequence[str]] = []

    def fails(faults: Sequence[str]) -> bool:
        tried.append(faults)
        return {"b", "k"} <= set(faults)

    assert shortened(list("abcdefghijklmnop"), fails) == ["b", "k"]
    assert len(tried) < 60
    assert shortened(list("abc"), lambda faults: True) == []


def test_a_definition_with_a_state_that_is_not_simulated_is_refused() -> None:
    for state in ({"Type": "Parallel"}, {"Type": "Wait", "Seconds": 1, "QueryLanguage": "JSONata"}):
        with pytest.raises(NotImplementedError):
            read(json.dumps({"StartAt": "One", "States": {"One": state}}))


def test_every_kind_of_fault_is_described() -> None:
    assert all(KINDS.values())
