"""Every route: what it answers, what others hear of it, and each code with which it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest

from infra.local.testing import PLAYERS, TURN_MS, WINDOW_MS, Player, World, client_error, wrong
from tests.integration.conftest import Scenes
from tools import asyncapi
from wordle_tournament import randomness, words
from wordle_tournament.delivery import flooding
from wordle_tournament.matchmaking import queue_switch
from wordle_tournament.protocol.errors import RETIRED, ErrorCode
from wordle_tournament.rules.flooding import MOST
from wordle_tournament.rules.made_up_names import made_up_name
from wordle_tournament.rules.nickname import check_nickname

# The purpose of each route


def test_everybody_may_connect_and_nothing_is_sent_from_there(world: World) -> None:
    with world.backend.aws.recorded() as calls:
        world.connection_id()
    assert calls == []


def test_hello_makes_an_anonymous_player_and_says_the_token_once(world: World) -> None:
    player = Player(world, world.connection_id())
    welcome = player.hello()
    assert welcome["you"]["rating"] == 1000
    assert 3 <= len(welcome["you"]["nickname"]) <= 20
    assert welcome["languages"] == list(words.languages())
    assert welcome["timing"] == {"intro_seconds": 6, "turn_seconds": 30, "reconnect_seconds": 60, "ping_seconds": 20}
    assert "token" not in player.hello()
    assert player.token not in json.dumps(world.everything())


def test_hello_with_the_token_brings_the_whole_screen_back(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    player = game.to_move(duel)
    player.guess(duel, wrong(duel))
    world.sleep(10_000)
    player.drop()
    world.sleep(10_000)
    welcome = player.reconnect()
    (board,) = welcome["duels"]
    after = game.duel(duel["duel_id"])
    assert board["turn"] == 2
    assert board["to_move"] == game.waiting(duel).id
    assert board["deadline_ms"] == after["deadline_ms"] == duel["starts_at_ms"] + TURN_MS
    assert board["rows"][0]["word"] == after["rows"][0]["word"]
    assert welcome["tournament"]["tournament_id"] == game.id
    assert [one["lives"] for one in welcome["tournament"]["players"]] == [3] * PLAYERS
    assert not any(one["away"] for one in welcome["tournament"]["players"])


def test_a_newer_connection_replaces_the_older_one(world: World) -> None:
    player = world.player()
    older = Player(world, player.connection_id, player.id, player.token)
    player.reconnect()
    assert older.frames[-1]["type"] == "replaced"
    assert older.connection_id in world.connections.closed


@pytest.mark.parametrize("way", ["sent again", "long under way"])
def test_a_hello_on_an_older_connection_does_not_replace_the_newer_one(world: World, way: str) -> None:
    """Its client may be the same one, which is told to stay away when its newer connection is replaced (R28)."""
    player = world.player()
    older = replace(player, connection_id=player.connection_id if way == "sent again" else world.connection_id())
    world.sleep(1)
    newer = player.reconnect()
    assert older.send("hello", "late", token=player.token) == 200
    assert player.state["connection_id"] == player.connection_id
    assert player.frames[-1] == newer
    assert older.frames[-1].get("code", older.frames[-1]["type"]) == "replaced"


def test_an_older_connection_that_is_still_there_serves_once_the_newer_one_is_lost(world: World) -> None:
    player = world.player()
    older = replace(player, connection_id=world.connection_id())
    world.sleep(1)
    player.reconnect()
    player.drop()
    assert older.hello()["you"]["player_id"] == player.id


def test_join_tells_everybody_in_the_lobby(world: World) -> None:
    first, second = world.players(2)
    alone = first.ask("join", language="en")["lobby"]
    both = second.ask("join", language="en")["lobby"]
    assert both["lobby_id"] == alone["lobby_id"]
    assert [one["player_id"] for one in both["players"]] == [first.id, second.id]
    assert first.last("lobby")["lobby"] == both
    assert both["version"] > alone["version"]


def test_join_again_is_answered_alike(world: World) -> None:
    player = world.player()
    first = player.ask("join", language="en")["lobby"]
    before = world.everything()
    assert player.ask("join", language="en")["lobby"] == first
    assert world.everything() == before


def test_the_eighth_starts_the_tournament(scenes: Scenes, world: World) -> None:
    game = scenes.lobby()
    lobby = game.all[-1].ask("join", language="en")["lobby"]
    assert lobby["started"]
    assert [start.input for start in world.starts] == [{"tournament_id": game.id}]
    assert [start.name for start in world.starts] == [game.id]
    answer = world.advance(game.id)
    assert answer["wait_seconds"] == 6
    assert [duel["heartbeat_seconds"] for duel in answer["duels"]] == [31] * 4, "a turn and the grace"
    for player in game.all:
        shown = player.last("tournament")["tournament"]
        (match,) = (match for match in shown["matches"] if player.id in match["players"])
        assert player.last("duel")["duel"]["duel_id"] == match["duel_id"]


def test_join_of_an_outrated_player_opens_another_lobby(world: World) -> None:
    first, at_edge, beyond = world.player(1000), world.player(1200), world.player(1201)
    lobby = first.ask("join", language="en")["lobby"]["lobby_id"]
    assert at_edge.ask("join", language="en")["lobby"]["lobby_id"] == lobby
    assert beyond.ask("join", language="en")["lobby"]["lobby_id"] != lobby


def test_leaving_a_lobby_is_free(world: World) -> None:
    first, second = world.players(2)
    for player in (first, second):
        player.ask("join", language="en")
    assert first.ask("leave", what="lobby")["what"] == "lobby"
    assert [one["player_id"] for one in second.last("lobby")["lobby"]["players"]] == [second.id]
    assert first.state["game"] is None
    assert first.state["rating"] == 1000


def test_leaving_a_tournament_loses_the_duel_at_once(scenes: Scenes) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    leaver, opponent = game.to_move(duel), game.waiting(duel)
    assert leaver.ask("leave", what="tournament")["what"] == "tournament"
    shown = opponent.last("duel")["duel"]
    assert shown["over"]
    assert shown["ending"] == "forfeited"
    assert shown["winner"] == opponent.id
    assert opponent.last("tournament")["tournament"]["leavers"] == [leaver.id]


def test_a_guess_is_marked_for_both_and_for_nobody_else(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    others = [player for player in game.all if player.id not in duel["players"]]
    heard = {player.id: len(player.frames) for player in game.all}
    word = wrong(duel)
    world.sleep(5_000)
    answer = game.to_move(duel).guess(duel, f" {word.upper()} ")
    (row,) = answer["duel"]["rows"]
    assert row["word"] == word
    assert len(row["marks"]) == len(word)
    assert answer["duel"]["to_move"] == game.waiting(duel).id
    assert answer["duel"]["deadline_ms"] == world.now_ms + TURN_MS
    assert game.waiting(duel).last("duel")["duel"] == answer["duel"]
    assert len(game.to_move(duel).frames) == heard[game.to_move(duel).id] + 1
    assert all(len(player.frames) == heard[player.id] for player in others)


def test_the_end_of_a_duel_is_told_to_everybody_with_its_word(scenes: Scenes) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    game.solve(duel["duel_id"])
    for player in game.all:
        shown = player.last("duel")["duel"]
        assert (shown["duel_id"], shown["word"], shown["over"]) == (duel["duel_id"], duel["word"], True)


@pytest.mark.thorough
def test_a_made_up_nickname_passes_the_check_of_a_chosen_one(world: World) -> None:
    for _ in range(10):
        anybody, chooser = world.players(2)
        name = anybody.ask("sync")["you"]["nickname"]
        assert chooser.ask("rename", nickname=name)["you"]["nickname"] == name
    for _ in range(1000):
        name = made_up_name(randomness.rng)
        assert check_nickname(name) == name
        assert not words.is_blocked(name)


def test_rename_shows_in_the_lobby(world: World) -> None:
    first, second = world.players(2)
    for player in (first, second):
        player.ask("join", language="en")
    assert first.ask("rename", nickname="  Ada Lovelace ")["you"]["nickname"] == "Ada Lovelace"
    assert second.last("lobby")["lobby"]["players"][0]["nickname"] == "Ada Lovelace"


def test_rename_in_a_tournament_shows_later(scenes: Scenes) -> None:
    game = scenes.begun()
    player = game.all[0]
    player.ask("rename", nickname="Ada Lovelace")
    shown = player.ask("sync")
    (entrant,) = (one for one in shown["tournament"]["players"] if one["player_id"] == player.id)
    assert shown["you"]["nickname"] == "Ada Lovelace"
    assert entrant["nickname"] != "Ada Lovelace"


def test_watchers_see_every_turn_until_they_stop(scenes: Scenes) -> None:
    game = scenes.begun()
    own, other = game.duels[:2]
    game.solve(own["duel_id"])
    watcher = game.to_move(own)
    assert watcher.ask("watch", duel=other["duel_id"])["duel"]["duel_id"] == other["duel_id"]
    assert watcher.ask("sync")["watching"] == other["duel_id"]
    game.to_move(other).guess(other, wrong(other))
    assert len(watcher.last("duel")["duel"]["rows"]) == 1
    watcher.ask("unwatch")
    after = game.duel(other["duel_id"])
    game.to_move(after).guess(after, wrong(after))
    assert len(watcher.last("duel")["duel"]["rows"]) == 1
    assert "watching" not in watcher.ask("sync")


def test_sync_shows_own_duel_only(scenes: Scenes) -> None:
    game = scenes.begun()
    player = game.all[0]
    state = player.ask("sync")
    (duel,) = state["duels"]
    assert player.id in [one["player_id"] for one in duel["players"]]
    assert "word" not in duel


def test_ping_and_languages_need_no_hello(world: World) -> None:
    stranger = Player(world, world.connection_id())
    assert stranger.ask("ping")["type"] == "pong"
    languages = stranger.ask("languages")["languages"]
    assert [one["code"] for one in languages] == list(words.languages())
    assert all(
        {"code", "name", "native_name", "tiles", "keyboard", "spellings"} <= set(language) for language in languages
    )


def test_a_disconnection_starts_sixty_seconds_and_is_told(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    player, *others = game.all
    player.drop()
    (start,) = world.started("ReconnectMachine")
    assert start.input["player_id"] == player.id
    for other in others:
        said = other.last("presence")
        assert (said["player_id"], said["away"], said["until_ms"]) == (player.id, True, world.now_ms + WINDOW_MS)
    world.sleep(WINDOW_MS)
    assert world.forfeit(player.id, start.input["epoch"])
    assert player.id in game.state["rounds"][-1]["leavers"]


def test_who_comes_back_in_time_is_not_taken_for_having_left(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    player, other, *_ = game.all
    player.drop()
    (start,) = world.started("ReconnectMachine")
    world.sleep(WINDOW_MS - 1)
    player.reconnect()
    assert (other.last("presence")["player_id"], other.last("presence")["away"]) == (player.id, False)
    world.sleep(WINDOW_MS)
    assert not world.forfeit(player.id, start.input["epoch"])
    player.drop()
    world.sleep(WINDOW_MS - 1)
    assert not world.forfeit(player.id, start.input["epoch"]), "each disconnection has its own 60 seconds"
    assert game.state["rounds"][-1]["leavers"] == []


# Every code is reached

Scenario = Callable[[Scenes, World], Player | str]
SCENARIOS: dict[ErrorCode, Scenario] = {}


def reaches(code: ErrorCode) -> Callable[[Scenario], Scenario]:
    def register(scenario: Scenario) -> Scenario:
        assert code not in SCENARIOS
        SCENARIOS[code] = scenario
        return scenario

    return register


@reaches(ErrorCode.BAD_REQUEST)
def _(scenes: Scenes, world: World) -> str:
    return world.player().refused("join", language=7)


@reaches(ErrorCode.UNKNOWN_ACTION)
def _(scenes: Scenes, world: World) -> str:
    return world.player().refused("win")


@reaches(ErrorCode.FLOODING)
def _(scenes: Scenes, world: World) -> str:
    player = world.player()
    with mock.patch.object(flooding, "draw", return_value=0.0):
        for _ in range(MOST):
            player.ask("ping")
    return str(world.connections.frames[player.connection_id][-1]["code"])


@reaches(ErrorCode.NOT_SIGNED_IN)
def _(scenes: Scenes, world: World) -> str:
    stranger = Player(world, world.connection_id())
    for action, fields in SIGNED_IN.items():
        assert stranger.ask(action, **fields).get("code") == "not_signed_in", f"{action} needs no hello: add it to FREE"
    return "not_signed_in"


@reaches(ErrorCode.ALREADY_SIGNED_IN)
def _(scenes: Scenes, world: World) -> str:
    first, second = world.players(2)
    assert first.refused("hello") == "already_signed_in"
    return first.refused("hello", token=second.token)


@reaches(ErrorCode.BAD_TOKEN)
def _(scenes: Scenes, world: World) -> str:
    player = world.player()
    stranger = Player(world, world.connection_id())
    player_id, secret = player.token.split(".")
    for token in ("", ".", "x", player_id, f"{player_id}.", f".{secret}", f"{player_id}.x", f"nobody.{secret}"):
        assert stranger.refused("hello", token=token) == "bad_token", token
    return stranger.refused("hello", token=f"{player.token}x")


@reaches(ErrorCode.CLIENT_OUTDATED)
def _(scenes: Scenes, world: World) -> str:
    with world.environment(OLDEST_CLIENTS="page=1.2"):
        return Player(world, world.connection_id()).refused("hello", client="page", client_version="1.1.9")


@reaches(ErrorCode.REPLACED)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    player = game.all[0]
    older = Player(world, player.connection_id, player.id, player.token)
    player.reconnect()
    world.connections.closed.discard(older.connection_id)  # closing it was not done, or not yet
    for action, fields in SIGNED_IN.items():
        if action != "guess":
            assert older.refused(action, **fields) == "replaced", action
    (duel,) = (duel for duel in game.duels if player.id in duel["players"])
    return older.refused("guess", duel=duel["duel_id"], turn=1, word=duel["word"])


@reaches(ErrorCode.UNKNOWN_LANGUAGE)
def _(scenes: Scenes, world: World) -> str:
    return world.player().refused("join", language="xx")


@reaches(ErrorCode.IN_LOBBY)
def _(scenes: Scenes, world: World) -> str:
    player = world.player()
    player.ask("join", language="en")
    return player.refused("join", language="de")


@reaches(ErrorCode.IN_TOURNAMENT)
def _(scenes: Scenes, world: World) -> str:
    player = scenes.begun().all[0]
    assert player.refused("join", language="de") == "in_tournament"
    return player.refused("join", language="en")


@reaches(ErrorCode.NOT_IN_TOURNAMENT)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    stranger = world.player()
    stranger.ask("join", language="en")
    assert stranger.refused("leave", what="tournament") == "not_in_tournament"
    return stranger.refused("watch", duel=game.duels[0]["duel_id"])


@reaches(ErrorCode.TOO_LATE)
def _(scenes: Scenes, world: World) -> str:
    return scenes.introduction().all[0].refused("leave", what="lobby")


@reaches(ErrorCode.NO_SUCH_DUEL)
def _(scenes: Scenes, world: World) -> str:
    player = scenes.begun().all[0]
    assert player.refused("watch", duel="nothing") == "no_such_duel"
    return player.refused("guess", duel="nothing", turn=1, word="crane")


@reaches(ErrorCode.NOT_IN_DUEL)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    first, second = game.duels[:2]
    return game.to_move(second).refused("guess", duel=first["duel_id"], turn=1, word=first["word"])


@reaches(ErrorCode.IN_DUEL)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    return game.to_move(game.duels[0]).refused("watch", duel=game.duels[1]["duel_id"])


@reaches(ErrorCode.DUEL_OVER)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    first, second = game.duels[:2]
    for duel in (first, second):
        game.solve(duel["duel_id"])
    assert game.to_move(first).refused("watch", duel=second["duel_id"]) == "duel_over"
    return game.waiting(first).refused("guess", duel=first["duel_id"], turn=2, word=first["word"])


@reaches(ErrorCode.NOT_STARTED)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.introduction()
    duel = game.duels[0]
    world.sleep_until(duel["starts_at_ms"] - 1)
    return game.to_move(duel).refused("guess", duel=duel["duel_id"], turn=1, word=duel["word"])


@reaches(ErrorCode.NOT_YOUR_TURN)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    duel = game.duels[0]
    assert game.to_move(duel).refused("guess", duel=duel["duel_id"], turn=2, word=duel["word"]) == "not_your_turn"
    return game.waiting(duel).refused("guess", duel=duel["duel_id"], turn=1, word=duel["word"])


@reaches(ErrorCode.TURN_OVER)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    duel, other = game.duels[:2]
    player = game.to_move(duel)
    player.guess(duel, wrong(duel))
    assert player.refused("guess", duel=duel["duel_id"], turn=1, word=duel["word"]) == "turn_over"
    world.run_out(other)
    return game.to_move(other).refused("guess", duel=other["duel_id"], turn=1, word=other["word"])


@reaches(ErrorCode.WRONG_LENGTH)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    duel = game.duels[0]
    longer = words.guesses("en", 4 if len(duel["word"]) != 4 else 5)[0]
    return game.to_move(duel).refused("guess", duel=duel["duel_id"], turn=1, word=longer)


@reaches(ErrorCode.UNKNOWN_LETTER)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    duel = game.duels[0]
    return game.to_move(duel).refused("guess", duel=duel["duel_id"], turn=1, word="щ" * len(duel["word"]))


@reaches(ErrorCode.WORD_NOT_ALLOWED)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    duel = game.duels[0]
    slur = next(word for word in sorted(words.slurs("en")) if len(word) == len(duel["word"]))
    mover = game.to_move(duel)
    code = mover.refused("guess", duel=duel["duel_id"], turn=1, word=slur)
    (synced,) = mover.ask("sync")["duels"]
    assert (synced["turn"], synced["deadline_ms"], synced["rows"]) == (1, duel["deadline_ms"], [])
    return code


@reaches(ErrorCode.NOT_IN_WORD_LIST)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    duel = game.duels[0]
    return game.to_move(duel).refused("guess", duel=duel["duel_id"], turn=1, word="z" * len(duel["word"]))


@reaches(ErrorCode.NICKNAME_LENGTH)
def _(scenes: Scenes, world: World) -> str:
    return world.player().refused("rename", nickname="ab")


@reaches(ErrorCode.NICKNAME_CHARACTERS)
def _(scenes: Scenes, world: World) -> str:
    return world.player().refused("rename", nickname="\N{GRINNING FACE}\N{GRINNING FACE}\N{GRINNING FACE}")


@reaches(ErrorCode.NICKNAME_MIXED_SCRIPTS)
def _(scenes: Scenes, world: World) -> str:
    return world.player().refused("rename", nickname="pay\N{CYRILLIC SMALL LETTER ER}al")


@reaches(ErrorCode.NICKNAME_OFFENSIVE)
def _(scenes: Scenes, world: World) -> str:
    player = world.player()
    for language in words.languages():
        whole = words.blocked.load("whole")
        slur = next(word for word in sorted(words.slurs(language)) if words.blocked.fold(word) in whole)
        assert player.refused("rename", nickname=f"Big {slur.title()}") == "nickname_offensive", language
    return player.refused("rename", nickname=slur)


@reaches(ErrorCode.BUSY)
def _(scenes: Scenes, world: World) -> str:
    player = world.player()
    world.on_call(_failing({"UpdateItem", "TransactWriteItems"}, "ThrottlingException"))
    return player.refused("join", language="en")


@reaches(ErrorCode.INTERNAL)
def _(scenes: Scenes, world: World) -> str:
    player = world.player()
    world.on_call(_failing({"Query"}, "InternalServerError"))
    return player.refused("join", language="en")


@reaches(ErrorCode.BAD_JSON)
def _(scenes: Scenes, world: World) -> str:
    player = world.player()
    world.receive(player.connection_id, "{")
    return str(player.frames[-1]["code"])


@reaches(ErrorCode.IN_GROUP)
def _(scenes: Scenes, world: World) -> str:
    leader, friend, other = world.players(3)
    gather(leader, friend)
    invite = other.ask("createGroup")["group"]["invite"]
    assert friend.refused("joinGroup", invite=invite) == "in_group"
    assert friend.refused("createGroup") == "in_group"
    return friend.refused("join", language="en")


@reaches(ErrorCode.NOT_IN_GROUP)
def _(scenes: Scenes, world: World) -> str:
    leader, stranger = world.players(2)
    gather(leader)
    for action, fields in GROUP.items():
        assert stranger.refused(action, **fields) == "not_in_group", action
    return leader.refused("handOver", player=stranger.id)


@reaches(ErrorCode.NOT_LEADER)
def _(scenes: Scenes, world: World) -> str:
    leader, friend, other = world.players(3)
    gather(leader, friend, other)
    for action, fields in GROUP.items():
        named = {"player": other.id} if "player" in fields else {}
        assert friend.refused(action, **{**fields, **named}) == "not_leader", action
    return "not_leader"


@reaches(ErrorCode.NO_SUCH_GROUP)
def _(scenes: Scenes, world: World) -> str:
    leader, stranger = world.players(2)
    invite = gather(leader)
    leader.ask("renewInvite")
    for wrong_invite in ("x", ".", "x.y", invite.split(".")[0], invite):
        assert stranger.refused("joinGroup", invite=wrong_invite) == "no_such_group", wrong_invite
    renewed = leader.last("group")["group"]["invite"]
    leader.ask("leaveGroup")
    return stranger.refused("joinGroup", invite=renewed)


@reaches(ErrorCode.GROUP_FULL)
def _(scenes: Scenes, world: World) -> str:
    *friends, ninth = world.players(9)
    return ninth.refused("joinGroup", invite=gather(*friends))


@reaches(ErrorCode.GROUP_SEARCHING)
def _(scenes: Scenes, world: World) -> str:
    leader, late = world.players(2)
    invite = gather(leader)
    leader.ask("startGroup", language="en")
    return late.refused("joinGroup", invite=invite)


@reaches(ErrorCode.MEMBER_PLAYING)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    leader, player = world.player(), game.all[0]
    gather(leader, player)
    return leader.refused("startGroup", language="en")


@reaches(ErrorCode.MEMBER_AWAY)
def _(scenes: Scenes, world: World) -> str:
    leader, friend = world.players(2)
    gather(leader, friend)
    friend.drop()
    return leader.refused("startGroup", language="en")


@reaches(ErrorCode.CANNOT_REMOVE_YOURSELF)
def _(scenes: Scenes, world: World) -> str:
    leader = world.player()
    gather(leader)
    return leader.refused("removeMember", player=leader.id)


@reaches(ErrorCode.NO_SUCH_TOURNAMENT)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    stranger = world.player()
    game.solve(game.duels[0]["duel_id"])
    assert stranger.refused("board", duel=game.duels[0]["duel_id"]) == "no_such_tournament"
    assert stranger.refused("results", tournament="nothing") == "no_such_tournament"
    return stranger.refused("results", tournament=game.id)


@reaches(ErrorCode.DUEL_RUNNING)
def _(scenes: Scenes, world: World) -> str:
    game = scenes.begun()
    return game.all[0].refused("board", duel=game.duels[0]["duel_id"])


@reaches(ErrorCode.QUEUE_CLOSED)
def _(scenes: Scenes, world: World) -> str:
    player, leader = world.players(2)
    gather(leader)
    queue_switch.switch(False)
    assert leader.refused("startGroup", language="en") == "queue_closed"
    return player.refused("join", language="en")


@reaches(ErrorCode.TOO_MANY_RENAMES)
def _(scenes: Scenes, world: World) -> str:
    player = world.player()
    for nickname in ("Ada One", "Ada Two", "Ada Three"):
        player.ask("rename", nickname=nickname)
    world.sleep(1000)
    code = player.refused("rename", nickname="Ada Four")
    until_ms = player.last("error")["until_ms"]
    assert until_ms == world.now_ms + 60 * 60 * 1000 - 1000
    world.sleep_until(until_ms - 1)
    assert player.refused("rename", nickname="Ada Four") == code
    world.sleep_until(until_ms)
    assert player.ask("rename", nickname="Ada Four")["you"]["nickname"] == "Ada Four"
    for nickname in ("Ada Five", "Ada Six"):
        player.ask("rename", nickname=nickname)
    return player.refused("rename", nickname="Ada Seven")


def gather(leader: Player, *friends: Player) -> str:
    """Have the friends in the leader's group; returns its invite."""
    invite = str(leader.ask("createGroup")["group"]["invite"])
    for friend in friends:
        assert friend.ask("joinGroup", invite=invite)["type"] == "group"
    return invite


GROUP: Mapping[str, Mapping[str, Any]] = {
    "removeMember": {"player": "nobody"},
    "handOver": {"player": "nobody"},
    "renewInvite": {},
    "startGroup": {"language": "en"},
}
"""Requests that only a member of a group may send."""

FREE = {"hello", "languages", "ping"}
SIGNED_IN: Mapping[str, Mapping[str, Any]] = {
    example.payload["action"]: {name: value for name, value in example.payload.items() if name not in ("action", "ref")}
    for example in asyncapi.examples()
    if example.payload.get("action", "hello") not in FREE
} | {"deleteMe": {"confirm": True}}
"""Requests that only a signed-in player may send. (A `deleteMe` that names a deleted player is a success for all.)"""


FIELD: Mapping[ErrorCode, str] = {
    ErrorCode.BAD_REQUEST: "language",
    ErrorCode.UNKNOWN_ACTION: "action",
    ErrorCode.BAD_TOKEN: "token",
    ErrorCode.CLIENT_OUTDATED: "client_version",
    ErrorCode.UNKNOWN_LANGUAGE: "language",
    ErrorCode.NOT_IN_TOURNAMENT: "duel",
    ErrorCode.NO_SUCH_DUEL: "duel",
    ErrorCode.NOT_IN_DUEL: "duel",
    ErrorCode.DUEL_OVER: "duel",
    ErrorCode.DUEL_RUNNING: "duel",
    ErrorCode.TURN_OVER: "turn",
    ErrorCode.WRONG_LENGTH: "word",
    ErrorCode.UNKNOWN_LETTER: "word",
    ErrorCode.NOT_IN_WORD_LIST: "word",
    ErrorCode.WORD_NOT_ALLOWED: "word",
    ErrorCode.NICKNAME_LENGTH: "nickname",
    ErrorCode.NICKNAME_CHARACTERS: "nickname",
    ErrorCode.NICKNAME_MIXED_SCRIPTS: "nickname",
    ErrorCode.NICKNAME_OFFENSIVE: "nickname",
    ErrorCode.NO_SUCH_GROUP: "invite",
    ErrorCode.NOT_IN_GROUP: "player",
    ErrorCode.CANNOT_REMOVE_YOURSELF: "player",
    ErrorCode.NO_SUCH_TOURNAMENT: "tournament",
}
"""The field to blame as the scenarios above end: with another value the request might have been answered."""


@pytest.mark.parametrize("code", SCENARIOS)
def test_the_code_is_reached_names_the_field_and_nothing_has_changed(
    code: ErrorCode, scenes: Scenes, world: World
) -> None:
    assert SCENARIOS[code](scenes, world) == code
    refusals = [frame for frame in map(json.loads, world.connections.texts) if frame["type"] == "error"]
    assert (refusals[-1]["code"], refusals[-1].get("field")) == (code, FIELD.get(code))
    shown = json.loads((asyncapi.EXAMPLES / "errors" / f"{code.value}.json").read_text(encoding="utf-8"))
    assert set(shown) - {"ref"} == set(refusals[-1]) - {"ref"}
    assert _without_numbers(shown) == _without_numbers(refusals[-1])


def _without_numbers(refusal: Mapping[str, Any]) -> list[str | None]:
    """Return what is the same in each refusal with a code: no ids, no times, no length of a word."""
    return [refusal["code"], refusal.get("field"), re.sub(r"\d+", "", refusal["message"])]


def test_every_code_is_reached() -> None:
    assert set(SCENARIOS) == set(ErrorCode) - RETIRED


def _failing(operations: set[str], code: str) -> Callable[[str, str, Mapping[str, Any]], None]:
    def fail(service: str, operation: str, params: Mapping[str, Any]) -> None:
        if operation in operations:
            raise client_error(code, operation)

    return fail
