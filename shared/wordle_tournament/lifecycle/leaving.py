"""Taking a player out of their lobby or tournament (R10, R25, R27)."""

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from .. import clock, timers
from ..delivery import announce
from ..delivery.audience import leave_audience
from ..delivery.screen import duels_of, lobby_of
from ..errors import ErrorCode, GameError
from ..rules import lobby as lobby_rules
from ..rules import tournament as tournament_rules
from ..rules.lobby import Lobby
from ..rules.player import Player, leave_game, leave_tournament, lose_game
from ..rules.tournament import Tournament
from ..store import DUELS, LOBBIES, PLAYERS, TOURNAMENTS, Change, Versioned, commit, load, load_many, retry_conflicts
from . import groups
from .rounds import advance_round


def remove_from_game(player_id: str, epoch: int | None = None) -> None:
    """Take the player out of their lobby or tournament. Do nothing if they are in none.

    With an `epoch`, only if they are still away since that connection (R28). Raises Conflict or StoreError; it may
    be called again.
    """
    with suppress(GameError):
        if leave_lobby(player_id, epoch) is not None:
            return
    with suppress(GameError):
        forfeit_tournament(player_id, epoch)


def leave_lobby(player_id: str, epoch: int | None = None, lobby_id: str | None = None) -> str | None:
    """Give back the seats of the player's whole party, and tell everybody concerned (R25, R29).

    With an `epoch`, only if the player is still away since that connection; with a `lobby_id`, only if it is that
    lobby, or one into which it was merged. Return the lobby's id, or None if the player is not in it. Raises
    GameError(TOO_LATE), Conflict or StoreError.
    """
    withdrawn = retry_conflicts(lambda: _give_seats_back(player_id, epoch, lobby_id))
    if withdrawn is None:
        return None
    lobby, party = withdrawn
    others = {key: player for key, player in party.items() if key != player_id}
    with announce.best_effort():
        groups.tell_withdrawn(others, lobby, player_id)
        announce.groups_of([party[player_id].value])
    return lobby.value.lobby_id


def _give_seats_back(
    player_id: str, epoch: int | None, lobby_id: str | None
) -> tuple[Versioned[Lobby], dict[str, Versioned[Player]]] | None:
    """Return the lobby without the player's party, and the records of the party as they were before."""
    player = _still(player_id, epoch)
    lobby = lobby_of(player.value) if player is not None else None
    if player is None or lobby is None:
        return None
    if lobby_id is not None and not lobby.value.is_known_to(player_id, lobby_id):
        return None
    after = lobby_rules.leave_seat(lobby.value, player_id)
    others = set(lobby_rules.party_of(lobby.value, player_id)) - {player_id}
    party = {player_id: player, **load_many(PLAYERS, others)}
    lobby_write = Change(LOBBIES, lobby, after)
    left = {key: leave_game(member.value) for key, member in party.items()}
    if epoch is not None:
        left[player_id] = lose_game(player.value, started=False, now_ms=clock.now_ms())
    committed = commit(lobby_write, *(Change(PLAYERS, member, left[key]) for key, member in party.items()))
    return committed[lobby_write], party


@dataclass(frozen=True, slots=True)
class _Left:
    """The tournament, True if the player was still in it, and the ids of the duels that this ended."""

    tournament: Versioned[Tournament]
    forfeited: bool = False
    ended: frozenset[str] = frozenset()


def forfeit_tournament(player_id: str, epoch: int | None = None, tournament_id: str | None = None) -> str | None:
    """Take the player out of the tournament that they play or watch, and tell everybody concerned (R10, R27).

    With an `epoch`, only if the player is still away since that connection; with a `tournament_id`, only if it is that
    one. Return the tournament's id, or None if the player is not in it. Raises GameError(NOT_IN_TOURNAMENT) if they are
    in a lobby; Conflict or StoreError.
    """
    left = retry_conflicts(lambda: _forfeit(player_id, epoch, tournament_id))
    if left is None:
        return None
    with announce.best_effort():
        _announce_leaving(player_id, left)
    return left.tournament.value.tournament_id


def _announce_leaving(player_id: str, left: _Left) -> None:
    """Tell everybody concerned, and settle a tournament that is decided."""
    tournament, duels = left.tournament, duels_of(left.tournament)
    leave_audience(player_id, duels)
    if not left.forfeited:
        return
    # These were read after the commit, so their tokens are the newest that the timer has stored.
    ended_duels = [duel for duel in duels if duel.value.duel_id in left.ended]
    decided = len(tournament_rules.remaining(tournament.value, [duel.value for duel in duels])) <= 1
    try:
        for duel in ended_duels:
            announce.duel(duel)
        players = announce.tournament(tournament)
        if decided:
            # The last player in has won, and need not wait until the timer settles the round.
            advance_round(tournament.value.tournament_id)
    finally:
        for duel in ended_duels:
            end = partial(timers.duel_ended, duel.task_token)
            # The timer tells an end that nobody has noted as told. So it hears of it after that note.
            announce.afterwards(end) if decided else end()
    announce.groups_of([players[player_id].value] if player_id in players else [])


def _forfeit(player_id: str, epoch: int | None, tournament_id: str | None) -> _Left | None:
    player = _still(player_id, epoch)
    if player is None:
        return None
    # A lost connection does not end watching: the reconnect window holds only for a player who is in.
    watching = player.value.watching if epoch is None else None
    game = player.value.game or watching
    if game is None or tournament_id not in (None, game):
        return None
    tournament = load(TOURNAMENTS, game)
    if tournament is None and lobby_of(player.value) is not None:
        raise GameError(ErrorCode.NOT_IN_TOURNAMENT, "You are in a lobby.")
    if tournament is None:
        return None
    duels = duels_of(tournament)
    now_ms = clock.now_ms()
    after, changed = tournament_rules.leave(tournament.value, [duel.value for duel in duels], player_id, now_ms)
    lost = epoch is not None and after != tournament.value
    gone = lose_game(player.value, started=True, now_ms=now_ms) if lost else leave_tournament(player.value)
    player_write = Change(PLAYERS, player, gone)
    if after == tournament.value:
        commit(player_write)
        return _Left(tournament)
    before = {duel.value.duel_id: duel for duel in duels}
    tournament_write = Change(TOURNAMENTS, tournament, after)
    committed = commit(tournament_write, player_write, *(Change(DUELS, before[duel.duel_id], duel) for duel in changed))
    return _Left(committed[tournament_write], True, frozenset(duel.duel_id for duel in changed if duel.over))


def _still(player_id: str, epoch: int | None) -> Versioned[Player] | None:
    """Return the player; None if they have been deleted, or are not away since the `epoch` that is given."""
    player = load(PLAYERS, player_id)
    if player is None or (epoch is not None and (player.value.epoch != epoch or not player.value.away)):
        return None
    return player
