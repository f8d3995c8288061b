"""Sign in: a new player, or one who comes back (R28, R34)."""

import hashlib
import hmac
import secrets

from .. import chance, log, push, words
from ..clock import now_ms
from ..config import reconnect_ms, timing
from ..metrics import Metric, count
from ..protocol import messages
from ..protocol.errors import ErrorCode
from ..protocol.requests import VERSION, Hello
from ..rules.nickname import LONGEST, check_nickname
from ..rules.player import Player, connect
from ..store import (
    CONNECTIONS,
    PLAYERS,
    Change,
    Connection,
    Create,
    Stored,
    Write,
    commit,
    load,
    retry_conflicts,
)
from . import announce, audience, groups, presence, snapshot
from .forfeit import forfeit
from .refused import Refused
from .session import Call


def hello(call: Call, request: Hello) -> messages.Welcome:
    """Sign the connection in and show the player everything.

    Raises Refused: BAD_TOKEN; ALREADY_SIGNED_IN when the connection is another player's; REPLACED when the player has
    a newer one.
    """
    at_ms = now_ms()
    if request.token is None:
        token, player = retry_conflicts(lambda: _make_player(call))
        was_away = False
    else:
        token = None
        known = _authenticate(request.token)
        forfeit(known.value.player_id, known.value.epoch)
        player, replaced, was_away = retry_conflicts(lambda: _sign_in(call, known.value.player_id))
        if replaced is not None:
            announce.tell(messages.Replaced(now_ms=now_ms()), [replaced])
            push.close(replaced)
    game = player.value.game or player.value.watching
    log.about(player_id=player.value.player_id, tournament_id=game, group_id=player.value.group)
    shown = snapshot.screen(player.value)
    audience.connect(player.value.player_id, shown.duels)
    if was_away:
        count(Metric.RETURNED)
    # Whether they had been away or not: an earlier hello may have died before this.
    groups.relieve_leader(player.value)
    presence.announce(player.value, shown)
    groups.announce_groups([player.value])
    settled = timing()
    return messages.Welcome(
        **dict(snapshot.snapshot(player.value, shown, at_ms)),
        protocol=VERSION,
        token=token,
        timing=messages.Timing(
            intro_seconds=settled.intro_ms // 1000,
            turn_seconds=settled.turn_ms // 1000,
            reconnect_seconds=reconnect_ms() // 1000,
        ),
        languages=list(words.languages()),
    )


def _make_player(call: Call) -> tuple[str, Stored[Player]]:
    _check_unused(call, None)
    player_id, secret = "p" + secrets.token_hex(10), secrets.token_urlsafe(32)
    player = connect(Player(player_id, _hash(secret), made_up_nickname(), created_at_ms=now_ms()), call.connection_id)
    stored, _ = commit(Create(PLAYERS, player), Create(CONNECTIONS, _connection(call, player_id)))
    return f"{player_id}.{secret}", stored


def _authenticate(token: str) -> Stored[Player]:
    """The token is `<player id>.<secret>`; only the secret's hash is stored."""
    player_id, _, secret = token.partition(".")
    player = load(PLAYERS, player_id) if player_id and secret else None
    if player is None or not hmac.compare_digest(player.value.token_hash, _hash(secret)):
        raise Refused(ErrorCode.BAD_TOKEN, field="token")
    return player


def _sign_in(call: Call, player_id: str) -> tuple[Stored[Player], str | None, bool]:
    """Returns the player, the connection that was replaced, and whether they had been away."""
    signed_in = _check_unused(call, player_id)
    before = load(PLAYERS, player_id)
    if before is None:
        raise Refused(ErrorCode.BAD_TOKEN, field="token")
    player = connect(before.value, call.connection_id)
    if player == before.value:
        return before, None, False
    if before.value.connection_id is not None and (signed_in or _is_newer(before.value.connection_id, call)):
        # A hello sent again, or one that was long under way: the newer connection stays, and with it its client (R28).
        raise Refused(ErrorCode.REPLACED)
    writes: list[Write] = [Change(PLAYERS, before, player)]
    if not signed_in:
        writes.append(Create(CONNECTIONS, _connection(call, player_id)))
    stored = commit(*writes)[0]
    return stored, before.value.connection_id, before.value.away


def _check_unused(call: Call, player_id: str | None) -> bool:
    """Whether the connection is this player's already. Raises Refused(ALREADY_SIGNED_IN) if it is another's."""
    connection = load(CONNECTIONS, call.connection_id)
    if connection is None:
        return False
    if connection.value.player_id != player_id:
        raise Refused(ErrorCode.ALREADY_SIGNED_IN)
    return True


def _connection(call: Call, player_id: str) -> Connection:
    return Connection(call.connection_id, player_id, call.opened_at_ms)


def _is_newer(connection_id: str, call: Call) -> bool:
    """Whether that connection was opened after the one of the call."""
    connection = load(CONNECTIONS, connection_id)
    return connection is not None and connection.value.opened_at_ms > call.opened_at_ms


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def made_up_nickname() -> str:
    """A nickname for a new player, which passes the same check as a chosen one (R34, R35)."""
    from coolname import generate, replace_random

    replace_random(chance.rng)
    while True:
        name = " ".join(generate(2)).title()
        if len(name) <= LONGEST and not words.is_blocked(name):
            return check_nickname(name)
