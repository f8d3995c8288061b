"""A full lobby becomes a tournament (R1): the same id, in the same commit as the last seat."""

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
    """What starts the full lobby's tournament with its first round; `players` are the records of those in it.

    It is played with the ratings of now (R21): one who waits may have left a tournament that was settled meanwhile.
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
    """Start the clock of the lobby's tournament, if the lobby is full; again is harmless. Raises ClientError."""
    if lobby.value.started:
        timers.start_tournament(lobby.value.lobby_id)
        # The message that filled the lobby, and the name of the execution that it started.
        logger.info("tournament started", tournament_id=lobby.value.lobby_id)
        count(Metric.TOURNAMENT_STARTED)
        count(Metric.LOBBY_FILL_SECONDS, (clock.now_ms() - lobby.value.opened_at_ms) / 1000)


def draw_word(language: str) -> rules.DrawWord:
    """Draws a language's secret words (R12, R33)."""

    def draw(length: int, used: Collection[str]) -> str:
        return words.draw_answer(language, length, used, randomness.rng)

    return draw
