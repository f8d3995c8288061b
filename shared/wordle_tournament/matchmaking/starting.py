"""The start of a full lobby's tournament (R1), with the lobby's id and in the commit of the last seat."""

from collections.abc import Collection, Mapping

from aws_lambda_powertools import Logger

from .. import clock, randomness, timers, words
from ..config import settings
from ..delivery import views
from ..metrics import Metric, count
from ..rules import tournament as rules
from ..rules.lobby import Lobby
from ..rules.player import Player
from ..store import DUELS, TOURNAMENTS, Create, Versioned, Write

logger = Logger(child=True)


def writes(lobby: Lobby, players: Mapping[str, Versioned[Player]]) -> list[Write]:
    """Return the writes of the full lobby's tournament and its first round; `players` are the records of those in it.

    The current ratings count (R21): a tournament that a waiting player had left may have been settled meanwhile.
    """
    ratings = {key: player.value.rating for key, player in players.items()}
    entrants = [
        rules.Entrant(seat.player_id, seat.nickname, ratings.get(seat.player_id, seat.rating)) for seat in lobby.seats
    ]
    tournament, duels = rules.start(
        lobby.lobby_id,
        lobby.language,
        entrants,
        settings().timing,
        draw_word(lobby.language),
        randomness.rng,
        clock.now_ms(),
    )
    extra_attributes = {"connections": views.connections(players.values())}
    return [Create(TOURNAMENTS, tournament), *(Create(DUELS, duel, extra_attributes) for duel in duels)]


def begin(lobby: Versioned[Lobby]) -> None:
    """Start the timer of the lobby's tournament if the lobby is full. It may be called again. Raises ClientError."""
    if lobby.value.started:
        timers.start_tournament(lobby.value.lobby_id)
        # This line leads from the message that filled the lobby to the execution, which has the tournament's id.
        logger.info("tournament started", tournament_id=lobby.value.lobby_id)
        count(Metric.TOURNAMENT_STARTED)
        count(Metric.LOBBY_FILL_SECONDS, (clock.now_ms() - lobby.value.opened_at_ms) / 1000)


def draw_word(language: str) -> rules.DrawWord:
    """Return the function that draws the secret words of the language (R12, R33)."""

    def draw(length: int, used: Collection[str]) -> str:
        return words.draw_answer(language, length, used, randomness.rng)

    return draw
