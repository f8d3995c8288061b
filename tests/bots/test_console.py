"""A tournament on the console, from the first round to the final table."""

import io
import json
from typing import Any

import pytest
from rich.console import Console

from bots.console import ConsoleRenderer
from bots.referee import Recorded
from tests.bots.story import NAMES, story
from wordle_tournament_client.client import parse


def printed(frames: list[Recorded], *, colour: bool) -> str:
    paper = io.StringIO()
    console = Console(file=paper, width=120, force_terminal=colour, color_system="256" if colour else None)
    with ConsoleRenderer(console) as renderer:
        for _, text in frames:
            renderer.take(parse(text))
    return paper.getvalue()


@pytest.mark.parametrize("colour", [False, True])
def test_a_tournament_is_shown_from_the_first_round_to_the_final_table(colour: bool) -> None:
    frames = story(4, leaving=0.02)
    page = printed(frames, colour=colour)
    rounds = {json.loads(text).get("tournament", {}).get("round") for _, text in frames} - {None}
    for number in rounds:
        assert f"Round {number}, " in page
    final = page[page.index("Final table") :]
    assert all(name.upper() in final for name in NAMES)


def test_marks_can_be_told_apart_without_colour() -> None:
    page = printed(story(4), colour=False)
    assert "[" in page
    assert "(" in page
    assert "\x1b" not in page


def test_frames_told_twice_or_late_are_shown_once() -> None:
    frames = story(4)
    assert printed([*frames, *frames], colour=False) == printed(frames, colour=False)


def stopped(frames: list[Recorded]) -> list[Recorded]:
    """Return the frames as if an operator had stopped the tournament at its end: its last duel has no ending."""

    def change(frame: dict[str, Any]) -> dict[str, Any]:
        if frame.get("duel", {}).get("over"):
            frame["duel"] = {key: part for key, part in frame["duel"].items() if key not in ("ending", "winner")}
        if frame.get("tournament", {}).get("over"):
            frame["tournament"]["ending"] = "stopped"
            frame["tournament"]["players"] = [
                {key: part for key, part in player.items() if key not in ("place", "rating_change")} | {"fate": "in"}
                for player in frame["tournament"]["players"]
            ]
        return frame

    return [Recorded(listener, json.dumps(change(json.loads(text)))) for listener, text in frames]


def test_a_stopped_duel_costs_no_life_and_a_stopped_tournament_gives_no_places() -> None:
    page = printed(stopped(story(4)), colour=False)
    assert "Stopped by an operator, nobody loses a life" in page
    assert "both lose a life" not in page
    final = page[page.index("Final table: stopped by an operator") :]
    assert "None" not in final
    assert "+0" not in final
