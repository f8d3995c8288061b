"""Answers to the questions of an aggregate, outside its versioned state: eight may come at the same instant."""

from typing import Any

from pynamodb.exceptions import UpdateError

from .errors import Conflict, note_write, retry_conflicts, translated
from .load import Table, V

ANSWERS = "answers"
"""The attribute that holds them. It is removed by the write that asks the next question of a lobby or a group."""


def add_answer(table: Table[Any, V], aggregate_id: str, answer: str) -> V | None:
    """Add the answer. Return the aggregate as it is now, or None if there is none. Raises StoreError."""
    record: Any = table.record(table.stored_key(aggregate_id))

    def add() -> V | None:
        try:
            with translated():
                record.update(
                    actions=[table.record.answers.add({answer})],  # type: ignore[attr-defined]
                    condition=table.record.version.exists(),  # type: ignore[attr-defined]
                )
        except Conflict as conflict:
            cause = conflict.__cause__
            if isinstance(cause, UpdateError) and cause.cause_response_code == "ConditionalCheckFailedException":
                return None
            raise
        note_write()
        return table.read(record)

    return retry_conflicts(add)
