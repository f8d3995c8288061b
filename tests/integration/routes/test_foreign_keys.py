"""A key of one kind, sent where another kind is asked for, finds nothing (the tables hold several kinds)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from infra.local.testing import Player, World
from tests.integration.conftest import Scenes, gather
from tests.integration.routes.test_bad_input import GOOD, action, fields
from wordle_tournament.play.admin import verbs
from wordle_tournament.protocol.requests import REQUESTS, DeleteMe, Hello, Here, Join, Request, StartGroup

TABLES = ("PlayersTable", "ConnectionsTable", "LobbiesTable", "GroupsTable", "TournamentsTable", "DuelsTable")
NO_KEYS = {"language", "what", "word", "nickname"}
"""The text fields that are no keys."""


def stored_keys(world: World) -> dict[str, str]:
    """One key of each kind that is stored, by its kind: the table and the key's prefix."""
    found: dict[str, str] = {}
    for table in TABLES:
        for key in world.items(table):
            prefix = key.partition(".")[0] + "." if table in ("PlayersTable", "LobbiesTable") and "." in key else ""
            found[f"{table} {prefix or ('settings' if key == 'settings' else '')}".strip()] = key
    return found


@pytest.fixture
def crowded(scenes: Scenes, world: World) -> World:
    """A world in which something of every kind is stored."""

    def make() -> Any:
        game = scenes.final()
        game.finish()
        verbs.open_queue()
        gather(world, 2)[0].ask("startGroup", language="en")
        return game

    scenes.scene("crowded", make)
    assert set(stored_keys(world)) >= {*TABLES, "PlayersTable history.", "LobbiesTable door.", "LobbiesTable settings"}
    return world


def requests(key: str) -> list[tuple[type[Request], dict[str, Any]]]:
    """Each request with the key in each of its fields that may hold one."""
    sent: list[tuple[type[Request], dict[str, Any]]] = []
    for request in REQUESTS:
        if request in (DeleteMe, Join, StartGroup):
            continue
        whole = fields(request)
        whats = ("duel", "lobby", "tournament", "group") if request is Here else (whole.get("what"),)
        for name in whole:
            if isinstance(GOOD[name], str) and name not in NO_KEYS:
                texts = [key, f"{key}.secret"] if name in ("token", "invite") else [key]
                for text, what in product(texts, whats):
                    sent.append((request, {**whole, name: text, **({"what": what} if what else {})}))
    return sent


def test_a_key_of_another_kind_is_refused_as_unknown(crowded: World, capfd: pytest.CaptureFixture[str]) -> None:
    """Never `internal`, which is a trace and an alarm that any guest could cause."""
    for kind, key in stored_keys(crowded).items():
        restore = crowded.save()
        for request, sent in requests(key):
            leader = Player(crowded, crowded.connection_id())
            if request is not Hello:
                leader.hello()
                leader.ask("createGroup")
            answer = leader.ask(action(request), **sent)
            assert answer.get("code") != "internal", (kind, action(request), sent)
        restore()
    assert "Traceback" not in capfd.readouterr().out


PLAYER_VERBS: tuple[Callable[[str], Any], ...] = (
    verbs.show_player,
    verbs.delete,
    lambda key: verbs.rename(key, "Brave Otter"),
)
TOURNAMENT_VERBS: tuple[Callable[[str], Any], ...] = (
    verbs.show_tournament,
    verbs.settle,
    verbs.stop,
    verbs.void,
)


def test_an_operator_reaches_only_the_kind_that_a_verb_names(crowded: World) -> None:
    for kind, key in stored_keys(crowded).items():
        for verb in PLAYER_VERBS if kind != "PlayersTable" else ():
            with pytest.raises(verbs.AdminError, match="no player"):
                verb(key)
        # A started lobby has the id of its tournament.
        for verb in TOURNAMENT_VERBS if kind not in ("TournamentsTable", "LobbiesTable") else ():
            with pytest.raises(verbs.AdminError, match="no tournament"):
                verb(key)
