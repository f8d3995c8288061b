"""The load of a cold start: the sizes of the built layer and functions, and the time to import the duel function."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from infra.local import template

ROOT = Path(__file__).resolve().parents[2]
BUILT = (ROOT / ".aws-sam" / "build", ROOT / "build" / "e2e")
"""The folders in which `sam build` and `make e2e` build."""
BARE = "import botocore.session, botocore.client, pydantic"
GUESS = "import sys; sys.path[:0] = ['shared', 'functions']; import duel"
GUESS_ALONE = """
import sys
sys.path[:0] = ['shared']
from wordle_tournament.entry import route
from wordle_tournament.play.duel.guess import guess
from wordle_tournament.protocol.requests import Guess
"""
"""The function of `guess` if it had no other route."""
ATTEMPTS = 7

_MEASURE = """
import json, resource, sys
{program}
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([used.ru_utime + used.ru_stime, sorted(sys.modules)]))
"""


def import_ratio() -> tuple[float, float, float]:
    """Return the processor seconds to import bare botocore and pydantic, those to import the function of `guess`, and
    their ratio. Each is the median of several processes, started in turns."""
    taken: dict[str, list[float]] = {BARE: [], GUESS: []}
    for _ in range(ATTEMPTS):
        for program, seconds in taken.items():
            seconds.append(_run(program)[0])
    bare, guess = (statistics.median(taken[program]) for program in (BARE, GUESS))
    return bare, guess, guess / bare


def modules_of_guess() -> set[str]:
    """Return the modules that are loaded once the function of `guess` is."""
    return set(_run(GUESS)[1])


def modules_of_guess_alone() -> set[str]:
    """Return what is loaded for `guess` without the routes that share its function."""
    return set(_run(GUESS_ALONE)[1])


def built_sizes() -> Mapping[str, int] | None:
    """Return the bytes of the layer, of its word lists, and of one function, as the last `sam build` made them."""
    for folder in BUILT:
        for layer in sorted(folder.rglob("SharedLayer"))[:1]:
            return {
                "layer": _bytes(layer),
                "of it word lists": _bytes(layer / "wordlists"),
                "each function": _bytes(layer.parent / "DuelFunction"),
            }
    return None


def _run(program: str) -> tuple[float, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE.format(program=program)],
        cwd=ROOT,
        env={**os.environ, **_deployed(), "POWERTOOLS_METRICS_DISABLED": "true"},
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, modules = json.loads(done.stdout)
    return float(seconds), list(modules)


@cache
def _deployed() -> dict[str, str]:
    """Return the environment that the template gives the function: without it the function does not start."""
    return dict(template.load().functions["DuelFunction"].environment)


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
