"""No player gets a secret word before the end of its duel (R18)."""

import re
from collections.abc import Iterator
from typing import Any

from bots.referee.record import Record, duels_in, settled_in

# Fields whose texts the protocol chooses from a few, or clients choose; they may be words by chance.
NOT_SECRET = frozenset(
    {"ref", "type", "fate", "ending", "marks", "what", "where", "code", "language", "languages", "nickname", "message"}
)


def secrecy(record: Record) -> Iterator[str]:
    """R18: nobody is sent a secret word before they hear that its duel is over."""
    secrets = {
        duel_id: {spelling.casefold() for spelling in (duel.word, duel.display) if spelling}
        for duel_id in record.duels
        if (duel := record.last(duel_id)) is not None
    }
    public: set[tuple[int, str]] = set()
    for listener, frame, message in record.frames:
        public |= {(listener, duel.duel_id) for duel in duels_in(message) if duel.over}
        public |= {(listener, duel_id) for duel_id in settled_in(message)}
        for text, duel_id in _texts(frame):
            for secret_of, spellings in secrets.items():
                # A guess in another duel may be the word of this one: its player does not know.
                if (listener, secret_of) not in public and duel_id in (None, secret_of) and text in spellings:
                    yield f"R18: the word of {secret_of} was in a frame before its duel was over"


def _texts(value: Any, duel_id: str | None = None) -> Iterator[tuple[str, str | None]]:
    """Yield every text in a frame, and its parts between signs, with the duel whose board it is on."""
    if isinstance(value, dict):
        own = value.get("duel_id", duel_id)
        for name, part in value.items():
            if name == "rows" or (name in ("word", "display") and "duel_id" in value):
                yield from _texts(part, own)
            elif name not in NOT_SECRET:
                yield from _texts(part, duel_id)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part, duel_id)
    elif isinstance(value, str):
        yield value.casefold(), duel_id
        yield from ((part, duel_id) for part in re.split(r"[\W_]+", value.casefold()))
