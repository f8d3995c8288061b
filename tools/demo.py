"""`make demo`: eight bots play a whole tournament, which is shown as it goes and then checked.

Exit with 0 if everything was as the rules say, with 1 and the violations if not, and with 130 after Ctrl-C.
"""

import argparse
import asyncio
import contextlib
import random
import sys
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from bots.bot import Bot, BotProfile
from bots.console import ConsoleRenderer, coloured, legend
from bots.referee import ROUNDS, Recorded, read_record, violations
from infra.local.stack import LocalStack
from wordle_tournament import words
from wordle_tournament.rules.tournament import PLAYERS
from wordle_tournament_client.client import parse

PAPER_COLUMNS = 120
PACE = (0.1, 0.5)
INTRO_SECONDS = 1
RECONNECT_SECONDS = 10
# More than the longest tournament takes when every turn is skipped, at the full length of a turn.
ROUND_TURNS = 12
SPARE_SECONDS = 120


def main(argv: Sequence[str] | None = None) -> int:
    """Play, show and check. Return the exit status."""
    arguments = _parser().parse_args(argv)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal may lack a letter of some language
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PAPER_COLUMNS)
    seed = random.randrange(10**6) if arguments.seed is None else arguments.seed
    console.print(f"Eight bots play in {words.languages()[arguments.language].name}, seed {seed}.")
    console.print(legend(coloured(console)))
    if arguments.url is None:
        console.print("Starting ...")
    try:
        with _server(arguments.url, arguments.turn_seconds) as url:
            frames = asyncio.run(_play(console, url, arguments.language, seed, _longest(arguments)))
    except KeyboardInterrupt:
        console.print("Stopped. Nothing was checked.")
        return 130
    except Exception as error:
        for reason in _reasons(error):
            console.print(Text(f"The tournament was not played to its end: {reason!r}", style="bold red"))
        return 1
    found = violations(frames)
    for violation in found:
        console.print(Text(violation, style="bold red"))
    if found:
        console.print(f"[bold red]{len(found)} things were not as the rules say.[/bold red]")
        return 1
    record = read_record(frames)
    console.print(
        f"[green]Everything was as the rules say[/green]: {len(record.rounds)} rounds, {len(record.duels)} duels, "
        f"{len(frames)} frames checked."
    )
    return 0


def cast(seed: int) -> list[BotProfile]:
    """Return eight profiles: good and less good, some of them clumsy. All watch, and all stay to the end."""
    rng = random.Random(seed)
    profiles = [
        BotProfile(skill=rng.uniform(0.6, 1.0), pace=PACE, watches=True, stays=True) for _ in range(PLAYERS - 3)
    ]
    return [
        *profiles,
        BotProfile(skill=0.9, pace=PACE, invalid=0.4, watches=True, stays=True),
        BotProfile(skill=0.9, pace=PACE, skip=0.2, watches=True, stays=True),
        BotProfile(skill=0.9, pace=PACE, drop=0.1, back_after=(0.05, 0.3), watches=True, stays=True),
    ]


async def _play(console: Console, url: str, language: str, seed: int, longest_seconds: float) -> list[Recorded]:
    """Return every frame that the eight received. Raise the errors of their clients, or TimeoutError."""
    frames: list[Recorded] = []
    with ConsoleRenderer(console) as renderer:

        def keep(listener: int, text: str) -> None:
            frames.append(Recorded(listener, text))
            renderer.take(parse(text))

        async with asyncio.timeout(longest_seconds), asyncio.TaskGroup() as playing:
            for listener, profile in enumerate(cast(seed)):
                bot = Bot(
                    url,
                    language,
                    seed * PLAYERS + listener,
                    profile,
                    on_frame=lambda text, listener=listener: keep(listener, text),  # type: ignore[misc]
                )
                playing.create_task(bot.play())
    return frames


@contextlib.contextmanager
def _server(url: str | None, turn_seconds: int) -> Iterator[str]:
    """Yield the address to connect to: the given one, or that of a local stack that runs as long as the demo."""
    if url is not None:
        yield url
        return
    parameters = {
        "TurnSeconds": str(turn_seconds),
        "RoundIntroSeconds": str(INTRO_SECONDS),
        "ReconnectSeconds": str(RECONNECT_SECONDS),
        "LogLevel": "ERROR",
    }
    with LocalStack(parameters) as stack:
        yield stack.ws_url


def _longest(arguments: argparse.Namespace) -> float:
    """Return the seconds after which to give up waiting."""
    turn_seconds = 30 if arguments.url else arguments.turn_seconds
    return float(max(ROUNDS) * ROUND_TURNS * turn_seconds + SPARE_SECONDS)


def _reasons(error: Exception) -> Iterator[Exception]:
    """Yield the errors of the single bots."""
    if isinstance(error, ExceptionGroup):
        for part in error.exceptions:
            yield from _reasons(part)
    else:
        yield error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.demo", description="Eight bots play a whole tournament.")
    parser.add_argument("--language", default="en", choices=sorted(words.languages()), help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, help="what the bots' chance comes from (default: a new one each time)")
    parser.add_argument("--turn-seconds", type=int, default=4, help="length of a turn (default: %(default)s)")
    parser.add_argument("--url", help="play on this running server, such as ws://127.0.0.1:8000/ws")
    return parser


if __name__ == "__main__":
    sys.exit(main())
