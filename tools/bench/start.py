"""The load of a cold start: the layer as it is built, its sizes, and the start of functions from it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from infra.local import template

ROOT = Path(__file__).resolve().parents[2]
BUILT = (ROOT / ".aws-sam" / "build", ROOT / "build" / "e2e")
"""The folders in which `sam build` and `make e2e` build."""
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
BUILD = ROOT / "build" / "bench"
BARE = """
import pydantic
from botocore.session import get_session
session = get_session()
for service in ("dynamodb", "stepfunctions", "apigatewaymanagementapi"):
    session.create_client(service, endpoint_url="http://localhost")
"""
"""The libraries that nothing here could do without, and three clients from one session."""
FUNCTIONS = {"guess": "duel", "join": "lobby"}
"""The functions that are started, by the route whose player waits."""
PYTHON_3_13 = ("python3.13", *map(str, sorted(Path.home().glob(".pyenv/versions/3.13.*/bin/python3.13"))))

_MEASURE = """
import json, resource, sys
{program}
used = resource.getrusage(resource.RUSAGE_SELF)
# The kernel's ru_maxrss is at least that of the process which started this one.
peak = [int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")] or [0]
print(json.dumps([used.ru_utime + used.ru_stime, peak[0], sorted(sys.modules)]))
"""


@dataclass(frozen=True)
class Start:
    """A function ready for its first message: the least processor seconds of several processes, and megabytes."""

    seconds: float
    megabytes: float


def lambdas_python() -> str | None:
    """Return the command of a Python 3.13, which Lambda runs, or None if there is none here."""
    for command in PYTHON_3_13:
        version = [command, "-c", "import sys; print(*sys.version_info[:2])"]
        with suppress(OSError):
            if subprocess.run(version, capture_output=True, text=True, check=False).stdout.split() == ["3", "13"]:
                return command
    return None


def build(python: str) -> Path:
    """Build the layer for this machine by the layer's own recipe. Return its folder, which nobody may write."""
    layer = BUILD / "SharedLayer"
    if layer.exists():
        subprocess.run(["chmod", "-R", "u+w", str(layer)], check=True)
        shutil.rmtree(layer)
    layer.mkdir(parents=True)
    make = ["make", "--silent", "-C", "shared", "build-SharedLayer", f"ARTIFACTS_DIR={layer}", f"PYTHON={python}"]
    subprocess.run([*make, "LAYER_FOR=host"], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["chmod", "-R", "a-w", str(layer)], check=True)
    return layer


def starts(layer: Path, python: str) -> dict[str, Start]:
    """Return the start of each function by its route, and that of `bare`, from the built layer. The processes take
    turns."""
    programs = {"bare": BARE, **{route: f"import {name}" for route, name in FUNCTIONS.items()}}
    measured: dict[str, list[Start]] = {name: [] for name in programs}
    for _ in range(ATTEMPTS):
        for name, program in programs.items():
            seconds, megabytes, _modules = _run(program, python, f"{layer / 'python'}:{ROOT / 'functions'}")
            measured[name].append(Start(seconds, megabytes))
    return {
        name: Start(min(one.seconds for one in runs), min(one.megabytes for one in runs))
        for name, runs in measured.items()
    }


def zipped_bytes(layer: Path) -> int:
    """Return the bytes of the layer as `sam deploy` uploads it."""
    with tempfile.TemporaryFile() as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(layer.rglob("*")):
            if path.is_file():
                name = zipfile.ZipInfo(str(path.relative_to(layer)))
                archive.writestr(name, path.read_bytes(), zipfile.ZIP_DEFLATED)
        archive.close()
        return file.tell()


def modules_of_guess() -> set[str]:
    """Return the modules that are loaded once the function of `guess` is."""
    return set(_run(GUESS)[2])


def modules_of_guess_alone() -> set[str]:
    """Return what is loaded for `guess` without the routes that share its function."""
    return set(_run(GUESS_ALONE)[2])


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


def _run(program: str, python: str = sys.executable, path: str = "") -> tuple[float, float, list[str]]:
    done = subprocess.run(
        [python, *(["-S"] if path else []), "-c", _MEASURE.format(program=program)],
        cwd=ROOT,
        env={**os.environ, **deployed(), **PROCESS, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, megabytes, modules = json.loads(done.stdout)
    return float(seconds), float(megabytes), list(modules)


PROCESS = {
    "POWERTOOLS_METRICS_DISABLED": "true",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "PYTHONDONTWRITEBYTECODE": "1",
}


@cache
def deployed() -> dict[str, str]:
    """Return the environment of the deployed function: without it the function does not start."""
    function = template.load().functions["DuelFunction"]
    return {**function.set_by_lambda, **function.environment}


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
