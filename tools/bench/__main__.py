"""`make bench`: the cost of each path in AWS calls, state transitions and money, against the budgets.

The real handlers run on the one-process backend, and every AWS call is counted. The reference
tournament has 9 rounds and 20 duels of 7 turns, every fifth of them skipped. Its state transitions are computed; one
very much like it is played to count all the rest. The bench reports and does not gate. See docs/budgets.md.
"""

import sys
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Column, Table

from infra.local.backend import LocalBackend
from infra.local.testing.in_turn import InRow
from tools.bench import flood, reference, review, rules_only, rush, stack, start, warm
from tools.bench.bill import INVOCATION_GB_SECONDS, items
from tools.bench.paths import DUELS, ROUNDS, TURNS, Handlers, measure, transitions
from tools.bench.prices import (
    GB_SECOND,
    INVOCATION,
    MESSAGE,
    TRACE,
    WRITE_UNIT,
)
from tools.bench.reference import Usage
from wordle_tournament.delivery import flooding
from wordle_tournament.rules.flooding import ONE_IN

COUNT_SECONDS = 0.01
"""The assumed time that an invocation waits for a count of the guard against floods, at 512 MB."""
START_LIMITS = {"guess": 1.3, "join": 1.5}
"""The targets of a function's start, in those of the bare imports and clients."""


def main() -> int:
    """Count, and print the tables."""
    # No call is counted by chance: the guard against floods has a line of its own.
    flooding.draw = lambda: 1.0
    console = Console()
    parameters = {"RoundIntroSeconds": "0", "TurnSeconds": "300", "LogLevel": "ERROR"}
    console.print("Counting the AWS calls of each path ...")
    with LocalBackend(parameters) as backend:
        measured = measure(Handlers(backend))
        moves = transitions(backend)
    calls = Column("AWS calls", no_wrap=True)
    table = Table("path", calls, "reads", "writes", "frames", "budget", title="Counted AWS calls", show_lines=True)
    table.add_column("in a row")
    for path in measured:
        limit = "" if path.deepest is None else f" (budget {path.deepest})"
        table.add_row(path.name, *_counted(path.calls), path.budget, f"{path.depth}{limit}")
    console.print(table)
    console.print(f"Reference tournament ({ROUNDS} rounds, {DUELS} duels of {TURNS} turns): {moves} state transitions")
    console.print("Playing a tournament much like it ...")
    used = reference.play()
    costs = flood.count()
    console.print(_money(used, costs))
    console.print(_sizes(used))
    console.print(_flood(costs))
    console.print("Starting cold, and modelling a rush ...")
    console.print(_start())
    console.print(rush.table())
    console.print(f"A review of twelve rows: at most {review.milliseconds():.1f} CPU ms (budget 50)")
    console.print("Playing on the one-process stack, which takes some minutes ...")
    console.print(stack.table())
    console.print(f"100,000 tournaments by the rules alone: {rules_only.minutes():.1f} CPU minutes (budget 8)")
    return 0


def _start() -> Table:
    table = Table("what", "how much", title="A cold start from the built layer, on Python 3.13, its folder read-only")
    python = start.lambdas_python()
    if python is None:
        table.add_row("NOT MEASURED", "no Python 3.13 was found here, so the layer was not built for it")
    else:
        layer = start.build(python)
        measured = start.starts(layer, python)
        bare = measured.pop("bare")
        table.add_row("pydantic, botocore and three clients", f"{bare.seconds:.2f} s of processor time")
        for route, ready in measured.items():
            ratio, memory = ready.seconds / bare.seconds, f"{ready.megabytes:.0f} MB"
            table.add_row(
                f"{route} ready",
                f"{ready.seconds:.2f} s, {ratio:.2f} times as long (target {START_LIMITS[route]}), {memory}",
            )
        guess, bare_calls = warm.guess_and_bare(layer, python)
        table.add_row(
            "a warm guess",
            f"{guess * 1000:.1f} ms of processor time, {guess / bare_calls:.2f} times its five calls by bare clients "
            f"(target {warm.TARGET})",
        )
        table.add_row("the layer, zipped", f"{start.zipped_bytes(layer) / 1e6:.1f} MB (target 20)")
    sizes = start.built_sizes()
    for what, size in (sizes or {}).items():
        table.add_row(what, f"{size / 1e6:.1f} MB" if size > 1e5 else f"{size / 1e3:.0f} kB")
    if sizes is None:
        table.add_row("layer and functions", "not built: `sam build` or `make e2e` first")
    return table


def _flood(costs: Sequence[flood.Cost]) -> Table:
    table = Table(
        "message", "sent by", "US cents a thousand", "frames", "read, write units", "passes a second", "dollars an hour"
    )
    table.title = "The cost of a flood (docs/security.md)"
    for cost in costs:
        table.add_row(
            cost.route,
            cost.by,
            f"{cost.dollars * 100_000:.2f}",
            f"{cost.frames:.1f}",
            f"{cost.read_units:.0f}, {cost.write_units:.0f}",
            str(cost.passes),
            f"{cost.dollars * cost.passes * 3600:.0f}",
        )
    return table


def _counted(calls: Sequence[InRow]) -> tuple[str, str, str, str]:
    kinds = Counter(call.operation for call in calls)
    frames = kinds.pop("PostToConnection", 0)
    reads = sum(kinds[name] for name in ("GetItem", "BatchGetItem", "Query"))
    writes = sum(kinds[name] for name in ("PutItem", "UpdateItem", "TransactWriteItems"))
    text = "\n".join(f"{count} {name}" for name, count in sorted(kinds.items()))
    return text, str(reads), str(writes), str(frames)


def _money(used: Usage, costs: Sequence[flood.Cost]) -> Table:
    """Return the cost of a whole tournament at list prices, and below it what each tournament may add."""
    rows = items(used)
    title = (
        f"A tournament of {used.rounds} rounds, {used.duels} duels, {used.turns} turns, {used.skips} of them skipped"
    )
    table = Table("service", "what", "US cents", title=title)
    for service, what, dollars in rows:
        table.add_row(service, what, f"{dollars * 100:.3f}")
    total = sum(dollars for *_, dollars in rows)
    table.add_row("in all", "target 0.42 US cents", f"{total * 100:.3f}", style="bold", end_section=True)
    one = {(cost.route, cost.by): cost.dollars for cost in costs}
    back = MESSAGE + INVOCATION + INVOCATION_GB_SECONDS * GB_SECOND  # its `$connect`
    drop = one["$disconnect", "one of eight"] + one["hello", "the same, back"] + back
    everybody = sum(dollars for *_, dollars in items(reference.play(watching=True))) - total
    traces = used.invocations  # with little traffic each is traced; a machine adds one for each execution
    guard = used.messages_in / ONE_IN * (WRITE_UNIT + COUNT_SECONDS * 0.5 * GB_SECOND)
    table.add_row("and the guard", f"counting one message in {ONE_IN}, as a write", f"{guard * 100:.4f}")
    table.add_row("and a drop", "a player is lost in a tournament, and comes back", f"{drop * 100:.4f}")
    table.add_row("and watchers", "nobody leaves, and all who wait watch all running duels", f"{everybody * 100:.4f}")
    table.add_row("and tracing", f"{traces} traces at most; off unless Tracing=Active", f"{traces * TRACE * 100:.3f}")
    return table


def _sizes(used: Usage) -> Table:
    """Return the largest item of each table and frame of each type. A unit writes 1 KB or reads 4 KB."""
    table = Table("largest", "bytes", "limit", title="Sizes in that tournament")
    for name, size in sorted(used.largest_item.items()):
        table.add_row(f"item of {name}", f"{size:,}", "400 KB")
    for name, size in sorted(used.largest_frame.items()):
        table.add_row(f"frame {name}", f"{size:,}", "32 KB")
    return table


if __name__ == "__main__":
    sys.exit(main())
