"""Time that stands still in the modules of the game."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import wordle_tournament
from wordle_tournament import clock


@contextlib.contextmanager
def stopped_time(now_ms: Callable[[], int]) -> Iterator[None]:
    """Give every module of the game the time of `now_ms` for the length of the context."""
    with contextlib.ExitStack() as exit_:
        stopped = _StoppedTime(now_ms)
        for module in _modules_of_the_game():
            if getattr(module, "time", None) is time:
                exit_.enter_context(mock.patch.object(module, "time", stopped))
        exit_.enter_context(mock.patch.object(clock, "sleep"))
        yield


class _StoppedTime:
    """Stand in for the module `time`: the time of `now_ms`, and short pauses."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms

    def time_ns(self) -> int:
        return self._now_ms() * 1_000_000

    def time(self) -> float:
        return self._now_ms() / 1000

    def sleep(self, seconds: float) -> None:
        time.sleep(min(seconds, 0.005))


def _modules_of_the_game() -> list[Any]:
    for found in pkgutil.walk_packages(wordle_tournament.__path__, "wordle_tournament."):
        importlib.import_module(found.name)
    return [module for name, module in sys.modules.items() if name.startswith("wordle_tournament.")]
