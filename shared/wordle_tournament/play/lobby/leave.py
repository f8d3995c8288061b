"""Leave the lobby, free of charge, or the tournament, which is an automatic loss (R10, R25, R27)."""

from typing import assert_never

from ... import clock
from ...delivery import announce
from ...delivery.audience import leave_audiences
from ...delivery.session import Call, signed_in
from ...lifecycle.leaving import forfeit_tournament, leave_lobby
from ...protocol import messages
from ...protocol.requests import Leave


def leave(call: Call, request: Leave) -> messages.Left:
    """Leave the lobby or the tournament, whichever is named. A player too late for the lobby does not forfeit by that.

    A player who is not in it gets the same answer. Raises GameError: NOT_SIGNED_IN, REPLACED, NOT_IN_TOURNAMENT (but in
    a lobby), TOO_LATE.
    """
    player_id = signed_in(call).value.player_id
    match request.what:
        case "lobby":
            left = leave_lobby(player_id, lobby_id=request.id)
        case "tournament":
            left = forfeit_tournament(player_id, tournament_id=request.id)
            if left is None and request.id is not None:
                with announce.best_effort():
                    leave_audiences(player_id, request.id)
        case _:
            assert_never(request.what)
    return messages.Left(now_ms=clock.now_ms(), what=request.what, id=request.id or left)
