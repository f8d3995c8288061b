"""`make load`: let bots play more and more tournaments at once, and see how much a deployment carries.

    make load                                                     # a one-process stack of its own
    make load ARGS="--url wss://abc123.execute-api.eu-west-1.amazonaws.com/dev --tournaments 50 --hold 120"
    make load ARGS="--emulator"                                   # the template, deployed into an emulator of AWS

Each step doubles the tournaments; it is measured for `--hold` seconds once all bots play. The run ends with the first
step that the server does not carry. Guests are made and, on a server that is not ours, deleted again. Exit with 0 if
all went well or the limit was found, with 1 if nothing could be measured, with 2 for arguments that are not valid.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import logging
import multiprocessing
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from rich.console import Console

from bots.bot import BotProfile
from infra.local.stack import is_loopback
from tools.bench import reference
from tools.bench.bill import bill
from tools.load import report
from tools.load.measure import BOTH, Measure, Step, latency
from tools.load.players import TIDY_SECONDS, Orders, work
from wordle_tournament import words
from wordle_tournament.rules.tournament import PLAYERS

PAPER_COLUMNS = 200
STAGES = frozenset({"dev", "test", "staging"})
"""Stages that may be loaded without asking."""
SAY_SECONDS = 5
START_SECONDS = 60
EMULATED = BotProfile(skill=0.8, watches=True, stays=True)
"""In the emulator no turn may be skipped, since it ignores heartbeats."""


class NotStarted(Exception):
    """The server to be loaded could not be started; the text says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """The server under load, and its process if that is on this machine."""

    url: str
    name: str
    process: psutil.Process | None = None

    def used(self) -> tuple[float, int] | None:
        """Return the processor seconds and the bytes of memory of the process and its children so far."""
        if self.process is None:
            return None
        seconds, memory = 0.0, 0
        for one in (self.process, *self.process.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                times = one.cpu_times()
                seconds += times.user + times.system + times.children_user + times.children_system
                memory += one.memory_info().rss
        return seconds, memory


def main(argv: Sequence[str] | None = None) -> int:
    """Run the steps, print the figures and write the report. Return the exit status."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    arguments.steps = arguments.steps or doubling(arguments.tournaments)
    if arguments.url is not None and not arguments.production and not may_be_loaded(arguments.url):
        parser.error(
            f"{arguments.url} is neither this machine nor a stage named {', '.join(sorted(STAGES))}: players would "
            "notice. Add --production if that is what you want."
        )
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PAPER_COLUMNS)
    try:
        with _target(arguments, console) as target:
            run = _run(target, arguments, console)
    except NotStarted as failure:
        console.print(f"[bold red]{failure}[/bold red]")
        return 1
    except KeyboardInterrupt:
        console.print("Stopped before anything was measured.")
        return 130
    if not run.steps:
        console.print("Nothing was measured.")
        return 1
    console.print(report.table("Steps", *report.by_step(run)))
    console.print(report.table("Messages of the last step", *report.by_request(run.steps[-1])))
    refusals = report.by_code(run.steps)
    if refusals[1]:
        console.print(report.table("Refusals", *refusals))
    console.print(report.verdict(run), style="bold")
    arguments.report.parent.mkdir(parents=True, exist_ok=True)
    arguments.report.write_text(report.page(run, datetime.datetime.now(datetime.UTC)), encoding="utf-8")
    console.print(f"The report: {arguments.report}")
    return 0 if any(step.took_ms.get(BOTH) for step in run.steps) else 1


def may_be_loaded(url: str) -> bool:
    """Return True for this machine and for a stage whose name says that nobody plays there."""
    parts = urlsplit(url)
    return is_loopback(parts.hostname or "") or parts.path.strip("/").rpartition("/")[2] in STAGES


def doubling(tournaments: int) -> list[int]:
    """Return the steps up to that number of tournaments at once: 1, 2, 4, ..."""
    steps = [1]
    while steps[-1] < tournaments:
        steps.append(min(2 * steps[-1], tournaments))
    return steps


def _run(target: Target, arguments: argparse.Namespace, console: Console) -> report.Run:
    skips = 0.0 if arguments.emulator else arguments.skip
    profile = BotProfile(
        skill=0.8, pace=arguments.pace, skip=skips, drop=0.0 if arguments.emulator else arguments.drop,
        invalid=0.02, watches=arguments.watch, stays=True,
    )  # fmt: skip
    languages = tuple(arguments.language or ["en"])
    measure = Measure()
    console.print(f"{target.name}: up to {arguments.steps[-1]} tournaments at once.")
    orders = [
        Orders(target.url, languages, arguments.seed + number, profile, tidy=arguments.url is not None)
        for number in range(arguments.workers)
    ]
    try:
        with _workers(orders) as pipes:
            for tournaments in arguments.steps:
                step = _step(tournaments, measure, pipes, target, arguments, console)
                if (fault := step.fault(arguments.limit_ms)) is not None and not arguments.go_on:
                    console.print(f"  With {tournaments} at once {fault}.")
                    break
    except KeyboardInterrupt:
        measure.steps[-1:] = []  # the step was not measured whole
        console.print("Stopped: this is what the whole steps measured.")
    logging.disable(logging.INFO)
    used = reference.play()
    options = (
        f"Bots thought for {arguments.pace[0]:.0%} to {arguments.pace[1]:.0%} of a turn; each step was measured for "
        f"{arguments.hold:g} s. Prices are those of the counted bench, not of a bill."
    )
    return report.Run(target.name, options, arguments.limit_ms, bill(used) / used.turns, measure.steps)


def _step(
    tournaments: int,
    measure: Measure,
    pipes: Sequence[Connection],
    target: Target,
    arguments: argparse.Namespace,
    console: Console,
) -> Step:
    measure.begin(tournaments)
    for number, pipe in enumerate(pipes):
        share = [bot for bot in range(PLAYERS * tournaments) if bot % len(pipes) == number]
        pipe.send(len(share))
    _listen(measure, pipes, arguments.ramp, console, "starting")
    measure.steps.pop()
    step, before, began = measure.begin(tournaments), target.used(), time.monotonic()
    _listen(measure, pipes, arguments.hold, console, "measuring")
    step.seconds = time.monotonic() - began
    after = target.used()
    if before is not None and after is not None:
        step.server_seconds, step.server_bytes = after[0] - before[0], after[1]
    return step


def _listen(measure: Measure, pipes: Sequence[Connection], seconds: float, console: Console, doing: str) -> None:
    """Take what the workers report for so many seconds, and say now and then how it goes."""
    began = said = time.monotonic()
    while (now := time.monotonic()) < began + seconds:
        for pipe in wait(pipes, timeout=min(0.5, began + seconds - now)):
            assert isinstance(pipe, Connection)
            try:
                measure.take(pipe.recv())
            except EOFError:
                raise NotStarted("A worker of the generator has died; its error is above.") from None
        if now - said > SAY_SECONDS:
            said = now
            console.print(f"  {_progress(measure.steps[-1], now - began, seconds, doing)}")


def _progress(step: Step, at: float, seconds: float, doing: str) -> str:
    both = latency(step.took_ms.get(BOTH, ()))
    figures = "no guess yet" if both is None else f"{both.number} guesses, p50 {both.p50:.0f} ms, p95 {both.p95:.0f} ms"
    behind = f", the generator itself is {step.lag_ms:.0f} ms behind" if step.lag_ms > 50 else ""
    return f"{step.tournaments} at once, {doing} {at:.0f} of {seconds:g} s: {figures}, {step.faults} failed{behind}"


@contextlib.contextmanager
def _workers(orders: Sequence[Orders]) -> Iterator[list[Connection]]:
    """Run one process for each of the orders. Yield the pipes to them."""
    context = multiprocessing.get_context("spawn")
    pipes: list[Connection] = []
    processes = []
    for one in orders:
        ours, theirs = context.Pipe()
        process = context.Process(target=work, args=(one, theirs), daemon=True)
        process.start()
        theirs.close()
        pipes.append(ours)
        processes.append(process)
    try:
        yield pipes
    finally:
        for pipe in pipes:
            with contextlib.suppress(OSError):
                pipe.send(None)
        until = time.monotonic() + TIDY_SECONDS + 5
        open_pipes = list(pipes)
        while open_pipes and time.monotonic() < until:  # they end only once their last reports are read
            for ready in wait(open_pipes, timeout=0.5):
                assert isinstance(ready, Connection)
                try:
                    ready.recv()
                except (EOFError, OSError):
                    open_pipes.remove(ready)
        for process in processes:
            process.join(1)
            if process.is_alive():
                process.kill()


@contextlib.contextmanager
def _target(arguments: argparse.Namespace, console: Console) -> Iterator[Target]:
    """Yield the server under load, started if it is ours. Raise NotStarted."""
    if arguments.url is not None:
        yield Target(arguments.url, arguments.url)
    elif arguments.emulator:
        from tools import e2e

        work = Path("build/load").resolve()
        work.mkdir(parents=True, exist_ok=True)
        try:
            with e2e.emulator(arguments.ministack, work) as endpoint:
                sam = e2e.Sam(arguments.sam, work, endpoint)
                console.print("sam build (about half a minute) ...")
                sam.build()
                console.print("sam deploy ...")
                sam.deploy({**e2e.PARAMETERS, "LogLevel": "ERROR", "TurnSeconds": str(arguments.turn_seconds)})
                api = sam.resources()["WebSocketApi"]
                url = f"{endpoint.replace('http', 'ws')}/_aws/execute-api/{api}/dev"
                port = urlsplit(endpoint).port
                yield Target(url, "The template in the emulator", _listening(port))
        except e2e.Failed as failure:
            raise NotStarted(str(failure)) from failure
    else:
        with _own_stack(arguments, console) as target:
            yield target


@contextlib.contextmanager
def _own_stack(arguments: argparse.Namespace, console: Console) -> Iterator[Target]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    console.print("Starting a one-process stack ...")
    command = [sys.executable, "-m", "infra.local", "--port", str(port), "--no-bots", "--log-level", "ERROR"]
    command += ["--turn-seconds", str(arguments.turn_seconds), "--intro-seconds", "2"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + START_SECONDS
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                if process.poll() is not None or time.monotonic() > until:
                    raise NotStarted("The one-process stack did not start; its error is above.")
                time.sleep(0.2)
            yield Target(f"ws://127.0.0.1:{port}/ws", "A one-process stack", psutil.Process(process.pid))
        finally:
            process.terminate()


def _listening(port: int | None) -> psutil.Process | None:
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if any(one.laddr and one.laddr.port == port for one in child.net_connections("tcp")):
                return child
    return None


def _pace(text: str) -> tuple[float, float]:
    with contextlib.suppress(ValueError):
        least, _, most = text.partition(",")
        pace = float(least), float(most or least)
        if 0 <= pace[0] <= pace[1] <= 1:
            return pace
    raise argparse.ArgumentTypeError(f"a pace is two shares of a turn such as 0.1,0.5, not {text!r}")


def _positive(text: str) -> float:
    with contextlib.suppress(ValueError):
        number = float(text)
        if 0 < number < float("inf"):
            return number
    raise argparse.ArgumentTypeError(f"a number above 0, not {text!r}")


def _whole(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"a whole number above 0, not {text!r}")


def _share(text: str) -> float:
    with contextlib.suppress(ValueError):
        number = float(text)
        if 0 <= number <= 1:
            return number
    raise argparse.ArgumentTypeError(f"a share is a number from 0 to 1, not {text!r}")


def _steps(text: str) -> list[int]:
    steps = [_whole(part) for part in text.split(",")]
    if steps != sorted(set(steps)):
        raise argparse.ArgumentTypeError(f"steps grow, such as 1,4,16, not {text!r}")
    return steps


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.load",
        description=str(__doc__).split("\n\n")[0],
        epilog="Defaults are in brackets.",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--url", help="the WebSocketUrl of a running server (default: a one-process stack is started)")
    where.add_argument("--emulator", action="store_true", help="deploy into the emulator of `make e2e`, and load that")
    parser.add_argument("--production", action="store_true", help="load the stage although players may be there")
    ramp = parser.add_argument_group("the ramp")
    ramp.add_argument("--tournaments", type=_whole, default=16, help="at once in the last step (%(default)s)")
    ramp.add_argument("--steps", type=_steps, help="the tournaments of each step (default: 1,2,4, ...)")
    ramp.add_argument("--ramp", type=_positive, default=15, help="seconds before a step is measured (%(default)s)")
    ramp.add_argument("--hold", type=_positive, default=45, help="seconds that it is measured (%(default)s)")
    ramp.add_argument(
        "--limit-ms", type=_positive, default=250, help="p95 from a guess to both players that is too slow (250)"
    )
    ramp.add_argument("--go-on", action="store_true", help="do not stop at the first step that is too much")
    bots = parser.add_argument_group("the bots")
    bots.add_argument("--language", action="append", choices=sorted(words.languages()), help="may be repeated (en)")
    bots.add_argument("--pace", type=_pace, default=(0.1, 0.5), help="share of a turn that they think (0.1,0.5)")
    bots.add_argument("--skip", type=_share, default=0.02, help="share of turns that they let pass (%(default)s)")
    bots.add_argument("--drop", type=_share, default=0.0, help="how often they lose the connection (%(default)s)")
    bots.add_argument("--watch", action="store_true", help="they watch other duels when theirs is over")
    bots.add_argument("--turn-seconds", type=_whole, default=10, help="of a server that is started (%(default)s)")
    bots.add_argument("--seed", type=int, default=1, help="what their chance comes from (%(default)s)")
    bots.add_argument(
        "--workers", type=_whole, default=os.cpu_count() or 1, help="processes (default: one for each CPU)"
    )
    parser.add_argument("--report", type=Path, default=Path("build/load.html"), help="(%(default)s)")
    parser.add_argument("--sam", default="build/sam/bin/sam", help=argparse.SUPPRESS)
    parser.add_argument("--ministack", default="build/emulator/bin/ministack", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
