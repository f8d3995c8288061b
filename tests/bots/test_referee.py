"""The referee: content with what the rules make, and with nothing else."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from bots.referee import Recorded, read_record, violations, violations_so_far
from tests.bots.story import stories, story

Frame = dict[str, Any]
Forge = Callable[[Frame], None]
"""Changes a frame in place, or leaves it as it is."""


def forged(frames: list[Recorded], forge: Forge) -> list[Recorded]:
    """The same story with every frame passed through the forger, the same for every listener."""
    changed = []
    for listener, text in frames:
        frame = json.loads(text)
        forge(frame)
        changed.append(Recorded(listener, json.dumps(frame)))
    return changed


@pytest.mark.parametrize("frames", list(stories()))
def test_a_tournament_by_the_rules_has_no_violations(frames: list[Recorded]) -> None:
    assert violations(frames) == []


def test_there_are_leavers_in_some_of_the_stories() -> None:
    assert any('"left"' in text for frames in stories() for _, text in frames)


def no_life_lost(frame: Frame) -> None:
    for player in frame.get("tournament", {}).get("players", []):
        player["lives"] = 3


def a_place_too_low(frame: Frame) -> None:
    for player in frame.get("tournament", {}).get("players", []):
        if player.get("place", 1) != 1:
            player["place"] += 1


def a_point_too_much(frame: Frame) -> None:
    for player in frame.get("tournament", {}).get("players", []):
        if "rating_change" in player:
            player["rating_change"] += 1


def another_result(frame: Frame) -> None:
    if frame["type"] == "result":
        frame["rating"] += 1


def pairings_by_name(frame: Frame) -> None:
    if frame["type"] == "tournament":
        still_in = [player["player_id"] for player in frame["tournament"]["players"] if player["fate"] == "in"]
        pairs = zip(still_in[::2], still_in[1::2], strict=False)
        for match, pair in zip(frame["tournament"]["matches"], pairs, strict=False):
            match["players"] = list(pair)
        if len(still_in) % 2:
            frame["tournament"]["bye"] = still_in[-1]


def somebody_twice(frame: Frame) -> None:
    if frame["type"] == "tournament":
        match = frame["tournament"]["matches"][0]
        match["players"] = [match["players"][0]] * 2


def nothing_is_in_the_word(frame: Frame) -> None:
    for row in frame.get("duel", {}).get("rows", []):
        row["marks"] = ["absent"] * len(row["marks"])


def drawn_all_the_same(frame: Frame) -> None:
    if frame.get("duel", {}).get("ending") == "solved":
        frame["duel"]["ending"] = "drawn"


def a_row_too_few(frame: Frame) -> None:
    if frame["type"] == "duel" and frame["duel"]["over"]:
        del frame["duel"]["rows"][0]


def a_life_too_few(frame: Frame) -> None:
    if frame["type"] == "duel" and frame["duel"]["over"]:
        frame["duel"]["players"][0]["lives"] -= 1


def early_skips(frame: Frame) -> None:
    if frame["type"] == "duel" and frame["duel"]["rows"] and "word" not in frame["duel"]["rows"][-1]:
        frame["now_ms"] -= 20_000


def the_same_word(frame: Frame) -> None:
    if frame["type"] == "duel" and frame["duel"]["over"]:
        frame["duel"]["word"] = "crane"


def a_life_back_when_somebody_leaves(frame: Frame) -> None:
    if frame.get("tournament", {}).get("leavers") and not frame["tournament"]["over"]:
        frame["tournament"]["players"][0]["lives"] += 1


def other_ratings_later_on(frame: Frame) -> None:
    if frame["type"] == "tournament" and frame["tournament"]["round"] > 1:
        frame["tournament"]["players"][0]["rating"] += 400


@pytest.mark.parametrize(
    ("forge", "rule"),
    [
        (no_life_lost, "R6"),
        (a_place_too_low, "R9"),
        (a_point_too_much, "R21"),
        (another_result, "R20"),
        (pairings_by_name, "R4"),
        (somebody_twice, "R2"),
        (nothing_is_in_the_word, "R17"),
        (drawn_all_the_same, "R16"),
        (a_row_too_few, "R11"),
        (a_life_too_few, "R6"),
        (early_skips, "R15"),
        (the_same_word, "R12"),
        (a_life_back_when_somebody_leaves, "R9"),
        (other_ratings_later_on, "R21"),
    ],
)
def test_what_breaks_a_rule_is_found(forge: Forge, rule: str) -> None:
    frames = forged(story(3, leaving=0.02), forge)
    assert any(rule in violation.partition(": ")[0] for violation in violations(frames))


def test_a_state_does_not_tell_when_a_turn_was_skipped() -> None:
    """Its time is from before it was read: the skip may have come in between."""
    frames = story(3)
    welcome = json.loads(frames[0].text)
    states = [
        Recorded(
            0, json.dumps({**welcome, "type": "state", "now_ms": frame["now_ms"] - 20_000, "duels": [frame["duel"]]})
        )
        for _, text in frames
        if (frame := json.loads(text))["type"] == "duel" and not frame["duel"]["over"]
    ]
    assert violations([*frames, *states]) == []


def test_what_is_settled_of_a_tournament_that_runs_is_judged_and_no_more() -> None:
    frames = story(3)
    for length in range(0, len(frames), 101):
        record = read_record(frames[:length])
        expected = [] if record.tournaments else ["no tournament was heard of"]
        assert record.over or violations_so_far(record) == expected
    assert violations_so_far(read_record(forged(frames[: len(frames) // 2], no_life_lost)))


@pytest.mark.parametrize("field", ["word", "display", "hint"])
def test_a_word_sent_too_early_is_found(field: str) -> None:
    frames = story(5)
    ends = {
        duel["duel_id"]: duel["word"] for _, text in frames if (duel := json.loads(text).get("duel", {})).get("over")
    }

    def tell_the_word(frame: Frame) -> None:
        duel = frame.get("duel", {})
        if duel and not duel["over"]:
            duel[field] = ends[duel["duel_id"]]

    assert any(violation.startswith("R18") for violation in violations(forged(frames, tell_the_word)))


def test_a_tournament_that_does_not_end_is_a_violation() -> None:
    assert violations([one for one in story(1) if '"over":true' not in one.text or '"duel"' in one.text])


def test_no_frame_at_all_is_a_violation() -> None:
    assert violations([]) == ["no tournament was heard of"]
