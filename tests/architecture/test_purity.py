"""Violations that imports alone do not show: hidden randomness, and imports from a string."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RULES = sorted((ROOT / "shared" / "wordle_tournament" / "rules").glob("*.py"))
PRODUCT = sorted(
    path for package in ("shared", "functions", "client", "infra", "tools") for path in (ROOT / package).rglob("*.py")
)


def impurities(source: str) -> Iterator[str]:
    """Yield what a rule does that depends on more than its arguments.

    Of `random` only the type `Random` may be named: its module-level functions have a hidden state.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module="random", names=names):
                yield from (f"random.{alias.name}" for alias in names if alias.name != "Random")
            case ast.Attribute(value=ast.Name(id="random"), attr=name) if name != "Random":
                yield f"random.{name}"
            case ast.Call(func=ast.Name(id="open" | "print" | "input" | "__import__" | "exec" | "eval" as name)):
                yield name


def imports_by_name(source: str) -> Iterator[int]:
    """Yield the lines that import a module whose name is a string in the code: no contract sees such an arrow."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="import_module") | ast.Name(id="import_module" | "__import__"),
                args=[ast.Constant(), *_],
            ):
                yield node.lineno


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_a_rule_depends_on_its_arguments_only(path: Path) -> None:
    assert list(impurities(path.read_text())) == []


def test_no_arrow_is_hidden_in_a_string() -> None:
    hidden = [f"{path.relative_to(ROOT)}:{line}" for path in PRODUCT for line in imports_by_name(path.read_text())]
    assert hidden == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import random\nx = random.random()", ["random.random"]),
        ("import random\nx = random.choice([1])", ["random.choice"]),
        ("from random import shuffle", ["random.shuffle"]),
        ("print(open('x'))", ["print", "open"]),
        ("import random\ndef draw(rng: random.Random) -> int:\n    return rng.choice([1])", []),
    ],
)
def test_impurities_are_found(source: str, found: list[str]) -> None:
    assert list(impurities(source)) == found


def test_imports_by_name_are_found() -> None:
    assert list(imports_by_name("import importlib\nimportlib.import_module('infra.local')")) == [2]
    assert list(imports_by_name("from importlib import import_module\nimport_module('infra')")) == [2]
    assert list(imports_by_name("__import__('infra')")) == [1]
    assert list(imports_by_name("import importlib\nimportlib.import_module(handler)")) == []
