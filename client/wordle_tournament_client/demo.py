"""`python -m wordle_tournament_client.demo`: eight bots play a whole tournament, shown as it goes and then checked.

Exits 0 if everything was as the rules say, 1 with what was not, and 130 after Ctrl-C.
"""

import argparse
import asyncio
import contextlib
import random
import sys
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from wordle_tournament import words
from wordle_tournament.rules.tournament import PLAYERS

from .bot import Bot, Manner
from .client import parse
from .referee import ROUNDS, Heard, faults, record
from .show import Show, coloured, legend

PAPER_COLUMNS = 120
PACE = (0.1, 0.5)
INTRO_SECONDS = 1
RECONNECT_SECONDS = 10
# Longer than the longest tournament takes when no turn is used, at the full length of a turn.
ROUND_TURNS = 12
SPARE_SECONDS = 120


def main(argv: Sequence[str] | None = None) -> int:
    """Play, show and check; returns the exit status."""
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
            heard = asyncio.run(_play(console, url, arguments.language, seed, _longest(arguments)))
    except KeyboardInterrupt:
        console.print("Stopped. Nothing was checked.")
        return 130
    except Exception as error:
        for reason in _reasons(error):
            console.print(Text(f"The tournament was not played to its end: {reason!r}", style="bold red"))
        return 1
    found = faults(heard)
    for fault in found:
        console.print(Text(fault, style="bold red"))
    if found:
        console.print(f"[bold red]{len(found)} things were not as the rules say.[/bold red]")
        return 1
    told = record(heard)
    console.print(
        f"[green]Everything was as the rules say[/green]: {len(told.rounds)} rounds, {len(told.duels)} duels, "
        f"{len(heard)} frames checked."
    )
    return 0


def cast(seed: int) -> list[Manner]:
    """Eight manners of playing: good and less good, some of them clumsy. All watch, and all stay to the end."""
    rng = random.Random(seed)
    manners = [Manner(skill=rng.uniform(0.6, 1.0), pace=PACE, watches=True, stays=True) for _ in range(PLAYERS - 3)]
    return [
        *manners,
        Manner(skill=0.9, pace=PACE, invalid=0.4, watches=True, stays=True),
        Manner(skill=0.9, pace=PACE, skip=0.2, watches=True, stays=True),
        Manner(skill=0.9, pace=PACE, drop=0.1, back_after=(0.05, 0.3), watches=True, stays=True),
    ]


async def _play(console: Console, url: str, language: str, seed: int, longest_seconds: float) -> list[Heard]:
    """Everything the eight heard. Raises what their clients raise, or TimeoutError."""
    heard: list[Heard] = []
    with Show(console) as show:

        def hear(listener: int, text: str) -> None:
            heard.append(Heard(listener, text))
            show.tell(parse(text))

        async with asyncio.timeout(longest_seconds), asyncio.TaskGroup() as playing:
            for listener, manner in enumerate(cast(seed)):
                bot = Bot(
                    url,
                    language,
                    seed * PLAYERS + listener,
                    manner,
                    on_frame=lambda text, listener=listener: hear(listener, text),  # type: ignore[misc]
                )
                playing.create_task(bot.play())
    return heard


@contextlib.contextmanager
def _server(url: str | None, turn_seconds: int) -> Iterator[str]:
    """Where to connect: the address given, or a stack of our own for as long as the demo takes."""
    if url is not None:
        yield url
        return
    from infra.local.stack import LocalStack

    parameters = {
        "TurnSeconds": str(turn_seconds),
        "RoundIntroSeconds": str(INTRO_SECONDS),
        "ReconnectSeconds": str(RECONNECT_SECONDS),
        "LogLevel": "ERROR",
    }
    with LocalStack(parameters) as stack:
        yield stack.ws_url


def _longest(arguments: argparse.Namespace) -> float:
    """When to give up waiting, in seconds."""
    turn_seconds = 30 if arguments.url else arguments.turn_seconds
    return float(max(ROUNDS) * ROUND_TURNS * turn_seconds + SPARE_SECONDS)


def _reasons(error: Exception) -> Iterator[Exception]:
    """What really went wrong, in whichever of the bots."""
    if isinstance(error, ExceptionGroup):
        for part in error.exceptions:
            yield from _reasons(part)
    else:
        yield error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m wordle_tournament_client.demo", description="Eight bots play a whole tournament."
    )
    parser.add_argument("--language", default="en", choices=sorted(words.languages()), help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, help="what the bots' chance comes from (default: a new one each time)")
    parser.add_argument("--turn-seconds", type=int, default=4, help="length of a turn (default: %(default)s)")
    parser.add_argument("--url", help="play on this running server, such as ws://127.0.0.1:8000/ws")
    return parser


if __name__ == "__main__":
    sys.exit(main())
