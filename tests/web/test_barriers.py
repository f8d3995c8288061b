"""No barrier on any screen: axe finds no violation of WCAG 2.2 AA, and 400 % zoom keeps board and keys usable."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from tests.web.chromium import needs_chromium
from tests.web.fake_server import FakeServer
from tests.web.scenes import records, scenes
from tests.web.test_page import Open, browser, open_page, server  # noqa: F401 - fixtures

pytestmark = needs_chromium

RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
}
SHEETS = (
    "[data-do=record]",
    "#sheet [data-do=results]",
    "#sheet [data-do=board]",
    "#sheet [data-do=review]",
    "[data-do=how-to]",
    "[data-do=settings]",
    "[data-do=rename]",
)


def violations(page: Page) -> list[str]:
    """Return what axe objects to, with the first element of each."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:160]}" for each in found]


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"color_scheme": "light"}, id="light"),
        pytest.param({"color_scheme": "dark", "locale": "kk"}, id="dark-kk", marks=pytest.mark.slow),
        pytest.param({"forced_colors": "active", "locale": "de"}, id="forced-de", marks=pytest.mark.slow),
        pytest.param({"color_scheme": "dark", "contrast": True}, id="dark-contrast", marks=pytest.mark.slow),
        pytest.param({"color_scheme": "light", "contrast": True}, id="light-contrast", marks=pytest.mark.slow),
    ],
)
def test_axe_finds_no_violation_on_any_screen(
    server: FakeServer,  # noqa: F811
    open_page: Open,  # noqa: F811
    options: dict[str, Any],
) -> None:
    contrast = options.pop("contrast", False)
    page = open_page(viewport={"width": 390, "height": 844}, reduced_motion="reduce", **options)
    if contrast:
        page.evaluate("localStorage.setItem('wordle-tournament.settings', JSON.stringify({contrast: true}))")
    for name, scene in scenes().items():
        server.scene = scene
        page.reload()
        page.wait_for_selector("body[data-screen]:not([data-screen=connecting])")
        assert violations(page) == [], name
    server.scene, server.records = {}, records()
    page.reload()
    for press in SHEETS:
        if not press.startswith("#sheet"):
            page.keyboard.press("Escape")
        page.locator(press).first.click()
        expect(page.locator("dialog[open]")).to_be_visible()
        assert violations(page) == [], press


@pytest.mark.parametrize("scene", ["duel", "duel-kk"])
def test_at_400_percent_every_row_and_key_can_be_reached_and_is_whole(
    server: FakeServer,  # noqa: F811
    open_page: Open,  # noqa: F811
    scene: str,
) -> None:
    """1280 by 1024 pixels at 400 % are 320 by 256 of the style sheet's."""
    server.scene = scenes()[scene]
    page = open_page(viewport={"width": 320, "height": 256})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for part in (page.locator(".row.now"), page.locator(".key").first, page.locator(".key").last):
        part.scroll_into_view_if_needed()
        expect(part).to_be_in_viewport(ratio=1)
    row, keys = page.locator(".row.now"), page.locator(".keyboard")
    row.evaluate("row => row.scrollIntoView({block: 'start'})")
    covered = page.evaluate(
        """() => {
          const {left, top, width, height} = document.querySelector('.row.now').getBoundingClientRect();
          return !document.elementFromPoint(left + width / 2, top + height / 2)?.closest('.row.now');
        }"""
    )
    assert not covered, "the keys cover the row that is typed"
    assert keys.evaluate("keys => keys.scrollWidth <= keys.clientWidth")


@pytest.mark.parametrize("scene", ["duel", "duel-kk", "duel-uz"])
def test_keys_are_24_pixels_at_360(server: FakeServer, open_page: Open, scene: str) -> None:  # noqa: F811
    server.scene = scenes()[scene]
    page = open_page(viewport={"width": 360, "height": 740})
    boxes = [key.bounding_box() for key in page.locator(".key").all()]
    assert all(box and box["width"] >= 24 and box["height"] >= 24 for box in boxes)


def test_text_follows_the_size_that_the_browser_is_set_to(server: FakeServer, open_page: Open) -> None:  # noqa: F811
    page = open_page()
    size = "getComputedStyle(document.querySelector('main p')).fontSize"
    before = float(page.evaluate(size).removesuffix("px"))
    page.evaluate("document.documentElement.style.fontSize = '200%'")  # as the browser's setting does
    assert float(page.evaluate(size).removesuffix("px")) == before * 2
