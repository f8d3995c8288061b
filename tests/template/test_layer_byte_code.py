"""The layer holds byte code of Lambda's Python that checks nothing, and only the services that are called."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from infra.local.template import ROOT
from tools.bench import start

MAGIC_3_13 = (3571).to_bytes(2, "little") + b"\r\n"
"""The magic number of Python 3.13 (CPython, Include/internal/pycore_magic_number.h)."""
UNCHECKED = (1).to_bytes(4, "little")
"""The flags of byte code by hash whose source is not looked at (PEP 552)."""
SERVICES = {"dynamodb", "stepfunctions", "apigatewaymanagementapi"}


def make(target: str, folder: Path, *variables: str) -> str:
    """Make the target of the layer's recipe. Return what SAM would show."""
    command = ["make", "-C", "shared", target, f"ARTIFACTS_DIR={folder}", f"PYTHON={sys.executable}", *variables]
    environment = {name: value for name, value in os.environ.items() if name != "LAYER_FOR"}
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    module = tmp_path / "python" / "module.py"
    module.parent.mkdir()
    module.write_text("answer = 42")
    return tmp_path


def test_byte_code_is_used_whatever_the_date_of_its_source(folder: Path) -> None:
    """SAM dates all files 1980."""
    make("byte-code", folder, "LAYER_FOR=host")
    module = folder / "python" / "module.py"
    (compiled,) = folder.rglob("*.pyc")
    assert compiled == Path(importlib.util.cache_from_source(str(module)))
    assert compiled.read_bytes()[:8] == importlib.util.MAGIC_NUMBER + UNCHECKED
    module.write_text("answer = 43")
    os.utime(module, (315_532_800, 315_532_800))
    program = [sys.executable, "-c", "import module; print(module.answer)"]
    used = subprocess.run(program, env={"PYTHONPATH": str(module.parent)}, capture_output=True, text=True, check=True)
    assert used.stdout == "42\n"


def test_a_layer_without_byte_code_says_so_loudly(folder: Path) -> None:
    said = make("byte-code", folder, "PYTHON_3_13=")
    assert "WARNING: THE LAYER HAS NO BYTE CODE" in said
    assert not list(folder.rglob("*.pyc"))
    assert "WARNING" not in make("byte-code", folder, "LAYER_FOR=host")


def test_a_python_of_another_version_does_not_compile_for_lambda(folder: Path) -> None:
    make("byte-code", folder)
    magic = {compiled.read_bytes()[:4] for compiled in folder.rglob("*.pyc")}
    assert magic == ({MAGIC_3_13} if start.lambdas_python() else set())


def test_the_layer_keeps_the_models_of_the_services_that_it_calls() -> None:
    """tests/integration/budgets/test_clients.py holds that a game makes clients of no other."""
    (kept,) = re.findall(r"^SERVICES := (.*)$", (ROOT / "shared" / "Makefile").read_text(), re.MULTILINE)
    assert set(kept.split()) == SERVICES
    asked = {
        service
        for path in (ROOT / "shared").rglob("*.py")
        for service in re.findall(r'make_client\(\s*"(\w+)"', path.read_text())
    }
    assert asked == SERVICES - {"dynamodb"}, "that of DynamoDB is made by PynamoDB"


@pytest.mark.slow
@pytest.mark.skipif(start.lambdas_python() is None, reason="needs Python 3.13")
def test_the_layer_for_lambda_is_all_byte_code_of_3_13_and_small(tmp_path: Path) -> None:
    make("build-SharedLayer", tmp_path)
    sources, compiled = list((tmp_path / "python").rglob("*.py")), list((tmp_path / "python").rglob("*.pyc"))
    assert len(sources) == len(compiled) > 500
    assert {one.read_bytes()[:8] for one in compiled} == {MAGIC_3_13 + UNCHECKED}
    data = tmp_path / "python" / "botocore" / "data"
    assert {one.name for one in data.iterdir() if one.is_dir()} == SERVICES
    assert start.zipped_bytes(tmp_path) < 20_000_000
