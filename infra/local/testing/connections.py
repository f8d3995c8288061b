"""The fake connections of a test: they keep every frame, and can drop or fall silent."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

from infra.local.aws import GoneError

Frame = dict[str, Any]


class FakeConnections:
    """The connections: which ones are open, the frames sent to each, and the questions that wait for an answer."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self.frames: dict[str, list[Frame]] = defaultdict(list)
        self.texts: list[str] = []
        """Every frame sent so far, as text, to all connections."""
        self.closed: set[str] = set()
        self.opened: set[str] = set()
        self.silent: set[str] = set()
        """Open connections that answer no question; the others do, as clients do."""
        self.questions: deque[tuple[str, Frame]] = deque()
        """Questions that were sent, with their connections, and not answered yet."""
        self.on_post: Callable[[str], None] = lambda connection_id: None

    def open(self, connection_id: str) -> None:
        self.opened.add(connection_id)

    def fall_silent(self, connection_id: str) -> None:
        self.silent.add(connection_id)

    def post(self, connection_id: str, data: bytes) -> None:
        self._check(connection_id)
        self.on_post(connection_id)
        text = data.decode()
        assert len(data) < 32 * 1024, "one frame of API Gateway holds 32 KB"
        self.texts.append(text)
        frame: Frame = json.loads(text)
        self.frames[connection_id].append(frame)
        if frame["type"] == "question":
            self.questions.append((connection_id, frame))

    def delete(self, connection_id: str) -> None:
        self._check(connection_id)
        self.closed.add(connection_id)

    def save(self) -> Callable[[], None]:
        """Save the connections and their frames. Return a function that restores them, without `texts`."""
        opened, closed, silent = set(self.opened), set(self.closed), set(self.silent)
        frames = {connection_id: list(sent) for connection_id, sent in self.frames.items()}

        def restore() -> None:
            self.opened, self.closed, self.silent = set(opened), set(closed), set(silent)
            self.frames.clear()
            self.frames.update({connection_id: list(sent) for connection_id, sent in frames.items()})
            self.texts.clear()
            self.questions.clear()

        return restore

    def _check(self, connection_id: str) -> None:
        if connection_id not in self.opened or connection_id in self.closed:
            raise GoneError(connection_id)
