"""Visit the stage as a player does, from outside: connect, sign in, ask, and leave nothing behind."""

import json
from typing import Any

from websockets.sync.client import ClientConnection, connect

from wordle_tournament.config import settings

SECONDS = 5.0
"""How long the connection, and each answer, may take."""
STEPS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("hello", {}, "welcome"),
    ("languages", {}, "languages"),
    ("createGroup", {}, "group"),
    ("sync", {}, "state"),
    ("leaveGroup", {}, "left"),
    ("ping", {}, "pong"),
    ("deleteMe", {"confirm": True}, "deleted"),
)
"""The action, its fields, and the type of its answer. The queue is not touched, so no player meets this one."""


class VisitFailed(Exception):
    """The stage did not answer as it should; the text names the step."""


def visit() -> dict[str, Any]:
    """Visit the address in the settings. Return the number of answers. Raises VisitFailed.

    If a step fails, the guest stays, as every guest does that nobody deletes.
    """
    step = "connect"
    try:
        # No proxy: the address is that of the deployment, and nothing else is to be tried.
        with connect(settings().synthetic_url, open_timeout=SECONDS, close_timeout=1, proxy=None) as socket:
            for action, fields, expected in STEPS:
                step = action
                answer = _ask(socket, action, fields)
                if answer.get("type") != expected:
                    raise VisitFailed(f"{action}: {answer.get('code') or answer.get('message') or answer.get('type')}")
    except VisitFailed:
        raise
    except Exception as error:
        raise VisitFailed(f"{step}: {type(error).__name__}: {error}") from error
    return {"answers": len(STEPS)}


def _ask(socket: ClientConnection, action: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Send a request. Return the frame with its `ref`, or API Gateway's own, which has none. Raises TimeoutError."""
    socket.send(json.dumps({"action": action, "ref": action, **fields}))
    while True:
        frame: dict[str, Any] = json.loads(socket.recv(timeout=SECONDS))
        if frame.get("ref") == action or "type" not in frame:
            return frame
