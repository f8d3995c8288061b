"""The developer's drawer shows frames, sends by hand and cuts the connection; it is local and apart from the page."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect, sync_playwright

from infra.local import drawer
from infra.local.rehearsal import Stage
from infra.local.stack import LocalStack
from infra.local.template import ROOT
from tests.web.chromium import LAUNCH, needs_chromium
from wordle_tournament.protocol import messages, requests


@pytest.fixture
def stack() -> Iterator[LocalStack]:
    with LocalStack() as stack:
        yield stack


def jump(url: str, ms: int) -> int:
    """Ask for a jump of the clock. Return the status."""
    request = urllib.request.Request(f"{url}jump", json.dumps(ms).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@needs_chromium
@pytest.mark.thorough
def test_the_drawer_shows_sends_and_cuts(stack: LocalStack) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)
        page = browser.new_page()
        page.goto(f"{stack.http_url}drawer")
        frames = page.locator("#drawer summary")
        expect(frames.filter(has_text="← welcome · Welcome")).to_have_count(1)
        assert "…" in (page.locator("#drawer pre").filter(has_text="token").first.text_content() or "")
        page.get_by_label("Request to send").fill('{"action": "sync"}')
        page.get_by_label("Request to send").press("Enter")
        expect(frames.filter(has_text="← state")).to_have_count(1)
        page.get_by_role("button", name="cut").click()
        expect(frames.filter(has_text="← welcome")).to_have_count(2)
        browser.close()


def test_the_drawer_knows_every_request_and_frame() -> None:
    names = {name for names in drawer.schema_names().values() for name in names.split(" / ")}
    assert names == {model.__name__ for model in (*requests.REQUESTS, *messages.MESSAGES)}
    assert {one["action"] for one in drawer.requests()} == {
        model.model_fields["action"].default for model in requests.REQUESTS
    }


def test_the_page_itself_has_no_drawer() -> None:
    assert not [path for path in (ROOT / "web").glob("*.*") if "drawer" in path.read_text(encoding="utf-8")]


def test_only_the_clock_of_a_rehearsal_jumps() -> None:
    with LocalStack() as stack:
        assert jump(stack.http_url, 30_000) == 409
    with Stage() as stage:
        before = stage.now_ms
        assert jump(stage.stack.http_url, 30_000) == 200
        assert stage.now_ms - before >= 30_000
        assert jump(stage.stack.http_url, -1) == 409
