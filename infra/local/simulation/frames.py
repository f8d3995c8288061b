"""The frames that players get: each is one of the protocol, tells no secret, and is no newer than what is stored."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from infra.local.simulation.clients import Client
from infra.local.testing.invariants import FRAMES, Rules

Json = dict[str, Any]
TABLES = {
    "lobby": ("LobbiesTable", "lobby_id"),
    "tournament": ("TournamentsTable", "tournament_id"),
    "group": ("GroupsTable", "group_id"),
}


class Frames:
    """Checks every frame once, at the moment when it is sent."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._checked: dict[str, Json] = {}
        self._duels: dict[tuple[str, int], Json] = {}
        """The boards that were shown, by the duel's id and version."""

    def check(self, text: str, latest_ms: int, released: bool = False) -> Json:
        """Return the frame. Raise AssertionError if it breaks a rule. The earlier release has other fields."""
        known = self._checked.get(text)
        if known is not None:
            return known
        frame: Json = json.loads(text)
        if not released:
            FRAMES[frame["type"]].model_validate(frame)
        assert frame["now_ms"] <= latest_ms, "a frame comes from the future"
        for kind, (table, key) in TABLES.items():
            if kind in frame:
                shown = frame[kind]
                assert shown["version"] <= self._rules.version(table, shown[key]), (
                    f"{kind} is newer than what is stored"
                )
        for duel in [frame["duel"]] if frame["type"] == "duel" else frame.get("duels", []):
            self._check_duel(duel, released)
        self._checked[text] = frame
        return frame

    def _check_duel(self, duel: Json, released: bool) -> None:
        stored = self._rules.duels[duel["duel_id"]]
        assert duel["version"] <= self._rules.version("DuelsTable", duel["duel_id"])
        assert ("word" in duel) == duel["over"]
        assert not duel["over"] or stored["phase"] == "over", "R18"
        if not duel["over"]:
            secret = stored["word"]
            told = {text for name, value in duel.items() if name != "rows" for text in _texts(value)}
            assert secret not in told, "R18"
        if released:
            return
        assert self._duels.setdefault((duel["duel_id"], duel["version"]), duel) == duel, "one version, two boards"

    def check_view(self, client: Client, items: Mapping[str, Mapping[str, Json]]) -> None:
        """Check that a client knows what is stored. It is at rest, and no frame was lost any more."""
        connection = client.connection
        if client.deleted or connection is None or not connection.open or not client.signed_in:
            return
        player = items["PlayersTable"][client.player_id]["state"]
        view, name = client.view, client.name
        assert player["connection_id"] == connection.connection_id, f"{name} is connected, and away"
        assert (view.group and view.group.group_id) == player["group"], f"{name} does not know the group"
        if view.group is not None:
            assert view.group.version == items["GroupsTable"][view.group.group_id]["version"], f"{name}: group"
        if player["game"] is not None:
            assert view.lobby is not None or view.tournament is not None, f"{name} does not know the seat"
        if view.lobby is not None:
            assert player["game"] == view.lobby.lobby_id, f"{name} is in no such lobby"
            assert view.lobby.version == items["LobbiesTable"][view.lobby.lobby_id]["version"], f"{name}: lobby"
        if view.tournament is not None:
            key = view.tournament.tournament_id
            assert view.tournament.version == items["TournamentsTable"][key]["version"], f"{name}: tournament"
            assert view.tournament.over
            for duel_id, duel in view.duels.items():
                assert duel.version == items["DuelsTable"][duel_id]["version"], f"{name}: {duel_id}"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
