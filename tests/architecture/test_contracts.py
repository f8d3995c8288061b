"""The import contracts of pyproject.toml: each kind of violation, planted, is reported by its contract."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("shared", "functions", "client", "bots", "infra", "tools", "tests", "wordlists")

LAYERS = "Arrows point one way in the layer, and each of its modules has a place"
PACKAGE_LAYERS = "Arrows point one way between the packages"
PURE = "Rules are pure: no clock, no environment, no I/O, no library"
AWS = "Only the session, the store, push and the timers know AWS"
PYNAMODB = "Only the store knows PynamoDB"
CLIENT = "The client needs the protocol alone"
TABLES = "A function is a table: from a route or task to its request and its use case"

RULE = "shared/wordle_tournament/rules/rating.py"
USE_CASE = "shared/wordle_tournament/play/duel/guess.py"


@dataclass(frozen=True)
class Violation:
    """A line that some file must not have, and the contract that says so. A `file` that does not exist is made."""

    file: str
    line: str
    contract: str


VIOLATIONS = {
    "a rule reads the clock": Violation(RULE, "import time", PURE),
    "a rule reads the date": Violation(RULE, "from datetime import datetime", PURE),
    "a rule reads the environment": Violation(RULE, "import os", PURE),
    "a rule knows a library": Violation(RULE, "import pydantic", PURE),
    "a rule knows a use case": Violation(RULE, "from ..play.duel import guess", LAYERS),
    "the store speaks the protocol": Violation(
        "shared/wordle_tournament/store/errors.py",
        "from ..protocol import messages",
        "Only use cases and delivery speak the protocol",
    ),
    "a function reads the store": Violation("functions/planted.py", "from wordle_tournament import store", TABLES),
    "a function calls AWS": Violation("functions/planted.py", "import boto3", AWS),
    "the settings know AWS": Violation("shared/wordle_tournament/config.py", "import boto3", AWS),
    "the metrics know PynamoDB": Violation("shared/wordle_tournament/metrics.py", "import pynamodb", PYNAMODB),
    "push knows the store": Violation("shared/wordle_tournament/push.py", "from . import store", LAYERS),
    "the store knows push": Violation("shared/wordle_tournament/store/load.py", "from .. import push", LAYERS),
    "the store knows a use case": Violation(
        "shared/wordle_tournament/store/load.py", "from ..play.duel import guess", LAYERS
    ),
    "a use case calls AWS": Violation(USE_CASE, "import boto3", AWS),
    "a use case knows its adapter": Violation(USE_CASE, "from ... import entry", LAYERS),
    "a use case knows another of its domain": Violation(USE_CASE, "from . import watch", "No use case imports another"),
    "a use case knows one of another domain": Violation(
        USE_CASE, "from ..presence import hello", "No use case imports another"
    ),
    "delivery knows matchmaking": Violation(
        "shared/wordle_tournament/delivery/views.py", "from ..matchmaking import seats", LAYERS
    ),
    "two modules need each other": Violation(
        "shared/wordle_tournament/rules/marks.py", "from . import duel", "No two modules need each other"
    ),
    "a module without a place": Violation("shared/wordle_tournament/planted.py", "", LAYERS),
    "a tool stands on the tests": Violation("tools/policies.py", "from tests import conftest", PACKAGE_LAYERS),
    "the stack stands on a tool": Violation("infra/local/gateway.py", "from tools import policies", PACKAGE_LAYERS),
    "the client knows the stack": Violation(
        "client/wordle_tournament_client/client.py", "from infra.local import gateway", PACKAGE_LAYERS
    ),
    "the client knows the word lists": Violation(
        "client/wordle_tournament_client/view.py", "from wordle_tournament import words", CLIENT
    ),
    "a bot knows the stack": Violation("bots/bot.py", "from infra.local import gateway", PACKAGE_LAYERS),
    "the layer knows the client": Violation(
        "shared/wordle_tournament/clock.py", "import wordle_tournament_client", PACKAGE_LAYERS
    ),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all Python files, and of the contracts."""
    tree = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            copy = tree / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    shutil.copyfile(ROOT / "pyproject.toml", tree / "pyproject.toml")
    return tree


@pytest.fixture
def plant(tree: Path, request: pytest.FixtureRequest) -> Iterator[Violation]:
    violation = VIOLATIONS[request.param]
    path = tree / violation.file
    before = path.read_text() if path.exists() else None
    path.write_text(f"{before or ''}\n{violation.line}\n")
    yield violation
    if before is None:
        path.unlink()
    else:
        path.write_text(before)


def lint(tree: Path) -> tuple[int, str]:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (tree, tree / "shared", tree / "client")))},
        capture_output=True,
        text=True,
        check=False,
    )
    # Long names of contracts are wrapped.
    return done.returncode, " ".join(done.stdout.split())


def test_the_code_keeps_all_contracts(tree: Path) -> None:
    returncode, printed = lint(tree)
    assert returncode == 0, printed
    assert "0 broken" in printed


@pytest.mark.parametrize("plant", VIOLATIONS, indirect=True)
def test_a_planted_violation_is_reported(tree: Path, plant: Violation) -> None:
    returncode, printed = lint(tree)
    assert returncode == 1, printed
    assert f"{plant.contract} BROKEN" in printed
    # A cycle is named by the package, and its modules below that.
    assert Path(plant.file).stem in printed.partition("Broken contracts")[2], "the report names the module to edit"
