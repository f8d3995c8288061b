"""A tournament: rounds of duels until one player is left (R1-R9, R27), and what each place is worth (R19-R21).

Nothing is counted up: lives, places and rating changes are derived from the recorded rounds each time.
A tournament always has a round running until it is over.
"""

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ..errors import ErrorCode, GameError
from . import rating
from .duel import LENGTHS, Duel, Ending, Outlook
from .duel import forfeit as forfeit_duel
from .pairing import Pairing, draw_pairing

PLAYERS = 8
LIVES = 3

DrawWord = Callable[[int, Collection[str]], str]
"""Draws a secret word of a length that is not among the words given."""


class PlayerStatus(StrEnum):
    """How a player stands in the tournament."""

    IN = "in"
    OUT = "out"
    LEFT = "left"
    WON = "won"


class TournamentEnding(StrEnum):
    """Why a tournament is over: played to its end, stopped by an operator, or voided by one afterwards."""

    FINISHED = "finished"
    STOPPED = "stopped"
    VOIDED = "voided"


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things take, in milliseconds (R3, R11)."""

    intro_ms: int = 6_000
    turn_ms: int = 30_000


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player as they entered: the nickname shown and the rating reckoned with throughout (R21, R35)."""

    player_id: str
    nickname: str
    rating: int


@dataclass(frozen=True, slots=True)
class Match:
    """A pair of a round and its duel; `players[0]` guesses first."""

    duel_id: str
    players: tuple[str, str]
    length: int


@dataclass(frozen=True, slots=True)
class Result:
    """How a duel ended, recorded when its round is settled; the word is public by then."""

    duel_id: str
    ending: Ending
    winner: str | None
    word: str = field(repr=False)
    turns: int


@dataclass(frozen=True, slots=True)
class Round:
    """A round: who met whom, who had the bye, who left during it, and, once settled, how the duels ended."""

    number: int
    matches: tuple[Match, ...]
    bye: str | None
    starts_at_ms: int
    leavers: tuple[str, ...] = ()
    results: tuple[Result, ...] = ()

    @property
    def settled(self) -> bool:
        return bool(self.results)

    @property
    def pairing(self) -> Pairing:
        return Pairing(tuple(match.players for match in self.matches), self.bye)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament as it is stored; `rounds[-1]` is the one being played.

    An operator may have `stopped` it, so that those still in have no place, and `voided` it, so that its rating changes
    have been taken back.
    """

    tournament_id: str
    language: str
    entrants: tuple[Entrant, ...]
    started_at_ms: int
    rounds: tuple[Round, ...] = ()
    ended_at_ms: int | None = None
    stopped: bool = False
    voided: bool = False

    @property
    def over(self) -> bool:
        return self.ended_at_ms is not None

    @property
    def ending(self) -> TournamentEnding | None:
        """Why it is over; None while it runs. One that was stopped and then voided is voided."""
        if not self.over:
            return None
        if self.voided:
            return TournamentEnding.VOIDED
        return TournamentEnding.STOPPED if self.stopped else TournamentEnding.FINISHED

    @property
    def round(self) -> Round:
        return self.rounds[-1]

    @property
    def last_settled(self) -> Round | None:
        """The round that was settled last; None during the first."""
        return next((played for played in reversed(self.rounds) if played.settled), None)

    def entrant(self, player_id: str) -> Entrant:
        """Raises GameError(NOT_IN_TOURNAMENT) for one who did not enter."""
        for entrant in self.entrants:
            if entrant.player_id == player_id:
                return entrant
        raise GameError(ErrorCode.NOT_IN_TOURNAMENT, "You do not play in this tournament.")

    def match_of(self, player_id: str) -> Match | None:
        """The player's match in the current round; None with a bye or once out."""
        return next((match for match in self.round.matches if player_id in match.players), None)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a player stands by the rounds settled so far; place and rating change once they are fixed (R8, R9).

    In a tournament that was voided the change is 0.
    """

    player_id: str
    lives: int
    status: PlayerStatus
    place: int | None = None
    rating_change: int | None = None


def start(
    tournament_id: str,
    language: str,
    entrants: Sequence[Entrant],
    timing: Timing,
    draw_word: DrawWord,
    rng: random.Random,
    now_ms: int,
) -> tuple[Tournament, tuple[Duel, ...]]:
    """Start a tournament of eight distinct entrants with its first round open (R1, R3)."""
    if len({entrant.player_id for entrant in entrants}) != PLAYERS or len(entrants) != PLAYERS:
        raise ValueError("a tournament is played by 8 different players")
    tournament = Tournament(tournament_id, language, tuple(entrants), now_ms)
    return _open_round(tournament, timing, draw_word, rng, now_ms)


def settle(
    tournament: Tournament,
    duels: Sequence[Duel],
    timing: Timing,
    draw_word: DrawWord,
    rng: random.Random,
    now_ms: int,
) -> tuple[Tournament, tuple[Duel, ...]]:
    """Settle the current round, whose `duels` are all over, and open the next, or end the tournament.

    Returns the tournament and the new round's duels (none when it is over). Lives taken during the round now
    mean elimination, places and rating changes (R8, R9); one left in, or none, ends it (R7, R8, R27).
    """
    if tournament.over:
        return tournament, ()
    if not all(duel.over for duel in duels) or {duel.duel_id for duel in duels} != {
        match.duel_id for match in tournament.round.matches
    }:
        raise ValueError("a round is settled with all its duels, all of them over")
    results = tuple(
        Result(duel.duel_id, duel.ending, duel.winner, duel.word, len(duel.rows))
        for duel in duels
        if duel.ending is not None
    )
    settled = replace(tournament, rounds=(*tournament.rounds[:-1], replace(tournament.round, results=results)))
    if len(players_in(settled)) <= 1:
        return replace(settled, ended_at_ms=now_ms), ()
    return _open_round(settled, timing, draw_word, rng, now_ms)


def leave(
    tournament: Tournament, duels: Sequence[Duel], player_id: str, now_ms: int
) -> tuple[Tournament, tuple[Duel, ...]]:
    """The player leaves: out, below everybody else who falls in this round; a running duel is lost (R27).

    `duels` are those of the current round. Returns the tournament and the duels that this ended. Leaving changes
    nothing once the player is out or the tournament is decided (R10). Raises GameError(NOT_IN_TOURNAMENT).
    """
    tournament.entrant(player_id)
    still_in = remaining(tournament, duels)
    if tournament.over or player_id not in still_in or len(still_in) <= 1:
        return tournament, ()
    leavers = (*tournament.round.leavers, player_id)
    left = replace(tournament, rounds=(*tournament.rounds[:-1], replace(tournament.round, leavers=leavers)))
    ended = tuple(
        forfeit_duel(duel, player_id, now_ms) for duel in duels if player_id in duel.players and not duel.over
    )
    return left, ended


def remaining(tournament: Tournament, duels: Sequence[Duel]) -> tuple[str, ...]:
    """Who is still in right now, the running round's lost lives and leavers counted (R7, R9, R27)."""
    fallen = {
        player for duel in duels for player, lives in zip(duel.players, duel.lives_left, strict=True) if not lives
    }
    gone = fallen | set(tournament.round.leavers)
    return tuple(player for player in players_in(tournament) if player not in gone)


def players_in(tournament: Tournament) -> tuple[str, ...]:
    """Who is in by the settled rounds, in order of entry: the players of the round that runs or is to be opened."""
    return tuple(player for player, (_, status, _) in _replay(tournament).items() if status is PlayerStatus.IN)


def lives(tournament: Tournament) -> dict[str, int]:
    """Lives by player after the settled rounds; one who has left has none."""
    return {player: count for player, (count, _, _) in _replay(tournament).items()}


def standings(tournament: Tournament) -> tuple[Standing, ...]:
    """Everybody's standing after the settled rounds, best first; places by R8 and R9, rating changes by R21."""
    replayed = _replay(tournament)
    # Who is still in finishes above everybody who is out, wherever that will be.
    places = {player: place or 0 for player, (_, _, place) in replayed.items()}
    table = []
    for entrant in tournament.entrants:
        count, status, place = replayed[entrant.player_id]
        if status is PlayerStatus.IN and tournament.over and not tournament.stopped:
            status, place = PlayerStatus.WON, 1
        change = None if place is None else 0
        if place is not None and not tournament.voided:
            change = rating.change(
                entrant.rating,
                [
                    (other.rating, rating.Outcome.of(places[entrant.player_id], places[other.player_id]))
                    for other in tournament.entrants
                    if other is not entrant
                ],
            )
        table.append(Standing(entrant.player_id, count, status, place, change))
    return tuple(sorted(table, key=lambda standing: (standing.place or 0, -standing.lives)))


def stop(tournament: Tournament, now_ms: int) -> Tournament:
    """End the tournament where it is, by an operator: whoever is still in gets no place. Over is over."""
    return tournament if tournament.over else replace(tournament, ended_at_ms=now_ms, stopped=True)


def void(tournament: Tournament) -> Tournament:
    """Mark a tournament that is over as one whose rating changes do not count. Raises ValueError if it is not over."""
    if not tournament.over:
        raise ValueError("a tournament is voided once it is over")
    return replace(tournament, voided=True)


def newly_placed(tournament: Tournament) -> tuple[Standing, ...]:
    """Those whose place the last settled round has fixed, the winner too."""
    settled = [played for played in tournament.rounds if played.settled]
    if not settled:
        return ()
    before = replace(tournament, rounds=tuple(settled[:-1]), ended_at_ms=None)
    already = {player for player, (_, status, _) in _replay(before).items() if status is not PlayerStatus.IN}
    return tuple(
        standing
        for standing in standings(tournament)
        if standing.place is not None and standing.player_id not in already
    )


def rating_parts(tournament: Tournament, player_id: str) -> tuple[tuple[str, rating.Outcome, float], ...]:
    """How the player's rating change adds up: for each opponent the outcome and the unrounded points (R21).

    Nothing before the place is fixed, nor in a tournament that was voided. Raises GameError(NOT_IN_TOURNAMENT).
    """
    own = tournament.entrant(player_id)
    places = {standing.player_id: standing.place for standing in standings(tournament)}
    place = places[player_id]
    if place is None or tournament.voided:
        return ()
    outcomes = [
        (other, rating.Outcome.of(place, places[other.player_id] or 0))
        for other in tournament.entrants
        if other is not own
    ]
    return tuple(
        (other.player_id, outcome, rating.part(own.rating, other.rating, outcome)) for other, outcome in outcomes
    )


def forget(tournament: Tournament, player_id: str, nickname: str) -> Tournament:
    """The player is deleted: the results stay, under a neutral name."""
    return replace(
        tournament,
        entrants=tuple(
            replace(entrant, nickname=nickname) if entrant.player_id == player_id else entrant
            for entrant in tournament.entrants
        ),
    )


def _replay(tournament: Tournament) -> dict[str, tuple[int, PlayerStatus, int | None]]:
    """Lives, status and place by player, replayed over the settled rounds."""
    replayed: dict[str, tuple[int, PlayerStatus, int | None]] = {
        entrant.player_id: (LIVES, PlayerStatus.IN, None) for entrant in tournament.entrants
    }
    for played in tournament.rounds:
        if not played.settled:
            break
        winners = {result.duel_id: result.winner for result in played.results}
        for match in played.matches:
            for player in match.players:
                if player != winners[match.duel_id]:
                    replayed[player] = (replayed[player][0] - 1, PlayerStatus.IN, None)
        still_in = {player for player, (_, status, _) in replayed.items() if status is PlayerStatus.IN}
        leavers = set(played.leavers)
        fallen = {player for player in still_in - leavers if replayed[player][0] == 0}
        survivors = len(still_in - leavers - fallen)
        for player in fallen:
            replayed[player] = (0, PlayerStatus.OUT, 1 + survivors)
        for player in leavers:
            replayed[player] = (0, PlayerStatus.LEFT, 1 + survivors + len(fallen))
    return replayed


def _open_round(
    tournament: Tournament, timing: Timing, draw_word: DrawWord, rng: random.Random, now_ms: int
) -> tuple[Tournament, tuple[Duel, ...]]:
    number = len(tournament.rounds) + 1
    lives_now = lives(tournament)
    last = tournament.rounds[-1].pairing if tournament.rounds else None
    pairing = draw_pairing(players_in(tournament), last, rng)
    starts_at_ms = now_ms + timing.intro_ms
    used = {result.word for played in tournament.rounds for result in played.results}
    duels: list[Duel] = []
    for index, players in enumerate(pairing.pairs, start=1):
        word = draw_word(rng.choice(LENGTHS), used)
        used.add(word)
        duels.append(
            Duel(
                duel_id=f"{tournament.tournament_id}.{number}.{index}",
                tournament_id=tournament.tournament_id,
                round=number,
                language=tournament.language,
                word=word,
                players=players,
                lives=(lives_now[players[0]], lives_now[players[1]]),
                outlook=_outlook(
                    len(players_in(tournament)),
                    [
                        (lives_now[first], lives_now[second])
                        for first, second in pairing.pairs
                        if (first, second) != players
                    ],
                ),
                starts_at_ms=starts_at_ms,
                turn_ms=timing.turn_ms,
                deadline_ms=starts_at_ms + timing.turn_ms,
            )
        )
    matches = tuple(Match(duel.duel_id, duel.players, len(duel.word)) for duel in duels)
    opened = Round(number, matches, pairing.bye, starts_at_ms)
    return replace(tournament, rounds=(*tournament.rounds, opened)), tuple(duels)


def _outlook(players_in_round: int, others: Sequence[tuple[int, int]]) -> Outlook:
    """The fewest and the most players whom the other duels can put out, from their lives (R9)."""
    return Outlook(
        players_in_round,
        sum(min(first == 1, second == 1) for first, second in others),
        sum((first == 1) + (second == 1) for first, second in others),
    )
