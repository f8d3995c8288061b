"""The processor time of whole tournaments by the rules alone, with words drawn from the real lists."""

import random
import time
from collections.abc import Collection

from wordle_tournament import words
from wordle_tournament.rules.duel import Duel, guess
from wordle_tournament.rules.tournament import Entrant, Timing, settle, start

TOURNAMENTS = 200
SCALE = 100_000
TURNS = 7
"""The turns of each duel, as in the reference tournament."""


def minutes() -> float:
    """Return the CPU minutes of 100,000 tournaments, from 200."""
    rng = random.Random(1)
    _play(rng)
    began = time.process_time()
    for _ in range(TOURNAMENTS):
        _play(rng)
    return (time.process_time() - began) / TOURNAMENTS * SCALE / 60


def _play(rng: random.Random) -> None:
    entrants = [Entrant(f"p{number}", "Name", 1000) for number in range(8)]

    def draw(length: int, used: Collection[str]) -> str:
        return words.draw_answer("en", length, used, rng)

    tournament, duels = start("t", "en", entrants, Timing(), draw, rng, 0)
    while not tournament.over:
        tournament, duels = settle(tournament, [_solved(duel, rng) for duel in duels], Timing(), draw, rng, 0)


def _solved(duel: Duel, rng: random.Random) -> Duel:
    guesses = words.guesses(duel.language, len(duel.word))
    winner = rng.choice(duel.players)
    while not duel.over:
        last = len(duel.rows) >= TURNS - 1 and duel.to_move == winner
        word = duel.word if last else next(one for one in iter(lambda: rng.choice(guesses), "") if one != duel.word)
        duel = guess(duel, str(duel.to_move), duel.turn, word, duel.starts_at_ms, duel.starts_at_ms)
    return duel
