"""`python -m tools.admin`: operate a running game, in a deployed stack or in the one of `make play`.

    python -m tools.admin --stack wordle-tournament-prod running
    python -m tools.admin --local http://127.0.0.1:8000 show-tournament g0123456789abcdef0123

`--help` has more. The verbs are functions of `wordle_tournament.play.admin.verbs`. With `--stack` they run in this
process, under the operator's own credentials, on the tables of that CloudFormation stack; with `--local` the
one-process stack runs them.
"""

import argparse
import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

Answer = Any
"""The result of a verb: a value that JSON can hold."""

Run = Callable[[str, dict[str, str]], Answer]
"""Run a verb of `play.admin.verbs`, by its name there, with its arguments. Raise Failed."""

FOR_GOOD = "This cannot be undone."


class Failed(Exception):
    """The command was not done; the text says why, and what to do."""


@dataclass(frozen=True)
class Verb:
    """A sub-command. `arguments` are those of its function in `play.admin.verbs`, in order.

    The command asks first if there is a `warning`.
    """

    name: str
    help: str
    arguments: tuple[str, ...] = ()
    warning: str = ""

    @property
    def function(self) -> str:
        return self.name.replace("-", "_")


VERBS = (
    Verb("show-player", "a player, and the tournaments they have finished", ("player_id",)),
    Verb("show-tournament", "a tournament: players, rounds, and the duels of the current round", ("tournament_id",)),
    Verb("running", "the tournaments that run, the longest-running round first (at most 200)"),
    Verb(
        "stop",
        "end a tournament where it is; players still in it get no place and no rating change",
        ("tournament_id",),
        "Players still in it get no place and no rating change. " + FOR_GOOD,
    ),
    Verb(
        "void",
        "take back a tournament's rating changes; a running one is stopped first",
        ("tournament_id",),
        "All its rating changes are taken back, and if it runs it is stopped. " + FOR_GOOD,
    ),
    Verb("settle", "do what is due in a tournament now, and start its clock again", ("tournament_id",)),
    Verb("rename", "give a player another nickname", ("player_id", "nickname")),
    Verb(
        "delete",
        "delete a player and their record, as they could themselves",
        ("player_id",),
        "A running tournament counts as left. " + FOR_GOOD,
    ),
    Verb("show-queue", "show whether players may look for games"),
    Verb("open-queue", "let players look for games (again)"),
    Verb(
        "close-queue",
        "let nobody look for a game; tournaments that run are finished",
        warning="Nobody can look for a game until open-queue.",
    ),
)

ID = {"player_id": re.compile(r"p[0-9a-f]{20}"), "tournament_id": re.compile(r"g[0-9a-f]{20}")}
EXAMPLES = {
    "player_id": "p0123456789abcdef0123",
    "tournament_id": "g0123456789abcdef0123",
    "nickname": "Brave Otter",
}


WHERE = "--stack wordle-tournament-prod"
EPILOG = f"""examples:
  python -m tools.admin {WHERE} running
  python -m tools.admin {WHERE} show-tournament {EXAMPLES["tournament_id"]} --json
  python -m tools.admin {WHERE} close-queue --yes
  python -m tools.admin --local http://127.0.0.1:8000 rename {EXAMPLES["player_id"]} "Brave Otter"

Every verb may be given again: what was done stays done, and what was interrupted is finished.
The exit status is 0 if it was done, 1 if not (standard error says why), 2 if the command line is wrong.
docs/admin.md says what each verb does, and which to use when."""


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line says. Return 0 if it was done, 1 if not."""
    parser = _parser()
    asked = parser.parse_args(argv)
    stack, local = getattr(asked, "stack", None), getattr(asked, "local", None)
    if (stack is None) == (local is None):
        parser.error("say where, by one of --stack NAME and --local URL")
    verb = next(verb for verb in VERBS if verb.name == asked.verb)
    arguments = {name: str(getattr(asked, name)) for name in verb.arguments}
    try:
        _check_ids(arguments)
        if verb.warning and not getattr(asked, "yes", False):
            _confirm(verb, arguments, stack or str(local))
        run = deployed(stack, getattr(asked, "region", None)) if stack else on_this_machine(str(local))
        answer = run(verb.function, arguments)
    except Failed as failure:
        print(f"Not done: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted: it may be done in part; the verb may be given again.", file=sys.stderr)
        return 1
    if getattr(asked, "json", False):
        print(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        # A pipe has no width: in it, ids stay whole.
        show(verb, answer, Console(highlight=False, width=None if sys.stdout.isatty() else WIDE))
    return 0


# -- places --------------------------------------------------------------------------------


def on_this_machine(url: str) -> Run:
    """Return a runner of verbs on the one-process stack at `url`."""

    def run(function: str, arguments: dict[str, str]) -> Answer:
        request = urllib.request.Request(
            f"{url.rstrip('/')}/admin",
            json.dumps({"verb": function, "arguments": arguments}).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Failed(_reason(error, url)) from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise Failed(f"nothing answers at {url} ({reason}). Start the game there with `make play`.") from error

    return run


def _reason(error: urllib.error.HTTPError, url: str) -> str:
    try:
        return str(json.load(error)["error"])
    except (ValueError, KeyError, TypeError):
        return f"{url} takes no commands ({error.code}): it is no `make play`, or one that does not listen on loopback."


def deployed(stack: str, region: str | None) -> Run:
    """Return a runner of verbs on that CloudFormation stack. Raise Failed if it is out of reach or of another kind."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        os.environ.update(environment(stack, region))
    except ClientError as error:
        raise Failed(f"{error.response['Error']['Message']}. Is that the stack's name, and your account?") from error
    except BotoCoreError as error:
        raise Failed(f"{error} Sign in to the account first, or set AWS_PROFILE.") from error

    from wordle_tournament.entry import run_admin_command
    from wordle_tournament.errors import GameError
    from wordle_tournament.play.admin import verbs
    from wordle_tournament.store import Conflict, StoreError

    def run(function: str, arguments: dict[str, str]) -> Answer:
        try:
            return _plain(run_admin_command(getattr(verbs, function), **arguments))
        except verbs.AdminError as error:
            raise Failed(f"{error}.") from error
        except GameError as error:
            raise Failed(str(error)) from error
        except Conflict as error:
            raise Failed("others were writing all the time. Nothing is lost; try again.") from error
        except StoreError as error:
            raise Failed(f"DynamoDB refused ({error}). May you read and write the tables of {stack}?") from error
        except (ClientError, BotoCoreError) as error:
            raise Failed(f"{error} Part of it may be done; when the cause is gone, give the verb again.") from error

    return run


def environment(stack: str, region: str | None = None) -> dict[str, str]:
    """Return the environment that `wordle_tournament.config` reads, as the stack's own functions have it.

    Raise Failed, and botocore's ClientError and BotoCoreError.
    """
    cloudformation = cloudformation_client(region)
    region = cloudformation.meta.region_name
    described = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]
    parameters = {one["ParameterKey"]: one["ParameterValue"] for one in described.get("Parameters", [])}
    # DescribeStackResources returns a hundred at most, and this stack has more.
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
    ids = {
        one["LogicalResourceId"]: one.get("PhysicalResourceId", "")
        for page in pages
        for one in page["StackResourceSummaries"]
    }
    try:
        tables = {f"{name.upper()}_TABLE": ids[f"{name}Table"] for name in _TABLES}
        suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
        host = parameters.get("ManagementHost") or f"https://{ids['WebSocketApi']}.execute-api.{region}.{suffix}"
        api = f"/{ids['WebSocketApi']}" if parameters.get("ManagementHost") else ""
        return {
            **tables,
            "TOURNAMENT_MACHINE_ARN": ids["TournamentMachine"],
            "RECONNECT_MACHINE_ARN": ids["ReconnectMachine"],
            "PUSH_ENDPOINT": f"{host}{api}/{parameters['Stage']}",
            "ROUND_INTRO_SECONDS": parameters["RoundIntroSeconds"],
            "TURN_SECONDS": parameters["TurnSeconds"],
            # A stage of 1.0.0 has no such parameter.
            "TURN_GRACE_SECONDS": parameters.get("TurnGraceSeconds", "1"),
            "RECONNECT_SECONDS": parameters["ReconnectSeconds"],
            "SILENCE_SECONDS": parameters["SilenceSeconds"],
            "SHARDS": parameters.get("Shards", "1"),
            "AWS_DEFAULT_REGION": region,
            # Metrics are read from the functions' logs, and this process is no function.
            "POWERTOOLS_METRICS_DISABLED": "true",
            "POWERTOOLS_TRACE_DISABLED": "true",
            # The command prints the results of verbs and does not log them.
            "POWERTOOLS_LOG_LEVEL": "ERROR",
        }
    except KeyError as error:
        raise Failed(f"{stack} has no {error.args[0]}: it is no stack of this game, or not deployed whole.") from error


_TABLES = ("Players", "Connections", "Lobbies", "Groups", "Tournaments", "Duels")


def cloudformation_client(region: str | None) -> Any:
    """Return a client in that region, or in that of the environment. Raise botocore's NoRegionError."""
    import boto3

    return boto3.client("cloudformation", region_name=region)


def _plain(value: Any) -> Answer:
    """Return the value after a pass through JSON, so that both ways print the same."""
    return json.loads(json.dumps(value))


# -- arguments ----------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    options.add_argument("--stack", metavar="NAME", help="a deployed CloudFormation stack")
    options.add_argument("--region", help="where that is (default: as the AWS CLI would)")
    options.add_argument("--local", metavar="URL", help="a game on this machine, as `make play` says where")
    options.add_argument("--json", action="store_true", help="the whole answer as JSON, instead of tables")
    options.add_argument("--yes", action="store_true", help="do not ask first")
    parser = argparse.ArgumentParser(
        prog="python -m tools.admin",
        description="Look after a running game, by one of --stack NAME and --local URL.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[options],
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb in VERBS:
        given = " ".join(f'"{EXAMPLES[name]}"' if " " in EXAMPLES[name] else EXAMPLES[name] for name in verb.arguments)
        asked = verbs.add_parser(
            verb.name,
            help=verb.help,
            description=f"{verb.help[0].upper()}{verb.help[1:]}. {verb.warning}".strip(),
            epilog=f"example:\n  python -m tools.admin {WHERE} {verb.name} {given}".rstrip(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=[options],
        )
        for name in verb.arguments:
            asked.add_argument(name, metavar=name.upper(), help=f"for instance {EXAMPLES[name]}")
    return parser


def _check_ids(arguments: Mapping[str, str]) -> None:
    for name, value in arguments.items():
        if name in ID and not ID[name].fullmatch(value):
            what = name.removesuffix("_id")
            raise Failed(f"{value!r} is no {what}'s id; one looks like {EXAMPLES[name]}.")


def _confirm(verb: Verb, arguments: Mapping[str, str], where: str) -> None:
    what = " ".join([verb.name, *arguments.values()])
    if not sys.stdin.isatty():
        raise Failed(f"nobody can confirm {what} here; say --yes.")
    print(f"{what} in {where}: {verb.warning}", file=sys.stderr)
    print("Do it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Failed("you did not say yes.")


# -- output --------------------------------------------------------------------------------------

WIDE = 140
HIDDEN = frozenset({"type", "parts", "rounds", "history"})
"""Fields that are not cells of a table. `show` unfolds some of them, and --json has them all."""


def show(verb: Verb, answer: Answer, console: Console) -> None:
    """Print the answer as tables."""
    if verb.name == "running":
        if answer:
            _table("Running", answer, console)
        else:
            console.print("No tournament runs.")
        return
    _fields(answer, console)
    _table("Players", answer.get("players", []), console)
    _table("Duels of the current round", answer.get("duels", []), console)
    settled = [{"round": one["number"], **duel} for one in answer.get("rounds", []) for duel in one["duels"]]
    _table("Settled rounds", settled, console)
    history = answer.get("history")
    if history and history["recent"]:
        console.print(f"Best place: {_text('best_place', history['best_place'])}")
        _table("Finished", history["recent"], console)


def _fields(answer: Mapping[str, Answer], console: Console) -> None:
    grid = Table.grid(padding=(0, 2))
    for name, value in answer.items():
        if name not in HIDDEN and not (isinstance(value, list) and any(isinstance(one, dict) for one in value)):
            grid.add_row(Text(name.removesuffix("_ms"), style="bold"), Text(_text(name, value)))
    console.print(grid)


def _table(title: str, rows: Sequence[Mapping[str, Answer]], console: Console) -> None:
    if not rows:
        return
    names = list(dict.fromkeys(name for row in rows for name in row if name not in HIDDEN))
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in names:
        table.add_column(name.removesuffix("_ms"), overflow="fold")
    for row in rows:
        table.add_row(*(Text(_text(name, row.get(name))) for name in names))
    console.print(table)


def _text(name: str, value: Answer) -> str:
    if value is None:
        return "-"
    if name.endswith("_ms") and isinstance(value, int):
        return f"{datetime.fromtimestamp(value / 1000, UTC):%Y-%m-%d %H:%M:%S}Z"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return "\n".join(_text(name, one) for one in value) or "-"
    return str(value)


if __name__ == "__main__":
    sys.exit(main())
