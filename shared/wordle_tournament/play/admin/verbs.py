"""The admin commands of operators: look at games, and repair them. Every verb may be repeated.

No verb shows a running duel's word or a token, and only `void` changes results.
"""

from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from ... import clock, push, timers
from ...delivery import announce, views
from ...delivery.screen import duels_of
from ...lifecycle.deletion import delete_player
from ...lifecycle.nicknames import checked, give_name
from ...lifecycle.rounds import advance_round
from ...lifecycle.turns import skip_turn
from ...matchmaking import queue_switch
from ...rules import duel as duel_rules
from ...rules import tournament as rules
from ...rules.player import Player, finish_unplaced, take_back
from ...rules.tournament import Tournament
from ...store import (
    DUELS,
    HISTORIES,
    PLAYERS,
    TOURNAMENTS,
    Change,
    Versioned,
    Write,
    as_stored,
    commit,
    load,
    load_many,
    overdue_tournaments,
    retry_conflicts,
    void_in_history,
)

Shown = dict[str, Any]

FAR_FUTURE_MS = 1 << 62
SHOWN_AT_MOST = 200


class AdminError(Exception):
    """The command cannot be carried out; the text tells the operator why."""


def show_player(player_id: str) -> Shown:
    """Show a player and their record. Raises AdminError if there is no such player."""
    player = _player(player_id)
    history = load(HISTORIES, player_id)
    shown = as_stored(PLAYERS, player.value)
    del shown["token_hash"]
    return {**shown, "history": as_stored(HISTORIES, history.value) if history else None}


def show_tournament(tournament_id: str) -> Shown:
    """Show a tournament: its state, the players who are away or have left in this round, the results so far, and the
    state of the current round's duels without their words. Raises AdminError if there is no such tournament."""
    tournament = _tournament(tournament_id)
    value = tournament.value
    players = load_many(PLAYERS, [entrant.player_id for entrant in value.entrants])
    results = views.results(value, players).model_dump(exclude_none=True, exclude={"now_ms"})
    duels = [
        {
            "duel_id": duel.value.duel_id,
            "players": duel.value.players,
            "turn": duel.value.turn,
            "to_move": duel.value.to_move,
            "deadline_ms": None if duel.value.over else duel.value.deadline_ms,
            "over": duel.value.over,
        }
        for duel in duels_of(tournament)
    ]
    state = results.pop("ending", "running")
    return {
        "state": state,
        "round": value.round.number,
        "bye": value.round.bye,
        "leavers": list(value.round.leavers),
        "away": [key for key in rules.players_in(value) if key in players and players[key].value.away],
        "duels": duels,
        **results,
    }


def running() -> list[Shown]:
    """Show the running tournaments, the longest-running round first; at most 200, and with several shards any 200."""
    found = load_many(TOURNAMENTS, islice(overdue_tournaments(FAR_FUTURE_MS), SHOWN_AT_MOST)).values()
    return [
        {
            "tournament_id": stored.value.tournament_id,
            "language": stored.value.language,
            "started_at_ms": stored.value.started_at_ms,
            "round": stored.value.round.number,
            "round_since_ms": stored.value.round.starts_at_ms,
            "players_in": len(rules.players_in(stored.value)),
        }
        for stored in sorted(found, key=lambda stored: stored.value.round.starts_at_ms)
    ]


def stop(tournament_id: str) -> Shown:
    """End the tournament where it is. Players still in get no place and no rating change, and are free again."""
    tournament = retry_conflicts(partial(_stop, tournament_id))
    for duel in duels_of(tournament):
        # Repeated with the verb: the first time may have crashed before this.
        if duel.value.over and duel.value.ending is None:
            timers.duel_ended(duel.task_token)
            announce.duel(duel)
    _tell_all(tournament)
    return show_tournament(tournament_id)


def void(tournament_id: str) -> Shown:
    """Take back all rating changes of the tournament. A running tournament is stopped first."""
    if not _tournament(tournament_id).value.over:
        stop(tournament_id)
    tournament = retry_conflicts(partial(_void, tournament_id))
    announce.you(player.value for player in _tell_all(tournament).values())
    return show_tournament(tournament_id)


def settle(tournament_id: str) -> Shown:
    """Do what is due: skip turns whose time is over, settle the round if its duels are over, start a new timer."""
    tournament = _tournament(tournament_id)
    if tournament.value.over:
        raise AdminError(f"tournament {tournament_id} is over")
    for duel in duels_of(tournament):
        skip_turn(duel.value.duel_id)
    if not advance_round(tournament_id).over:
        timers.start_tournament(tournament_id, rescue=f"-admin-{clock.now_ms()}")
    return show_tournament(tournament_id)


def rename(player_id: str, nickname: str) -> Shown:
    """Give the player another nickname, by the rules that hold for their own.

    Raises GameError if the nickname is not allowed, and AdminError if there is no such player.
    """
    name = checked(nickname)
    announce.you([give_name(lambda: _player(player_id), lambda player: replace(player, nickname=name))])
    return show_player(player_id)


def delete(player_id: str) -> Shown:
    """Delete the player as `deleteMe` does. Raises AdminError if there is no such player (any more)."""
    _player(player_id)
    connection_id = delete_player(player_id)
    if connection_id is not None:
        # The client reconnects with its token, and learns that the token is not valid any more.
        push.close(connection_id)
    return {"deleted": player_id}


def show_queue() -> Shown:
    """Show whether players may look for games."""
    return {"queue": "open" if queue_switch.is_open() else "closed"}


def open_queue() -> Shown:
    """Let players look for games (again)."""
    queue_switch.switch(True)
    return {"queue": "open"}


def close_queue() -> Shown:
    """Let nobody look for a game. Running games are finished, and lobbies wait."""
    queue_switch.switch(False)
    return {"queue": "closed"}


def _player(player_id: str) -> Versioned[Player]:
    player = load(PLAYERS, player_id)
    if player is None:
        raise AdminError(f"there is no player {player_id}")
    return player


def _tournament(tournament_id: str) -> Versioned[Tournament]:
    tournament = load(TOURNAMENTS, tournament_id)
    if tournament is None:
        raise AdminError(f"there is no tournament {tournament_id} (they are kept for 30 days)")
    return tournament


def _tell_all(tournament: Versioned[Tournament]) -> views.Players:
    """Notify everybody still with the tournament and the groups of all entrants. Return the entrants' records."""
    players = announce.tournament(tournament)
    announce.groups_of(player.value for player in players.values())
    return players


def _stop(tournament_id: str) -> Versioned[Tournament]:
    tournament = _tournament(tournament_id)
    if tournament.value.over:
        return tournament
    now_ms = clock.now_ms()
    running_duels = [duel for duel in duels_of(tournament) if not duel.value.over]
    players = load_many(PLAYERS, rules.players_in(tournament.value))
    tournament_write = Change(TOURNAMENTS, tournament, rules.stop(tournament.value, now_ms))
    writes: list[Write] = [tournament_write]
    writes += [Change(DUELS, duel, duel_rules.cancel(duel.value, now_ms)) for duel in running_duels]
    writes += [
        Change(PLAYERS, player, finish_unplaced(player.value))
        for player in players.values()
        if player.value.game == tournament_id
    ]
    return commit(*writes)[tournament_write]


def _void(tournament_id: str) -> Versioned[Tournament]:
    tournament = _tournament(tournament_id)
    if tournament.value.voided:
        return tournament
    changes = {
        standing.player_id: standing.rating_change
        for standing in rules.standings(tournament.value)
        if standing.rating_change is not None
    }
    players = load_many(PLAYERS, changes)
    histories = load_many(HISTORIES, changes)
    tournament_write = Change(TOURNAMENTS, tournament, rules.void(tournament.value))
    committed = commit(
        tournament_write,
        *(Change(PLAYERS, player, take_back(player.value, changes[key] or 0)) for key, player in players.items()),
        *(Change(HISTORIES, history, void_in_history(history.value, tournament_id)) for history in histories.values()),
    )
    return committed[tournament_write]
