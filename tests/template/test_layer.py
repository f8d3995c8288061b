"""The layer is built from the versions that the tests run with."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import requires, version

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from infra.local import template

SHARED = template.ROOT / "shared"
LAMBDA = {"python_version": "3.13", "python_full_version": "3.13.0", "extra": ""}


def brought_along(name: str, known: set[str]) -> Iterator[str]:
    """All that a distribution needs on Lambda, and what that needs, as `name==version` of what is installed here."""
    for requirement in map(Requirement, requires(name) or []):
        needed = canonicalize_name(requirement.name)
        if needed not in known and (requirement.marker is None or requirement.marker.evaluate(LAMBDA)):
            known.add(needed)
            yield f"{needed}=={version(needed)}"
            yield from brought_along(needed, known)


def test_the_layer_is_built_from_the_versions_that_the_tests_run_with() -> None:
    pinned = [line for line in (SHARED / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert sorted(brought_along("wordle-tournament", set())) == sorted(pinned)
    for makefile in (SHARED / "Makefile", template.ROOT / "Makefile"):
        assert "constraints.txt" in makefile.read_text()
