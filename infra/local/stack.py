"""The one-process stack: the backend of template.yaml behind a real WebSocket on this machine."""

from __future__ import annotations

import contextlib
import gc
import inspect
import ipaddress
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from infra.local import drawer, template
from infra.local.aws import Emulator, FunctionError, Handler
from infra.local.backend import LocalBackend
from infra.local.gateway import MAX_SIZES, Gateway
from infra.local.keeping import TIDY_SECONDS, Keeper, Tables, tidy
from wordle_tournament import clock, log

WEB = template.ROOT / "web"
PROTOCOL_PAGE = template.ROOT / "build" / "protocol"
"""The AsyncAPI document as a page, if `make docs` has built it."""
KIT = "client/javascript"
"""The folder whose modules the page loads, by the same path from the page's address as in this repository."""

SCHEDULE_SECONDS = 60
"""The time between two runs of a scheduled function on AWS."""

logger = logging.getLogger(__name__)


class LocalStack(LocalBackend):
    """A backend that listens; use it as a context manager.

    `parameters` replace the template's, for instance {"TurnSeconds": "2"}; `port` 0 takes a free one.
    `idle_seconds` and `lifetime_seconds` are API Gateway's limits, `sweep_seconds` the time between
    two runs of scheduled functions (None: as the template says). Everything is kept in memory; with `keep`, a folder,
    players, ratings, records and groups outlive the process; then `start` may raise CannotKeep.
    """

    def __init__(
        self,
        parameters: Mapping[str, str] | None = None,
        handlers: Mapping[str, Handler] | None = None,
        path: Path = template.TEMPLATE,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        idle_seconds: float = 600,
        lifetime_seconds: float = 7200,
        sweep_seconds: float | None = None,
        emulator: Emulator = "memory",
        keep: Path | None = None,
    ) -> None:
        super().__init__(parameters, handlers, path, emulator)
        self._keeper = None if keep is None else Keeper(keep, self._tables())
        self.freed = 0
        """The number of players whose game had ended with the last run of a stack that keeps them."""
        self.host = host
        self.port = port
        self._sweep_seconds = sweep_seconds
        self.gateway = Gateway(
            frozenset(self.template.routes),
            self._invoke_route,
            route_selection=self.template.route_selection,
            api_id=self.template.api_id,
            stage=self.template.stage,
            idle_seconds=idle_seconds,
            lifetime_seconds=lifetime_seconds,
        )
        self.jump: Callable[[int], object] | None = None
        """Moves the clock on by so many ms, where that is possible: in a rehearsal."""
        self.rehearsal_token: str | None = None
        """The token of the player of a rehearsal, which the page at /rehearsal takes on."""
        self._open = contextlib.ExitStack()

    @property
    def ws_url(self) -> str:
        """The address that clients connect to."""
        return f"ws://{self._address()}/ws"

    @property
    def http_url(self) -> str:
        """The address of the web client."""
        return f"http://{self._address()}/"

    def start(self) -> None:
        """Deploy and listen. Raise OSError if the port is taken."""
        super().start()
        with contextlib.ExitStack() as open_:
            open_.callback(log.keep_to_level)
            open_.callback(super().stop)
            # Their module was imported before the environment was that of functions.
            log.keep_to_level()
            open_.callback(self._remember())
            self.aws.connections = self.gateway
            open_.callback(self.gateway.stop)
            for logical_id, seconds in self.template.schedules.items():
                every = seconds if self._sweep_seconds is None else self._sweep_seconds
                open_.callback(self._repeat(logical_id, every))
                # A sweeper that comes soon again need not wait for answers.
                clock.rest() if every >= SCHEDULE_SECONDS else clock.wake()
            open_.callback(clock.wake)
            open_.callback(self._listen())
            open_.callback(self.gateway.begin_stopping)
            self._open = open_.pop_all()

    def stop(self) -> None:
        """Close every connection without `$disconnect`, let running handlers end, forget everything."""
        self._open.close()

    def __enter__(self) -> LocalStack:
        self.start()
        return self

    def _address(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def _invoke_route(self, route: str, event: Any) -> Any:
        return self.invoke(self.template.routes[route], event)

    def _tables(self) -> Tables:
        names = {place: table["TableName"] for place, table in self.template.tables.items()}
        return Tables(*(names[f"{place}Table"] for place in ("Players", "Groups", "Lobbies", "Tournaments", "Duels")))

    def _remember(self) -> Callable[[], None]:
        """Bring back what was kept, and forget from time to time what DynamoDB would. Return what ends that."""
        memory = self.aws.memory
        if memory is None:
            return lambda: None
        tables = self._tables()
        if self._keeper is not None:
            self._keeper.open()
            self.freed = self._keeper.restore(memory)
            self._keeper.follow(memory)
        stop_tidying = _every(TIDY_SECONDS, "tidying", lambda: tidy(memory, tables))

        def end() -> None:
            stop_tidying()
            if self._keeper is not None:
                self._keeper.close(memory)

        return end

    def _listen(self) -> Any:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((self.host, self.port))
        self.port = listener.getsockname()[1]
        server = uvicorn.Server(
            uvicorn.Config(
                self._app(),
                # This implementation takes a limit for the frame and one for the message.
                ws="websockets-sansio",
                ws_max_size=cast(int, MAX_SIZES),
                # API Gateway neither pings nor compresses.
                ws_ping_interval=None,
                ws_per_message_deflate=False,
                lifespan="off",
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=2,
            )
        )
        thread = threading.Thread(target=server.run, args=([listener],), name="gateway", daemon=True)
        thread.start()
        while not server.started:
            if not thread.is_alive():
                raise OSError("the gateway did not start")
            time.sleep(0.005)

        def close() -> None:
            server.should_exit = True
            thread.join()
            listener.close()

        return close

    def _app(self) -> Starlette:
        async def health(request: Request) -> JSONResponse:
            return JSONResponse({"status": "ok"})

        routes: list[BaseRoute] = [
            Route("/health", health),
            WebSocketRoute("/ws", self.gateway.serve),
        ]
        if is_loopback(self.host):
            routes.append(Route("/rehearsal", self._rehearsal))
            routes.extend(drawer.routes(lambda: self.jump))
            routes.append(Route("/admin", _admin, methods=["POST"]))
        if WEB.is_dir():
            routes.append(Mount(f"/{KIT}", _PageFiles(directory=template.ROOT / KIT)))
            if PROTOCOL_PAGE.is_dir():
                routes.append(Mount("/protocol", _PageFiles(directory=PROTOCOL_PAGE, html=True)))
            routes.append(Mount("/", _PageFiles(directory=WEB, html=True)))
        return Starlette(routes=routes)

    async def _rehearsal(self, request: Request) -> Response:
        """Answer with a page that signs the browser in as the player of the rehearsal. No token is in an address."""
        if self.rehearsal_token is None or not is_loopback(request.url.hostname or ""):
            return JSONResponse({"error": "there is no rehearsal"}, 404)
        text = REHEARSAL_PAGE % json.dumps(self.rehearsal_token)
        return Response(text, media_type="text/html", headers=PAGE_HEADERS | {"Cache-Control": "no-store"})

    def _repeat(self, logical_id: str, seconds: float) -> Any:
        """Run a scheduled function again and again. Log a failure; the next run comes all the same."""

        def run() -> None:
            # A function that `handlers` left out does not exist.
            if self.template.functions[logical_id].name in self.aws.functions:
                with contextlib.suppress(FunctionError):
                    self.invoke(logical_id, {})

        return _every(seconds, logical_id, run)


def _every(seconds: float, name: str, act: Callable[[], object]) -> Callable[[], None]:
    """Do that again and again in a thread of its own. Return what ends it."""
    done = threading.Event()

    def run() -> None:
        while not done.wait(seconds):
            act()

    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()

    def stop() -> None:
        done.set()
        thread.join()

    return stop


def freeze_start() -> Callable[[], None]:
    """Take all that the start has made out of later garbage collections. Return what puts it back.

    A full collection looks at every object, and stops all threads meanwhile: here those of the libraries and word lists
    are most of them.
    """
    gc.collect()
    gc.freeze()
    return gc.unfreeze


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach a server that listens on `host`."""
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


PAGE_HEADERS = {
    # Browsers ask each time whether a file has changed: after a pull, a page never mixes two versions.
    "Cache-Control": "no-cache",
    # The page cannot set this itself (docs/security.md): no other site shows it in a frame of its own.
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}


REHEARSAL_PAGE = """<!doctype html>
<script>
localStorage.setItem("wordle-tournament.token.rehearsal", %s);
location.replace("/?player=rehearsal");
</script>
"""


class _PageFiles(StaticFiles):
    def file_response(self, *args: Any, **options: Any) -> Response:
        response = super().file_response(*args, **options)
        response.headers.update(PAGE_HEADERS)
        return response


async def _admin(request: Request) -> JSONResponse:
    """Run an operator's verb and answer with its result.

    The body is {"verb": a function of `play.admin.verbs`, "arguments": {name: text}}. Only programs on this machine
    reach it, and no web page: a page of another site can neither send JSON here nor be called by a loopback name.
    """
    from wordle_tournament.entry import run_admin_command
    from wordle_tournament.errors import GameError
    from wordle_tournament.play.admin import verbs
    from wordle_tournament.store import Conflict

    def refusal(status: int, reason: str) -> JSONResponse:
        return JSONResponse({"error": reason}, status)

    if not is_loopback(request.url.hostname or "") or request.headers.get("content-type") != "application/json":
        return refusal(403, "an admin command comes from this machine, in JSON")
    try:
        asked = await request.json()
        verb = vars(verbs)[asked["verb"]]
        if not inspect.isfunction(verb) or verb.__module__ != verbs.__name__ or verb.__name__.startswith("_"):
            raise KeyError(asked["verb"])
        arguments = inspect.signature(verb).bind(**asked["arguments"])
    except (ValueError, KeyError, TypeError):
        return refusal(400, "there is no such verb, or not with these arguments")
    try:
        return JSONResponse(await run_in_threadpool(run_admin_command, verb, *arguments.args, **arguments.kwargs))
    except verbs.AdminError as error:
        return refusal(404, f"{error}.")
    except GameError as error:
        return refusal(409, str(error))
    except Conflict:
        return refusal(503, "others were writing all the time. Nothing is lost; try again.")
    except Exception:
        logger.exception("an admin command failed")
        return refusal(500, "the stack failed; its terminal says how.")
