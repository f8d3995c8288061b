"""Guess a word (R11-R18): one read, one conditional write, one call to the timer, and the pushes."""

from ... import clock, log, timers, words
from ...delivery import announce, audience, questions, views
from ...delivery.session import Call, signed_in
from ...errors import ErrorCode, GameError
from ...metrics import Metric, count
from ...protocol import messages
from ...protocol.requests import Guess
from ...rules import duel as rules
from ...store import DUELS, Change, LiveDuel, commit, load, retry_conflicts


def guess(call: Call, request: Guess) -> messages.DuelChanged:
    """Play the word in the turn that the request names. A resend gets the same answer and is played once.

    Raises GameError: NO_SUCH_DUEL, NOT_SIGNED_IN, REPLACED, NOT_IN_DUEL, NOT_YOUR_TURN, TURN_OVER,
    NOT_STARTED, DUEL_OVER, WRONG_LENGTH, UNKNOWN_LETTER, NOT_IN_WORD_LIST, WORD_NOT_ALLOWED.
    """
    duel, played = retry_conflicts(lambda: _play(call, request))
    if duel.value.over:
        # Also for a resend: the first delivery may have crashed between its write and this.
        timers.duel_ended(duel.task_token)
    elif played:
        # Never for a resend, which would move the alarm past the deadline of a turn that began earlier.
        timers.turn_passed(duel.task_token, duel.value.deadline_ms - duel.value.turn_ms)
    announce.duel(duel, answered=call.connection_id)
    questions.note_silent(duel)
    return messages.DuelChanged(now_ms=clock.now_ms(), duel=views.duel(duel))


def _play(call: Call, request: Guess) -> tuple[LiveDuel, bool]:
    """Return the duel as it is now, and True if this call has played the turn."""
    duel = load(DUELS, request.duel)
    if duel is None:
        signed_in(call)
        raise GameError(ErrorCode.NO_SUCH_DUEL, field="duel")
    player_id = duel.player_on(call.connection_id) or _player_of_new_connection(call, duel)
    log.about(player_id=player_id)
    if _is_resend(duel.value, player_id, request):
        return duel, False
    rules.check_turn(duel.value, player_id, request.turn, call.received_ms)
    word = words.check_guess(duel.value.language, len(duel.value.word), request.word)
    after = rules.guess(duel.value, player_id, request.turn, word, call.received_ms, clock.now_ms())
    write = Change(DUELS, duel, after)
    played = commit(write)[write]
    count(Metric.GUESS_ACCEPTED)
    return played, True


def _player_of_new_connection(call: Call, duel: LiveDuel) -> str:
    """Return the player on a connection that the duel does not know (yet), and subscribe it."""
    player = signed_in(call).value
    duel.value.opponent(player.player_id)
    audience.connect(player, [duel])
    return player.player_id


def _is_resend(duel: rules.Duel, player_id: str, request: Guess) -> bool:
    """Return True if this very guess is on the board already."""
    if request.turn >= duel.turn:
        return False
    try:
        word = words.normalise(duel.language, request.word)
    except GameError:
        return False
    return rules.row_already_played(duel, player_id, request.turn, word)
