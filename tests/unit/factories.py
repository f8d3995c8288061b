"""Small makers of duels, tournaments and lobbies: what a test does not say is ordinary.

A round is written as it is played, from left to right: `a>b` is a duel that a wins, `a=b` one that is drawn, `a-b`
one that is only begun, `c` alone has the bye and `!d` leaves at that moment.
"""

import random
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import product

from wordle_tournament.rules.duel import TURNS, Duel, Outlook, guess, skip
from wordle_tournament.rules.lobby import Lobby, Seat, open_lobby
from wordle_tournament.rules.pairing import Pair, Pairing
from wordle_tournament.rules.player import Player
from wordle_tournament.rules.tournament import (
    Entrant,
    Match,
    Round,
    Standing,
    Timing,
    Tournament,
    leave,
    lives,
    players_in,
    settle,
    standings,
    start,
)

NOW_MS = 1_700_000_000_000
TURN_MS = 30_000
INTRO_MS = 6_000
NAMES = "abcdefgh"


# Duels


def a_duel(
    word: str = "crane",
    players: tuple[str, str] = ("ann", "bob"),
    lives: tuple[int, int] = (3, 3),
    outlook: Outlook | None = None,
) -> Duel:
    """A duel at its very start: ann guesses first, her deadline is `NOW_MS + TURN_MS`."""
    return Duel(
        duel_id="t.1.1",
        tournament_id="t",
        round=1,
        language="en",
        word=word,
        players=players,
        lives=lives,
        outlook=outlook or Outlook(8, 0, 0),
        starts_at_ms=NOW_MS,
        turn_ms=TURN_MS,
        deadline_ms=NOW_MS + TURN_MS,
    )


def guessed(duel: Duel, word: str | None = None, after_ms: int = 1_000) -> Duel:
    """Let the player to move guess: a wrong word unless one is given."""
    player_id = duel.to_move
    assert player_id is not None
    received_ms = duel.deadline_ms - duel.turn_ms + after_ms
    return guess(duel, player_id, duel.turn, word or "z" * len(duel.word), received_ms, received_ms)


def timed_out(duel: Duel, turns: int = 1) -> Duel:
    """So many turns go by unused, one after the other."""
    for _ in range(turns):
        skipped = skip(duel, duel.turn, duel.deadline_ms, 0)
        assert skipped != duel, "a turn is skipped at its deadline"
        duel = skipped
    return duel


def ended(duel: Duel, winner: str | None) -> Duel:
    """The duel played to its end: solved by the winner in their first turn, or drawn without one."""
    if winner is None:
        return timed_out(duel, TURNS - len(duel.rows))
    return guessed(duel if duel.to_move == winner else timed_out(duel), duel.word)


# Tournaments


def a_word(length: int, used: Collection[str]) -> str:
    """The first made-up word of the length that is not used yet, as a drawer of words may choose it."""
    return next(word for letters in product("klmn", repeat=length) if (word := "".join(letters)) not in used)


def some_entrants(ratings: Sequence[int] = (1000,) * 8) -> list[Entrant]:
    """The players a to h with these ratings."""
    return [Entrant(name, name.upper(), rating) for name, rating in zip(NAMES, ratings, strict=True)]


def started(seed: int = 1, ratings: Sequence[int] = (1000,) * 8) -> tuple[Tournament, tuple[Duel, ...]]:
    return start("t", "en", some_entrants(ratings), Timing(), a_word, random.Random(seed), NOW_MS)


def settled(tournament: Tournament, duels: Sequence[Duel], seed: int = 1) -> tuple[Tournament, tuple[Duel, ...]]:
    return settle(tournament, duels, Timing(), a_word, random.Random(seed), NOW_MS)


def with_pairing(tournament: Tournament, pairs: Sequence[Pair], bye: str | None) -> tuple[Tournament, tuple[Duel, ...]]:
    """The running round with these pairs in place of those that were drawn; the first of each pair guesses first."""
    number, lives_now = tournament.round.number, lives(tournament)
    paired = {player for pair in pairs for player in pair} | ({bye} if bye else set())
    assert paired == set(players_in(tournament)), "everybody who is in takes part in the round"
    duels = tuple(
        replace(
            a_duel(a_word(5, ()), pair, (lives_now[pair[0]], lives_now[pair[1]])),
            duel_id=f"t.{number}.{index}",
            round=number,
        )
        for index, pair in enumerate(pairs, start=1)
    )
    matches = tuple(Match(duel.duel_id, duel.players, len(duel.word)) for duel in duels)
    running = Round(number, matches, bye, NOW_MS)
    return replace(tournament, rounds=(*tournament.rounds[:-1], running)), duels


def running(tournament: Tournament, script: str) -> tuple[Tournament, tuple[Duel, ...]]:
    """The running round played as the script says, but not settled."""
    tokens = script.split()
    pairs = [(token[0], token[2]) for token in tokens if len(token) == 3]
    byes = [token for token in tokens if len(token) == 1]
    tournament, opened = with_pairing(tournament, pairs, byes[0] if byes else None)
    duels = {duel.duel_id: duel for duel in opened}
    for token in tokens:
        if token[0] == "!":
            tournament, forfeited = leave(tournament, tuple(duels.values()), token[1], NOW_MS)
            duels |= {duel.duel_id: duel for duel in forfeited}
        elif len(token) == 3 and token[1] != "-":
            duel = next(duel for duel in duels.values() if duel.players == (token[0], token[2]))
            duels[duel.duel_id] = ended(duel, token[0] if token[1] == ">" else None)
    return tournament, tuple(duels.values())


def played(*scripts: str, ratings: Sequence[int] = (1000,) * 8) -> Tournament:
    """A tournament in which these rounds were played and settled."""
    tournament, _ = started(ratings=ratings)
    for script in scripts:
        assert not tournament.over, f"the tournament was over before {script!r}"
        tournament, _ = settled(*running(tournament, script))
    return tournament


def table(tournament: Tournament) -> dict[str, Standing]:
    return {standing.player_id: standing for standing in standings(tournament)}


def places(tournament: Tournament) -> dict[str, int | None]:
    return {player: standing.place for player, standing in table(tournament).items()}


def pairing(*pairs: str, bye: str | None = None) -> Pairing:
    """`pairing("ab", "cd", bye="e")`."""
    return Pairing(tuple((pair[0], pair[1]) for pair in pairs), bye)


# Lobbies and players


def a_party(name: str, rating: float = 1000, size: int = 1) -> tuple[Seat, ...]:
    """So many players who are seated as one, by this (mean) rating."""
    return tuple(Seat(f"{name}{number}", name.upper(), round(rating), name, rating) for number in range(size))


def a_lobby(
    name: str, *parties: tuple[Seat, ...], rating: float | None = None, language: str = "en", opened_at_ms: int = NOW_MS
) -> Lobby:
    """A lobby in which these parties sit, the first of them the one that opened it (unless a rating is given)."""
    lobby = open_lobby(name, language, parties[0], opened_at_ms)
    seats = tuple(seat for party in parties for seat in party)
    return replace(lobby, seats=seats, rating=lobby.rating if rating is None else rating, started=len(seats) == 8)


def a_player() -> Player:
    """A new player who has never connected."""
    return Player("ann", "0" * 64, "Ann", NOW_MS)
