"""Asking players who wait in a lobby, or have a bye, whether they are there, and losing those who are silent (R28).

There no turn is skipped, so nothing else would notice a pulled cable.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

from .. import clock
from ..delivery import questions
from ..protocol.messages import QuestionWhat
from ..rules.lobby import Lobby
from ..rules.question import ask
from ..rules.tournament import Tournament
from ..store import ANSWERS, LOBBIES, PLAYERS, TOURNAMENTS, Change, Versioned, commit, load, load_many, retry_conflicts
from ..store.load import Plain
from .connections import lose_silent_connection

Asking = TypeVar("Asking", Lobby, Tournament)


@dataclass(frozen=True, slots=True)
class Checked:
    """The number of players who were silent and lost their connection by this, and True if the others were asked."""

    silent: int = 0
    asked: bool = False


def check_lobby(lobby_id: str, ask_anew: bool = True) -> Checked:
    """Lose the silent players of a lobby that waits, and ask the others anew.

    Raises Conflict, StoreError, ClientError.
    """
    lobby = load(LOBBIES, lobby_id)
    if lobby is None or not lobby.value.open:
        return Checked()
    return _check(LOBBIES, "lobby", lobby_id, lobby, tuple(seat.player_id for seat in lobby.value.seats), ask_anew)


def check_bye(tournament_id: str, ask_anew: bool = True) -> Checked:
    """Do the same for the player who has a bye. Raises as `check_lobby` does."""
    tournament = load(TOURNAMENTS, tournament_id)
    if tournament is None or tournament.value.over or tournament.value.round.bye is None:
        return Checked()
    return _check(TOURNAMENTS, "tournament", tournament_id, tournament, (tournament.value.round.bye,), ask_anew)


def _check(
    table: Plain[Asking],
    what: QuestionWhat,
    key: str,
    stored: Versioned[Asking],
    player_ids: tuple[str, ...],
    ask_anew: bool,
) -> Checked:
    silent = [asked for asked in questions.silent_in(stored, stored.value.question) if asked.player_id in player_ids]
    lost = sum(lose_silent_connection(asked.connection_id) for asked in silent)
    if not ask_anew or questions.is_open(stored.value.question):
        return Checked(lost)
    asked_anew = retry_conflicts(lambda: _ask(table, key, player_ids))
    if asked_anew is not None:
        questions.push(what, key, asked_anew.value.question, asked_anew.answers)
    return Checked(lost, asked=asked_anew is not None)


def _ask(table: Plain[Asking], key: str, player_ids: tuple[str, ...]) -> Versioned[Asking] | None:
    """Write the next question to those of the players who are connected and still in this game."""
    stored = load(table, key)
    players = load_many(PLAYERS, player_ids).values()
    connections = questions.connected(
        (player.value.player_id, player.value.connection_id) for player in players if player.value.game == key
    )
    if stored is None or not connections:
        return None
    question = ask(stored.value.question, connections, clock.now_ms())
    asking = replace(stored.value, question=question)
    write = Change(table, stored, asking, removed_attributes=(ANSWERS,), new_version=False)
    return commit(write)[write]
