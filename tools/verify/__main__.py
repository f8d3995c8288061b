"""`make verify`: answer on a deployed stage what no page of AWS says, in half an hour.

    make verify ARGS="--url wss://abc123.execute-api.eu-west-1.amazonaws.com/dev --stack wordle-tournament-dev"

Guests are made and deleted again; players of the stage are not touched, but use a dev stage. Without --stack only the
checks that a client can do are answered. Exit with 0 if no assumption failed, with 1 if one did, with 2 if the stage
cannot be reached.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from rich.console import Console
from rich.table import Table
from rich.text import Text
from websockets.exceptions import WebSocketException

from tools.verify.checks import CHECKS
from tools.verify.stage import Finding, Limits, NotAnswered, Stage

FIRST = "handshake"
LAST = ("throttled-frames", "alarms-on-empty-data")
"""A flood would disturb the others, and alarms should have seen them."""
STYLES = {"held": "green", "did not hold": "bold red", "not answered": "yellow"}
CAUSES = (
    *(NotAnswered, ClientError, BotoCoreError, WebSocketException),
    *(OSError, TimeoutError, KeyError, ValueError, StopIteration, RuntimeError),
)
"""Errors that leave a check without an answer: of the account, the network, or a frame of an unexpected form."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the checks and print the findings. Return the exit status."""
    arguments = _parser().parse_args(argv)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    limits = Limits(
        arguments.idle_seconds, arguments.gone_seconds, arguments.turn_seconds, arguments.log_seconds,
        arguments.alarm_seconds,
    )  # fmt: skip
    stage = Stage(arguments.url, arguments.stack, arguments.region, limits)
    names = arguments.only or list(CHECKS)
    console.print(f"Verifying {len(names)} assumptions on {arguments.url} ...")
    found = asyncio.run(verify(stage, names, lambda name: console.print(f"  {name} ...")))
    console.print(report(found))
    for name, finding in found.items():
        if finding.verdict == "did not hold":
            console.print(Text(f"{name}: {CHECKS[name].change}", style=STYLES[finding.verdict]))
    verdicts: list[str] = [finding.verdict for finding in found.values()]
    console.print(", ".join(f"{verdicts.count(one)} {one}" for one in STYLES))
    if FIRST in found and found[FIRST].verdict != "held":
        return 2
    return int("did not hold" in verdicts)


async def verify(stage: Stage, names: Sequence[str], starting: Any = lambda name: None) -> dict[str, Finding]:
    """Run the checks of these names, side by side where they do not disturb each other. Return their findings."""
    found: dict[str, Finding] = {}

    async def run(name: str) -> None:
        starting(name)
        found[name] = await _answer(stage, name)

    if FIRST in names:
        await run(FIRST)
        if found[FIRST].verdict != "held":
            return found
    await asyncio.gather(*(run(name) for name in names if name not in (FIRST, *LAST)))
    for name in LAST:
        if name in names:
            await run(name)
    return {name: found[name] for name in CHECKS if name in found}


async def _answer(stage: Stage, name: str) -> Finding:
    try:
        return await CHECKS[name].check(stage)
    except CAUSES as error:
        reason = str(error) if isinstance(error, NotAnswered) else f"{type(error).__name__}: {error}"
        return Finding("not answered", reason)


def report(found: dict[str, Finding]) -> Table:
    """Return the findings as a table."""
    table = Table("check", "assumption", "", "measured", show_lines=True)
    for name, finding in found.items():
        style = STYLES[finding.verdict]
        table.add_row(name, CHECKS[name].sentence, Text(finding.verdict, style=style), Text(finding.measured))
    return table


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.verify", description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--url", required=True, help="the stage's WebSocketUrl")
    parser.add_argument("--stack", help="its CloudFormation stack, for all that needs credentials")
    parser.add_argument("--region", help="where that is (default: as the AWS CLI would)")
    parser.add_argument("--only", action="append", choices=list(CHECKS), help="this check alone; may be repeated")
    waits = parser.add_argument_group("the longest waits, in seconds; shorter ones for an emulator")
    for name, seconds in (
        ("idle", Limits.idle),
        ("gone", Limits.gone),
        ("turn", Limits.turn),
        ("log", Limits.logs),
        ("alarm", Limits.alarms),
    ):
        waits.add_argument(f"--{name}-seconds", type=float, default=seconds, help="default: %(default)s")
    return parser


if __name__ == "__main__":
    sys.exit(main())
