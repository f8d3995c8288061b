"""Asking players whether they are there, and finding those who did not answer (R28)."""

from collections.abc import Iterable
from typing import Any

from ..clock import now_ms
from ..config import settings
from ..protocol import messages
from ..rules.question import Asked, Question, silent, waited_for
from ..store import LiveDuel, Versioned
from . import announce


def push(what: messages.QuestionWhat, key: str, question: Question | None, answers: frozenset[str]) -> None:
    """Send the question to those who have not answered it, on the connections on which they were asked."""
    waiting = waited_for(question, answers)
    if question is None or not waiting:
        return
    message = messages.Question(now_ms=now_ms(), what=what, id=key, number=question.number)
    announce.tell(message, [asked.connection_id for asked in waiting])


def push_of_duel(duel: LiveDuel) -> None:
    """Send the open questions of the duel, also those that were sent before: a frame may be lost."""
    for question in duel.value.questions:
        if is_open(question):
            push("duel", duel.value.duel_id, question, duel.answers)


def is_open(question: Question | None) -> bool:
    """Return True if there is still time to answer the question."""
    return question is not None and now_ms() - question.asked_ms < settings().silence_ms


def silent_in(stored: Versioned[Any], question: Question | None) -> tuple[Asked, ...]:
    """Return the players whose time to answer this question of the aggregate is over."""
    return silent(question, stored.answers, now_ms(), settings().silence_ms)


def note_silent(duel: LiveDuel) -> None:
    """Note the connections of the duel's silent players, which are then recorded as lost after the answer.

    The end of a connection that was replaced since the question changes nothing.
    """
    for question in duel.value.questions:
        announce.note_silent(
            asked.connection_id
            for asked in silent_in(duel, question)
            if duel.connections.get(asked.player_id) == asked.connection_id
        )


def connected(pairs: Iterable[tuple[str, str | None]]) -> list[tuple[str, str]]:
    """Return those of the (player, connection) that have a connection."""
    return [(player, connection) for player, connection in pairs if connection is not None]
