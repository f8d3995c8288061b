"""A tournament: rounds of duels until one player is left (R1-R9, R27), and the rating change of each place (R19-R21).

Nothing is incremented: lives, places and rating changes are derived from the recorded rounds each time.
Until a tournament is over, one of its rounds is running.
"""

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ..errors import ErrorCode, GameError
from . import rating
from .duel import LENGTHS, Duel, Ending, Outlook, with_outlook
from .duel import forfeit as forfeit_duel
from .pairing import Pairing, draw_pairing
from .question import Question

PLAYERS = 8
LIVES = 3

DrawWord = Callable[[int, Collection[str]], str]
"""A function that draws a secret word of a length, other than the words given."""


class PlayerStatus(StrEnum):
    """The status of a player in the tournament."""

    IN = "in"
    OUT = "out"
    LEFT = "left"
    WON = "won"


class TournamentEnding(StrEnum):
    """The reason why a tournament is over: played to its end, stopped by an operator, or voided by one afterwards."""

    FINISHED = "finished"
    STOPPED = "stopped"
    VOIDED = "voided"


@dataclass(frozen=True, slots=True)
class Timing:
    """The durations of a round's introduction and of a turn, in milliseconds (R3, R11)."""

    intro_ms: int = 6_000
    turn_ms: int = 30_000


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player at the start: the nickname that is shown and the rating that counts throughout (R21, R35)."""

    player_id: str
    nickname: str
    rating: int


@dataclass(frozen=True, slots=True)
class Match:
    """A pair of a round, and its duel; `players[0]` guesses first."""

    duel_id: str
    players: tuple[str, str]
    length: int


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a duel, recorded when its round is settled. The word is public by then."""

    duel_id: str
    ending: Ending
    winner: str | None
    word: str = field(repr=False)
    turns: int


@dataclass(frozen=True, slots=True)
class Round:
    """A round: its matches, the player with the bye, the players who left in it, and, once settled, the results."""

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

    If an operator has `stopped` it, the players who were still in have no place. If one has `voided` it, its rating
    changes have been taken back. `results_told` is True once the players placed by its end have been told, unless its
    timer did that.
    """

    tournament_id: str
    language: str
    entrants: tuple[Entrant, ...]
    started_at_ms: int
    rounds: tuple[Round, ...] = ()
    ended_at_ms: int | None = None
    stopped: bool = False
    voided: bool = False
    question: Question | None = None
    """The last question whether the player with the bye is there (R28)."""
    results_told: bool = False

    @property
    def over(self) -> bool:
        return self.ended_at_ms is not None

    @property
    def ending(self) -> TournamentEnding | None:
        """The reason why it is over; None while it runs. A tournament that was stopped and then voided is voided."""
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
        """Return the player as they entered. Raises GameError(NOT_IN_TOURNAMENT) if they did not."""
        for entrant in self.entrants:
            if entrant.player_id == player_id:
                return entrant
        raise GameError(ErrorCode.NOT_IN_TOURNAMENT, "You do not play in this tournament.")

    def match_of(self, player_id: str) -> Match | None:
        """Return the player's match in the current round; None with a bye or once out."""
        return next((match for match in self.round.matches if player_id in match.players), None)


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's standing by the settled rounds; place and rating change once they are fixed (R8, R9).

    In a voided tournament the change is 0.
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

    Return the tournament and the new round's duels (none if it is over). The lives lost in the round now decide
    eliminations, places and rating changes (R8, R9). With one player left in, or none, the tournament ends (R7, R8,
    R27). Raises ValueError unless all duels of the round are given and over.
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
    """Take the player out, placed below everybody else eliminated in this round; they lose a running duel (R27).

    `duels` are those of the current round. Return the tournament and the duels that this changed: one ends, and for the
    others other places are possible (R9). Leaving changes nothing once the player is out or the tournament is decided
    (R10). Raises GameError(NOT_IN_TOURNAMENT).
    """
    tournament.entrant(player_id)
    still_in = remaining(tournament, duels)
    if tournament.over or player_id not in still_in or len(still_in) <= 1:
        return tournament, ()
    leavers = (*tournament.round.leavers, player_id)
    left = replace(tournament, rounds=(*tournament.rounds[:-1], replace(tournament.round, leavers=leavers)))
    after = [forfeit_duel(duel, player_id, now_ms) if player_id in duel.players else duel for duel in duels]
    after = [with_outlook(duel, _outlook(left, after, duel)) for duel in after]
    return left, tuple(duel for before, duel in zip(duels, after, strict=True) if duel != before)


def remaining(tournament: Tournament, duels: Sequence[Duel]) -> tuple[str, ...]:
    """Return the players still in at this moment: lives lost and leavers in the running round count (R7, R9, R27)."""
    fallen = {
        player for duel in duels for player, lives in zip(duel.players, duel.lives_left, strict=True) if not lives
    }
    out = fallen | set(tournament.round.leavers)
    return tuple(player for player in players_in(tournament) if player not in out)


def players_in(tournament: Tournament) -> tuple[str, ...]:
    """Return the players in by the settled rounds, in order of entry: those of the round that runs or opens next."""
    return tuple(player for player, (_, status, _) in _replay(tournament).items() if status is PlayerStatus.IN)


def lives(tournament: Tournament) -> dict[str, int]:
    """Return the lives by player after the settled rounds; a player who has left has none."""
    return {player: count for player, (count, _, _) in _replay(tournament).items()}


def standings(tournament: Tournament) -> tuple[Standing, ...]:
    """Return all standings after the settled rounds, best first; places by R8 and R9, rating changes by R21."""
    replayed = _replay(tournament)
    # A player still in will finish above everybody who is out.
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
    """End the tournament where it is, by an operator: players still in get no place. One that is over stays so."""
    return tournament if tournament.over else replace(tournament, ended_at_ms=now_ms, stopped=True)


def void(tournament: Tournament) -> Tournament:
    """Mark the tournament as voided: its rating changes do not count. Raises ValueError if it is not over."""
    if not tournament.over:
        raise ValueError("a tournament is voided once it is over")
    return replace(tournament, voided=True)


def newly_placed(tournament: Tournament) -> tuple[Standing, ...]:
    """Return the standings of the players whose place the last settled round has fixed, the winner too."""
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


def solved_turns(tournament: Tournament, player_id: str) -> tuple[int, ...]:
    """Return the player's own turn (1 to 6) of each word that they guessed, by the settled rounds."""
    return tuple(
        (result.turns + 1) // 2
        for played in tournament.rounds
        for result in played.results
        if result.winner == player_id and result.ending is Ending.SOLVED
    )


def rating_parts(tournament: Tournament, player_id: str) -> tuple[tuple[str, rating.Outcome, float], ...]:
    """Return the parts of the player's rating change: for each opponent the outcome and the unrounded points (R21).

    There are none before the place is fixed, and none in a voided tournament. Raises GameError(NOT_IN_TOURNAMENT).
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


def postpone(tournament: Tournament, duels: Sequence[Duel], starts_at_ms: int) -> tuple[Tournament, tuple[Duel, ...]]:
    """Let the introduction of the current round end later, at `starts_at_ms` (R3).

    Return the tournament and those of its `duels` that still run; each player's first turn stays as long as it was.
    """
    later_ms = starts_at_ms - tournament.round.starts_at_ms
    current = replace(tournament.round, starts_at_ms=starts_at_ms)
    moved = (
        replace(duel, starts_at_ms=duel.starts_at_ms + later_ms, deadline_ms=duel.deadline_ms + later_ms)
        for duel in duels
        if not duel.over
    )
    return replace(tournament, rounds=(*tournament.rounds[:-1], current)), tuple(moved)


def forget(tournament: Tournament, player_id: str, nickname: str) -> Tournament:
    """Show a deleted player's results under the neutral nickname."""
    return replace(
        tournament,
        entrants=tuple(
            replace(entrant, nickname=nickname) if entrant.player_id == player_id else entrant
            for entrant in tournament.entrants
        ),
    )


def _replay(tournament: Tournament) -> dict[str, tuple[int, PlayerStatus, int | None]]:
    """Return lives, status and place by player, by replaying the settled rounds."""
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
                outlook=Outlook(len(players_in(tournament)), 0, 0),
                starts_at_ms=starts_at_ms,
                turn_ms=timing.turn_ms,
                deadline_ms=starts_at_ms + timing.turn_ms,
            )
        )
    matches = tuple(Match(duel.duel_id, duel.players, len(duel.word)) for duel in duels)
    opened = Round(number, matches, pairing.bye, starts_at_ms)
    after = replace(tournament, rounds=(*tournament.rounds, opened))
    return after, tuple(with_outlook(duel, _outlook(after, duels, duel)) for duel in duels)


def _outlook(tournament: Tournament, duels: Sequence[Duel], duel: Duel) -> Outlook:
    """Return the fewest and the most players who go out in this round besides those of `duel`, which runs (R9).

    A duel that is over has put out certain players, a running one can put out those with one life left. A player who
    has left is out. Nobody is expected to leave later.
    """
    leavers = tournament.round.leavers
    at_least = at_most = sum(player == tournament.round.bye for player in leavers)
    for other in duels:
        if other.over:
            out = sum(
                not lives or player in leavers for player, lives in zip(other.players, other.lives_left, strict=True)
            )
            at_least, at_most = at_least + out, at_most + out
        elif other is not duel:
            last_lives = [lives == 1 for lives in other.lives]
            at_least, at_most = at_least + min(last_lives), at_most + sum(last_lives)
    return Outlook(duel.outlook.players_in, at_least, at_most)
