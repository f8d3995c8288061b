"""The alarm of a turn: skip it if its time is over (R15), and ask its player whether they are there (R28)."""

from aws_lambda_powertools import Logger

from .. import clock, timers
from ..config import settings
from ..delivery import announce, questions
from ..metrics import Metric, count
from ..rules import duel as rules
from ..rules.duel import Duel
from ..store import DUELS, PLAYERS, Change, LiveDuel, commit, load, retry_conflicts
from .alarms import alarm_seconds
from .forfeits import forfeit

logger = Logger(child=True)


def skip_turn(duel_id: str) -> Duel | None:
    """Skip the turn if its deadline has passed by the grace. Return the duel as it is now, or None if there is none.

    An early, late or repeated alarm changes nothing and sends the duel to its audience once more. Raises Conflict or
    StoreError.
    """
    duel, skipped = retry_conflicts(lambda: _skip(duel_id))
    if duel is None:
        return None
    _announce(duel, skipped)
    return duel.value


def next_turn(duel_id: str, task_token: str, heartbeat_seconds: int) -> None:
    """Skip the turn as `skip_turn` does, and let the task with this token be the alarm of the next one.

    The write that skips stores the token, and the heartbeat after it starts the clock of `heartbeat_seconds` anew. The
    task's wait ends if the skip ends the duel. It fails if this call skips nothing, or if its clock is shorter than a
    turn: then its machine looks for the seconds that remain. Raises Conflict, StoreError or ClientError.
    """
    duel, skipped = retry_conflicts(lambda: _skip(duel_id, task_token))
    if duel is None or skipped is None:
        timers.alarm_not_set(task_token)
    elif duel.value.over:
        timers.duel_ended(task_token)
    elif alarm_seconds(duel.value, clock.now_ms()) <= heartbeat_seconds:
        timers.turn_passed(task_token, duel.value.deadline_ms - duel.value.turn_ms)
    else:
        timers.alarm_not_set(task_token)
    if duel is not None:
        _announce(duel, skipped)


def _announce(duel: LiveDuel, skipped: str | None) -> None:
    """Send the duel to its audience after an alarm, and look after the player whose turn it skipped."""
    if skipped is not None:
        # The ids are given here: after a rescue, this invocation is about another player.
        value = duel.value
        logger.info("turn skipped", duel_id=value.duel_id, tournament_id=value.tournament_id, player_id=skipped)
        count(Metric.TURN_SKIPPED)
    # An earlier guess, skip or leave may have crashed after its commit, before it sent anything.
    announce.duel(duel)
    questions.push_of_duel(duel)
    if skipped is not None and skipped not in duel.connections:
        _check_absence(skipped)


def _skip(duel_id: str, task_token: str | None = None) -> tuple[LiveDuel | None, str | None]:
    """Return the duel as it is now, and the player whose turn was skipped, or None.

    The write that skips the turn stores the token too.
    """
    duel = load(DUELS, duel_id)
    if duel is None:
        return None, None
    # Before the next question to the same player takes the place of the one that was not answered.
    questions.note_silent(duel)
    now_ms, player_id = clock.now_ms(), duel.value.to_move
    after = rules.skip(duel.value, duel.value.turn, now_ms, settings().turn_grace_ms)
    if after == duel.value or player_id is None:
        return duel, None
    connection_id = duel.connections.get(player_id)
    if connection_id is not None:
        after = rules.ask(after, player_id, connection_id, now_ms)
    write = Change(DUELS, duel, after, {} if task_token is None else {"task_token": task_token})
    return commit(write)[write], player_id


def _check_absence(player_id: str) -> None:
    """Forfeit for the player, whose turn ran out, if they have been away too long."""
    player = load(PLAYERS, player_id)
    if player is not None:
        forfeit(player_id, player.value.epoch)
