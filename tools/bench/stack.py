"""`python -m tools.bench.stack`: how fast the one-process stack of `make play` is, and how much memory it keeps.

The stack, the players (tools/bench/crowd.py) and a connection that pings are three processes, so that only the stack's
processor time is counted as its own. Everything it does in the time is in the figures: rounds that open, turns that
pass, tournaments that end and begin. The bench reports and does not gate; another load on the machine makes the
latencies longer, and it says how busy the machine was.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from tools.bench.crowd import Crowd
from tools.bench.served import COLLECT

GAMES = (2, 8, 32)
SECONDS = 20
TOURNAMENTS = 30
TURN_SECONDS = 4
"""As `make demo`; thirty seconds would hardly be a load."""
LATENCY_MS = {8: 100, 32: 250}
"""The targets for 95 % of the guesses."""
CPU_MS, MEGABYTES, PING_MS = 8, 350, 300
BUSY = 0.5
"""A load average above which the machine is not idle."""
PATIENCE_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one run."""

    games: int
    guesses: int
    seconds: float
    p50_ms: float
    p95_ms: float
    cpu_ms: float
    """Processor time of the stack for each guess, all it did included."""
    megabytes: float
    worst_ping_ms: float
    late_ms: float
    """How late the pinging process woke at most: the machine's part of its longest wait."""
    tournaments: int
    """The tournaments that have ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.stack", description="Measure the one-process stack.")
    parser.add_argument("--games", type=int, nargs="*", default=GAMES, help="at once (default: 2 8 32)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each measurement (default: %(default)s)")
    parser.add_argument("--tournaments", type=int, default=TOURNAMENTS, help="0: leave them out (default: %(default)s)")
    arguments = parser.parse_args(argv)
    Console().print(table(arguments.games, arguments.seconds, arguments.tournaments))
    return 0


def table(games: Sequence[int] = GAMES, seconds: float = SECONDS, tournaments: int = TOURNAMENTS) -> Table:
    """Return the figures beside their targets. This takes some minutes."""
    busy = os.getloadavg()[0]
    title = f"The one-process stack: turns of {TURN_SECONDS} s, its players in a process of their own"
    if busy > BUSY:
        title += f"\nThe machine was NOT idle: {busy:.1f} processes ran before"
    runs = [asyncio.run(measure(number, TURN_SECONDS, seconds)) for number in games]
    names = [f"{run.games} games" for run in runs]
    if tournaments:
        runs.append(asyncio.run(measure(8, 1, PATIENCE_SECONDS, tournaments)))
        names.append(f"{runs[-1].tournaments} tournaments, turns of 1 s")
    shown = Table("", *names, "target", title=title)
    limits = ", ".join(f"{limit} at {number} games" for number, limit in LATENCY_MS.items())
    rows: tuple[tuple[str, str, Callable[[Measured], str]], ...] = (
        ("guesses a second", "", lambda run: f"{run.guesses / run.seconds:.1f}"),
        ("ms from a guess to both players: p50", "", lambda run: f"{run.p50_ms:.0f}"),
        ("p95", limits, lambda run: f"{run.p95_ms:.0f}"),
        ("CPU ms a guess, all work included", str(CPU_MS), lambda run: f"{run.cpu_ms:.1f}"),
        (
            "RSS after a collection, MB",
            f"{MEGABYTES} after {TOURNAMENTS} tournaments",
            lambda run: f"{run.megabytes:.0f}",
        ),
        ("longest wait of a ping, ms", str(PING_MS), lambda run: f"{run.worst_ping_ms:.0f}"),
        ("how late the pinging process woke, ms", "", lambda run: f"{run.late_ms:.0f}"),
    )
    for name, target, figure in rows:
        shown.add_row(name, *(figure(run) for run in runs), target)
    return shown


async def measure(games: int, turn_seconds: int, seconds: float, tournaments: int = sys.maxsize) -> Measured:
    """Let so many games play at once, and measure once all of them do: so long, or until so many tournaments ended."""
    with _process("tools.bench.served", json.dumps(_parameters(turn_seconds))) as stack:
        url = json.loads(_line(stack))["url"]
        crowd = Crowd(url)
        playing = asyncio.create_task(crowd.play(games))
        try:
            await _until(playing, lambda: len(crowd.running) >= games, PATIENCE_SECONDS)
            with _process("tools.bench.pinger", url) as pinger:
                before = _used(stack)["seconds"]
                crowd.forget()
                began = time.monotonic()
                await _until(playing, lambda: len(crowd.over) >= tournaments, seconds)
                took = time.monotonic() - began
                after = _used(stack)["seconds"]
                assert pinger.stdin is not None
                pinger.stdin.close()
                pings = json.loads(_line(pinger))
                megabytes = _used(stack, COLLECT)["megabytes"]
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
    latencies = sorted(crowd.latencies)
    return Measured(
        games=games,
        guesses=len(latencies),
        seconds=took,
        p50_ms=latencies[len(latencies) // 2] * 1000,
        p95_ms=latencies[len(latencies) * 95 // 100] * 1000,
        cpu_ms=(after - before) * 1000 / len(latencies),
        megabytes=megabytes,
        worst_ping_ms=pings["worst_ms"],
        late_ms=pings["late_ms"],
        tournaments=len(crowd.over),
    )


def _parameters(turn_seconds: int) -> dict[str, str]:
    return {"TurnSeconds": str(turn_seconds), "RoundIntroSeconds": "1", "LogLevel": "WARN"}


async def _until(playing: asyncio.Task[None], done: Any, seconds: float) -> None:
    """Wait until `done` returns True, at most so many seconds. Raise the players' error if they fail."""
    ends = time.monotonic() + seconds
    while not done() and time.monotonic() < ends:
        await asyncio.sleep(0.1)
        if playing.done():
            playing.result()


@contextmanager
def _process(module: str, argument: str) -> Iterator[subprocess.Popen[str]]:
    """Run one of our modules beside this one. It ends when its input does."""
    command = [sys.executable, "-m", module, argument]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()


def _used(stack: subprocess.Popen[str], line: str = "") -> dict[str, float]:
    assert stack.stdin is not None
    stack.stdin.write(f"{line}\n")
    stack.stdin.flush()
    used: dict[str, float] = json.loads(_line(stack))
    return used


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


if __name__ == "__main__":
    sys.exit(main())
