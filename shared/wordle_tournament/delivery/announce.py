"""Notifying players of changes. It comes after the commit, may be repeated, and raises nothing but StoreError.

Facts without a version are ordered by `now_ms`. Take the timestamp before reading the state, so that a frame with a
later timestamp never shows older state.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from aws_lambda_powertools import Logger

from .. import push
from ..clock import now_ms
from ..metrics import Metric, count
from ..protocol import messages
from ..rules.group import Group
from ..rules.lobby import Lobby
from ..rules.player import Player
from ..rules.tournament import Tournament, newly_placed
from ..store import GROUPS, PLAYERS, LiveDuel, StoreError, Versioned, load_many
from . import groups, views

logger = Logger(child=True)

Frames = dict[str, str]
"""Frames by connection id."""


class _Stale(threading.local):
    """The stale connections that were found, for each thread: the local stack runs handlers in parallel."""

    def __init__(self) -> None:
        self.connections: list[str] = []
        self.silent: set[str] = set()
        self.afterwards: list[Callable[[], object]] = []


_stale = _Stale()


@contextmanager
def best_effort() -> Iterator[None]:
    """Give up what follows a commit if the store fails, with a line in the log: the request was carried out.

    Players who were not told ask by `sync`, and the sweeper does what else was not done.
    """
    try:
        yield
    except StoreError as error:
        logger.warning("not everybody was told", error=type(error).__name__)


def frame(message: messages.Message) -> str:
    """Return the message as it is sent; fields without a value are left out."""
    return message.model_dump_json(exclude_none=True)


def send(frames: Mapping[str, str]) -> None:
    """Begin to send each connection its frame. `stale_connections` waits for them."""
    push.send(frames)


def answer(message: messages.Message, connection_id: str) -> None:
    """Send the answer to the connection that asked. It does not wait for frames to others."""
    push.send_now(connection_id, frame(message))


def stale_connections() -> list[str]:
    """Wait until all frames are sent. Return the list of connections that are stale or silent, oldest first.

    The caller that handles a connection removes it from the list.
    """
    for connection_id in push.finish():
        count(Metric.PUSH_GONE)
        _stale.connections.append(connection_id)
    return _stale.connections


def afterwards(act: Callable[[], object]) -> None:
    """Do `act` when all frames are sent, after the answer. Nobody may depend on it: the function may end before."""
    _stale.afterwards.append(act)


def forget_afterwards() -> None:
    """Begin an invocation: nothing is put off. An earlier one in this process may have failed before its end."""
    _stale.afterwards.clear()


def do_afterwards() -> None:
    """Wait until all frames are sent, and do what was put off until then."""
    stale_connections()
    acts, _stale.afterwards = _stale.afterwards, []
    for act in acts:
        with best_effort():
            act()


def note_silent(connection_ids: Iterable[str]) -> None:
    """Keep connections on which a question was not answered, for `stale_connections`. They may be open."""
    for connection_id in connection_ids:
        if connection_id not in _stale.silent:
            _stale.connections.append(connection_id)
            _stale.silent.add(connection_id)


def take_silent(connection_id: str) -> bool:
    """Return True, once, if the connection was noted as silent."""
    was_silent = connection_id in _stale.silent
    _stale.silent.discard(connection_id)
    return was_silent


def tell(message: messages.Message, connection_ids: Iterable[str | None]) -> None:
    """Send the same message to all of the connections. None stands for a player without a connection."""
    text = frame(message)
    # In an order that is the same in every process, so that a simulated history can be replayed.
    send(dict.fromkeys(sorted(filter(None, connection_ids)), text))


def duel(live: LiveDuel, answered: str | None = None) -> None:
    """Send a changed duel to its audience, except the connection `answered`, which gets it as its answer."""
    message = messages.DuelChanged(now_ms=now_ms(), duel=views.duel(live))
    tell(message, set(live.audience.values()) - {answered})


def tournament(
    stored: Versioned[Tournament], duels: Iterable[LiveDuel] = (), results: bool = False
) -> dict[str, Versioned[Player]]:
    """Send a changed tournament to everybody who is still with it. Return the records of all its entrants.

    With the `duels` of a round that has opened, each player also gets their own board. With `results`, the players
    placed by the last settled round get their result, even if they have left (R9). Raises StoreError.
    """
    at_ms = now_ms()
    players = load_many(PLAYERS, [entrant.player_id for entrant in stored.value.entrants])
    message = messages.TournamentChanged(now_ms=at_ms, tournament=views.tournament(stored, players))
    followers = [player for player in players.values() if player.value.follows(stored.value.tournament_id)]
    connections = views.connections(followers)
    if results:
        # First, since a client may disconnect once it knows that the tournament is over.
        send(_results(stored.value, players))
    tell(message, connections.values())
    boards: Frames = {}
    for live in duels:
        board = frame(messages.DuelChanged(now_ms=now_ms(), duel=views.duel(live)))
        boards |= {connections[player]: board for player in live.value.players if player in connections}
    send(boards)
    return players


def lobby(stored: Versioned[Lobby], answered: str | None = None) -> tuple[messages.LobbyChanged, set[str]]:
    """Send a changed lobby to everybody in it, except the connection `answered`, which gets it as its answer.

    Return the message, and the connections of everybody in the lobby. Raises StoreError.
    """
    at_ms = now_ms()
    players = load_many(PLAYERS, [seat.player_id for seat in stored.value.seats])
    message = messages.LobbyChanged(now_ms=at_ms, lobby=views.lobby(stored, players))
    connections = set(views.connections(players.values()).values())
    tell(message, connections - {answered})
    return message, connections


def group(stored: Versioned[Group], answered: str | None = None) -> messages.GroupChanged:
    """Tell every member how the group is, except on the connection `answered`. Return that connection's answer."""
    at_ms = now_ms()
    shown, players = groups.view(stored)
    message = messages.GroupChanged(now_ms=at_ms, group=shown)
    tell(message, set(views.connections(players.values()).values()) - {answered})
    return message


def group_as_answer(stored: Versioned[Group]) -> messages.GroupChanged:
    """Return the group as an answer, and tell nobody else. Raises StoreError."""
    at_ms = now_ms()
    return messages.GroupChanged(now_ms=at_ms, group=groups.view(stored)[0])


def groups_of(players: Iterable[Player]) -> None:
    """Tell the groups of these players, after a change of the players that their groups show. Raises StoreError."""
    for stored in load_many(GROUPS, {player.group for player in players if player.group}).values():
        if stored.value.members:
            group(stored)


def you(players: Iterable[Player]) -> None:
    """Send each of these players their own data, which somebody else has changed."""
    send(
        {
            player.connection_id: frame(messages.YouChanged(now_ms=now_ms(), you=views.you(player)))
            for player in players
            if player.connection_id is not None
        }
    )


def _results(tournament: Tournament, players: views.Players) -> Frames:
    """Return the results of the players placed by the last settled round.

    There are none once an operator has stopped or voided the tournament: the players got theirs before.
    """
    if tournament.stopped or tournament.voided:
        return {}
    connections = views.connections(players.values())
    return {
        connections[standing.player_id]: frame(
            messages.Result(
                now_ms=now_ms(),
                tournament_id=tournament.tournament_id,
                place=standing.place,
                rating_change=standing.rating_change,
                rating=players[standing.player_id].value.rating,
            )
        )
        for standing in newly_placed(tournament)
        if standing.player_id in connections and standing.place is not None and standing.rating_change is not None
    }
