"""The fake connections of a test: they keep every frame, and can drop or fall silent."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from infra.local.aws import GoneError

Frame = dict[str, Any]


class FakeConnections:
    """The connections: which ones are open, the frames sent to each, and when each last sent a message."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self.frames: dict[str, list[Frame]] = defaultdict(list)
        self.texts: list[str] = []
        """Every frame sent so far, as text, to all connections."""
        self.closed: set[str] = set()
        self.opened: set[str] = set()
        self.silent_since_ms: dict[str, int] = {}
        """Open connections that send nothing, with the time of their last message; the others ping, as clients do."""
        self.on_post: Callable[[str], None] = lambda connection_id: None

    def open(self, connection_id: str) -> None:
        self.opened.add(connection_id)

    def fall_silent(self, connection_id: str) -> None:
        self.silent_since_ms[connection_id] = self._now_ms()

    def post(self, connection_id: str, data: bytes) -> None:
        self._check(connection_id)
        self.on_post(connection_id)
        text = data.decode()
        assert len(data) < 32 * 1024, "one frame of API Gateway holds 32 KB"
        self.texts.append(text)
        self.frames[connection_id].append(json.loads(text))

    def describe(self, connection_id: str) -> Mapping[str, Any]:
        self._check(connection_id)
        spoke_ms = self.silent_since_ms.get(connection_id, self._now_ms())
        at = datetime.fromtimestamp(spoke_ms / 1000, UTC).isoformat(timespec="milliseconds")
        return {"connectedAt": at, "lastActiveAt": at, "identity": {"sourceIp": "127.0.0.1", "userAgent": "test"}}

    def delete(self, connection_id: str) -> None:
        self._check(connection_id)
        self.closed.add(connection_id)

    def save(self) -> Callable[[], None]:
        """Save the connections and their frames. Return a function that restores them, without `texts`."""
        opened, closed, silent = set(self.opened), set(self.closed), dict(self.silent_since_ms)
        frames = {connection_id: list(sent) for connection_id, sent in self.frames.items()}

        def restore() -> None:
            self.opened, self.closed, self.silent_since_ms = set(opened), set(closed), dict(silent)
            self.frames.clear()
            self.frames.update({connection_id: list(sent) for connection_id, sent in frames.items()})
            self.texts.clear()

        return restore

    def _check(self, connection_id: str) -> None:
        if connection_id not in self.opened or connection_id in self.closed:
            raise GoneError(connection_id)
