"""The report of a simulation: one HTML file with the numbers and their pictures, and nothing loaded from elsewhere."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from infra.local.simulation.faults import CALLS, CONNECTIONS, DEPLOYMENTS, MACHINES, MESSAGES, MOVES, QUERIES, WRITES
from infra.local.simulation.history import Outcome
from infra.local.simulation.search import Shortened

AT_CALLS = (*CALLS, *WRITES, *QUERIES)
GROUPS: Mapping[str, Mapping[str, str]] = {
    "AWS calls": {**CALLS, **WRITES, **QUERIES},
    "Messages": MESSAGES,
    "Connections": CONNECTIONS,
    "Machines and sweeper": MACHINES,
    "Deployments and clocks": DEPLOYMENTS,
    "Players' extra moves": MOVES,
}
BAR_WIDTH, BAR_HEIGHT = 420, 18

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem;
  color: #1c2430; background: #fff; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: 2px 8px; text-align: right; border: 1px solid #d8dee6; }
th:first-child, td:first-child { text-align: left; }
td.none { background: #f4d9d6; color: #8c2f26; } td.no { background: #f3f4f6; }
.numbers { display: flex; flex-wrap: wrap; gap: 1rem; }
.numbers div { border: 1px solid #d8dee6; border-radius: 8px; padding: .6rem 1rem; }
.numbers b { display: block; font-size: 1.6rem; } .good { color: #1a7f4b; } .bad { color: #b3261e; }
pre { background: #f6f8fa; padding: 1rem; overflow-x: auto; font-size: 12px; } .wide { overflow-x: auto; }
svg text { font: 13px system-ui, sans-serif; fill: #1c2430; } svg rect { fill: #4a7ab8; }
"""


@dataclass
class Totals:
    """The sum of many histories."""

    first: int
    last: int
    seeds: int = 0
    tournaments: int = 0
    calls: int = 0
    minutes: float = 0.0
    seconds: float = 0.0
    workers: int = 1
    rounds: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    """Histories by their virtual minutes, in steps of five."""
    counts: Counter[str] = field(default_factory=Counter)
    coverage: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    made: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Add a history."""
        self.seeds += 1
        self.tournaments += outcome.tournaments
        self.calls += outcome.calls
        self.minutes += outcome.minutes
        self.rounds.update(outcome.rounds)
        self.lengths[int(outcome.minutes // 5) * 5] += 1
        self.counts += outcome.counts
        self.coverage += outcome.coverage
        self.made += outcome.made
        if outcome.failure:
            self.failures.append(outcome)


def write_report(path: Path, totals: Totals, shortest: Sequence[Shortened]) -> None:
    """Write the report to the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    body = "\n".join(_sections(totals, shortest))
    path.write_text(
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Simulated tournaments</title>'
        f"<style>{STYLE}</style>\n<h1>Simulated tournaments</h1>\n{body}\n</html>\n",
        encoding="utf-8",
    )


def _sections(totals: Totals, shortest: Sequence[Shortened]) -> list[str]:
    verdict = (
        '<p class="good">No rule was broken.</p>'
        if not totals.failures
        else f'<p class="bad">{len(totals.failures)} histories broke a rule.</p>'
    )
    numbers = {
        "tournaments": f"{totals.tournaments:,}",
        f"histories, seeds {totals.first} to {totals.last}": f"{totals.seeds:,}",
        "AWS calls": f"{totals.calls:,}",
        "faults": f"{sum(number for kind, number in totals.counts.items() if kind not in MOVES):,}",
        "extra moves": f"{sum(totals.counts[kind] for kind in MOVES):,}",
        "virtual days": f"{totals.minutes / 1440:,.1f}",
        f"seconds with {totals.workers} workers": f"{totals.seconds:,.0f}",
        "tournaments an hour": f"{3600 * totals.tournaments / max(totals.seconds, 1):,.0f}",
    }
    boxes = "".join(f"<div><b>{value}</b>{html.escape(name)}</div>" for name, value in numbers.items())
    sections = [verdict, f'<div class="numbers">{boxes}</div>']
    for failure in shortest:
        faults = "\n".join(failure.faults) or "nothing: the tournament alone breaks it"
        sections += [
            f"<h2>Seed {failure.outcome.seed}</h2><p>{html.escape(failure.outcome.failure)}</p>",
            f"<p>Needed for it:</p><pre>{html.escape(faults)}</pre>",
        ]
    sections.append("<h2>Faults by kind</h2>")
    for name, kinds in GROUPS.items():
        sections += [f"<h3>{name}</h3>", _bars({kind: totals.counts[kind] for kind in kinds}, kinds)]
    sections += [
        "<h2>Rounds of a tournament</h2>",
        _bars({str(number): totals.rounds[number] for number in sorted(totals.rounds)}),
        "<h2>Length of a history</h2>",
        _bars({f"{at} to {at + 5} min": totals.lengths[at] for at in sorted(totals.lengths)}),
        "<h2>Which faults struck which calls</h2>",
        "<p>Red: the call was made and never struck by this kind. Grey: this kind does not apply.</p>",
        _calls_table(totals),
        "<h2>Which routes and tasks they struck</h2>",
        "<p>Of the calls that a route or task makes, how many were struck.</p>",
        _routes_table(totals),
    ]
    return sections


def covered(totals: Totals) -> tuple[int, int]:
    """Return how many combinations of kind, call and route were struck, and how many there are."""
    possible = [(kind, call, route) for call, route in totals.made for kind in AT_CALLS if applies(kind, call)]
    return sum(1 for one in possible if totals.coverage[one]), len(possible)


def applies(kind: str, call: str) -> bool:
    """Return True if the call can fail in this way."""
    if kind in WRITES:
        return call.startswith("TransactWriteItems")
    return kind not in QUERIES or call.startswith("Query")


def _bars(values: Mapping[str, int], titles: Mapping[str, str] | None = None) -> str:
    greatest = max([1, *values.values()])
    rows = []
    for index, (name, value) in enumerate(values.items()):
        y = index * BAR_HEIGHT
        width = round(BAR_WIDTH * value / greatest)
        text = html.escape(name if titles is None else f"{name}: {titles[name]}")
        rows.append(
            f'<rect x="0" y="{y + 2}" width="{width}" height="{BAR_HEIGHT - 4}"/>'
            f'<text x="{width + 6}" y="{y + 13}">{value:,} {text}</text>'
        )
    height = max(1, len(values)) * BAR_HEIGHT
    return f'<svg width="1100" height="{height}" role="img">{"".join(rows)}</svg>'


def _calls_table(totals: Totals) -> str:
    calls = sorted({call for call, _ in totals.made})
    struck: Counter[tuple[str, str]] = Counter()
    for (kind, call, _), number in totals.coverage.items():
        struck[kind, call] += number
    head = "".join(f"<th>{kind}</th>" for kind in AT_CALLS)
    rows = []
    for call in calls:
        made = sum(number for (name, _), number in totals.made.items() if name == call)
        cells = "".join(_cell(struck[kind, call], applies(kind, call)) for kind in AT_CALLS)
        rows.append(f"<tr><td>{html.escape(call)}</td><td>{made:,}</td>{cells}</tr>")
    return f'<div class="wide"><table><tr><th>call</th><th>made</th>{head}</tr>{"".join(rows)}</table></div>'


def _routes_table(totals: Totals) -> str:
    routes = sorted({route for _, route in totals.made})
    head = "".join(f"<th>{kind}</th>" for kind in AT_CALLS)
    rows = []
    for route in routes:
        cells = []
        for kind in AT_CALLS:
            calls = [call for call, of in totals.made if of == route and applies(kind, call)]
            hit = sum(1 for call in calls if totals.coverage[kind, call, route])
            cells.append(
                f'<td class="{"none" if not hit else ""}">{hit} of {len(calls)}</td>'
                if calls
                else '<td class="no"></td>'
            )
        rows.append(f"<tr><td>{html.escape(route)}</td>{''.join(cells)}</tr>")
    hit, possible = covered(totals)
    return (
        f"<p>{hit} of {possible} combinations of kind, call and route.</p>"
        f'<div class="wide"><table><tr><th>route or task</th>{head}</tr>{"".join(rows)}</table></div>'
    )


def _cell(number: int, possible: bool) -> str:
    if not possible:
        return '<td class="no"></td>'
    return f'<td class="{"" if number else "none"}">{number:,}</td>'


__all__ = ["Totals", "applies", "covered", "write_report"]
