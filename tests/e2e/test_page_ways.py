"""A whole tournament on the page by touch alone, by keyboard alone, and through the accessibility tree alone.

Each plays in another language, of the page and of the game. The words come from the stack; all else from the page.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from playwright.async_api import Page, async_playwright, expect

from bots.bot import Bot, BotProfile
from tests.e2e.arena import Arena
from tests.e2e.conftest import OpenArena
from tests.e2e.driver import PATIENCE_SECONDS
from tests.e2e.test_page import Person
from tests.web.chromium import LAUNCH, needs_chromium

pytestmark = [needs_chromium, pytest.mark.slow]

Press = Callable[[Page, str], Coroutine[Any, Any, None]]
Type = Callable[[Page, str], Coroutine[Any, Any, None]]

# Of each language: Play, and the field's words for one's own turn; then the heading of a tournament that was won.
WORDS = {
    "ru": ("Играть", "Твой ход", "Турнир выигран!"),
    "de": ("Spielen", "Du bist dran", "Du hast das Turnier gewonnen!"),
    "es": ("Jugar", "Es tu turno", "¡Has ganado el torneo!"),
}


async def tap(page: Page, name: str) -> None:
    """Touch the button of that name."""
    button = page.get_by_role("button", name=name, exact=True)
    await button.scroll_into_view_if_needed()
    await touch(page, button)


async def touch(page: Page, target: Any) -> None:
    box = await target.bounding_box()
    assert box
    await page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


async def tap_word(page: Page, word: str) -> None:
    for letter in word:
        await touch(page, page.locator(f".key[data-key='{letter}']"))
    await touch(page, page.locator(".key[data-key=enter]"))


async def press_by_tab(page: Page, name: str) -> None:
    """Press Tab until the button has the focus, then Enter."""
    focused = "document.activeElement.ariaLabel ?? document.activeElement.innerText"
    for _ in range(80):
        if await page.evaluate(focused) == name:
            break
        await page.keyboard.press("Tab")
    assert await page.evaluate(focused) == name, "not reached by Tab"
    await page.keyboard.press("Enter")


async def type_word(page: Page, word: str) -> None:
    await page.keyboard.type(word)
    await page.keyboard.press("Enter")


async def activate(page: Page, name: str) -> None:
    """Use the default action of the button of that name, as a screen reader does: no pointer, no key."""
    await page.get_by_role("button", name=name, exact=True).evaluate("button => button.click()")


async def fill(page: Page, word: str) -> None:
    """Set the value of the field by its role, as dictation does, and use the button beside it."""
    field = page.get_by_role("textbox", name=re.compile("^Tu intento"))
    await field.evaluate(
        "(field, word) => {field.value = word; field.dispatchEvent(new InputEvent('input', {bubbles: true}));}", word
    )
    await activate(page, "Jugar este intento")


@contextlib.asynccontextmanager
async def company(arena: Arena, language: str) -> AsyncIterator[None]:
    """Seven bots that guess badly, so that the person wins."""
    profile = BotProfile(skill=0.05, pace=(0.0, 0.02))
    playing = [asyncio.create_task(Bot(arena.stack.ws_url, language, seed, profile).play(1)) for seed in range(7)]
    try:
        yield
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)


async def play_to_the_end(arena: Arena, person: Person, type_: Type, turn: str) -> None:
    """Guess the word at each turn that the page announces, until the tournament is over."""
    done = set()
    over = person.page.locator("body[data-screen=over]")
    field = person.page.get_by_role("textbox", name=re.compile(re.escape(turn)))
    while not await over.is_visible():
        duel = person.turn
        known = duel and (duel["duel_id"], duel["turn"])
        if duel and known not in done and await field.count():
            done.add(known)
            await type_(person.page, arena.word(duel["duel_id"]))
        await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    ("language", "press", "type_", "options"),
    [
        pytest.param("ru", tap, tap_word, {"has_touch": True, "viewport": {"width": 390, "height": 844}}, id="touch"),
        pytest.param("de", press_by_tab, type_word, {}, id="keyboard"),
        pytest.param("es", activate, fill, {}, id="accessibility-tree"),
    ],
)
async def test_a_whole_tournament_is_played_in_one_way_alone(
    open_arena: OpenArena, language: str, press: Press, type_: Type, options: dict[str, Any]
) -> None:
    play, turn, won = WORDS[language]
    expect.set_options(timeout=PATIENCE_SECONDS * 1000)
    arena = await open_arena(RoundIntroSeconds=3, TurnSeconds=20)
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(**LAUNCH)
        context = await browser.new_context(locale=language, **options)
        page = await context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        person = Person(page)
        await page.goto(arena.stack.http_url)
        await person.shows("home")
        await page.evaluate(
            """() => {
              window.heard = [];
              new MutationObserver((changes) => changes.forEach((change) =>
                change.addedNodes.forEach((node) => window.heard.push(node.textContent))))
                .observe(document.querySelector('#news'), {childList: true});
            }"""
        )
        async with company(arena, language):
            await press(page, play)
            await play_to_the_end(arena, person, type_, turn)
        await expect(page.get_by_role("heading", level=1)).to_have_text(won)
        heard: list[str] = await page.evaluate("window.heard")
        rounds = max(frame["tournament"]["round"] for frame in person.frames if frame["type"] == "tournament")
        await check_news(heard, rounds, won)
        assert errors == []
        await browser.close()


async def check_news(heard: list[str], rounds: int, won: str) -> None:
    """Every round was announced once and in order, and the end last."""
    announced = [int(found[1]) for line in heard if (found := re.match(r"(?:Раунд|Runde|Ronda) (\d+)\.", line))]
    assert announced == list(range(1, rounds + 1))
    assert heard.count(won) == 1
    assert len(heard) >= 4 * rounds, "each round has its pairing, its turns, its rows and its end"
