"""The developer's drawer of the local page: /drawer is the page with infra/local/drawer.js in front of its scripts.

The page itself knows nothing of it, so no deployed page has it. It is served on loopback alone.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from infra.local import template

SCRIPT = Path(__file__).with_name("drawer.js")
INDEX = template.ROOT / "web" / "index.html"
SCHEMAS = template.ROOT / "docs" / "protocol" / "schemas"
EXAMPLES = template.ROOT / "docs" / "protocol" / "examples"
FIRST_SCRIPT = "<script"
LONGEST_JUMP_MS = 3_600_000


def routes(jump: Callable[[], Callable[[int], object] | None]) -> list[BaseRoute]:
    """Return the drawer's routes. `jump` gives what moves the clock on by so many ms, or None if it cannot be moved."""

    async def page(request: Request) -> Response:
        before, tag, after = INDEX.read_text(encoding="utf-8").partition(FIRST_SCRIPT)
        return Response(f'{before}<script src="/drawer.js"></script>\n  {tag}{after}', media_type="text/html")

    async def script(request: Request) -> Response:
        return Response(SCRIPT.read_text(encoding="utf-8"), media_type="text/javascript")

    async def protocol(request: Request) -> Response:
        return JSONResponse({"schemas": schema_names(), "requests": requests()})

    async def move_clock(request: Request) -> Response:
        if request.headers.get("content-type") != "application/json":  # no page of another site can send that
            return JSONResponse({"error": "in JSON"}, 403)
        move, ms = jump(), await request.json()
        if move is None or not isinstance(ms, int) or not 0 < ms <= LONGEST_JUMP_MS:
            return JSONResponse({"error": "this clock does not jump"}, 409)
        move(ms)
        return JSONResponse({"jumped_ms": ms})

    return [
        Route("/drawer", page),
        Route("/drawer.js", script),
        Route("/protocol.json", protocol),
        Route("/jump", move_clock, methods=["POST"]),
    ]


def schema_names() -> dict[str, str]:
    """Return the name of the schema of each request and frame."""
    names: dict[str, str] = {}
    for path in sorted(SCHEMAS.glob("*.json")):
        properties = json.loads(path.read_text(encoding="utf-8"))["properties"]
        tag = properties["action" if "action" in properties else "type"]["const"]
        # A request and its answer may share their name in JSON: the drawer shows both.
        names[tag] = f"{names[tag]} / {path.stem}" if tag in names else path.stem
    return names


def requests() -> list[dict[str, Any]]:
    """Return the examples of requests, without their refs, to complete what is typed."""
    frames = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(EXAMPLES.glob("*.json"))]
    return [{key: value for key, value in one.items() if key != "ref"} for one in frames if "action" in one]
