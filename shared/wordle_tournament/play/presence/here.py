"""Answer the question whether a player's client is still there (R28)."""

from typing import Any

from ...clock import now_ms
from ...delivery import announce, questions
from ...delivery.session import Call, signed_in
from ...protocol import messages
from ...protocol.requests import Here
from ...rules.question import Question, answer_to
from ...store import DUELS, GROUPS, LOBBIES, TOURNAMENTS, Versioned, add_answer, load
from ...store.load import Table

TABLES: dict[messages.QuestionWhat, Table[Any, Any]] = {
    "duel": DUELS,
    "lobby": LOBBIES,
    "tournament": TOURNAMENTS,
    "group": GROUPS,
}


def here(call: Call, request: Here) -> messages.Heard:
    """Store the answer where the question stands: one read, one write. An answer that comes too late is not stored.

    The last answer of a group starts its game. Raises GameError: NOT_SIGNED_IN, REPLACED if it is too late.
    """
    table = TABLES[request.what]
    stored = load(table, request.id)
    for question in _questions(request, stored):
        asked = question.on(call.connection_id)
        if asked is None or question.number != request.number or not questions.is_open(question):
            continue
        answer = answer_to(question, asked.player_id)
        answered = stored if stored is None or answer in stored.answers else add_answer(table, request.id, answer)
        if request.what == "group" and answered is not None:
            from ...lifecycle.group_start import start_if_answered  # rarely needed, and loads all of matchmaking

            with announce.best_effort():  # the answer is stored; the leader asks again
                start_if_answered(call, answered)
        return messages.Heard(now_ms=now_ms())
    # The client may not know yet that its connection counts as lost.
    signed_in(call)
    return messages.Heard(now_ms=now_ms())


def _questions(request: Here, stored: Versioned[Any] | None) -> tuple[Question, ...]:
    if stored is None:
        return ()
    if request.what == "duel":
        questions_of_duel: tuple[Question, ...] = stored.value.questions
        return questions_of_duel
    question = (
        (stored.value.start and stored.value.start.question) if request.what == "group" else stored.value.question
    )
    return () if question is None else (question,)
