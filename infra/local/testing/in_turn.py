"""Calls that are made in parallel, made in turn: so that each run of a test makes the same calls in the same order.

A meter still knows which of them could be in flight together: it counts calls in a row, which is what a player waits
for. A call is one deeper than the deepest call that had ended for sure when it was made.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from unittest import mock

from wordle_tournament import parallel

if TYPE_CHECKING:
    from infra.local.aws import LocalAws

R = TypeVar("R")

_depth: ContextVar[int] = ContextVar("_depth", default=0)
"""The number of calls in a row that have ended so far, in this context."""


@dataclass(frozen=True)
class InRow:
    """An AWS call, and its number in the row of calls that had to end one after the other."""

    operation: str
    depth: int
    params: Mapping[str, Any]


class _Ended(Future[R]):
    """The result of a call that was made in turn. The caller that takes it has waited for it."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context

    def result(self, timeout: float | None = None) -> R:
        _depth.set(max(_depth.get(), self._context.get(_depth, 0)))
        return super().result(timeout)


def _start(call: Callable[[], R]) -> Future[R]:
    """Make the call now. A crash ends the caller too, as it would end the process."""
    context = copy_context()
    ended: _Ended[R] = _Ended(context)
    try:
        ended.set_result(context.run(call))
    except Exception as error:
        ended.set_exception(error)
    return ended


@contextlib.contextmanager
def in_turn() -> Iterator[None]:
    """Make calls in turn for the length of the context."""
    with mock.patch.object(parallel, "start", _start):
        yield


@contextlib.contextmanager
def calls_in_a_row(aws: LocalAws) -> Iterator[list[InRow]]:
    """Give a list that grows by every AWS call made while the context is open, `in_turn`."""
    calls: list[InRow] = []

    def note(service: str, operation: str, params: Mapping[str, Any]) -> None:
        _depth.set(_depth.get() + 1)
        calls.append(InRow(operation, _depth.get(), params))

    token = _depth.set(0)
    with aws.on_call(note):
        yield calls
    _depth.reset(token)
