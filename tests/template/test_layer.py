"""The layer is built from the versions that the tests run with, and everything is installed by its hash."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.metadata import requires, version
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from infra.local import template
from tools import supply

LAMBDA = {"python_version": "3.13", "python_full_version": "3.13.0", "extra": ""}
MAKEFILES = [template.ROOT / "Makefile", template.ROOT / "shared" / "Makefile"]
WORKFLOWS = [
    path for path in (template.ROOT / ".github").rglob("*") if path.suffix in (".yml", ".yaml") and path.is_file()
]


def brought_along(name: str, known: set[str]) -> Iterator[str]:
    """All that a distribution needs on Lambda, and what that needs, as `name==version` of what is installed here."""
    for requirement in map(Requirement, requires(name) or []):
        needed = canonicalize_name(requirement.name)
        if needed not in known and (requirement.marker is None or requirement.marker.evaluate(LAMBDA)):
            known.add(needed)
            yield f"{needed}=={version(needed)}"
            yield from brought_along(needed, known)


def test_the_layer_is_built_from_the_versions_that_the_tests_run_with() -> None:
    pinned = [f"{pin.name}=={pin.version}" for pin in supply.pins("layer") if supply.on_lambda(pin)]
    assert sorted(brought_along("wordle-tournament", set())) == sorted(pinned), "make locks"
    assert "--requirement ../locks/layer.txt" in (template.ROOT / "shared" / "Makefile").read_text()


@pytest.mark.parametrize("lock", supply.SOURCES)
def test_a_lock_has_hashes_and_names_no_registry(lock: str) -> None:
    """`pins` refuses a line that is anything else."""
    assert len(supply.pins(lock)) > 10
    assert "://" not in (supply.LOCKS / f"{lock}.txt").read_text()


@pytest.mark.parametrize("line", ["boto3==1.44.8", "boto3>=1 --hash=sha256:" + "0" * 64, "--index-url x", "./ours"])
def test_a_line_without_version_or_hash_is_no_pin(line: str) -> None:
    with pytest.raises(ValueError, match="not a pin"):
        supply._pin(line)


@pytest.mark.parametrize("lock", supply.WITH_THE_LAYER)
def test_the_tools_run_with_the_layers_versions(lock: str) -> None:
    versions = {pin.name: pin.version for pin in supply.pins(lock)}
    assert {pin.name: versions.get(pin.name) for pin in supply.pins("layer")} == {
        pin.name: pin.version for pin in supply.pins("layer")
    }


def test_every_install_goes_by_a_lock() -> None:
    """Only this project itself, and three dictionaries of which tables are read, are not looked up in a lock."""
    for path in MAKEFILES:
        text = path.read_text().replace("\\\n", " ")
        for line in [line for line in text.splitlines() if re.search(r"\bpip install\b", line)]:
            assert "--require-hashes" in line or "--editable ." in line or "german-nouns==" in line, line
    commands = [path.read_text() for path in [*WORKFLOWS, template.ROOT / ".ci" / "run"]]
    assert not any(re.search(r"\b(pip|pipx|uv|npm) (tool )?(install|run)\b", text) for text in commands)


def test_actions_are_pinned_by_commit() -> None:
    used = [one for path in WORKFLOWS for one in re.findall(r"uses: (.+)", path.read_text())]
    assert len(used) > 5
    for one in used:
        assert one.startswith("./") or re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one


def test_the_page_of_licences_is_that_of_the_lock() -> None:
    assert supply.PAGE.read_text(encoding="utf-8") == supply.licences(), "make licences"
    assert "not stated" not in supply.licences()


# -- the audit and the SBOM ----------------------------------------------------------------------


def answer(*vulns: Any) -> str:
    return json.dumps({"dependencies": [{"name": "six", "version": "1.17.0", "vulns": list(vulns)}], "fixes": []})


def test_an_audit_fails_only_if_a_pin_is_vulnerable() -> None:
    lines, failed = supply.verdict(answer({"id": "GHSA-1", "fix_versions": ["1.18.0"]}), "")
    assert failed
    assert lines[0] == "six 1.17.0: GHSA-1, fixed in 1.18.0"
    assert supply.verdict(answer(), "") == (["Audited 1 pins: none has a known vulnerability."], False)


@pytest.mark.parametrize("nothing", ["", "<html>proxy</html>", "[]", "null", "{}"])
def test_an_audit_that_reached_nobody_says_so(nothing: str) -> None:
    lines, failed = supply.verdict(nothing, "Failed to resolve 'api.osv.dev'")
    assert not failed
    assert lines[0].startswith("NOT AUDITED")
    assert "api.osv.dev" in lines[1]


def test_the_document_has_what_the_lock_has_and_no_more() -> None:
    locked = supply.pins("layer")[:2]
    made = [{"name": one.name, "version": one.version, "bom-ref": one.name} for one in locked]
    pip = {"name": "pip", "version": "26.1", "bom-ref": "pip"}
    document = {"components": [*made, pip], "dependencies": [{"ref": locked[0].name, "dependsOn": ["pip"]}]}
    done = supply.completed(document, locked)
    assert [one["name"] for one in done["components"]] == [one.name for one in locked]
    assert done["components"][0]["hashes"] == [{"alg": "SHA-256", "content": one} for one in locked[0].hashes]
    assert done["dependencies"] == [{"ref": locked[0].name, "dependsOn": []}]
    with pytest.raises(ValueError, match=locked[1].name):
        supply.completed({"components": made[:1]}, locked)
