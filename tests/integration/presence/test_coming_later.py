"""A frame says all that a client needs which comes later, or comes back later (R28)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from infra.local.testing import TURN_MS, WINDOW_MS, Player, World, wrong
from tests.integration.conftest import Scenes, gather
from wordle_tournament.config import settings
from wordle_tournament.play.presence import hello


def shown(frame: dict[str, Any], player: Player) -> dict[str, Any]:
    """The player's entry in the lobby or tournament of a frame."""
    players = (frame.get("lobby") or frame["tournament"])["players"]
    entry: dict[str, Any] = next(one for one in players if one["player_id"] == player.id)
    return entry


def test_who_comes_later_sees_until_when_a_seat_is_kept(scenes: Scenes, world: World) -> None:
    """As those who were there have heard in `presence`."""
    game = scenes.lobby()
    gone, witness, late = game.all[0], game.all[1], game.all[-1]
    gone.drop()
    until_ms = world.now_ms + WINDOW_MS
    assert witness.last("presence")["until_ms"] == until_ms
    world.sleep(5_000)
    lobby = late.ask("join", language="en")
    assert shown(lobby, gone) | {"rating": 0} == {
        "player_id": gone.id,
        "nickname": gone.state["nickname"],
        "rating": 0,
        "away": True,
        "away_until_ms": until_ms,
    }
    assert "away_until_ms" not in shown(lobby, witness)


def test_who_comes_back_sees_until_when_others_can(scenes: Scenes, world: World) -> None:
    game = scenes.semifinal()
    sides = [game.players[one] for one in game.duels[0]["players"]]
    out = next(one for one in game.all if one.state["watching"])
    sides[0].drop()
    until_ms = world.now_ms + WINDOW_MS
    out.drop()
    world.sleep(7_000)
    for frame in (sides[1].reconnect(), sides[1].ask("sync")):
        assert shown(frame, sides[0])["away_until_ms"] == until_ms
        assert shown(frame, out)["away"]
        assert "away_until_ms" not in shown(frame, out), "nothing expires for a player who is out"


def test_a_duel_says_how_long_its_turns_are(scenes: Scenes, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A duel keeps the timing with which its round was opened, whatever `welcome` says after an update."""
    game = scenes.begun()
    duel = game.duels[0]
    player = game.to_move(duel)
    monkeypatch.setattr(hello, "settings", lambda: replace(settings(), turn_seconds=20))
    welcome = player.reconnect()
    assert welcome["timing"]["turn_seconds"] == 20
    assert [one["turn_ms"] for one in welcome["duels"]] == [TURN_MS]
    assert player.guess(duel, wrong(duel))["duel"]["turn_ms"] == TURN_MS


def test_who_was_away_too_long_is_told_which_tournament_that_was(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    player = game.all[0]
    player.drop()
    world.sleep(WINDOW_MS)
    world.forfeit(player.id, player.state["epoch"])
    lost_at_ms = world.now_ms
    world.sleep(5_000)
    told = {"what": "tournament", "id": game.id, "at_ms": lost_at_ms}
    for frame in (player.reconnect(), player.ask("sync")):
        assert "tournament" not in frame
        assert frame["lost_game"] == told
    assert player.ask("results", tournament=game.id)["type"] == "results"
    player.ask("join", language="en")
    assert "lost_game" not in player.ask("sync"), "news until the next seat"
    player.ask("leave", what="lobby")
    assert "lost_game" not in player.ask("sync"), "who leaves knows why there is no lobby"


def test_who_comes_back_just_too_late_is_told_too(scenes: Scenes, world: World) -> None:
    """`hello` itself applies the forfeit."""
    player = scenes.begun().all[0]
    player.drop()
    world.sleep(WINDOW_MS)
    assert player.reconnect()["lost_game"]["what"] == "tournament"


def test_who_was_away_too_long_in_a_lobby_is_told_too(scenes: Scenes, world: World) -> None:
    leader, friend = gather(world, 2)
    leader.ask("startGroup", language="en")
    lobby = leader.state["game"]
    friend.drop()
    world.sleep(WINDOW_MS)
    world.forfeit(friend.id, friend.state["epoch"])
    assert friend.reconnect()["lost_game"] == {"what": "lobby", "id": lobby, "at_ms": world.now_ms}
    assert "lost_game" not in leader.ask("sync"), "the others were told by `left`"
    assert (leader.last("left")["id"], leader.last("left")["by"]) == (lobby, friend.id)


def test_a_join_in_a_lobby_that_has_just_started(scenes: Scenes, world: World) -> None:
    game = scenes.introduction()
    player = game.all[0]
    again = player.ask("join", language="en")
    assert (again["type"], again["lobby"]["started"]) == ("lobby", True)
    assert player.refused("join", language="de") == "in_tournament"
    game.begin()
    assert player.refused("join", language="en") == "in_tournament"
