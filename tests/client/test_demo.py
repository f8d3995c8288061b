"""The demo prints a tournament, and fails when it breaks a rule."""

import asyncio
import io
import json

import pytest
from rich.console import Console

from tests.client.fake_server import error, fake_server
from tests.client.story import NAMES, story
from wordle_tournament_client import demo
from wordle_tournament_client.client import parse
from wordle_tournament_client.referee import Heard
from wordle_tournament_client.show import Show


def shown(heard: list[Heard], *, colour: bool) -> str:
    paper = io.StringIO()
    console = Console(file=paper, width=120, force_terminal=colour, color_system="256" if colour else None)
    with Show(console) as show:
        for _, text in heard:
            show.tell(parse(text))
    return paper.getvalue()


@pytest.mark.parametrize("colour", [False, True])
def test_a_tournament_is_shown_from_the_first_round_to_the_final_table(colour: bool) -> None:
    heard = story(4, leaving=0.02)
    page = shown(heard, colour=colour)
    rounds = {json.loads(text).get("tournament", {}).get("round") for _, text in heard} - {None}
    for number in rounds:
        assert f"Round {number}, " in page
    final = page[page.index("Final table") :]
    assert all(name.upper() in final for name in NAMES)


def test_marks_can_be_told_apart_without_colour() -> None:
    page = shown(story(4), colour=False)
    assert "[" in page
    assert "(" in page
    assert "\x1b" not in page


def test_frames_told_twice_or_late_are_shown_once() -> None:
    heard = story(4)
    assert shown([*heard, *heard], colour=False) == shown(heard, colour=False)


def play(heard: list[Heard], monkeypatch: pytest.MonkeyPatch) -> int:
    async def played(*_: object) -> list[Heard]:
        return heard

    monkeypatch.setattr(demo, "_play", played)
    return demo.main(["--url", "ws://127.0.0.1:1/ws"])


def test_the_demo_succeeds_when_all_was_by_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    assert play(story(4), monkeypatch) == 0


def test_the_demo_fails_and_says_why_when_it_was_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [Heard(listener, text.replace('"correct"', '"absent"')) for listener, text in story(4)]
    assert play(wrong, monkeypatch) == 1
    assert "R17" in capsys.readouterr().out


async def test_the_demo_fails_when_the_server_will_not_have_the_bots(capsys: pytest.CaptureFixture[str]) -> None:
    async with fake_server() as server:
        server.answers["join"] = error("unknown_language")
        assert await asyncio.to_thread(demo.main, ["--url", server.url]) == 1
    assert "unknown_language" in capsys.readouterr().out


def test_who_stops_the_demo_is_not_shown_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def interrupted(*_: object) -> list[Heard]:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_play", interrupted)
    assert demo.main(["--url", "ws://127.0.0.1:1/ws"]) == 130
    assert "Stopped" in capsys.readouterr().out
