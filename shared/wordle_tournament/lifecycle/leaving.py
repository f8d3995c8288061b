"""Taking a player out of their lobby or tournament (R10, R25, R27)."""

from .. import clock, timers
from ..delivery import announce
from ..delivery.audience import leave_audience
from ..delivery.screen import duels_of, lobby_of
from ..errors import ErrorCode, GameError
from ..rules import lobby as lobby_rules
from ..rules import tournament as tournament_rules
from ..rules.lobby import Lobby
from ..rules.player import Player, leave_game, leave_tournament
from ..store import DUELS, LOBBIES, PLAYERS, TOURNAMENTS, Change, Versioned, commit, load, load_many, retry_conflicts
from . import groups
from .rounds import advance_round


def remove_from_game(player_id: str, epoch: int | None = None) -> None:
    """Take the player out of their lobby or tournament. Do nothing if they are in none.

    With an `epoch`, only if they are still away since that connection (R28). Raises Conflict or StoreError; it may
    be called again.
    """
    try:
        leave_lobby(player_id, epoch)
    except GameError:
        try:
            forfeit_tournament(player_id, epoch)
        except GameError:
            return


def leave_lobby(player_id: str, epoch: int | None = None) -> None:
    """Give back the seats of the player's whole party, and tell everybody concerned (R25, R29).

    With an `epoch`, only if the player is still away since that connection. Raises GameError: NOT_IN_LOBBY, TOO_LATE;
    Conflict or StoreError.
    """
    lobby, party = retry_conflicts(lambda: _give_seats_back(player_id, epoch))
    others = {key: player for key, player in party.items() if key != player_id}
    groups.tell_withdrawn(others, lobby)
    announce.groups_of([party[player_id].value])


def _give_seats_back(player_id: str, epoch: int | None) -> tuple[Versioned[Lobby], dict[str, Versioned[Player]]]:
    """Return the lobby without the player's party, and the records of the party as they were before."""
    player = _still(player_id, epoch, ErrorCode.NOT_IN_LOBBY)
    lobby = lobby_of(player.value)
    if lobby is None:
        raise GameError(ErrorCode.NOT_IN_LOBBY, "You are not in a lobby.")
    after = lobby_rules.leave_seat(lobby.value, player_id)
    others = set(lobby_rules.party_of(lobby.value, player_id)) - {player_id}
    party = {player_id: player, **load_many(PLAYERS, others)}
    lobby_write = Change(LOBBIES, lobby, after)
    committed = commit(lobby_write, *(Change(PLAYERS, member, leave_game(member.value)) for member in party.values()))
    return committed[lobby_write], party


def forfeit_tournament(player_id: str, epoch: int | None = None) -> None:
    """Take the player out of the tournament that they play or watch, and tell everybody concerned (R10, R27).

    With an `epoch`, only if the player is still away since that connection. Raises GameError: NOT_IN_TOURNAMENT;
    Conflict or StoreError.
    """
    tournament, forfeited, ended = retry_conflicts(lambda: _forfeit(player_id, epoch))
    duels = duels_of(tournament)
    leave_audience(player_id, duels)
    if not forfeited:
        return
    for duel in duels:
        if duel.value.duel_id in ended:
            # This duel was read after the commit, so its token is the newest that the timer has stored.
            timers.duel_ended(duel.task_token)
            announce.duel(duel)
    players = announce.tournament(tournament)
    if len(tournament_rules.remaining(tournament.value, [duel.value for duel in duels])) <= 1:
        # The last player in has won, and need not wait until the timer settles the round.
        advance_round(tournament.value.tournament_id)
    announce.groups_of([players[player_id].value] if player_id in players else [])


def _forfeit(player_id: str, epoch: int | None) -> tuple[Versioned[tournament_rules.Tournament], bool, set[str]]:
    """Return the tournament, True if the player was still in it, and the ids of the duels that this ended."""
    player = _still(player_id, epoch, ErrorCode.NOT_IN_TOURNAMENT)
    # A lost connection does not end watching: the reconnect window holds only for a player who is in.
    watching = player.value.watching if epoch is None else None
    game = player.value.game or watching
    tournament = load(TOURNAMENTS, game) if game else None
    if tournament is None:
        raise GameError(ErrorCode.NOT_IN_TOURNAMENT, "You are not in a tournament.")
    duels = duels_of(tournament)
    after, ended = tournament_rules.leave(tournament.value, [duel.value for duel in duels], player_id, clock.now_ms())
    player_write = Change(PLAYERS, player, leave_tournament(player.value))
    if after == tournament.value:
        commit(player_write)
        return tournament, False, set()
    running = {duel.value.duel_id: duel for duel in duels}
    tournament_write = Change(TOURNAMENTS, tournament, after)
    committed = commit(tournament_write, player_write, *(Change(DUELS, running[duel.duel_id], duel) for duel in ended))
    return committed[tournament_write], True, {duel.duel_id for duel in ended}


def _still(player_id: str, epoch: int | None, otherwise: ErrorCode) -> Versioned[Player]:
    """Return the player, who must be still away since `epoch` if one is given. Raises GameError(otherwise)."""
    player = load(PLAYERS, player_id)
    if player is None or (epoch is not None and (player.value.epoch != epoch or not player.value.away)):
        raise GameError(otherwise, "The player has come back.")
    return player
