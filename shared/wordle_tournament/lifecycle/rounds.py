"""The end of a round and the start of the next, for which the tournament's timer asks between rounds (R3-R9, R20)."""

from dataclasses import dataclass, replace
from functools import partial

from aws_lambda_powertools import Logger

from .. import randomness
from ..clock import now_ms
from ..config import settings
from ..delivery import announce, audience, views
from ..delivery.screen import duels_of
from ..matchmaking.starting import draw_word
from ..metrics import Metric, count
from ..rules import tournament as rules
from ..rules.duel import Duel
from ..rules.player import finish
from ..rules.tournament import Tournament, TournamentEnding, newly_placed, solved_turns
from ..store import (
    DUELS,
    HISTORIES,
    HISTORY_PAGES,
    PLAYERS,
    TOURNAMENTS,
    Change,
    Create,
    Finished,
    LiveDuel,
    Versioned,
    Write,
    add_to_history,
    commit,
    load,
    load_many,
    put,
    retry_conflicts,
)

logger = Logger(child=True)

LATE_MS = 500
"""The most by which an announcement may shorten an introduction."""
ALLOWANCES_MS = (0, 1_000, 5_000)
"""The time that is allowed for the writes that move a start, by attempt: when the store is slow, these are slow too."""


TELLING_SECONDS = 5
"""The time for which the timer lets the function that has ended a tournament tell the players."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a tournament for its timer: over, or in a round whose duels begin at `wait_until_ms`."""

    over: bool
    wait_until_ms: int = 0
    duels: tuple[Duel, ...] = ()


@dataclass(frozen=True, slots=True)
class _Moved:
    """A tournament with the duels of its current round, and True if this call has settled the last round."""

    tournament: Versioned[Tournament]
    duels: list[LiveDuel]
    settled: bool = False


def advance_round(tournament_id: str, *, timer: bool = False) -> Progress:
    """Settle the round if its duels are all over, open the next, and send everybody the tournament as it is then.

    A repeated call only sends the frames again. A tournament that does not exist is over. The caller may be the
    tournament's `timer`: it alone repeats calls, so it tells the end again unless that was certainly told. Raises
    Conflict or StoreError.
    """
    moved = retry_conflicts(lambda: _settle_in_time(tournament_id))
    if moved is None:
        return Progress(over=True)
    tournament, duels = moved.tournament, moved.duels
    if tournament.value.ending is TournamentEnding.FINISHED and not moved.settled:
        if tournament.value.results_told or not timer:
            return Progress(over=True)
        if now_ms() - (tournament.value.ended_at_ms or 0) < TELLING_SECONDS * 1000:
            return Progress(over=False, wait_until_ms=now_ms() + TELLING_SECONDS * 1000)
    players = announce.tournament(tournament, duels, results=True)
    _connect(duels, players)
    # Groups show where their members are. At the start that changes for all players, later for those just placed.
    in_first_round = not tournament.value.rounds[0].settled
    concerned = set(players) if in_first_round else {standing.player_id for standing in newly_placed(tournament.value)}
    announce.groups_of(player.value for key, player in players.items() if key in concerned)
    if tournament.value.over:
        if not timer:
            announce.afterwards(partial(retry_conflicts, partial(_note_told, tournament_id)))
        return Progress(over=True)
    return Progress(
        over=False,
        wait_until_ms=tournament.value.round.starts_at_ms,
        duels=tuple(duel.value for duel in duels),
    )


def _note_told(tournament_id: str) -> None:
    """Note that the end has been told, for the timer. If it cannot be noted, the timer tells it again."""
    tournament = load(TOURNAMENTS, tournament_id)
    if tournament is not None:
        commit(Change(TOURNAMENTS, tournament, replace(tournament.value, results_told=True), new_version=False))


def _settle_in_time(tournament_id: str) -> _Moved | None:
    """Settle the round if it is finished, and give a round that has not begun its whole introduction (R3).

    Opening a round may be slow, or be repeated after a crash. If the announcement would come more than LATE_MS after
    the time from which the introduction counts, the introduction counts from now.
    """
    moved = _settle(tournament_id)
    for allowance_ms in ALLOWANCES_MS:
        if moved is None or not _is_late(moved.tournament, moved.duels):
            break
        moved = _postpone(moved, now_ms() + settings().timing.intro_ms + allowance_ms)
    return moved


def _is_late(tournament: Versioned[Tournament], duels: list[LiveDuel]) -> bool:
    """Return True if the round has not begun, and its introduction should have begun more than LATE_MS ago.

    A round that nobody has announced yet has no timer: a live one stores a token in each duel as soon as the
    introduction is over.
    """
    starts_at_ms, now = tournament.value.round.starts_at_ms, now_ms()
    running = [duel for duel in duels if not duel.value.over]
    if tournament.value.over or not running or now - (starts_at_ms - settings().timing.intro_ms) <= LATE_MS:
        return False
    return now < starts_at_ms or not any(duel.value.rows or duel.task_token is not None for duel in running)


def _postpone(moved: _Moved, starts_at_ms: int) -> _Moved:
    """Move the start of the round and the deadlines of its running duels. Raises Conflict if anything has changed."""
    tournament, duels = moved.tournament, moved.duels
    after, postponed = rules.postpone(tournament.value, [duel.value for duel in duels], starts_at_ms)
    before = {duel.value.duel_id: duel for duel in duels}
    tournament_write = Change(TOURNAMENTS, tournament, after)
    duel_writes = {duel.duel_id: Change(DUELS, before[duel.duel_id], duel) for duel in postponed}
    committed = commit(tournament_write, *duel_writes.values())
    logger.info("introduction postponed", tournament_id=after.tournament_id, round=after.round.number)
    changed = {duel_id: committed[write] for duel_id, write in duel_writes.items()}
    now = [changed.get(duel.value.duel_id, duel) for duel in duels]
    return _Moved(committed[tournament_write], now, moved.settled)


def _settle(tournament_id: str) -> _Moved | None:
    """Settle the round if it is finished. Return the tournament and the duels of its current round."""
    before = load(TOURNAMENTS, tournament_id)
    if before is None:
        return None
    duels = duels_of(before)
    if before.value.over or not all(duel.value.over for duel in duels):
        return _Moved(before, duels)
    after, opened = rules.settle(
        before.value,
        [duel.value for duel in duels],
        settings().timing,
        draw_word(before.value.language),
        randomness.rng,
        now_ms(),
    )
    players = load_many(PLAYERS, [entrant.player_id for entrant in before.value.entrants])
    extra_attributes = {"connections": _audience(after, players)}
    tournament_write = Change(TOURNAMENTS, before, after)
    duel_writes = [Create(DUELS, duel, extra_attributes) for duel in opened]
    committed = commit(tournament_write, *duel_writes, *_results(after, players))
    logger.info(
        "round settled",
        tournament_id=tournament_id,
        round=before.value.round.number,
        out={standing.player_id: standing.place for standing in newly_placed(after)},
        over=after.over,
    )
    if after.over:
        count(Metric.TOURNAMENT_FINISHED)
    return _Moved(committed[tournament_write], [committed[write] for write in duel_writes] or duels, settled=True)


def _results(tournament: Tournament, players: views.Players) -> list[Write]:
    """Return the writes of rating and record for players whom this settlement places (R20, R21), if not deleted."""
    placed = [standing for standing in newly_placed(tournament) if standing.player_id in players]
    histories = load_many(HISTORIES, [standing.player_id for standing in placed])
    writes: list[Write] = []
    for standing in placed:
        place, change = standing.place or 0, standing.rating_change or 0
        player = players[standing.player_id]
        after = finish(player.value, tournament.tournament_id, change)
        writes.append(Change(PLAYERS, player, after))
        history = histories.get(standing.player_id)
        finished = Finished(
            tournament.tournament_id,
            now_ms(),
            place,
            change,
            after.rating,
            language=tournament.language,
            solved=solved_turns(tournament, standing.player_id),
        )
        record, page = add_to_history(history.value if history else None, standing.player_id, finished)
        writes.append(put(HISTORIES, history, record))
        if page is not None:
            writes.append(Create(HISTORY_PAGES, page))
    return writes


def _audience(tournament: Tournament, players: views.Players) -> dict[str, str]:
    """Return the connections of all who are still with the tournament: in it, watching on, or eliminated just now."""
    return views.connections(player for player in players.values() if player.value.follows(tournament.tournament_id))


def _connect(duels: list[LiveDuel], players: views.Players) -> None:
    """Subscribe the connections of players who came back while the round was being opened.

    `hello` writes the player and then reads the duels; this writes the duels and then reads the players. In any order,
    one of the two sees the other's write.
    """
    for player_id, connection_id in views.connections(players.values()).items():
        audience.connect(
            players[player_id].value,
            [
                duel
                for duel in duels
                if players[player_id].value.follows(duel.value.tournament_id)
                and duel.connections.get(player_id) != connection_id
            ],
        )
