"""The requests of 1.0.0 are still accepted, and the frames that its server sent still belong to the protocol."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.local.testing import Frame, World
from tests.compatibility.conftest import recorded
from tests.compatibility.test_items import assert_kept
from wordle_tournament.protocol.messages import MESSAGES
from wordle_tournament.protocol.requests import REQUESTS

FRAMES: dict[str, dict[str, list[Frame]]] = recorded("frames")
ACTIONS, TYPES = FRAMES["requests"], FRAMES["messages"]
MODELS: dict[str, Any] = {
    **{f"action {model.model_fields['action'].default}": model for model in REQUESTS},
    **{f"type {model.model_fields['type'].default}": model for model in MESSAGES},
}


def test_there_is_one_of_each_that_1_0_0_had() -> None:
    assert (len(ACTIONS), len(TYPES)) == (22, 19)
    assert all([*ACTIONS.values(), *TYPES.values()])
    assert recorded("protocol")["messages"].keys() == TYPES.keys()


@pytest.mark.parametrize("action", ACTIONS)
def test_a_request_is_still_taken(deployed: World, action: str) -> None:
    for frame in ACTIONS[action]:
        model = MODELS[f"action {action}"].model_validate(frame)
        assert_kept(frame, model.model_dump(mode="json"), action)
        assert deployed.route(json.dumps(frame)) == action


@pytest.mark.parametrize("kind", TYPES)
def test_a_frame_is_still_of_the_protocol(kind: str) -> None:
    for frame in TYPES[kind]:
        model = MODELS[f"type {kind}"].model_validate(frame)
        assert_kept(frame, model.model_dump(mode="json"), kind)
