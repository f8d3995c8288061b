"""The page in a real browser against the stack: people join, play duels, watch, and come back to their group."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page, async_playwright, expect

from tests.e2e.arena import Arena, Game
from tests.e2e.conftest import OpenArena
from tests.e2e.driver import PATIENCE_SECONDS, Frame, Player
from tests.e2e.frames import Received, check_frames, check_secrets, duels_in
from tests.e2e.test_groups import bots
from tests.web.chromium import LAUNCH, needs_chromium

pytestmark = needs_chromium


class Person:
    """A page in a profile of its own, and what it is sent."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[Frame] = []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda text: self.frames.append(Received(text))))

    async def shows(self, screen: str) -> None:
        await self.page.wait_for_selector(f"body[data-screen={screen}]")

    def press(self, name: str) -> Awaitable[None]:
        return self.page.get_by_role("button", name=name, exact=True).click()

    def sees(self, text: str) -> Awaitable[None]:
        return expect(self.page.locator("main")).to_contain_text(text)

    @property
    def turn(self) -> Frame | None:
        """The own duel, if it is the person's turn."""
        welcome = next(frame for frame in self.frames if frame["type"] == "welcome")
        newest: dict[str, Frame] = {}
        for duel in (duel for frame in self.frames for duel in duels_in(frame)):
            if newest.get(duel["duel_id"], duel)["version"] <= duel["version"]:
                newest[duel["duel_id"]] = duel
        mine = (duel for duel in newest.values() if duel.get("to_move") == welcome["you"]["player_id"])
        return next(mine, None)


OpenPage = Callable[[str], Awaitable[Person]]


@pytest_asyncio.fixture
async def open_page() -> AsyncIterator[OpenPage]:
    """`await open_page(address)`: somebody's browser; an error of its page is the test's."""
    errors: list[str] = []
    expect.set_options(timeout=PATIENCE_SECONDS * 1000)
    async with contextlib.AsyncExitStack() as exit_:
        driver = await exit_.enter_async_context(async_playwright())
        browser = await driver.chromium.launch(**LAUNCH)
        exit_.push_async_callback(browser.close)

        async def open_(address: str) -> Person:
            page = await (await browser.new_context()).new_page()
            page.set_default_timeout(PATIENCE_SECONDS * 1000)
            page.on("pageerror", lambda error: errors.append(str(error)))
            person = Person(page)
            await page.goto(address)
            await person.shows("home")
            return person

        yield open_
    assert errors == []


@pytest.mark.slow
async def test_three_friends_meet_by_a_link_play_with_bots_read_how_it_went_and_play_again(
    open_arena: OpenArena, open_page: OpenPage
) -> None:
    arena = await open_arena(ReconnectSeconds=2)
    leader = await open_page(arena.stack.http_url)
    await leader.press("Make a group")
    link = await leader.page.input_value("#invite")
    friend, third = [await open_page(link) for _ in range(2)]
    for person in (leader, friend, third):
        await person.sees("Your group: 3 members")
        assert "group" not in person.page.url
    await friend.sees("starts the game for all of you")

    await leader.page.select_option("#language", "en")
    async with bots(arena, 5, tournaments=2, to_the_end=False):
        await leader.press("Start for all")
        await expect(leader.page.locator("table .tag", has_text="friend")).to_have_count(2)
        # Two leave, each for themselves, and find their group again.
        for person in (friend, third):
            await person.press("Leave the game")
            await person.press("Leave and lose")
            await person.shows("home")
            await person.sees("in a tournament")
        await _win_on(arena, leader)
        await leader.press("How it went")
        sheet = leader.page.locator("#sheet")
        await expect(sheet.locator("tbody").first.locator("tr")).to_have_count(8)
        await expect(sheet.locator("tr.sum")).to_be_visible()
        # The last duel's, which was won: who left had perhaps not guessed yet.
        await sheet.get_by_role("button", name="Board").last.click()
        await expect(sheet.locator(".board .row").first).to_be_visible()
        await leader.press("Back")
        await leader.press("Close")
        await leader.press("Back to the group")
        await leader.press("Record")
        await expect(sheet.get_by_role("img", name="Your rating over your last 1 tournament")).to_be_visible()
        await leader.press("Close")

        await leader.press("Start for all")
        for person in (friend, third):
            await person.page.wait_for_selector("[data-do=leave]")
        await leader.page.context.close()
        for person in (friend, third):
            await person.press("Leave the game")
            await person.press("Leave and lose")
        await friend.sees("connection lost")
        await expect(friend.page.get_by_role("button", name="Start for all")).to_be_visible()
        await expect(third.page.get_by_role("button", name="Start for all")).to_have_count(0)


async def _win_on(arena: Arena, person: Person) -> None:
    """Guess the word at every turn until the tournament is over, or goes on without that person."""
    done = set()
    over = person.page.locator("body[data-screen=over], [data-do=again]").first
    while not await over.is_visible():
        duel = person.turn
        if (
            duel
            and (duel["duel_id"], duel["turn"]) not in done
            and await person.page.locator(".player.a.moves").count()
        ):
            done.add((duel["duel_id"], duel["turn"]))
            await person.page.keyboard.type(arena.word(duel["duel_id"]))
            await person.page.keyboard.press("Enter")
        await asyncio.sleep(0.05)
    await person.shows("over")


async def test_a_person_plays_a_duel_on_the_page_and_watches_another(
    open_arena: OpenArena, open_page: OpenPage
) -> None:
    arena = await open_arena(RoundIntroSeconds=2)
    person = await open_page(arena.stack.http_url)
    page, frames = person.page, person.frames
    await page.select_option("#language", "en")
    await page.click("[data-do=play]")
    await person.shows("lobby")
    game = await _seven_more_join(arena)
    (match,) = (one for one in game.now["matches"] if not set(one["players"]) <= set(game.players))
    (opponent,) = (game.players[one] for one in match["players"] if one in game.players)
    secret = arena.word(match["duel_id"])

    await person.shows("introduction")
    assert opponent.you["nickname"] in await page.inner_text("main")
    await person.shows("duel")
    await _play_the_duel(game, match, opponent, page, secret)

    # Won: the word, and the others' duels to watch.
    await person.shows("aside")
    assert secret in (await page.inner_text("main")).lower()
    # One is shown by itself; another one is chosen.
    await page.wait_for_selector("[data-do=unwatch]")
    chosen = await page.locator("[data-do=watch]").first.get_attribute("data-arg")
    other = next(one for one in game.now["matches"] if one["duel_id"] == chosen)
    await game.turn(other)
    await page.click(f"[data-do=watch][data-arg='{chosen}']")
    await page.wait_for_selector(".board .row:not(.open)")

    for one in game.now["matches"]:
        if one is not match:
            await game.win(one, game.sides(one)[0])
    await person.shows("introduction")
    check_frames(frames)
    check_secrets(frames, arena.secrets())
    assert any(frame["type"] == "duel" for frame in frames)


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
