"""The page as `make page` makes it, and as it is in the source."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.web.chromium import needs_chromium
from tests.web.fake_server import WEB, FakeServer, serving
from tests.web.test_page import browser  # noqa: F401 - the fixture
from tools.page import Built, build, modules, preloaded, sources

FIRST_VISIT_KB = 60


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("page") / "page", server="wss://play.example.com")


def import_map(built: Built) -> dict[str, str]:
    text = (built.folder / "index.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="importmap">(.*?)</script>', text)
    assert found
    imports: dict[str, str] = json.loads(found[1])["imports"]
    return imports


def test_every_module_is_found_by_the_import_map_under_its_contents_hash(built: Built) -> None:
    mapped = import_map(built)
    for name in modules("main.js"):
        hashed = mapped[f"./{name}"].removeprefix("./")
        assert re.fullmatch(r".+\.[0-9a-f]{10}\.js", hashed)
        assert (built.folder / hashed).read_bytes() == sources()[name].read_bytes(), "the source runs unchanged"


def test_other_content_has_another_name_and_the_same_content_the_same(built: Built, tmp_path: Path) -> None:
    again = build(tmp_path / "page", server="wss://other.example.com")
    assert again.files == built.files
    assert (again.folder / "index.html").read_bytes() != (built.folder / "index.html").read_bytes()


def test_everything_that_compresses_is_there_compressed(built: Built) -> None:
    for source, name in built.files.items():
        if source != "boot.js" and not name.endswith(".png"):
            packed = (built.folder / f"{name}.gz").read_bytes()
            assert gzip.decompress(packed) == (built.folder / name).read_bytes()


def test_a_first_visit_is_small(built: Built) -> None:
    assert built.size() <= FIRST_VISIT_KB * 1000


def test_the_source_preloads_all_its_modules_too() -> None:
    text = (WEB / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'rel="modulepreload" href="([^"]+)"', text) == preloaded()


def test_the_page_can_be_installed() -> None:
    manifest = json.loads((WEB / "manifest.webmanifest").read_text(encoding="utf-8"))
    assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}
    assert any(icon.get("purpose") == "maskable" for icon in manifest["icons"])
    for icon in manifest["icons"]:
        content = (WEB / icon["src"]).read_bytes()
        if icon["sizes"] != "any":
            size = int.from_bytes(content[16:20], "big")
            assert f"{size}x{size}" == icon["sizes"]


@needs_chromium
def test_the_made_page_plays_and_asks_for_nothing_twice_nor_late(browser: Browser, tmp_path: Path) -> None:  # noqa: F811
    made = build(tmp_path / "page")
    context = browser.new_context(locale="ru")
    page = context.new_page()
    asked: list[str] = []
    complaints: list[Any] = []
    page.on("request", lambda request: asked.append(request.url.split("/", 3)[3]))
    page.on("console", lambda line: complaints.extend([line.text] * (line.type == "error")))
    with serving(FakeServer(web=made.folder)) as url:
        page.goto(url)
        expect(page.get_by_role("button", name="Играть", exact=True)).to_be_enabled()
        assert complaints == []
        needed = {"" if name == "index.html" else name for name in made.first_visit()} | {made.files["texts/ru.js"]}
        needed -= {made.files["texts/en.js"]}
        later = {made.files[name] for name in ("sheets.js", "history.js")}
        assert set(asked) - {"manifest.webmanifest", "icons/icon-192.png"} - later <= needed
        assert len(asked) == len(set(asked))
        assert page.evaluate("document.styleSheets.length") == 1
    context.close()


@needs_chromium
def test_the_player_is_signed_in_while_the_modules_that_draw_are_on_their_way(browser: Browser, tmp_path: Path) -> None:  # noqa: F811
    made = build(tmp_path / "page")
    server = FakeServer(web=made.folder)
    context = browser.new_context()
    page = context.new_page()
    held: list[Any] = []
    page.route(re.compile(r"/view\.\w+\.js"), lambda route: held.append(route))
    with serving(server) as url:
        page.goto(url, wait_until="commit")
        for _ in range(200):
            if server.received and held:
                break
            page.wait_for_timeout(50)
        assert [request.action for request in server.received] == ["hello"]
        held[0].continue_()
        expect(page.get_by_role("button", name="Play", exact=True)).to_be_enabled()
        assert [request.action for request in server.received].count("hello") == 1
        assert len(server.sockets) == 1, "the socket of the first script is the one in use"
    context.close()


@needs_chromium
def test_the_first_paint_needs_no_script(browser: Browser, tmp_path: Path) -> None:  # noqa: F811
    made = build(tmp_path / "page")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    with serving(FakeServer(web=made.folder)) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="Wordle Tournament")).to_be_visible()
        assert (
            page.locator(".tile.correct").first.evaluate("tile => getComputedStyle(tile).backgroundColor")
            != "rgba(0, 0, 0, 0)"
        )
    context.close()
