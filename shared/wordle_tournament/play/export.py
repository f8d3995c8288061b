"""Everything that is stored about a player, for the player."""

from dataclasses import asdict

from ..clock import now_ms
from ..protocol import messages
from ..protocol.requests import Export
from ..store import HISTORIES, load
from .session import Call, signed_in


def export(call: Call, request: Export) -> messages.OwnData:
    """As it is stored, but for the token's hash. Raises Refused: NOT_SIGNED_IN, REPLACED.

    Tournaments and boards are asked for by `results` and `board`; `history` names them.
    """
    player = asdict(signed_in(call).value)
    del player["token_hash"]
    history = load(HISTORIES, f"history.{player['player_id']}")
    return messages.OwnData(
        now_ms=now_ms(), data={"player": player, "history": asdict(history.value) if history else None}
    )
