"""Each route's use case returns the message that its request declares, and a wrong deployment fails at the start."""

import importlib.util
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_config import ENVIRONMENT
from wordle_tournament import config, entry
from wordle_tournament.protocol import requests
from wordle_tournament.protocol.requests import Request

FUNCTIONS = sorted((Path(__file__).parents[2] / "functions").glob("*.py"))


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> typing.Iterator[None]:
    for name, text in ENVIRONMENT.items():
        monkeypatch.setenv(name, text)
    monkeypatch.setattr(entry, "make_clients", lambda **_: None)
    config.reset()
    yield
    config.reset()


def start(path: Path) -> None:
    """Run the module as a function's init does, and do not keep it."""
    spec = importlib.util.spec_from_file_location(f"started_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_a_use_case_returns_the_answer_that_its_request_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    routed: list[tuple[type[Request], Callable[..., Any]]] = []
    route = entry.route

    def record(request_type: type[Request], use_case: Callable[..., Any]) -> entry.Handler:
        routed.append((request_type, use_case))
        return route(request_type, use_case)

    monkeypatch.setattr(entry, "route", record)
    for path in FUNCTIONS:
        start(path)
    for request_type, use_case in routed:
        assert typing.get_type_hints(use_case)["return"] is request_type.answer, request_type.__name__
    declared = {
        model
        for model in vars(requests).values()
        if isinstance(model, type) and issubclass(model, Request) and model is not Request
    }
    assert {request_type for request_type, _ in routed} == declared


@pytest.mark.parametrize("path", FUNCTIONS, ids=lambda path: path.stem)
def test_a_function_without_a_setting_fails_at_its_start(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TURN_SECONDS")
    with pytest.raises(config.SettingsError, match=r"TURN_SECONDS must be .*, but is not set"):
        start(path)
