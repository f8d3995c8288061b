"""`make load`: what the bots report becomes figures, and a whole run becomes a report."""

from __future__ import annotations

import datetime
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tools.load import report
from tools.load.__main__ import doubling, main, may_be_loaded
from tools.load.measure import (
    BOTH,
    LATE_MS,
    UNANSWERED,
    Answered,
    Counted,
    Ended,
    Guessed,
    Lost,
    Measure,
    Seen,
    Skipped,
    Step,
    knee,
    latency,
)

LIMIT_MS = 250


def step(tournaments: int, both_ms: float = 10.0) -> Step:
    """Return a step of ten seconds in which each of a hundred guesses took so long."""
    made = Step(tournaments, seconds=10.0)
    made.took_ms[BOTH] = [both_ms] * 100
    made.took_ms["guess"] = [both_ms / 2] * 100
    made.answered = 100
    return made


def test_percentiles_are_durations_that_were_measured() -> None:
    assert latency(range(1, 101)) == (100, 50, 95, 99, 100)
    assert latency([7.0]) == (1, 7, 7, 7, 7)
    assert latency([]) is None


def test_a_guess_has_arrived_when_the_slower_of_both_players_sees_it_whatever_the_order_of_reports() -> None:
    measure = Measure()
    made = measure.begin(1)
    measure.take([Seen(10.4, "d", 3, "her"), Guessed(10.0, "d", 3)])
    assert made.took_ms[BOTH] == []
    measure.take([Guessed(10.9, "d", 3), Seen(10.1, "d", 3, "him"), Seen(10.2, "d", 4, "him")])  # once more by a resend
    assert made.took_ms[BOTH] == pytest.approx([400.0])


def test_a_step_counts_what_ended_in_it() -> None:
    measure = Measure()
    measure.begin(1)
    made = measure.begin(2)
    measure.take(
        [
            *(
                Answered(1.0, "join", 5.0, ""),
                Answered(1.0, "join", 6.0, "busy"),
                Answered(1.0, "sync", 9.0, UNANSWERED),
            ),
            *(Skipped(1.0, 900.0), Skipped(1.0, LATE_MS + 1), Lost(1.0)),
            *(Ended(1.0, "t1"), Ended(1.1, "t1"), Ended(1.1, "t2")),
            *(Counted(1.0, 3, 4, 8, 0.5, 2.0), Counted(2.0, 1, 1, 8, 0.25, 7.0)),
        ]
    )
    assert (made.answered, made.faults, made.late, len(made.skipped_ms), made.lost) == (3, 2, 1, 2, 1)
    assert (made.ended, made.sent, made.received, made.generator_seconds, made.lag_ms) == (
        {"t1", "t2"},
        4,
        5,
        0.75,
        7.0,
    )
    assert measure.steps[0].answered == 0


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda one: one.took_ms[BOTH].clear(), "no guess"),
        (lambda one: one.took_ms[BOTH].extend([900.0] * 6), "900 ms"),
        (lambda one: one.codes.update({("join", "busy"): 2}), "2 of 100"),
        (lambda one: one.skipped_ms.append(LATE_MS + 1.0), "1 skipped"),
        (lambda one: setattr(one, "lost", 1), "1 guesses in time"),
    ],
)
def test_a_step_is_too_much_for_each_of_its_faults(spoil: object, says: str) -> None:
    assert callable(spoil)
    bad = step(4)
    assert bad.fault(LIMIT_MS) is None
    spoil(bad)
    assert says in (bad.fault(LIMIT_MS) or "")
    assert knee([step(1), step(2), bad, step(8)], LIMIT_MS) == step(2)
    assert knee([bad], LIMIT_MS) is None


def test_refusals_that_the_rules_explain_are_no_faults() -> None:
    good = step(1)
    good.codes["guess", "not_in_word_list"] = 50
    assert good.fault(LIMIT_MS) is None


def test_the_report_is_one_page_that_needs_nothing_else() -> None:
    bad = step(2, both_ms=300)
    bad.codes["join", "<busy>"] = 3
    bad.server_seconds, bad.server_bytes = 4.0, 300_000_000
    run = report.Run("a <server>", "Bots played.", LIMIT_MS, 0.00003, [step(1), bad])
    page = report.page(run, datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC))
    assert "1 tournament at once went well; with 2, 5 % of the guesses took over 300 ms" in page
    assert "a &lt;server&gt;" in page
    assert "&lt;busy&gt;" in page
    assert not re.search(r"<script|<link|src=|@import", page)
    charts = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
    assert len(charts) == 4
    for chart in charts:
        ET.fromstring(chart)
    heads, rows = report.by_step(run)
    cells = dict(zip(heads, rows[1], strict=True))
    assert (cells["guesses/s"], cells["server CPU"], cells["CPU ms a guess"]) == ("10.0", "40%", "40.0")
    assert cells["$ an hour on AWS"] == "1.08"


def test_steps_double_up_to_the_last() -> None:
    assert [doubling(number) for number in (1, 2, 12)] == [[1], [1, 2], [1, 2, 4, 8, 12]]


@pytest.mark.parametrize(
    ("url", "may"),
    [
        ("ws://127.0.0.1:8000/ws", True),
        ("ws://localhost:8000/ws", True),
        ("wss://abc.execute-api.eu-west-1.amazonaws.com/dev", True),
        ("wss://abc.execute-api.eu-west-1.amazonaws.com/prod", False),
        ("wss://abc.execute-api.eu-west-1.amazonaws.com/device", False),
        ("wss://play.example.com", False),
        ("wss://dev.example.com/", False),
    ],
)
def test_a_stage_with_players_is_loaded_on_request_only(
    url: str, may: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert may_be_loaded(url) is may
    if not may:
        with pytest.raises(SystemExit) as ended:
            main(["--url", url])
        assert ended.value.code == 2
        assert "--production" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--steps", "4,2"], ["--pace", "0.5,0.1"], ["--hold", "0"], ["--skip", "2"]])
def test_arguments_are_checked(wrong: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(wrong)
    assert ended.value.code == 2


@pytest.mark.slow
def test_a_run_against_a_server_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "load.html"
    arguments = ["--steps", "1", "--ramp", "8", "--hold", "8", "--turn-seconds", "2", "--limit-ms", "5000"]
    assert main([*arguments, "--workers", "2", "--report", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "1 tournament at once went well" in printed
    assert "guess to both players" in printed
    assert path.read_text(encoding="utf-8").count("<svg") == 4
