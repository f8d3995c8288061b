"""Stacks with short clocks, each for one test."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest_asyncio

from infra.local.stack import LocalStack
from tests.e2e.arena import Arena

OpenArena = Callable[..., Awaitable[Arena]]

CLOCKS = {
    # Long enough that nobody who plays is ever skipped; the tests of the clock say something shorter.
    "TurnSeconds": 90,
    "RoundIntroSeconds": 0,
    "ReconnectSeconds": 90,
    "SilenceSeconds": 90,
}


@pytest_asyncio.fixture
async def open_arena() -> AsyncIterator[OpenArena]:
    """`await open_arena(TurnSeconds=2, idle_seconds=3)`: a stack with those parameters and options."""
    async with AsyncExitStack() as exit_:

        async def open_(**changed: float) -> Arena:
            # Parameters of the template begin with a capital, options of the stack do not.
            parameters = {name: str(value) for name, value in changed.items() if name[0].isupper()}
            options = {name: value for name, value in changed.items() if not name[0].isupper()}
            clocks = {name: str(value) for name, value in CLOCKS.items()}
            stack = exit_.enter_context(LocalStack({**clocks, "LogLevel": "ERROR", **parameters}, **options))  # type: ignore[arg-type]
            arena = Arena(stack)
            exit_.push_async_callback(arena.close)
            return arena

        yield open_


@pytest_asyncio.fixture
async def arena(open_arena: OpenArena) -> Arena:
    """A stack in which no clock runs out."""
    return await open_arena()
