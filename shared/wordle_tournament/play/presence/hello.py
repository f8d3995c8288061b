"""Sign in as a new player, or as one who comes back (R28, R34)."""

from ... import log, push, words
from ...clock import now_ms
from ...config import settings
from ...delivery import announce
from ...delivery.session import Call
from ...errors import ErrorCode, GameError
from ...lifecycle import snapshot
from ...lifecycle.forfeits import forfeit, is_overdue
from ...lifecycle.identity import SignIn, authenticate, sign_in, sign_up
from ...lifecycle.returning import catch_up
from ...metrics import Metric, count
from ...protocol import messages
from ...protocol.requests import VERSION, Hello


def hello(call: Call, request: Hello) -> messages.Welcome:
    """Sign the connection in, catch the player up, and return their whole screen.

    Raises GameError: CLIENT_OUTDATED; BAD_TOKEN; ALREADY_SIGNED_IN if the connection is another player's; REPLACED if
    the player has a newer one.
    """
    _check_client(request)
    at_ms = now_ms()
    signed_in = sign_up(call) if request.token is None else _resume(call, request.token)
    player = signed_in.player.value
    log.about(player_id=player.player_id, tournament_id=player.game or player.watching, group_id=player.group)
    around = catch_up(player, signed_in.again)
    return messages.Welcome(
        **dict(snapshot.snapshot(player, around, at_ms)),
        protocol=VERSION,
        token=signed_in.token,
        timing=_timing(),
        languages=list(words.languages()),
    )


def _check_client(request: Hello) -> None:
    """Log the client's software, and check its version. Raises GameError(CLIENT_OUTDATED).

    Software that does not give its name and version, or of which the settings name none, is always served.
    """
    log.about(client=request.client, client_version=request.client_version)
    oldest = dict(pair.split("=") for pair in settings().oldest_clients.split(",") if pair).get(request.client or "")
    if oldest and request.client_version and _parts(request.client_version) < _parts(oldest):
        raise GameError(ErrorCode.CLIENT_OUTDATED, field="client_version")


def _parts(version: str) -> list[int]:
    """Return the numbers of a version, so that 1.2 is not less than 1.2.0, and less than 1.10."""
    numbers = [int(part) for part in version.split(".")]
    return numbers + [0] * (4 - len(numbers))


def _resume(call: Call, token: str) -> SignIn:
    """Sign the token's player in on this connection, close the older one, and apply a forfeit that is overdue."""
    known = authenticate(call, token)
    player = known.player.value
    if is_overdue(player):
        forfeit(player.player_id, player.epoch)
        signed_in = sign_in(call, player.player_id)
    else:
        signed_in = sign_in(call, player.player_id, known)
    if signed_in.replaced is not None:
        announce.tell(messages.Replaced(now_ms=now_ms()), [signed_in.replaced])
        push.close(signed_in.replaced)
    if signed_in.was_away:
        count(Metric.RETURNED)
    return signed_in


def _timing() -> messages.Timing:
    return messages.Timing(
        intro_seconds=settings().round_intro_seconds,
        turn_seconds=settings().turn_seconds,
        reconnect_seconds=settings().reconnect_seconds,
    )
