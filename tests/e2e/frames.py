"""Checks of every frame, whatever its subject: it follows the protocol, fits, and holds no secret word."""

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from wordle_tournament.protocol import messages

Frame = dict[str, Any]


class Received(Frame):
    """A frame, and when it arrived: by this machine's clock, which is the server's too."""

    def __init__(self, text: str | bytes) -> None:
        super().__init__(json.loads(text))
        self.at_ms = time.time_ns() // 1_000_000


LARGEST_FRAME = 32 * 1024

_TYPES = {kind.model_fields["type"].default: kind for kind in messages.MESSAGES}


def duels_in(frame: Frame) -> list[Frame]:
    return [frame["duel"]] if "duel" in frame else list(frame.get("duels", []))


def settled_in(frame: Frame) -> list[Frame]:
    """The duels of the last settled round, with their words."""
    last_round: Frame = frame.get("tournament", {}).get("last_round", {})
    return list(last_round.get("duels", []))


def check_frames(frames: Iterable[Frame]) -> None:
    """Every frame is one of the protocol's, and one version of a duel is one thing."""
    versions: dict[tuple[str, int], Frame] = {}
    for frame in frames:
        _TYPES[frame["type"]].model_validate(frame)
        assert frame.get("code") != "internal", frame
        assert len(json.dumps(frame, ensure_ascii=False).encode()) < LARGEST_FRAME
        for duel in duels_in(frame):
            assert versions.setdefault((duel["duel_id"], duel["version"]), duel) == duel


@dataclass(frozen=True)
class Secret:
    """A duel's word and when the duel was over by the server's clock; None while it runs."""

    duel_id: str
    word: str
    ended_at_ms: int | None


def check_secrets(frames: Iterable[Frame], secrets: Iterable[Secret]) -> None:
    """No frame that came before a duel's end has the duel's word in a word's place (R18)."""
    for frame in frames:
        running = {secret.duel_id: secret for secret in secrets if _running(secret, frame)}
        assert running.keys().isdisjoint(duel["duel_id"] for duel in settled_in(frame))
        for duel in duels_in(frame):
            secret = running.get(duel["duel_id"])
            if secret is not None:
                assert not duel["over"]
                assert "word" not in duel
                assert "display" not in duel
                assert secret.word not in [row.get("word") for row in duel["rows"]]


def check_text(frames: Iterable[Frame], secrets: Sequence[Secret]) -> None:
    """As `check_secrets`, but wherever in the frame the word might be.

    For a language in whose letters nothing but words is written: ids, keys and names must not look like words.
    """
    for frame in frames:
        visible = {duel["duel_id"] for duel in duels_in(frame)}
        bare = _text(frame, None)
        for secret in secrets:
            if _running(secret, frame):
                text = _text(frame, secret.duel_id) if secret.duel_id in visible else bare
                assert secret.word.casefold() not in text, frame


def _running(secret: Secret, frame: Frame) -> bool:
    # A whole state says a time before what it shows was read; there only the arrival tells.
    at_ms = frame["now_ms"]
    if isinstance(frame, Received) and frame["type"] in ("state", "welcome"):
        at_ms = frame.at_ms
    return secret.ended_at_ms is None or at_ms < secret.ended_at_ms


def _text(frame: Frame, duel_id: str | None) -> str:
    """The frame without the words of other duels, and of settled rounds, one of which may hold another one's secret."""

    def emptied(duel: Frame) -> Frame:
        if duel["duel_id"] == duel_id:
            return duel
        visible = {key: value for key, value in duel.items() if key not in ("word", "display")}
        return visible | {"rows": [{**row, "word": None} for row in duel["rows"]]}

    copy = dict(frame)
    if "duel" in copy:
        copy["duel"] = emptied(copy["duel"])
    if "duels" in copy:
        copy["duels"] = [emptied(duel) for duel in copy["duels"]]
    if settled_in(frame):
        copy["tournament"] = {**copy["tournament"], "last_round": None}
    return json.dumps(copy, ensure_ascii=False).casefold()
