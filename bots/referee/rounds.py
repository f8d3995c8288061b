"""Rounds pair the players who are in, and settle what their duels decided (R2, R4-R9, R27)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bots.referee.record import Record
from wordle_tournament.protocol.messages import Duel, Tournament, TournamentPlayer


def pairings(record: Record) -> Iterator[str]:
    """R2, R4, R5: all who are in are paired, nobody twice; byes only if odd and not twice running; few rematches."""
    before: Tournament | None = None
    for number, versions in record.rounds.items():
        opened = versions[0]
        if any(later.matches != opened.matches or later.bye != opened.bye for later in versions):
            yield f"R2: the pairings of round {number} changed"
        still_in = sorted(player.player_id for player in opened.players if player.fate == "in")
        bye = [] if opened.bye is None else [opened.bye]
        if sorted([player for match in opened.matches for player in match.players] + bye) != still_in:
            yield f"R2: round {number} does not pair everybody who is in once"
        if len(bye) != len(still_in) % 2:
            yield f"R5: round {number} has {len(still_in)} players and {len(bye)} byes"
        if before is not None:
            if opened.bye is not None and opened.bye == before.bye:
                yield f"R5: {opened.bye} has the bye in rounds {number - 1} and {number}"
            last = {frozenset(match.players) for match in before.matches}
            rematches = sum(frozenset(match.players) in last for match in opened.matches)
            if rematches > _fewest_rematches(still_in, last, before.bye):
                yield f"R4: round {number} has {rematches} rematches, more than needed"
        before = opened


def _fewest_rematches(players: Sequence[str], last: set[frozenset[str]], last_bye: str | None) -> int:
    """Of all pairings that are allowed, return the fewest pairs that met in the round before."""
    if len(players) % 2:
        return min(
            _fewest_rematches([one for one in players if one != bye], last, None) for bye in players if bye != last_bye
        )
    if not players:
        return 0
    first, *rest = players
    return min(
        (frozenset((first, partner)) in last) + _fewest_rematches([one for one in rest if one != partner], last, None)
        for partner in rest
    )


@dataclass(frozen=True, slots=True)
class _Settled:
    """A round with its outcome, computed from its duels.

    `lives` are those of the players who were in, less one for a lost duel. `left` have left during the round; `fallen`
    are the others without a life; `survivors` are still in.
    """

    opened: Tournament
    after: Tournament
    duels: list[Duel | None]
    lives: dict[str, int]
    left: set[str]
    fallen: set[str]
    survivors: set[str]


def settlements(record: Record) -> Iterator[str]:
    """R6-R9, R27: what each round did to lives, and who was out with which place."""
    openings = [versions[0] for versions in record.rounds.values()]
    yield from _steady_tables(record)
    for opened, after in pairwise([*openings, *([record.tournaments[-1]] if record.over else [])]):
        settled = _settle(record, opened, after)
        yield from _old_standings(settled)
        yield from _new_standings(settled)
        if after.over != (len(settled.survivors) <= 1):
            yield (
                f"R7: {len(settled.survivors)} are in after round {opened.round}, and the tournament is over: "
                f"{after.over}"
            )
        yield from _outlooks(settled)


def _steady_tables(record: Record) -> Iterator[str]:
    for versions in record.rounds.values():
        for later in versions[1:]:
            if not later.over and [*map(_standing, later.players)] != [*map(_standing, versions[0].players)]:
                yield f"R9: the table changed within round {later.round}"


def _settle(record: Record, opened: Tournament, after: Tournament) -> _Settled:
    duels = [record.last(match.duel_id) for match in opened.matches]
    losers = {
        player.player_id
        for duel in duels
        if duel is not None
        for player in duel.players
        if player.player_id != duel.winner
    }
    left = set(record.rounds[opened.round][-1].leavers)
    still_in = [player for player in opened.players if player.fate == "in"]
    lives = {player.player_id: player.lives - (player.player_id in losers) for player in still_in}
    fallen = {player for player, count in lives.items() if count == 0} - left
    return _Settled(opened, after, duels, lives, left, fallen, survivors=set(lives) - left - fallen)


def _old_standings(settled: _Settled) -> Iterator[str]:
    now = {player.player_id: player for player in settled.after.players}
    for player in settled.opened.players:
        if player.fate != "in" and _standing(now[player.player_id]) != _standing(player):
            yield f"R8: round {settled.opened.round} changed the standing of {player.nickname}, who was out"


def _new_standings(settled: _Settled) -> Iterator[str]:
    now = {player.player_id: player for player in settled.after.players}
    for player_id, count in settled.lives.items():
        expected: tuple[int, str, int | None]
        if player_id in settled.left:
            expected = (0, "left", 1 + len(settled.survivors) + len(settled.fallen))
        elif player_id in settled.fallen:
            expected = (0, "out", 1 + len(settled.survivors))
        elif settled.after.over:
            expected = (count, "won", 1)
        else:
            expected = (count, "in", None)
        standing = _standing(now[player_id])
        if standing != expected:
            yield (
                f"R6-R9: after round {settled.opened.round} {now[player_id].nickname} is told to be {standing}, "
                f"not {expected}"
            )


def _outlooks(settled: _Settled) -> Iterator[str]:
    """The places that a duel called possible for its losers must hold; leavers can only improve them."""
    now = {player.player_id: player for player in settled.after.players}
    for duel in settled.duels:
        for outlook in duel.out if duel is not None else ():
            place = now[outlook.player_id].place or 0
            if place > outlook.worst_place or (not settled.left and place < outlook.best_place):
                yield f"R9: {outlook.player_id} was told {outlook}, and then place {place}"


def _standing(player: TournamentPlayer) -> tuple[int, str, int | None]:
    return player.lives, player.fate, player.place
