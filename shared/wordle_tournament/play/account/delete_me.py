"""Delete a player for good."""

from aws_lambda_powertools import Logger

from ...clock import now_ms
from ...delivery.session import Call, signed_in
from ...errors import ErrorCode, GameError
from ...lifecycle.deletion import delete_player
from ...protocol import messages
from ...protocol.requests import DeleteMe
from ...store import PLAYERS, load

logger = Logger(child=True)


def delete_me(call: Call, request: DeleteMe) -> messages.Deleted:
    """Leave every game (a running tournament counts as left, R27) and group, then delete the player's data.

    Tournaments keep their results under a neutral name. If the player whom the request names is deleted already, that
    is a success on every connection. Raises GameError: NOT_SIGNED_IN, REPLACED.
    """
    if request.player is None or load(PLAYERS, request.player) is not None:
        player_id = signed_in(call).value.player_id
        if request.player not in (None, player_id):
            raise GameError(ErrorCode.NOT_SIGNED_IN, "Another player is signed in on this connection.", field="player")
        delete_player(player_id)
    return messages.Deleted(now_ms=now_ms())
