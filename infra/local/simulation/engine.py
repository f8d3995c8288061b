"""The part that all histories of a process share: handlers, loaded once, and their surroundings, replaced once.

Time, chance, settings and AWS are asked of the fiber that asks, so each call of a handler may have its own: clocks
differ, and functions of two deployments run side by side.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import pkgutil
import random
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from unittest import mock

import wordle_tournament
from infra.local.aws import REGION, Handler
from infra.local.backend import LocalBackend
from infra.local.simulation import release
from infra.local.simulation.calls import SimulatedAws
from infra.local.simulation.fibers import VirtualTime
from infra.local.testing.in_turn import in_turn
from wordle_tournament import clock, config, words
from wordle_tournament.config import Settings
from wordle_tournament.delivery import flooding
from wordle_tournament.words import Language

LANGUAGES = ("en", "uz")
"""The languages that are played. The sweeper looks at the lobbies of each language, so a few are enough."""


@dataclass(eq=False)
class Invocation:
    """One call of a function, and the process that it has."""

    name: str
    function: str
    route: str
    payload: Mapping[str, Any]
    """The input of a machine's task."""
    settings: Settings
    rng: random.Random
    started_ms: int
    timeout_ms: int
    released: bool = False
    """The earlier release takes it."""
    skew_ms: int = 0
    calls: int = 0
    faults: list[str] = field(default_factory=list)
    """The kinds of faults that struck it."""
    crashed: bool = False
    refs: list[tuple[str, str]] = field(default_factory=list)
    """The answers that it sent: connection and ref."""
    codes: list[str] = field(default_factory=list)
    """The codes of its refusals."""


class Engine:
    """Handlers and their surroundings. Use it as a context manager, and play one history after another."""

    def __init__(self, with_release: bool = True) -> None:
        self._with_release = with_release
        self.release: release.Release | None = None
        """The release before this one, if there is a copy of its code."""
        self.backend = LocalBackend()
        self.template = self.backend.template
        self.functions: Mapping[str, Handler] = {}
        self.time = VirtualTime(0)
        self.aws = SimulatedAws(self.template.tables)
        self._exit = contextlib.ExitStack()

    def __enter__(self) -> Engine:
        with contextlib.ExitStack() as exit_:
            exit_.enter_context(self._environment())
            exit_.enter_context(self.aws.answering())
            _forget_clients()
            exit_.callback(_forget_clients)
            self.functions = self.backend.load_handlers()
            self.settings = config.read_settings(os.environ)
            exit_.enter_context(self._surroundings(wordle_tournament))
            # It draws by a generator of its own, and tests have it draw nothing.
            exit_.enter_context(mock.patch.object(flooding, "draw", self._draw))
            if self._with_release and (folder := release.take_out()) is not None:
                self.release = release.Release(folder, list(self.template.routes))
                exit_.enter_context(release.pools_in_turn(self.release.package))
                exit_.enter_context(self._surroundings(self.release.package))
            # The earlier release has its own list of languages.
            few = {code: language for code, language in words.languages().items() if code in LANGUAGES}
            exit_.enter_context(_few_languages(few))
            exit_.enter_context(_silence())
            self._exit = exit_.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.time.end()
        self._exit.close()

    def begin(self, now_ms: int) -> None:
        """Forget the history before."""
        self.time.end()
        self.time = VirtualTime(now_ms)
        self.aws.clear()

    @property
    def invocation(self) -> Invocation | None:
        """Return the call that is at work now."""
        fiber = self.time.current
        return fiber.context if fiber is not None and isinstance(fiber.context, Invocation) else None

    # -- surroundings ----------------------------------------------------------------------------

    @contextlib.contextmanager
    def _environment(self) -> Iterator[None]:
        with mock.patch.dict(os.environ):
            for name in [name for name in os.environ if name.startswith("AWS_")]:
                del os.environ[name]
            os.environ.update(
                AWS_DEFAULT_REGION=REGION,
                AWS_REGION=REGION,
                AWS_ACCESS_KEY_ID="local",
                AWS_SECRET_ACCESS_KEY="local",
                AWS_CONFIG_FILE=os.devnull,
                AWS_SHARED_CREDENTIALS_FILE=os.devnull,
                AWS_EC2_METADATA_DISABLED="true",
            )
            os.environ.update(self.backend.environment())
            yield

    @contextlib.contextmanager
    def _surroundings(self, package: ModuleType) -> Iterator[None]:
        """Give each module of the package virtual time, the settings of the call, and chance by the seed."""
        settings = config.settings
        with contextlib.ExitStack() as exit_:

            def replace(target: object, name: str, value: object) -> None:
                exit_.enter_context(mock.patch.object(target, name, value))

            for module in modules_of(package):
                if getattr(module, "time", None) is time:
                    replace(module, "time", _Time(self))
                if getattr(module, "monotonic", None) is time.monotonic:
                    replace(module, "monotonic", lambda: self.now_ms() / 1000)
                if getattr(module, "settings", None) is settings:
                    replace(module, "settings", self._settings)
                if isinstance(getattr(module, "rng", None), random.SystemRandom):
                    replace(module, "rng", _Rng(self))
            replace(clock, "sleep", self.sleep)
            replace(secrets, "token_bytes", lambda nbytes=None: self._rng().randbytes(nbytes or 32))
            exit_.enter_context(in_turn())
            yield

    def now_ms(self) -> int:
        """Return the time as the process that asks knows it."""
        invocation = self.invocation
        return self.time.now_ms + (0 if invocation is None else invocation.skew_ms)

    def sleep(self, seconds: float) -> None:
        self.time.sleep(max(1, int(seconds * 1000)))

    def _settings(self) -> Settings:
        invocation = self.invocation
        return self.settings if invocation is None else invocation.settings

    def _draw(self) -> float:
        return self._rng().random()

    def _rng(self) -> random.Random:
        invocation = self.invocation
        assert invocation is not None, "only calls draw"
        return invocation.rng


class _Time:
    """Stands in for the module `time`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def time_ns(self) -> int:
        return self._engine.now_ms() * 1_000_000

    def time(self) -> float:
        return self._engine.now_ms() / 1000

    def sleep(self, seconds: float) -> None:
        self._engine.sleep(seconds)


class _Rng(random.Random):
    """Draws from the generator of the call that asks."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        super().__init__(0)

    def random(self) -> float:
        return self._engine._rng().random()

    def getrandbits(self, k: int) -> int:
        return self._engine._rng().getrandbits(k)


def modules_of(package: ModuleType) -> list[ModuleType]:
    """Return all modules of the package, imported."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(found.name)
    return [module for name, module in sys.modules.items() if name.startswith(f"{package.__name__}.")]


@contextlib.contextmanager
def _few_languages(few: Mapping[str, Language]) -> Iterator[None]:
    with mock.patch.object(words, "languages", return_value=few):
        yield


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Write no log lines: they take time, and a history has more to say."""
    before = logging.root.manager.disable
    if "SIMULATION_LOGS" not in os.environ:
        logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _forget_clients() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("wordle_tournament") and hasattr(module, "reset"):
            reset: Callable[[], Any] = module.reset
            reset()
