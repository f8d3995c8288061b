"""`make locks`, `make sbom`, `make audit`: what the layer and the tools are made of, pinned by hash.

`pyproject.toml` names what is needed; `locks/` has every version with its hashes, for Python 3.11 and later, and names
no registry. uv, pip-audit and cyclonedx-py live in build/supply, an environment of their own. `licences` writes
docs/licences.md. `audit` asks OSV (https://osv.dev) once for all pins: it fails if one has a known vulnerability, and
says so and passes where OSV cannot be reached. `sbom` writes a CycloneDX document of the layer.
"""

import argparse
import importlib.metadata
import json
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "locks"
SUPPLY = ROOT / "build" / "supply"
PAGE = ROOT / "docs" / "licences.md"
BUILDS_OURS = "setuptools>=75"
"""Makes the editable install, without isolation, so that it is pinned as well."""
SOURCES: dict[str, tuple[list[str], str]] = {
    "layer": (["pyproject.toml"], ""),
    "local": (["pyproject.toml", "--extra", "local", "-"], BUILDS_OURS),
    "dev": (["pyproject.toml", "--extra", "dev", "-"], BUILDS_OURS),
    "words": (["pyproject.toml", "--extra", "words"], ""),
    "sam": (["-"], "aws-sam-cli>=1.170"),
    "emulator": (["-"], "ministack[full]>=1.5.33"),
    "supply": (["-"], "uv\npip-audit\ncyclonedx-bom"),
}
"""For each lock, the arguments of `uv pip compile` and the requirements on its standard input."""
WITH_THE_LAYER = ("local", "dev", "words")
"""Locks that have the layer's versions, so that the tests run with them."""
SECONDS = 60


@dataclass(frozen=True)
class Pin:
    """A distribution of a lock: its version, where it is installed, and the SHA-256 of its files."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]


def pins(lock: str) -> list[Pin]:
    """Return all pins of locks/<lock>.txt. Raises ValueError for a line that is none."""
    text = (LOCKS / f"{lock}.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    return [_pin(line) for line in text.splitlines() if line.strip() and not line.startswith("#")]


def on_lambda(pin: Pin) -> bool:
    """Return True if the pin is installed on Lambda."""
    environment = {"python_version": "3.13", "python_full_version": "3.13.0", "sys_platform": "linux"}
    return not pin.marker or Marker(pin.marker).evaluate(environment | {"platform_machine": "aarch64"})


def _pin(line: str) -> Pin:
    match = re.fullmatch(r"([\w.-]+)(?:\[[\w,-]+\])?==(\S+)(?: ; (.*?))?((?:\s+--hash=sha256:[0-9a-f]{64})+)\s*", line)
    if match is None:
        raise ValueError(f"not a pin with hashes: {line[:80]}")
    return Pin(canonicalize_name(match[1]), match[2], match[3] or "", tuple(re.findall(r"sha256:(\w+)", match[4])))


def licence_of(name: str) -> str:
    """Return the licence that an installed distribution states: as SPDX expression, by classifiers, or in a field."""
    metadata: Any = importlib.metadata.metadata(name)
    classified = [one.rpartition(" :: ")[2] for one in metadata.get_all("Classifier", []) if "License ::" in one]
    named = sorted(one for one in classified if one != "OSI Approved")
    return metadata.get("License-Expression") or ", ".join(named) or metadata.get("License") or "not stated"


def licences() -> str:
    """Return the page of the licences of all that the layer has."""
    rows = [f"| {pin.name} | {pin.version} | {licence_of(pin.name)} |" for pin in pins("layer") if on_lambda(pin)]
    return "\n".join(
        [
            "# Licences of the layer",
            "",
            "The libraries in the Lambda layer, as each states its licence. Written by `make licences`; the versions",
            "are those of `locks/layer.txt`. The word lists have [their own licences](../wordlists/LICENSES.md).",
            "`make sbom` writes the same as a CycloneDX document, with the hashes of the files.",
            "",
            "| library | version | licence |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )


def lock(upgrade: bool) -> None:
    """Write all locks. Versions that still fit are kept, unless `upgrade`. Raises CalledProcessError."""
    for name, (arguments, given) in SOURCES.items():
        print(f"locks/{name}.txt ...", flush=True)
        with_the_layer = ["--constraint", "locks/layer.txt"] if name in WITH_THE_LAYER else []
        overrides = ["--override", "locks/overrides.txt"] if name in WITH_THE_LAYER else []
        subprocess.run(
            [
                *(str(SUPPLY / "bin" / "uv"), "pip", "compile", "--quiet", *arguments),
                *("--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate"),
                *(*with_the_layer, *overrides, *(["--upgrade"] if upgrade else []), "-o", f"locks/{name}.txt"),
            ],
            cwd=ROOT,
            input=given,
            text=True,
            check=True,
            stdout=subprocess.DEVNULL,
        )


def sbom() -> dict[str, Any]:
    """Return the CycloneDX document of the layer, with the hashes that its lock allows. Raises ValueError.

    The licences are those of an environment in which exactly the lock is installed.
    """
    environment = SUPPLY / "layer"
    venv.create(environment, clear=True, with_pip=True)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--require-hashes", "-r", str(LOCKS / "layer.txt")], check=True)
    made = subprocess.run(
        [str(SUPPLY / "bin" / "cyclonedx-py"), "environment", "--output-reproducible", str(environment)],
        capture_output=True,
        text=True,
        check=True,
    )
    return completed(json.loads(made.stdout), pins("layer"))


def completed(document: dict[str, Any], locked: list[Pin]) -> dict[str, Any]:
    """Return the document with locked components alone, each with its hashes. Raises ValueError if one is missing."""
    by_name = {str(canonicalize_name(one["name"])): one for one in document["components"]}
    components = []
    for pin in locked:
        component = by_name.get(pin.name)
        if component is None or component["version"] != pin.version:
            raise ValueError(f"the document lacks {pin.name} {pin.version}")
        components.append(component | {"hashes": [{"alg": "SHA-256", "content": one} for one in pin.hashes]})
    kept = {component["bom-ref"] for component in components}
    dependencies = [
        one | {"dependsOn": [ref for ref in one.get("dependsOn", []) if ref in kept]}
        for one in document.get("dependencies", [])
        if one["ref"] in kept
    ]
    return document | {"components": components, "dependencies": dependencies}


def audit(locks: list[str]) -> int:
    """Ask OSV for known vulnerabilities of the pins. Return 1 if there are any, 0 if none or if OSV does not answer."""
    files = [argument for name in locks for argument in ("-r", str(LOCKS / f"{name}.txt"))]
    command = [str(SUPPLY / "bin" / "pip-audit"), "--vulnerability-service", "osv", "--disable-pip", "--no-deps"]
    try:
        done = subprocess.run(
            [*command, "--timeout", "10", "--progress-spinner", "off", "--format", "json", *files],
            capture_output=True,
            text=True,
            timeout=SECONDS * 5,
            check=False,
        )
        answer, reason = done.stdout, (done.stderr.strip().splitlines() or ["no answer"])[-1]
    except subprocess.TimeoutExpired:
        answer, reason = "", "no answer in time"
    lines, failed = verdict(answer, reason)
    print("\n".join(lines))
    return int(failed)


def verdict(answer: str, reason: str) -> tuple[list[str], bool]:
    """Return what to print for pip-audit's answer, and True if a pin has a known vulnerability."""
    try:
        audited = json.loads(answer)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return [
            "NOT AUDITED: OSV, the source of advisories, cannot be reached from here; no pin was looked up.",
            f"  {reason}",
            "  Run `make audit` where https://api.osv.dev answers, before a release.",
        ], False
    found = list(_vulnerable(audited))
    if not found:
        return [f"Audited {len(audited)} pins: none has a known vulnerability."], False
    return [*found, "Raise these pins: make locks ARGS=--upgrade"], True


def _vulnerable(audited: list[dict[str, Any]]) -> Iterator[str]:
    for one in audited:
        for advisory in one.get("vulns", []):
            fixed = ", ".join(advisory.get("fix_versions", [])) or "no version yet"
            yield f"{one['name']} {one['version']}: {advisory['id']}, fixed in {fixed}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.supply", description=str(__doc__).split("\n\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("lock", help="write locks/").add_argument("--upgrade", action="store_true")
    verbs.add_parser("licences", help="write docs/licences.md")
    verbs.add_parser("sbom", help="write build/layer.cdx.json")
    verbs.add_parser("audit", help="look the pins up").add_argument("locks", nargs="*", default=list(SOURCES))
    arguments = parser.parse_args()
    if arguments.verb == "lock":
        lock(arguments.upgrade)
    elif arguments.verb == "licences":
        PAGE.write_text(licences(), encoding="utf-8")
    elif arguments.verb == "sbom":
        document = sbom()
        path = ROOT / "build" / "layer.cdx.json"
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        print(
            f"{path.relative_to(ROOT)}: {len(document['components'])} components, CycloneDX {document['specVersion']}"
        )
    else:
        return audit(arguments.locks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
