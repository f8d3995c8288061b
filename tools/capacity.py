"""`make capacity`: what each number of players asks of AWS, beside the quotas, and how a rush of joins is seated.

Rates are those of the counted tournament of `make bench`, with all players spread evenly over its 18 minutes; quotas
are AWS's defaults in us-east-1, by the pages named in docs/capacity.md. Nothing is timed.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Column, Table

from tools.bench import reference, rush
from tools.bench.bill import INVOCATION_GB_SECONDS, bill
from tools.bench.reference import MINUTES, Usage
from wordle_tournament.rules.tournament import PLAYERS

SIZES = (1_000, 30_000, 100_000, 1_000_000)
MEMORY_GB = 0.5
PARTITION_WRITES = 1_000
"""Of one partition of a table or index (DynamoDB developer guide, "Burst and adaptive capacity")."""
MONTH_SECONDS = 30 * 24 * 3600
RECONNECT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Demand:
    """A rate or amount that a tournament asks for, and the default quota of it."""

    name: str
    of_a_tournament: float
    quota: float


def demands(used: Usage) -> list[Demand]:
    """Return what one running tournament asks for in a second, on average."""
    seconds = MINUTES * 60

    def a_second(count: float) -> float:
        return count / seconds

    calls = used.calls
    rounds = used.rounds + 2
    return [
        Demand("API Gateway, messages and frames a second", a_second(used.messages_in + used.messages_out), 10_000),
        Demand("API Gateway, new connections a second, all back within 60 s", PLAYERS / RECONNECT_SECONDS, 500),
        Demand("Step Functions, SendTaskHeartbeat a second", a_second(calls["SendTaskHeartbeat"]), 500),
        Demand("Step Functions, state transitions a second", a_second(used.transitions), 5_000),
        Demand("Step Functions, tournaments started a second", a_second(1), 300),
        Demand("Lambda, executions at once", a_second(used.invocations * INVOCATION_GB_SECONDS / MEMORY_GB), 1_000),
        Demand("DynamoDB, write units a second, all tables", a_second(used.write_units), 40_000),
        Demand("index `running`, writes a second", a_second(rounds), PARTITION_WRITES),
        Demand("index `away`, writes a second, all lost within 60 s", PLAYERS / RECONNECT_SECONDS, PARTITION_WRITES),
    ]


def table(used: Usage, sizes: Sequence[int] = SIZES) -> Table:
    """Return the demands of each number of players; those above the default quota are bold."""
    columns = [Column(f"{size:,} players", justify="right", no_wrap=True) for size in sizes]
    found = Table(Column("what"), *columns, Column("default", justify="right"), title="Demand, all playing at once")
    for demand in demands(used):
        amounts = [demand.of_a_tournament * size / PLAYERS for size in sizes]
        cells = [f"[bold]{amount:,.0f}[/bold]" if amount > demand.quota else f"{amount:,.0f}" for amount in amounts]
        found.add_row(demand.name, *cells, f"{demand.quota:,.0f}")
    a_month = bill(used) / PLAYERS * MONTH_SECONDS / (MINUTES * 60)
    found.add_row("dollars a month if they play day and night", *(f"{a_month * size:,.0f}" for size in sizes), "")
    return found


def main() -> int:
    """Print the tables."""
    logging.disable(logging.INFO)
    console = Console(width=None if sys.stdout.isatty() else 150)
    console.print("Playing the reference tournament, and counting ...")
    console.print(table(reference.play()))
    console.print("Letting a thousand players a second join, on a model of DynamoDB (about a minute) ...")
    console.print(rush.million())
    return 0


if __name__ == "__main__":
    sys.exit(main())
