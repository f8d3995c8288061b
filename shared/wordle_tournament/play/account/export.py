"""Export the data that is stored about a player, for the player."""

from ...clock import now_ms
from ...delivery.session import Call, signed_in
from ...protocol import messages
from ...protocol.requests import Export
from ...store import HISTORIES, HISTORY_PAGES, PLAYERS, as_stored, load


def export(call: Call, request: Export) -> messages.OwnData:
    """Return what is stored about the player, except the token's hash. Raises GameError: NOT_SIGNED_IN, REPLACED.

    A client asks for tournaments and boards with `results` and `board`; `history` names them. If they are very many,
    the older ones are in its pages, and a request for a page gets its tournaments alone.
    """
    player = as_stored(PLAYERS, signed_in(call).value)
    del player["token_hash"]
    history = load(HISTORIES, player["player_id"])
    if request.page is None:
        stored = as_stored(HISTORIES, history.value) if history else None
        return messages.OwnData(now_ms=now_ms(), data={"player": player, "history": stored})
    page_ids = history.value.page_ids[request.page - 1 : request.page] if history else []
    page = load(HISTORY_PAGES, page_ids[0]) if page_ids else None
    return messages.OwnData(now_ms=now_ms(), data={"tournaments": list(page.value.tournaments) if page else []})
