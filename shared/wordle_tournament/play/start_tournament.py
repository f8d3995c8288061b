"""A full lobby becomes a tournament (R1): the same id, in the same commit as the last seat."""

import random
import secrets
from collections.abc import Collection, Mapping

from .. import clock, words
from ..config import timing
from ..rules import tournament as rules
from ..rules.lobby import Lobby
from ..rules.player import Player
from ..store import DUELS, TOURNAMENTS, Create, Stored, Write
from . import views

chance: random.Random = secrets.SystemRandom()


def writes(lobby: Lobby, players: Mapping[str, Stored[Player]]) -> list[Write]:
    """What starts the full lobby's tournament with its first round; `players` are the records of those in it."""
    entrants = [rules.Entrant(seat.player_id, seat.nickname, seat.rating) for seat in lobby.seats]
    tournament, duels = rules.start(
        lobby.lobby_id, lobby.language, entrants, timing(), draw_word(lobby.language), chance, clock.now_ms()
    )
    there = {"connections": views.connections(players.values())}
    return [Create(TOURNAMENTS, tournament), *(Create(DUELS, duel, there) for duel in duels)]


def draw_word(language: str) -> rules.DrawWord:
    """Draws a language's secret words (R12, R33)."""

    def draw(length: int, used: Collection[str]) -> str:
        return words.draw_answer(language, length, used, chance)

    return draw
