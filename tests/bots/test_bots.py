"""Bots on the local stack: tournaments that end, whatever the bots do, and in which everything is by the rules."""

import asyncio
from collections.abc import Iterator

import pytest

from bots.bot import Bot, BotProfile
from bots.referee import Recorded, violations
from infra.local.stack import LocalStack
from wordle_tournament_client import Refused

FAST = BotProfile(skill=0.95, pace=(0.0, 0.02), watches=True, stays=True)
PATIENCE_SECONDS = 240


@pytest.fixture
def stack() -> Iterator[LocalStack]:
    clocks = {"TurnSeconds": "2", "RoundIntroSeconds": "0", "ReconnectSeconds": "5", "LogLevel": "ERROR"}
    with LocalStack(clocks) as stack:
        yield stack


async def played(url: str, language: str, profiles: list[BotProfile]) -> list[Recorded]:
    frames: list[Recorded] = []
    async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as playing:
        for listener, profile in enumerate(profiles):
            bot = Bot(
                url,
                language,
                listener,
                profile,
                on_frame=lambda text, listener=listener: frames.append(Recorded(listener, text)),  # type: ignore[misc]
            )
            playing.create_task(bot.play())
    return frames


@pytest.mark.parametrize("language", ["uz", "ru"])
async def test_bots_play_a_tournament_to_its_end(stack: LocalStack, language: str) -> None:
    assert violations(await played(stack.ws_url, language, [FAST] * 8)) == []


@pytest.mark.slow
async def test_clumsy_bots_do_no_harm(stack: LocalStack) -> None:
    clumsy = BotProfile(
        skill=0.9,
        pace=(0.0, 0.1),
        invalid=0.3,
        skip=0.1,
        drop=0.15,
        back_after=(0.05, 0.2),
        watches=True,
        stays=True,
    )
    leaver = BotProfile(skill=0.5, pace=(0.0, 0.1), leave=0.2, stays=True)
    frames = await played(stack.ws_url, "en", [clumsy] * 5 + [leaver] * 2 + [FAST])
    assert violations(frames) == []


async def test_a_language_that_is_not_played_is_an_error(stack: LocalStack) -> None:
    with pytest.raises(Refused):
        await Bot(stack.ws_url, "xx", 1).play()
