"""Delete a player for good."""

from aws_lambda_powertools import Logger

from ...clock import now_ms
from ...delivery.session import Call, signed_in
from ...lifecycle.deletion import delete_player
from ...protocol import messages
from ...protocol.requests import DeleteMe

logger = Logger(child=True)


def delete_me(call: Call, request: DeleteMe) -> messages.Deleted:
    """Leave every game (a running tournament counts as left, R27) and group, then delete the player's data.

    Tournaments keep their results under a neutral name. Raises GameError: NOT_SIGNED_IN, REPLACED.
    """
    delete_player(signed_in(call).value.player_id)
    return messages.Deleted(now_ms=now_ms())
