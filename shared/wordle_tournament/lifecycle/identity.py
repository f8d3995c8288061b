"""Signing a connection in: as a new player, or as the player whose token the client holds (R28, R34).

A token is `<player id>.<secret>`. Only the SHA-256 of the secret is stored.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat

from .. import parallel, randomness
from ..clock import now_ms
from ..delivery.session import Call
from ..errors import ErrorCode, GameError
from ..rules.made_up_names import made_up_name
from ..rules.player import Player, connect
from ..store import CONNECTIONS, PLAYERS, Change, Connection, Create, Versioned, Write, commit, load, retry_conflicts


@dataclass(frozen=True, slots=True)
class SignIn:
    """A connection that has just signed in.

    `token` is set for a new player only. `replaced` is the player's older connection, if there was one; `was_away` is
    True if a known player had none. `again` is the connection's record if the player was signed in on it already.
    """

    player: Versioned[Player]
    token: str | None = None
    replaced: str | None = None
    was_away: bool = False
    again: Versioned[Connection] | None = None


def sign_up(call: Call) -> SignIn:
    """Make a player and sign the connection in. Raises GameError(ALREADY_SIGNED_IN), Conflict, StoreError."""
    return retry_conflicts(lambda: _make_player(call))


@dataclass(frozen=True, slots=True)
class Known:
    """The player whose token was given, and the connection's record if somebody is signed in on it: read together."""

    player: Versioned[Player]
    connection: Versioned[Connection] | None


def authenticate(call: Call, token: str) -> Known:
    """Return the player whose token this is. Raises GameError(BAD_TOKEN), StoreError."""
    player_id, _, secret = token.partition(".")
    if not player_id or not secret:
        raise _no_such_player()
    known = _read(call, player_id)
    if not hmac.compare_digest(known.player.value.token_hash, _hash(secret)):
        raise _no_such_player()
    return known


def sign_in(call: Call, player_id: str, known: Known | None = None) -> SignIn:
    """Sign the connection in as that player, in place of an older one (R28). A repeated call changes nothing.

    `known` is what was read of them just now; if it has changed since, it is read again. Raises GameError: BAD_TOKEN if
    the player has been deleted; ALREADY_SIGNED_IN if the connection is another player's; REPLACED if the player has a
    newer connection. Raises Conflict, StoreError.
    """
    reads = chain([known] if known is not None else [], repeat(None))
    return retry_conflicts(lambda: _sign_in(call, next(reads) or _read(call, player_id)))


def _read(call: Call, player_id: str) -> Known:
    player, connection = parallel.at_once(
        partial(load, PLAYERS, player_id), partial(load, CONNECTIONS, call.connection_id)
    )
    if player is None:
        raise _no_such_player()
    return Known(player, connection)


def _make_player(call: Call) -> SignIn:
    _check_unused(load(CONNECTIONS, call.connection_id), None)
    player_id, secret = "p" + secrets.token_hex(10), secrets.token_urlsafe(32)
    player = connect(
        Player(player_id, _hash(secret), made_up_name(randomness.rng), created_at_ms=now_ms()), call.connection_id
    )
    player_write = Create(PLAYERS, player)
    committed = commit(player_write, Create(CONNECTIONS, _connection(call, player)))
    return SignIn(committed[player_write], token=f"{player_id}.{secret}")


def _sign_in(call: Call, known: Known) -> SignIn:
    before, signed_in = known.player, known.connection
    _check_unused(signed_in, before.value.player_id)
    player = connect(before.value, call.connection_id)
    if player == before.value:
        return SignIn(before, again=signed_in)
    older = before.value.connection_id
    if older is not None and (signed_in is not None or _is_newer(older, call)):
        # This hello was sent again, or was delayed. The newer connection stays, and with it its client (R28).
        raise GameError(ErrorCode.REPLACED)
    player_write = Change(PLAYERS, before, player)
    writes: list[Write] = [player_write]
    if signed_in is None:
        writes.append(Create(CONNECTIONS, _connection(call, player)))
    return SignIn(commit(*writes)[player_write], replaced=older, was_away=before.value.away)


def _check_unused(connection: Versioned[Connection] | None, player_id: str | None) -> None:
    """Check that nobody else is signed in on the connection. Raises GameError(ALREADY_SIGNED_IN)."""
    if connection is not None and connection.value.player_id != player_id:
        raise GameError(ErrorCode.ALREADY_SIGNED_IN)


def _is_newer(connection_id: str, call: Call) -> bool:
    """Return True if that connection was opened after the one of the call."""
    connection = load(CONNECTIONS, connection_id)
    return connection is not None and connection.value.opened_at_ms > call.opened_at_ms


def _connection(call: Call, player: Player) -> Connection:
    return Connection(call.connection_id, player.player_id, call.opened_at_ms, rating=player.rating)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _no_such_player() -> GameError:
    return GameError(ErrorCode.BAD_TOKEN, field="token")
