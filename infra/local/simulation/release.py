"""The code of an earlier release beside today's, in this process: its package is imported under another name.

The release is taken from its tag in Git, once for each checkout. A copy of the repository without the tag has no
earlier release, and histories go without it.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from io import BytesIO
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from infra.local.aws import Handler

TAG = "1.0.0"
PACKAGE = "wordle_tournament"
ALIAS = "released_tournament"
ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "build" / "releases" / TAG
TASKS = {"advance_round": "advance_round", "skip_turn": "skip_turn", "end_reconnect_window": "forfeit"}
"""The modules of the machines' tasks in the release, by their names of today."""
ROUTES = {"$connect": "connect", "$disconnect": "disconnect", "$default": "default"}
SWEEP = "sweep"


def take_out() -> Path | None:
    """Return the folder with the release's code, made from its tag if need be; None if there is no such tag."""
    if not (FOLDER / "functions").is_dir():
        command = ["git", "-C", str(ROOT), "archive", TAG, "functions", "shared", "wordlists"]
        try:
            archive = subprocess.run(command, capture_output=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return None
        part = FOLDER.with_name(f"{TAG}.{os.getpid()}")
        part.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=BytesIO(archive)) as files:
            files.extractall(part, filter="data")
        with contextlib.suppress(OSError):  # another process was first
            part.rename(FOLDER)
    return FOLDER


class _Loader(SourceFileLoader):
    """Compiles a file of the release with the other name in place of the package's own."""

    def source_to_code(self, data: Any, path: Any, *, _optimization: int = -1) -> CodeType:  # type: ignore[override]
        renamed = re.sub(rf"\b{PACKAGE}\b".encode(), ALIAS.encode(), bytes(data))
        return super().source_to_code(renamed, path)


class _Finder(MetaPathFinder):
    """Finds the modules of the release's package."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != ALIAS:
            return None
        place = self._folder / "shared" / PACKAGE / Path(*fullname.split(".")[1:])
        if (place / "__init__.py").exists():
            file = place / "__init__.py"
            return spec_from_file_location(
                fullname, file, loader=_Loader(fullname, str(file)), submodule_search_locations=[str(place)]
            )
        file = place.with_suffix(".py")
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, str(file))) if file.exists() else None


class Release:
    """The handlers of the release, by route or task of today. A route that it did not have is missing."""

    def __init__(self, folder: Path, routes: Sequence[str]) -> None:
        self._folder = folder
        sys.meta_path.insert(0, _Finder(folder))
        sys.modules.setdefault("coolname", _names())
        self.package = importlib.import_module(ALIAS)
        self.handlers: dict[str, Handler] = {}
        for route in routes:
            if (handler := self._load(ROUTES.get(route, _snake(route)))) is not None:
                self.handlers[route] = handler
        for name, module in (*TASKS.items(), (SWEEP, SWEEP)):
            if (handler := self._load(module)) is not None:
                self.handlers[name] = _without_task(handler)

    def _load(self, name: str) -> Handler | None:
        file = self._folder / "functions" / f"{name}.py"
        if not file.exists():
            return None
        full_name = f"{ALIAS}_functions_{name}"
        spec = spec_from_file_location(full_name, file, loader=_Loader(full_name, str(file)))
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        handler: Handler = module.handler
        return handler


def _without_task(handler: Handler) -> Handler:
    """Return the handler for an input of today, which names the task."""
    return lambda event, context: handler({name: value for name, value in event.items() if name != "task"}, context)


def _names() -> ModuleType:
    """Stand in for coolname, from which the release had its nicknames."""
    module = ModuleType("coolname")
    vars(module).update(generate=lambda number=2: ["quiet", "otter"][:number], replace_random=lambda rng: None)
    return module


class InTurn:
    """Stands in for the release's pool of threads: makes each call at once."""

    def submit(self, call: Any, *args: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(call(*args))
        except Exception as error:
            done.set_exception(error)
        return done


@contextlib.contextmanager
def pools_in_turn(package: ModuleType) -> Iterator[None]:
    """Have the release push in turn, in an order that is the same in every process."""
    push: Any = importlib.import_module(f"{package.__name__}.push")
    pool, send = push._pool, push.send
    push._pool, push.send = InTurn, lambda frames: sorted(send(dict(sorted(frames.items()))))
    try:
        yield
    finally:
        push._pool, push.send = pool, send


def _snake(route: str) -> str:
    return re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", route)
