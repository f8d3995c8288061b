"""Whole tournaments played by the rules alone, with results, moments and leavers drawn at random."""

import random
from collections.abc import Iterator
from typing import NamedTuple

from tests.unit.factories import NOW_MS, a_word, ended, guessed, some_entrants, timed_out
from wordle_tournament.rules.duel import Duel
from wordle_tournament.rules.tournament import Timing, Tournament, leave, settle, start


class Moment(NamedTuple):
    """The tournament as it stands, with the duels of its running round (of its last one once it is over)."""

    tournament: Tournament
    duels: tuple[Duel, ...]


def moments(
    rng: random.Random, draws: float = 0.0, leaving: float = 0.0, ratings: tuple[int, ...] = (1000,) * 8
) -> Iterator[Moment]:
    """Play a tournament of even players and yield after everything that happens; the last one is over.

    `draws` is the chance that a duel is drawn; `leaving` the chance, for each player in each round, to try to leave
    at some moment of it: in the introduction, in the duel, after it, during a bye or long since out.
    """
    entrants = some_entrants(ratings)
    tournament, opened = start("t", "en", entrants, Timing(), a_word, rng, NOW_MS)
    while True:
        assert opened, "a tournament that is not over has duels to play"
        duels = {duel.duel_id: duel for duel in opened}
        yield Moment(tournament, tuple(duels.values()))
        # A duel comes up twice: for some turns that do not decide it, and for its end.
        script = [*duels, *duels, *(entrant.player_id for entrant in entrants if rng.random() < leaving)]
        rng.shuffle(script)
        begun = set()
        for name in script:
            if name not in duels:
                tournament, forfeited = leave(tournament, tuple(duels.values()), name, NOW_MS)
                duels |= {duel.duel_id: duel for duel in forfeited}
            elif not duels[name].over:
                duels[name] = _end(duels[name], draws, rng) if name in begun else _begin(duels[name], rng)
                begun.add(name)
            yield Moment(tournament, tuple(duels.values()))
        tournament, opened = settle(tournament, tuple(duels.values()), Timing(), a_word, rng, NOW_MS)
        if tournament.over:
            yield Moment(tournament, tuple(duels.values()))
            return


def outcome(rng: random.Random, draws: float) -> Tournament:
    """The tournament when it is over."""
    *_, last = moments(rng, draws)
    return last.tournament


def _begin(duel: Duel, rng: random.Random) -> Duel:
    for _ in range(rng.randrange(4)):
        duel = timed_out(duel) if rng.random() < 0.3 else guessed(duel)
    return duel


def _end(duel: Duel, draws: float, rng: random.Random) -> Duel:
    return ended(duel, None if rng.random() < draws else rng.choice(duel.players))
