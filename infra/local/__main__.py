"""`python -m infra.local`: the whole backend on this machine, until Ctrl-C."""

from __future__ import annotations

import argparse
import contextlib
import errno
import logging
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.logging import RichHandler

from infra.local.backfill import start_backfill
from infra.local.keeping import CannotKeep
from infra.local.stack import LocalStack, freeze_start, is_loopback
from infra.local.template import TemplateError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the stack. Return 0 after Ctrl-C, 1 if it could not start, 130 after Ctrl-C before it had started.

    Exit with 2 for an argument that is not valid.
    """
    arguments = _parser().parse_args(argv, Arguments())
    console = Console(highlight=False)
    try:
        return _run(arguments, console)
    except KeyboardInterrupt:
        console.print("\nStopped before it had started.")
        return 130


def _run(arguments: Arguments, console: Console) -> int:
    logging.basicConfig(level=arguments.log_level, format="%(message)s", handlers=[RichHandler(console=console)])
    try:
        stack = LocalStack(
            {
                "TurnSeconds": str(arguments.turn_seconds),
                "RoundIntroSeconds": str(arguments.intro_seconds),
                "ReconnectSeconds": str(arguments.reconnect_seconds),
                "SilenceSeconds": str(arguments.silence_seconds),
                "LogLevel": arguments.log_level,
            },
            host=arguments.host,
            port=arguments.port,
            sweep_seconds=arguments.sweep_seconds,
            emulator=arguments.emulator,
            keep=arguments.keep,
        )
    except TemplateError as error:
        console.print(f"{error}.")
        return 1
    if arguments.scenario is not None:
        return _rehearse(arguments.scenario, arguments, console)
    console.print("Starting ...")
    with contextlib.ExitStack() as running:
        try:
            running.enter_context(stack)
        except CannotKeep as error:
            console.print(str(error), soft_wrap=True)
            return 1
        except OSError as error:
            console.print(f"Cannot listen on {arguments.host}:{arguments.port}: {error.strerror or error}.")
            if error.errno == errno.EADDRINUSE:
                console.print('Choose another port: make play ARGS="--port 8001"')
            return 1
        # The functions have set it to INFO, which hides words and tokens at DEBUG and says too much otherwise.
        logging.getLogger("botocore").setLevel(max(logging.INFO, logging.getLogger().level))
        if not arguments.no_bots:
            running.callback(start_backfill(stack.ws_url))
        running.callback(freeze_start())
        _greet(console, stack, arguments)
        _wait_for_the_end()
        if arguments.keep is None:
            console.print("\nStopping. Everything that was played here is forgotten.")
        else:
            console.print("\nStopping. Running games end; players, ratings, records and groups are kept.")
    return 0


LAST_PORT = 65535


class Arguments(argparse.Namespace):
    """The command line, checked. The template checks the durations that it declares (MinValue)."""

    host: str
    port: int
    turn_seconds: int
    intro_seconds: int
    reconnect_seconds: int
    silence_seconds: int
    sweep_seconds: float
    log_level: str
    no_bots: bool
    keep: Path | None
    scenario: str | None


def _rehearse(wanted: str, arguments: Arguments, console: Console) -> int:
    """Put a fresh player into a scenario and wait, or list the scenarios. Return as `main` does."""
    from infra.local.rehearsal import SCENARIOS, Stage

    if wanted not in SCENARIOS:
        for name, scenario in SCENARIOS.items():
            console.print(f"  {name:17} {scenario.text}", soft_wrap=True)
        return 0 if wanted == "list" else 1
    logging.disable(getattr(logging, arguments.log_level) - 1)  # the functions set levels of their own
    stage = Stage(parameters={"LogLevel": arguments.log_level}, host=arguments.host, port=arguments.port)
    with stage, stage.running():
        player = stage.rehearse(wanted)
        console.print(f"[bold]{wanted}[/bold]: {SCENARIOS[wanted].text}", soft_wrap=True)
        if is_loopback(arguments.host):
            console.print(f"  In a browser:      {stage.stack.http_url}rehearsal")
        console.print(f"  Connect a client:  {stage.stack.ws_url}")
        console.print(f"  with the token:    {player.token}", soft_wrap=True)
        _wait_for_the_end()
    return 0


def _port(text: str) -> int:
    if text.isdecimal() and int(text) <= LAST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"a port is a number from 0 to {LAST_PORT}, not {text!r}")


def _pause_seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        seconds = float(text)
        if 0 < seconds < float("inf"):
            return seconds
    raise argparse.ArgumentTypeError(f"a pause is a number of seconds above 0, not {text!r}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m infra.local", description="Wordle Tournament's whole backend in one process."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=_port, default=8000, help="port, 0 for a free one (default: %(default)s)")
    parser.add_argument("--turn-seconds", type=int, default=30, help="length of a turn (default: %(default)s)")
    parser.add_argument("--intro-seconds", type=int, default=6, help="pause before a round (default: %(default)s)")
    parser.add_argument(
        "--reconnect-seconds", type=int, default=60, help="time to come back after a drop (default: %(default)s)"
    )
    parser.add_argument(
        "--silence-seconds", type=int, default=20, help="time to show that one is there (default: %(default)s)"
    )
    parser.add_argument(
        "--sweep-seconds", type=_pause_seconds, default=60.0, help="between two sweeps (default: %(default)s)"
    )
    parser.add_argument(
        "--log-level", default="WARN", choices=["DEBUG", "INFO", "WARN", "ERROR"], help="(default: %(default)s)"
    )
    parser.add_argument(
        "--emulator", default="memory", choices=["memory", "moto"], help="what answers AWS calls (default: %(default)s)"
    )
    parser.add_argument(
        "--scenario", metavar="NAME", help="put a fresh player into a state that is rare in play; `list` lists them"
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="keep players, ratings, records and groups there (not running games)",
    )
    parser.add_argument("--no-bots", action="store_true", help="leave free seats free")
    return parser


def _greet(console: Console, stack: LocalStack, arguments: Arguments) -> None:
    console.print("[bold]Wordle Tournament[/bold] is running on this machine.")
    console.print(f"  Play in a browser:   {stack.http_url}")
    console.print(f"  As a second player:  {stack.http_url}?player=2")
    console.print(f"  Connect a client:    {stack.ws_url}")
    if is_loopback(stack.host):
        console.print(f"  With a drawer:       {stack.http_url}drawer")
    if not arguments.no_bots:
        console.print("Bots take the free seats of a lobby, one after the other: a game starts within some seconds.")
    else:
        console.print("There are no bots: a tournament needs eight players.")
    if arguments.keep is None:
        console.print("Players, ratings and games are kept in memory only, and gone when this ends. Ctrl-C ends it.")
        console.print('To keep players, ratings, records and groups: make play ARGS="--keep FOLDER"')
    else:
        console.print(
            f"Players, ratings, records and groups are kept in {arguments.keep}. Ctrl-C ends it, and running games."
        )
        if stack.freed:
            console.print(
                f"{stack.freed} players were in a game when it ended last time: they are free, and are told so."
            )
    if not is_loopback(stack.host):
        console.print(
            f"[bold red]Careful:[/bold red] {stack.host} is not loopback. Everybody who reaches this machine can join, "
            "unencrypted, and nothing here is hardened for that."
        )


def _wait_for_the_end() -> None:
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    while not ended.wait(3600):
        pass


if __name__ == "__main__":
    sys.exit(main())
