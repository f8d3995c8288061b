"""Look for a game alone (R23, R24, R26)."""

from concurrent.futures import Future
from functools import partial
from itertools import count

from ... import parallel
from ...delivery.groups import group_of
from ...delivery.screen import lobby_of
from ...delivery.session import Call, signed_in
from ...errors import ErrorCode, GameError
from ...matchmaking import queue_switch, seats
from ...matchmaking.seating import check_language, seated, waits
from ...matchmaking.seats import Outcome
from ...protocol import messages
from ...protocol.requests import Join
from ...rules.lobby import Lobby, Seat, Waiting
from ...rules.player import Player, check_free
from ...store import Connection, Versioned, retry_conflicts


def join(call: Call, request: Join) -> messages.LobbyChanged:
    """Seat the player, and start the tournament with the last seat. A resend gets the same answer.

    Raises GameError: UNKNOWN_LANGUAGE, QUEUE_CLOSED, IN_LOBBY (of another language), IN_TOURNAMENT, IN_GROUP.
    """
    check_language(request.language)
    losses = count()
    player, lobby, outcome = retry_conflicts(lambda: _take_seat(call, request.language, next(losses)))
    return seated(call, [player], lobby, outcome)


def _take_seat(call: Call, language: str, losses: int) -> tuple[Player, Versioned[Lobby], Outcome]:
    """Return the player as they were before, the lobby, and how they got the seat."""
    queue_open = parallel.start(queue_switch.is_open)
    looking: dict[int, Future[list[Waiting]]] = {}

    def look(connection: Connection) -> None:
        """Look for lobbies by the rating at the sign-in while the player's record is read: it is the same as a rule."""
        if connection.rating is not None:
            looking[connection.rating] = parallel.start(partial(seats.look, language, connection.rating))

    player = signed_in(call, look)
    already = _seat_taken(player.value, language)
    if already is not None:
        return player.value, already, Outcome.AGAIN
    if player.value.group is not None and group_of(player.value) is not None:
        raise GameError(ErrorCode.IN_GROUP, "You are in a group; its leader starts.")
    if not queue_open.result():
        raise GameError(ErrorCode.QUEUE_CLOSED)
    shown = looking[player.value.rating].result() if player.value.rating in looking else None
    players = {player.value.player_id: player}
    lobby, outcome = seats.seat_party(language, (_seat(player.value),), players, losses, shown=shown)
    return player.value, lobby, outcome


def _seat_taken(player: Player, language: str) -> Versioned[Lobby] | None:
    """Return the lobby of that language in which the player waits already; None if the player is free (R26).

    Raises GameError: IN_LOBBY, IN_TOURNAMENT if the player is in another game.
    """
    lobby = lobby_of(player)
    if lobby is None:
        return None
    if lobby.value.language == language and waits(lobby):
        return lobby
    check_free(player, lobby=lobby.value.open)
    return None


def _seat(player: Player) -> Seat:
    return Seat(
        player.player_id, player.nickname, player.rating, player.player_id, player.rating, watched=player.watching
    )
