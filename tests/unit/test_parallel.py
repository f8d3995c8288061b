"""Calls at the same time must never wait for each other's threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from wordle_tournament import parallel


def test_calls_that_make_calls_do_not_wait_for_a_thread_of_a_full_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """The local stack runs many handlers on one pool: its threads may all wait for calls that no thread is left for."""
    pool = ThreadPoolExecutor(2)
    monkeypatch.setattr(parallel, "_pool", lambda: pool)
    together = threading.Barrier(2)

    def outer() -> list[int]:
        together.wait(5)  # both threads of the pool are taken before either asks for another
        return parallel.each([lambda: 1, lambda: 2, lambda: 3])

    ends = [parallel.start(outer), parallel.start(outer)]
    assert not wait(ends, timeout=20).not_done, "they wait for each other"
    assert [end.result() for end in ends] == [[1, 2, 3]] * 2
    parallel.finish()
    pool.shutdown()


def test_the_first_error_is_raised_once_all_have_ended() -> None:
    ended: list[str] = []

    def fail(text: str) -> None:
        ended.append(text)
        raise ValueError(text)

    with pytest.raises(ValueError, match="one"):
        parallel.each([lambda: fail("one"), lambda: fail("two"), lambda: ended.append("three")])
    assert sorted(ended) == ["one", "three", "two"]
