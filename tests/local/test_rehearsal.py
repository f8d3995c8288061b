"""Every scenario is entered by legal moves, leaves a store by the rules, and shows a client what it says."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from infra.local.rehearsal import SCENARIOS, Stage
from infra.local.template import ROOT
from infra.local.testing import Player
from infra.local.testing.invariants import Invariants
from wordle_tournament_client import Refused, Replaced, TournamentClient, View

PATIENCE_SECONDS = 20
ENDED_BY_AN_OPERATOR = ("stopped", "voided")


def _place(view: View) -> int | None:
    return view.me.place if view.me else None


def _shares_place(view: View) -> bool:
    """Return True if the player shares a place and only one player has won."""
    places = [one.place for one in view.tournament.players] if view.tournament else []
    return places.count(_place(view)) > 1 and places.count(1) == 1


SHOWS: dict[str, Callable[[View], object]] = {
    "last-life": lambda view: view.me and view.me.lives == 1 and view.duel and not view.duel.over,
    "final": lambda view: view.tournament and len(view.tournament.matches) == 1 and view.duel and not view.duel.over,
    "draw": lambda view: view.duel and view.duel.ending == "drawn",
    "bye": lambda view: view.tournament and view.you and view.tournament.bye == view.you.player_id,
    "opponent-away": lambda view: view.match and any(map(view.away, view.match.players)),
    "reconnect-window": lambda view: view.duel and not view.duel.over,
    "tie": lambda view: view.tournament and _shares_place(view) and view.tournament.over,
    "placed": lambda view: _place(view) and view.tournament and not view.tournament.over,
    "watcher": lambda view: _place(view) and view.watching in view.duels,
    "merging": lambda view: view.lobby,
    "group-full": lambda view: view.group and view.you and len(view.group.members) == 8,
    "leader-gone": lambda view: view.group and view.you and view.group.leader == view.you.player_id,
    "queue-closed": lambda view: view.you and not view.lobby and not view.tournament,
    "maintenance": lambda view: view.duel and not view.duel.over,
    "stopped": lambda view: view.tournament and view.tournament.ending == "stopped",
    "voided": lambda view: view.tournament and view.tournament.ending == "voided",
    "replaced": lambda view: view.duel,
    "throttled": lambda view: view.duel,
    "disorder": lambda view: view.duel,
}


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage() as stage:
        yield stage


def test_there_is_a_check_of_each_scenario() -> None:
    assert SHOWS.keys() == SCENARIOS.keys()


@pytest.mark.thorough
@pytest.mark.parametrize("name", SCENARIOS)
async def test_a_fresh_player_enters_the_scenario(stage: Stage, name: str) -> None:
    restore = stage.save()
    try:
        await _enter(stage, name)
    finally:
        stage.stack.gateway.throttled = 0
        stage.connections.disordered = False
        restore()


def check(stage: Stage, player: Player, name: str) -> None:
    """Assert that what is stored is by the rules."""
    if name not in ENDED_BY_AN_OPERATOR:
        Invariants(stage).check()
        return
    assert all(item["state"]["phase"] == "over" for item in stage.items("DuelsTable").values())
    for key, item in stage.items("PlayersTable").items():
        assert "." in key or (item["state"]["game"], item["state"]["rating"]) == (None, 1000)


async def _enter(stage: Stage, name: str) -> None:
    scenario = SCENARIOS[name]
    player = await asyncio.to_thread(scenario.enter, stage)
    await asyncio.to_thread(check, stage, player, name)
    async with asyncio.timeout(PATIENCE_SECONDS):
        try:
            async with TournamentClient(stage.stack.ws_url, player.token) as client:
                assert SHOWS[name](client.view), client.view
                before = client.view.lobby
                if scenario.later is not None:
                    await asyncio.to_thread(scenario.later, stage, player)
                if name == "merging":
                    await client.until(lambda view: (view.lobby and before and view.lobby != before) or None)
                if name == "queue-closed":
                    with pytest.raises(Refused, match="queue_closed"):
                        await client.join("en")
                if name == "replaced":
                    with pytest.raises(Replaced):
                        await client.until(lambda view: None)
                if name in ("throttled", "disorder"):
                    await client.sync()
        except Replaced:
            assert name == "replaced"


def test_the_guide_names_each_scenario() -> None:
    page = (
        (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8").partition("## Rehearsal")[2].partition("\n## ")[0]
    )
    assert {name for name in SCENARIOS if f"`{name}`" in page} == set(SCENARIOS)
