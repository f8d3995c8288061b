"""The report of a load run: tables on the terminal, and one HTML file with charts that needs nothing else."""

from __future__ import annotations

import datetime
import html
import platform
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pygal  # type: ignore[import-untyped]
from pygal.style import Style  # type: ignore[import-untyped]
from rich.table import Table

from tools.load.measure import BOTH, Step, knee, latency

STYLE = Style(background="transparent", plot_background="transparent", font_family="sans-serif")
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Load on Wordle Tournament</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #222 }}
table {{ border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }}
th, td {{ padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #ddd }}
th:first-child, td:first-child {{ text-align: left }}
.charts {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 1rem }}
.verdict {{ font-size: 1.25rem; padding: .6rem 1rem; background: #eef5ee; border-left: .3rem solid #3a7d44 }}
</style>
<h1>Load on Wordle Tournament</h1>
<p>{about}</p>
<p class="verdict">{verdict}</p>
<div class="charts">{charts}</div>
{tables}
</html>
"""


@dataclass(frozen=True, slots=True)
class Run:
    """A whole run: what was asked for, and the steps."""

    target: str
    """The server, in words."""
    options: str
    """How the bots played, in words."""
    limit_ms: float
    dollars_a_turn: float
    """The price of a turn on AWS by the counted bench, in US dollars."""
    steps: Sequence[Step]


def verdict(run: Run) -> str:
    """Say in one sentence how much the server carries."""
    good = knee(run.steps, run.limit_ms)
    bad = next((step for step in run.steps if step.fault(run.limit_ms) is not None), None)
    bears = "Not one step went well" if good is None else f"{_games(good.tournaments)} at once went well"
    if bad is None:
        return f"{bears}; the limit was not reached."
    return f"{bears}; with {bad.tournaments}, {bad.fault(run.limit_ms)}."


def by_step(run: Run) -> tuple[list[str], list[list[str]]]:
    """Return the heads and rows of the table of steps."""
    heads = ["at once", "ended", "guesses/s", "p50 ms", "p95 ms", "p99 ms", "failed", "late skips", "lost turns"]
    heads += ["server CPU", "CPU ms a guess", "server MB", "generator CPU", "$ an hour on AWS"]
    return heads, [_row(run, step) for step in run.steps]


def by_request(step: Step) -> tuple[list[str], list[list[str]]]:
    """Return the heads and rows of a step's table of requests."""
    rows = []
    for name, durations in sorted(step.took_ms.items(), key=lambda one: (one[0] != BOTH, one[0])):
        took = latency(durations)
        if took is not None:
            milliseconds = [f"{value:.0f}" for value in (took.p50, took.p95, took.p99, took.longest)]
            rows.append([name, str(took.number), *milliseconds])
    return ["message", "count", "p50 ms", "p95 ms", "p99 ms", "longest"], rows


def by_code(steps: Iterable[Step]) -> tuple[list[str], list[list[str]]]:
    """Return the heads and rows of the table of refusals."""
    rows = [
        [str(step.tournaments), request, code, str(count)]
        for step in steps
        for (request, code), count in step.codes.most_common()
    ]
    return ["at once", "request", "code", "count"], rows


def table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table for the terminal."""
    made = Table(title=title, title_justify="left")
    for number, head in enumerate(heads):
        made.add_column(head, justify="right" if number else "left")
    for row in rows:
        made.add_row(*row)
    return made


def page(run: Run, now: datetime.datetime) -> str:
    """Return the whole report as HTML."""
    busiest = knee(run.steps, run.limit_ms) or run.steps[0]
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    about = f"{run.target}. {run.options} The generator ran on {machine}, {now:%Y-%m-%d %H:%M} UTC."
    parts = [
        ("Steps", by_step(run)),
        (f"Messages with {_games(busiest.tournaments)} at once", by_request(busiest)),
        ("Refusals", by_code(run.steps)),
    ]
    return PAGE.format(
        about=html.escape(about),
        verdict=html.escape(verdict(run)),
        charts="".join(_charts(run)),
        tables="".join(f"<h2>{html.escape(title)}</h2>{_html(*cells)}" for title, cells in parts),
    )


def _row(run: Run, step: Step) -> list[str]:
    both = latency(step.took_ms.get(BOTH, ()))
    turns = len(step.took_ms.get(BOTH, ()))
    seconds = step.seconds or 1
    server = step.server_seconds
    return [
        str(step.tournaments),
        str(len(step.ended)),
        f"{turns / seconds:.1f}",
        *(["-"] * 3 if both is None else [f"{value:.0f}" for value in (both.p50, both.p95, both.p99)]),
        f"{step.faults} of {step.answered}",
        f"{step.late} of {len(step.skipped_ms)}",
        str(step.lost),
        "-" if server is None else f"{server / seconds:.0%}",
        "-" if server is None or not turns else f"{server / turns * 1000:.1f}",
        "-" if step.server_bytes is None else f"{step.server_bytes / 1e6:.0f}",
        f"{step.generator_seconds / seconds:.0%}",
        f"{turns / seconds * 3600 * run.dollars_a_turn:.2f}",
    ]


def _charts(run: Run) -> Iterable[str]:
    labels = [str(step.tournaments) for step in run.steps]
    both = [latency(step.took_ms.get(BOTH, ())) for step in run.steps]
    yield _chart(
        "From a guess to both players (ms)",
        labels,
        {
            "p50": [None if one is None else one.p50 for one in both],
            "p95": [None if one is None else one.p95 for one in both],
            "p99": [None if one is None else one.p99 for one in both],
        },
        wide=True,
    )
    names = sorted({name for step in run.steps for name in step.took_ms} - {BOTH})
    answers = {name: [latency(step.took_ms.get(name, ())) for step in run.steps] for name in names}
    yield _chart(
        "Answers to requests, p95 (ms)",
        labels,
        {name: [None if one is None else one.p95 for one in took] for name, took in answers.items()},
        wide=True,
    )
    yield _chart(
        "Processors busy",
        labels,
        {
            "server": [
                None if step.server_seconds is None else step.server_seconds / step.seconds for step in run.steps
            ],
            "generator": [step.generator_seconds / (step.seconds or 1) for step in run.steps],
        },
    )
    yield _chart(
        "Guesses a second",
        labels,
        {"guesses": [len(step.took_ms.get(BOTH, ())) / (step.seconds or 1) for step in run.steps]},
    )


def _chart(title: str, labels: Sequence[str], lines: dict[str, Sequence[float | None]], *, wide: bool = False) -> str:
    chart = pygal.Line(
        title=title, x_title="tournaments at once", style=STYLE, js=[], height=360, width=560, include_x_axis=True,
        legend_at_bottom=True, logarithmic=wide, disable_xml_declaration=True,
    )  # fmt: skip
    chart.x_labels = labels
    for name, values in lines.items():
        chart.add(name, list(values))
    drawn = re.sub("<script.*?</script>", "", chart.render(is_unicode=True), flags=re.DOTALL)  # its tooltips' settings
    return f"<figure>{drawn}</figure>"


def _html(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "<p>None.</p>"
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in heads)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _games(number: int) -> str:
    return "1 tournament" if number == 1 else f"{number} tournaments"
