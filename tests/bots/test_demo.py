"""The demo fails when a tournament breaks a rule."""

import asyncio

import pytest

from bots.referee import Recorded
from tests.bots.story import story
from tests.client.fake_server import error, fake_server
from tools import demo


def play(frames: list[Recorded], monkeypatch: pytest.MonkeyPatch) -> int:
    async def played(*_: object) -> list[Recorded]:
        return frames

    monkeypatch.setattr(demo, "_play", played)
    return demo.main(["--url", "ws://127.0.0.1:1/ws"])


def test_the_demo_succeeds_when_all_was_by_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    assert play(story(4), monkeypatch) == 0


def test_the_demo_fails_and_says_why_when_it_was_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [Recorded(listener, text.replace('"correct"', '"absent"')) for listener, text in story(4)]
    assert play(wrong, monkeypatch) == 1
    assert "R17" in capsys.readouterr().out


async def test_the_demo_fails_when_the_server_will_not_have_the_bots(capsys: pytest.CaptureFixture[str]) -> None:
    async with fake_server() as server:
        server.answers["join"] = error("unknown_language")
        assert await asyncio.to_thread(demo.main, ["--url", server.url]) == 1
    assert "unknown_language" in capsys.readouterr().out


def test_a_demo_that_is_stopped_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def interrupted(*_: object) -> list[Recorded]:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_play", interrupted)
    assert demo.main(["--url", "ws://127.0.0.1:1/ws"]) == 130
    assert "Stopped" in capsys.readouterr().out
