"""The page in a real browser against the stack: people join, play duels, watch, and come back to their group."""

import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio
from playwright.async_api import async_playwright

from tests.e2e import referee
from tests.e2e.arena import Arena, Game
from tests.e2e.conftest import OpenArena
from tests.e2e.driver import PATIENCE_SECONDS, Frame, Player
from tests.web.chromium import LAUNCH, needs_chromium

pytestmark = needs_chromium


@pytest_asyncio.fixture
async def page() -> AsyncIterator[Any]:
    """An empty page, whose own errors are the test's."""
    async with contextlib.AsyncExitStack() as exit_:
        driver = await exit_.enter_async_context(async_playwright())
        browser = await driver.chromium.launch(**LAUNCH)
        exit_.push_async_callback(browser.close)
        page = await browser.new_page()
        page.set_default_timeout(PATIENCE_SECONDS * 1000)
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield page
        assert errors == []


async def test_a_person_plays_a_duel_on_the_page_and_watches_another(open_arena: OpenArena, page: Any) -> None:
    arena = await open_arena(RoundIntroSeconds=2)
    frames: list[Frame] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda text: frames.append(json.loads(text))))
    await page.goto(arena.stack.http_url)
    await page.select_option("#language", "en")
    await page.click("[data-do=play]")
    await shows(page, "lobby")
    game = await _seven_more_join(arena)
    (match,) = (one for one in game.now["matches"] if not set(one["players"]) <= set(game.players))
    (opponent,) = (game.players[one] for one in match["players"] if one in game.players)
    secret = arena.word(match["duel_id"])

    await shows(page, "introduction")
    assert opponent.you["nickname"] in await page.text_content("main")
    await shows(page, "duel")
    await _play_the_duel(game, match, opponent, page, secret)

    # Won: the word, and the others' duels to watch.
    await shows(page, "aside")
    assert secret in (await page.text_content("main")).lower()
    other = next(one for one in game.now["matches"] if one is not match)
    await game.turn(other)
    await page.click(f"[data-do=watch][data-arg='{other['duel_id']}']")
    await page.wait_for_selector(".board .row:not(.open)")

    for one in game.now["matches"]:
        if one is not match:
            await game.win(one, game.sides(one)[0])
    await shows(page, "introduction")
    referee.check_frames(frames)
    referee.check_secrets(frames, arena.secrets())
    assert any(frame["type"] == "duel" for frame in frames)


async def shows(page: Any, screen: str) -> None:
    await page.wait_for_selector(f"body[data-screen={screen}]")


async def has_rows(page: Any, rows: int) -> None:
    await page.wait_for_selector(f":nth-match(.board .row:not(.open), {rows})")
    assert await page.locator(".board .row:not(.open)").count() == rows


async def _seven_more_join(arena: Arena) -> Game:
    players = await arena.crowd(7)
    lobbies = [await player.join() for player in players]
    assert lobbies[-1]["started"], "the person on the page is the eighth"
    game = Game(arena, lobbies[-1]["lobby_id"], players)
    await game.everybody(round=1)
    for match in game.now["matches"]:
        await next(game.players[one] for one in match["players"] if one in game.players).duel(match["duel_id"])
    return game


async def _play_the_duel(game: Game, match: Frame, opponent: Player, page: Any, secret: str) -> None:
    """Two turns each at most: a word by the keyboard, then the secret by clicks on the keys."""
    duel = await opponent.duel(match["duel_id"])
    rows = 0

    async def opponent_moves() -> int:
        known = await opponent.duel(match["duel_id"], lambda one: one["to_move"] == opponent.player_id)
        answer = await opponent.guess(known, game.wrong_word(known))
        assert answer["type"] == "duel"
        return 1

    if duel["to_move"] == opponent.player_id:
        rows += await opponent_moves()
    await page.wait_for_selector(".versus .turn:has-text('Your turn')")
    # Not a word: told why, and the turn goes on.
    await page.keyboard.type("q" * duel["length"])
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".hint.refused")
    for _ in range(duel["length"]):
        await page.keyboard.press("Backspace")
    await page.keyboard.type(game.wrong_word(duel))
    await page.keyboard.press("Enter")
    rows += 1
    await has_rows(page, rows)
    rows += await opponent_moves()
    await has_rows(page, rows)
    for letter in secret:
        await page.click(f"[data-do=key][data-arg='{letter}']")
    await page.click("[data-do=enter]")
