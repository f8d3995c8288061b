"""`make simulate`: play whole tournaments with faults in virtual time, and check every rule at every step.

Exit with 0 if no rule was broken, with 1 and the shortest failing history if one was, and with 130 after Ctrl-C. With
`--seed` one history is played again and shown. docs/simulation.md says what is simulated.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from infra.local.simulation import workers
from infra.local.simulation.engine import Engine
from infra.local.simulation.faults import KINDS
from infra.local.simulation.history import Outcome
from infra.local.simulation.search import Shortened, play, shorten
from tools.simulate.report import Totals, write_report

FOLDER = Path("build/simulation")
SHOWN_LINES = 60
SHOWN_COLUMNS = 200
CHUNK = 5
"""The seeds that a worker gets at a time."""


def main(argv: Sequence[str] | None = None) -> int:
    """Play the seeds. Return the exit status."""
    arguments = _parser().parse_args(argv)
    console = Console(highlight=False, soft_wrap=True)
    kinds = tuple(KINDS) if arguments.kinds is None else tuple(arguments.kinds.split(","))
    if unknown := set(kinds) - KINDS.keys():
        console.print(f"There is no kind of fault called {', '.join(sorted(unknown))}. The kinds: {', '.join(KINDS)}")
        return 2
    try:
        if arguments.seed is not None:
            return _replay(console, arguments.seed, kinds, shortest=not arguments.whole)
        return _search(console, arguments, kinds)
    except KeyboardInterrupt:
        console.print("Stopped.")
        return 130


def _search(console: Console, arguments: argparse.Namespace, kinds: tuple[str, ...]) -> int:
    first, last = arguments.seeds
    totals = Totals(first, last)
    started = time.monotonic()
    end = None if arguments.minutes is None else started + arguments.minutes * 60
    context = get_context("spawn")
    with (
        ProcessPoolExecutor(arguments.workers, mp_context=context, initializer=workers.start) as pool,
        _progress(console) as progress,
    ):
        task = progress.add_task("seeds", total=last - first + 1, tournaments=0, broken=0)
        chunks = iter([range(seed, min(seed + CHUNK, last + 1)) for seed in range(first, last + 1, CHUNK)])
        running: set[Future[list[Outcome]]] = set()
        while True:
            while len(running) < 2 * arguments.workers and (end is None or time.monotonic() < end):
                chunk = next(chunks, None)
                if chunk is None:
                    break
                running.add(pool.submit(workers.play_seeds, chunk, kinds))
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                for outcome in future.result():
                    totals.add(outcome)
                    if outcome.failure:
                        progress.console.print(Text(f"seed {outcome.seed}: {outcome.failure}", style="bold red"))
                progress.update(
                    task, completed=totals.seeds, tournaments=totals.tournaments, broken=len(totals.failures)
                )
        totals.seconds, totals.workers = time.monotonic() - started, arguments.workers
        shortest = _shortest(console, pool, totals.failures[: arguments.shorten], kinds)
    write_report(FOLDER / "report.html", totals, shortest)
    _tell(console, totals, shortest)
    return 1 if totals.failures else 0


def _shortest(
    console: Console, pool: ProcessPoolExecutor, failures: Sequence[Outcome], kinds: tuple[str, ...]
) -> list[Shortened]:
    if failures:
        console.print(f"Shortening {len(failures)} of the failing histories ...")
    return list(pool.map(workers.shorten_seed, failures, [kinds] * len(failures)))


def _tell(console: Console, totals: Totals, shortest: Sequence[Shortened]) -> None:
    for one in shortest:
        _show(console, one)
    console.print(
        f"{totals.tournaments} tournaments in {totals.seeds} histories, {totals.calls:,} AWS calls, "
        f"{sum(totals.counts.values()):,} faults and extra moves, in {totals.seconds:.0f} s "
        f"with {totals.workers} workers: {3600 * totals.tournaments / totals.seconds:,.0f} tournaments an hour."
    )
    for failure in totals.failures:
        console.print(f'To play it again: make simulate ARGS="--seed {failure.seed}"')
    verdict = "[green]No rule was broken.[/green]" if not totals.failures else "[bold red]Rules were broken.[/bold red]"
    console.print(f"{verdict} The report: {FOLDER / 'report.html'}")


def _replay(console: Console, seed: int, kinds: tuple[str, ...], *, shortest: bool) -> int:
    """Play one seed again, and show its history: the shortest one if it fails."""
    with Engine() as engine:
        outcome = play(engine, seed, kinds=kinds)
        console.print(
            f"seed {seed}: {outcome.tournaments} tournaments, {outcome.minutes:.1f} virtual minutes, "
            f"{outcome.calls} AWS calls, {len(outcome.struck)} faults and extra moves, history {outcome.digest[:16]}"
        )
        _write_lines(outcome)
        if not outcome.failure:
            console.print(f"[green]No rule was broken.[/green] The history: {_path(seed)}")
            return 0
        console.print(Text(outcome.failure, style="bold red"))
        if shortest:
            console.print("Shortening the history ...")
            _show(console, shorten(engine, outcome, kinds))
        return 1


def _show(console: Console, shortened: Shortened) -> None:
    outcome = shortened.outcome
    console.print(Text(f"seed {outcome.seed}: {outcome.failure}", style="bold red"))
    console.print(f"Needed for it ({shortened.tried} histories were tried):")
    for fault in shortened.faults or ["nothing: the tournament alone breaks it"]:
        console.print(Text(f"  {fault}"))
    _write_lines(outcome)
    for line in [line for line in outcome.lines if "  push " not in line][-SHOWN_LINES:]:
        console.print(Text(line[:SHOWN_COLUMNS]))
    console.print(f"The whole history, with its frames: {_path(outcome.seed)}")


def _write_lines(outcome: Outcome) -> None:
    path = _path(outcome.seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*outcome.lines, outcome.failure, ""]), encoding="utf-8")


def _path(seed: int) -> Path:
    return FOLDER / f"seed-{seed}.txt"


# -- arguments -------------------------------------------------------------------------------------


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.completed} of {task.total} seeds"),
        BarColumn(),
        TextColumn("{task.fields[tournaments]} tournaments, {task.fields[broken]} broken"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
    )


def _range(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()) or int(first) > int(last or first):
        raise argparse.ArgumentTypeError("seeds are given as 1-100")
    return int(first), int(last or first)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.simulate", description="Play whole tournaments with faults in virtual time."
    )
    parser.add_argument("--seeds", type=_range, default=(1, 200), help="(default: 1-200)")
    parser.add_argument("--seed", type=int, help="play this one history again, and show it")
    parser.add_argument("--whole", action="store_true", help="with --seed: do not shorten a failing history")
    parser.add_argument("--minutes", type=float, help="begin no history after so long")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")
    parser.add_argument("--kinds", help="only these kinds of faults, with commas between them (default: all)")
    parser.add_argument("--shorten", type=int, default=3, help="failing histories to shorten (default: %(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
