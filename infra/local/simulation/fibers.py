"""Virtual time, and fibers that wait in it: code that blocks, run in threads of which only one ever moves.

An event happens at its time; two at the same time happen in the order in which they were planned. A fiber runs until it
waits or ends. So a history has one order, whatever the operating system does with the threads.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable
from typing import Any


class Killed(BaseException):
    """The history has ended, and with it the fiber. No code of the game can catch it."""


class Fiber:
    """Code that may wait. `context` is what it works at."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.killed = False
        self.crashed = False
        """The memory of its process is gone: the thread must not run another fiber."""
        self.naps = 0
        self._go = threading.Lock()
        self._go.acquire()
        self._run: Callable[[], None] | None = None


class _Thread(threading.Thread):
    """A thread that runs one fiber after another."""

    def __init__(self, time: VirtualTime) -> None:
        super().__init__(daemon=True, name="fiber")
        self._time = time
        self.ready = threading.Lock()
        self.ready.acquire()
        self.fiber: Fiber | None = None
        self.start()

    def run(self) -> None:
        while True:
            self.ready.acquire()
            if self.fiber is None:
                return
            clean = self._time.run_fiber(self.fiber)
            if clean:
                self._time.idle.append(self)
            self._time.give_back()
            if not clean:
                return


class VirtualTime:
    """The clock of a history, its events, and the fiber that moves now."""

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self.current: Fiber | None = None
        self.idle: list[_Thread] = []
        self.events = 0
        self.on_step: Callable[[], None] = lambda: None
        """Called after each event."""
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._main = threading.Lock()
        self._main.acquire()
        self._alive: dict[Fiber, None] = {}
        self._failure: BaseException | None = None

    # -- for everybody ---------------------------------------------------------------------------

    def at(self, at_ms: int, act: Callable[[], None]) -> None:
        """Plan an event; for a time that has passed, as the next thing that happens."""
        heapq.heappush(self._queue, (max(at_ms, self.now_ms), next(self._order), act))

    def after(self, ms: int, act: Callable[[], None]) -> None:
        """Plan an event so many milliseconds from now."""
        self.at(self.now_ms + ms, act)

    def run(self, done: Callable[[], bool]) -> None:
        """Let events happen until `done` returns True. An error of a fiber or an event ends it."""
        while not done():
            if not self._queue:
                raise AssertionError("nothing would ever happen any more")
            at_ms, _, act = heapq.heappop(self._queue)
            self.now_ms = at_ms
            self.events += 1
            act()
            self.on_step()

    def spawn(self, run: Callable[[], None], context: Any = None) -> Fiber:
        """Run the code as a fiber, now: until it first waits, or to its end. Not to be called from a fiber."""
        fiber = Fiber(context)
        fiber._run = run
        self._alive[fiber] = None
        thread = self.idle.pop() if self.idle else _Thread(self)
        thread.fiber = fiber
        self._move(fiber, thread.ready)
        return fiber

    def end(self) -> None:
        """Kill every fiber that waits, and forget all events."""
        for fiber in list(self._alive):
            fiber.killed = True
            self._move(fiber, fiber._go)
        self._queue.clear()
        while self.idle:
            thread = self.idle.pop()
            thread.fiber = None
            thread.ready.release()
            thread.join()

    # -- for fibers ------------------------------------------------------------------------------

    def sleep(self, ms: int) -> None:
        """Wait so long. Outside of fibers nothing waits."""
        self.pause(ms)

    def pause(self, ms: int | None) -> None:
        """Wait until `wake` is called, at most so long."""
        fiber = self.current
        if fiber is None:
            return
        fiber.naps += 1
        nap = fiber.naps
        if ms is not None:
            self.at(self.now_ms + ms, lambda: self._resume(fiber, nap))
        self._main.release()
        fiber._go.acquire()
        if fiber.killed:
            raise Killed

    def wake(self, fiber: Fiber) -> None:
        """End the pause that the fiber is in, as the next thing that happens."""
        nap = fiber.naps
        self.after(0, lambda: self._resume(fiber, nap))

    # -- threads ---------------------------------------------------------------------------------

    def run_fiber(self, fiber: Fiber) -> bool:
        """Run a fiber to its end in this thread. Return True if the thread may run another."""
        assert fiber._run is not None
        try:
            fiber._run()
        except Killed:
            pass
        except BaseException as error:
            if not fiber.killed:
                self._failure = error
        del self._alive[fiber]
        return not (fiber.killed or fiber.crashed)

    def give_back(self) -> None:
        """Let the events go on: the fiber of this thread waits or has ended."""
        self._main.release()

    def _resume(self, fiber: Fiber, nap: int) -> None:
        if fiber.naps == nap and fiber in self._alive:
            fiber.naps += 1
            self._move(fiber, fiber._go)

    def _move(self, fiber: Fiber, go: threading.Lock) -> None:
        before, self.current = self.current, fiber
        go.release()
        self._main.acquire()
        self.current = before
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
