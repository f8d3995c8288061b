"""The clients say the project's version."""

import json
import re
import tomllib
from pathlib import Path

from wordle_tournament_client.client import VERSION

ROOT = Path(__file__).parents[2]


def test_the_kits_have_the_version_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    package = json.loads((ROOT / "client/javascript/package.json").read_text(encoding="utf-8"))["version"]
    source = (ROOT / "client/javascript/connection.js").read_text(encoding="utf-8")
    assert re.findall(r'VERSION = "(.+)"', source) == [package] == [VERSION] == [project]
