"""Read the files that were recorded with version 1.0.0, and give each test an empty world."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.testing import World

HERE = Path(__file__).parent


def recorded(name: str) -> Any:
    """The content of one of the recorded files."""
    return json.loads((HERE / f"{name}-1.0.0.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def deployed() -> Iterator[World]:
    with World() as world:
        yield world


@pytest.fixture
def world(deployed: World) -> Iterator[World]:
    """A world in which nothing is stored yet."""
    restore = deployed.save()
    deployed.rng.seed(1)
    yield deployed
    deployed.disturbed.close()
    restore()
    assert not deployed.backend.denials
