"""A connection that is open but silent counts as lost; a question finds that out, and no field of AWS (R28)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from infra.local import template
from infra.local.testing import RECONNECT_MACHINE, Frame, Game, Machines, Player, World, wrong
from tests.integration.conftest import Scenes, gather
from wordle_tournament import clock

SILENCE_MS = 20_000
MINUTE_MS = 60_000


def lost(player: Player) -> bool:
    return player.state["connection_id"] is None


def questions(player: Player) -> list[Frame]:
    return [frame for frame in player.frames if frame["type"] == "question"]


def answer(player: Player, question: Frame) -> Frame:
    return player.ask("here", **{key: question[key] for key in ("what", "id", "number")})


def counted(world: World, act: Callable[[], Any]) -> Counter[str]:
    calls: Counter[str] = Counter()
    with world.on_call(lambda service, operation, params: calls.update([operation])):
        act()
    return calls


def test_nothing_asks_aws_when_a_client_last_spoke() -> None:
    """No page says whether pushes count for LastActiveAt."""
    for path in [*Path("shared").rglob("*.py"), *Path("functions").rglob("*.py")]:
        text = path.read_text(encoding="utf-8").casefold()
        assert "lastactiveat" not in text, path
        assert ".get_connection(" not in text, path
    assert "GET/@connections" not in (template.ROOT / "template.yaml").read_text(encoding="utf-8")


# -- in a duel -----------------------------------------------------------------------------------


def skipped(scenes: Scenes, silent: bool = True) -> tuple[Game, Player, Player, str]:
    """The first turn of a duel was skipped. Return the game, its silent player, the opponent and the duel's id."""
    game = scenes.begun()
    duel = game.duels[0]
    player, opponent = game.to_move(duel), game.waiting(duel)
    if silent:
        game.world.connections.fall_silent(player.connection_id)
    game.world.run_out(duel)
    game.world.skip(duel["duel_id"])
    return game, player, opponent, duel["duel_id"]


def test_a_skipped_turn_asks_its_player_alone(scenes: Scenes, world: World) -> None:
    game, player, _, duel_id = skipped(scenes)
    (question,) = questions(player)
    assert (question["what"], question["id"], question["number"]) == ("duel", duel_id, 1)
    assert [one for one in game.all if questions(one)] == [player]
    (stored,) = game.duel(duel_id)["questions"]
    assert stored["players"] == [{"player_id": player.id, "connection_id": player.connection_id}]


@pytest.mark.parametrize("waited_ms", [0, SILENCE_MS - 1, SILENCE_MS])
def test_the_opponents_next_guess_judges_after_twenty_seconds(scenes: Scenes, world: World, waited_ms: int) -> None:
    game, player, opponent, duel_id = skipped(scenes)
    world.sleep(waited_ms)
    duel = game.duel(duel_id)
    assert opponent.guess(duel, wrong(duel))["type"] == "duel"
    assert lost(player) == (waited_ms >= SILENCE_MS)
    assert (player.connection_id in world.connections.closed) == lost(player), "a client that lives signs in again"
    assert [start.input["player_id"] for start in world.started(RECONNECT_MACHINE)] == [player.id] * lost(player)


def test_the_next_skip_judges(scenes: Scenes, world: World) -> None:
    game, player, opponent, duel_id = skipped(scenes)
    world.run_out(game.duel(duel_id))
    world.skip(duel_id)
    assert lost(player)
    assert not lost(opponent), "asked just now"


def test_two_silent_players_are_both_lost(scenes: Scenes, world: World) -> None:
    game = scenes.final()
    duel = game.duels[0]
    for player in (game.to_move(duel), game.waiting(duel)):
        world.connections.fall_silent(player.connection_id)
    Machines(world).run(lambda: len(world.started(RECONNECT_MACHINE)) == 2)
    Machines(world).run(lambda: game.over)


@pytest.mark.parametrize("way", ["here", "guess", "hello", "ping"])
def test_only_an_answer_or_a_guess_shows_that_a_player_is_there(scenes: Scenes, world: World, way: str) -> None:
    game, player, opponent, duel_id = skipped(scenes)
    duel = game.duel(duel_id)
    match way:
        case "here":
            assert answer(player, questions(player)[0])["type"] == "heard"
        case "guess":
            assert opponent.guess(duel, wrong(duel))["type"] == "duel"
            duel = game.duel(duel_id)
            assert player.guess(duel, wrong(duel))["type"] == "duel"
            assert game.duel(duel_id)["questions"] == []
        case "hello":
            player.reconnect()
        case _:
            assert player.ask("ping")["type"] == "pong"
    world.sleep(SILENCE_MS)
    duel = game.duel(duel_id)
    mover = game.to_move(duel)
    if way == "hello":
        player = next(one for one in (player, opponent) if one.id == player.id)
    mover.guess(duel, wrong(duel))
    assert lost(player) == (way == "ping")


def test_an_answer_to_an_earlier_question_does_not_count(scenes: Scenes, world: World) -> None:
    game, player, opponent, duel_id = skipped(scenes)
    first = questions(player)[0]
    assert answer(player, first)["type"] == "heard"
    opponent.guess(game.duel(duel_id), wrong(game.duel(duel_id)))
    world.run_out(game.duel(duel_id))
    world.skip(duel_id)
    assert questions(player)[-1]["number"] > first["number"]
    answer(player, first)
    world.sleep(SILENCE_MS)
    opponent.guess(game.duel(duel_id), wrong(game.duel(duel_id)))
    assert lost(player)


def test_a_late_answer_on_a_lost_connection_says_that_nobody_is_signed_in(scenes: Scenes, world: World) -> None:
    game, player, opponent, duel_id = skipped(scenes)
    world.sleep(SILENCE_MS)
    opponent.guess(game.duel(duel_id), wrong(game.duel(duel_id)))
    world.connections.closed.discard(player.connection_id)
    assert answer(player, questions(player)[0])["code"] == "not_signed_in"


def test_nobody_can_answer_for_another(scenes: Scenes, world: World) -> None:
    game, player, opponent, duel_id = skipped(scenes)
    answer(opponent, questions(player)[0])
    assert "answers" not in world.item("DuelsTable", duel_id)
    world.sleep(SILENCE_MS)
    opponent.guess(game.duel(duel_id), wrong(game.duel(duel_id)))
    assert lost(player)


def test_what_a_question_costs(scenes: Scenes, world: World) -> None:
    """At most one write for each skipped turn and one for the answer; none for a guess or a ping."""
    game = scenes.begun()
    duel = game.duels[0]
    player, opponent = game.to_move(duel), game.waiting(duel)
    world.connections.fall_silent(player.connection_id)
    world.run_out(duel)
    skip = counted(world, lambda: world.skip(duel["duel_id"]))
    assert skip == {"GetItem": 1, "UpdateItem": 1, "PostToConnection": 3}
    heard = counted(world, lambda: answer(player, questions(player)[0]))
    assert heard == {"GetItem": 1, "UpdateItem": 1, "PostToConnection": 1}
    again = counted(world, lambda: answer(player, questions(player)[0]))
    assert again == {"GetItem": 1, "PostToConnection": 1}
    world.sleep(SILENCE_MS)
    now = game.duel(duel["duel_id"])
    guess = counted(world, lambda: opponent.guess(now, wrong(now)))
    assert guess == {"GetItem": 1, "UpdateItem": 1, "SendTaskHeartbeat": 1, "PostToConnection": 2}
    assert counted(world, lambda: player.ask("ping")) == {"PostToConnection": 1}


def test_a_question_that_was_lost_is_sent_again_by_the_next_alarm(scenes: Scenes, world: World) -> None:
    game, player, _, duel_id = skipped(scenes)
    world.skip(duel_id)
    assert [question["number"] for question in questions(player)] == [1, 1]
    assert len(game.duel(duel_id)["rows"]) == 1


def test_a_player_who_thinks_for_whole_turns_stays(scenes: Scenes, world: World) -> None:
    """Skipping alone costs nothing, as long as the client is there (R15)."""
    game = scenes.begun()
    duel = game.duels[0]
    game.draw(duel["duel_id"])
    assert not any(lost(game.players[player]) for player in duel["players"])
    assert world.started(RECONNECT_MACHINE) == []


# -- in a lobby, with a bye ------------------------------------------------------------------------


def test_a_lobby_asks_every_minute_and_loses_the_silent(world: World) -> None:
    silent, talking = world.players(2)
    for player in (silent, talking):
        player.ask("join", language="en")
    assert world.sweep()["silent"] == 0
    world.connections.fall_silent(silent.connection_id)
    lobby = silent.last("lobby")["lobby"]
    world.sleep(MINUTE_MS)
    assert world.sweep()["silent"] == 0, "the first question was answered"
    late = world.player()
    late.ask("join", language="en")
    world.connections.fall_silent(late.connection_id)
    world.sleep(MINUTE_MS)
    assert world.sweep()["silent"] == 1
    assert [lost(player) for player in (silent, talking, late)] == [True, False, False], "who came late was not asked"
    assert silent.connection_id in world.connections.closed
    world.sleep(MINUTE_MS)
    assert world.sweep()["silent"] == 1
    assert lost(late)
    assert world.item("LobbiesTable", lobby["lobby_id"])["version"] == late.last("lobby")["lobby"]["version"]


def test_a_question_costs_a_lobby_one_write_and_each_waiting_player_one(world: World) -> None:
    waiting = world.players(3)
    for player in waiting:
        player.ask("join", language="en")
        world.connections.fall_silent(player.connection_id)
    assert counted(world, world.sweep)["UpdateItem"] == 1
    for player in waiting:
        calls = counted(world, lambda player=player: answer(player, questions(player)[0]))  # type: ignore[misc]
        assert calls == {"GetItem": 1, "UpdateItem": 1, "PostToConnection": 1}
    world.sleep(MINUTE_MS)
    assert world.sweep()["silent"] == 0


@pytest.fixture
def patient(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """The sweeper waits for the answers, as it does on AWS."""

    def sleep(seconds: float) -> None:
        world.answer_questions()
        world.sleep(int(seconds * 1000))

    monkeypatch.setattr(clock, "sleep", sleep)
    return world


def test_a_cable_pulled_in_a_lobby_is_noticed_within_eighty_seconds(patient: World) -> None:
    """R28: the question comes with the next sweep, within a minute, and the same sweep looks for its answer."""
    silent, talking = patient.players(2)
    for player in (silent, talking):
        player.ask("join", language="en")
    started_ms = patient.now_ms
    assert patient.sweep()["silent"] == 0
    patient.connections.fall_silent(silent.connection_id)
    pulled_ms = patient.now_ms - SILENCE_MS  # the question was answered just before
    patient.sleep_until(started_ms + MINUTE_MS)
    assert counted(patient, patient.sweep)["UpdateItem"] == 2, "one for the question and one for the answer, as before"
    assert [lost(silent), lost(talking)] == [True, False]
    assert patient.now_ms - pulled_ms <= 80_000
    patient.sleep_until(started_ms + 2 * MINUTE_MS)
    assert patient.sweep()["silent"] == 0, "counted once"


def test_a_cable_pulled_on_a_bye_is_noticed_in_the_same_sweep(scenes: Scenes, patient: World) -> None:
    _, player = on_bye(scenes, patient)
    patient.sleep(10_001)
    patient.connections.fall_silent(player.connection_id)
    assert patient.sweep()["silent"] == 1
    assert lost(player)


def test_a_sweep_without_questions_does_not_wait(patient: World) -> None:
    patient.player()
    before_ms = patient.now_ms
    patient.sweep()
    assert patient.now_ms == before_ms


def on_bye(scenes: Scenes, world: World) -> tuple[Game, Player]:
    """A round of five, one of whom has a bye."""

    def make() -> Game:
        game = scenes.introduction()
        for player in game.all[:3]:
            player.ask("leave", what="tournament")
        game.finish_round()
        return game

    game = scenes.scene("bye", make, begin=True)
    return game, game.players[game.state["rounds"][-1]["bye"]]


def test_a_silent_player_with_a_bye_is_lost(scenes: Scenes, world: World) -> None:
    game, player = on_bye(scenes, world)
    world.sleep(10_001)
    world.connections.fall_silent(player.connection_id)
    assert world.sweep()["silent"] == 0
    (question,) = questions(player)
    assert (question["what"], question["id"]) == ("tournament", game.id)
    assert [one for one in game.all if questions(one)] == [player]
    world.sleep(MINUTE_MS - 40_000)
    assert world.sweep()["silent"] == 1
    assert lost(player)


def test_a_player_with_a_bye_who_answers_stays(scenes: Scenes, world: World) -> None:
    game, player = on_bye(scenes, world)
    for _ in range(3):
        world.sleep(20_001)
        assert world.sweep()["silent"] == 0
    assert len(questions(player)) == 3
    assert not lost(player)
    assert world.item("TournamentsTable", game.id)["version"] == player.last("tournament")["tournament"]["version"]


# -- before a group starts -------------------------------------------------------------------------


def test_the_last_answer_starts_the_group_and_answers_the_leader(world: World) -> None:
    leader, *friends = gather(world, 3)
    for friend in friends:
        world.connections.fall_silent(friend.connection_id)
    assert leader.send("startGroup", "now", language="en") == 200
    assert leader.state["game"] is None
    assert [len(questions(player)) for player in (leader, *friends)] == [0, 1, 1]
    answer(friends[0], questions(friends[0])[0])
    assert leader.state["game"] is None
    answer(friends[1], questions(friends[1])[0])
    lobby = leader.answer("now")["lobby"]
    assert [player["player_id"] for player in lobby["players"]] == [player.id for player in (leader, *friends)]
    for friend in friends:
        assert friend.last("lobby")["lobby"] == lobby
        assert friend.last("group")["group"]["members"][0]["where"] == "lobby"


def test_a_silent_member_is_not_taken_along(world: World) -> None:
    """One who has been silent for nine minutes was shown as there."""
    leader, talking, silent = gather(world, 3)
    world.connections.fall_silent(silent.connection_id)
    world.sleep(9 * MINUTE_MS)
    leader.send("startGroup", "now", language="en")
    world.sleep(4_999)
    leader.send("startGroup", "now", language="en")
    assert not [frame for frame in leader.frames if frame.get("ref") == "now"], "they have five seconds"
    world.sleep(1)
    leader.send("startGroup", "now", language="en")
    refusal = leader.answer("now")
    assert (refusal["code"], refusal["players"]) == ("member_away", [silent.id])
    assert {player.state["game"] for player in (leader, talking, silent)} == {None}
    assert not lost(silent)
    world.sleep(15_000)
    assert leader.ask("startGroup", language="en")["players"] == [silent.id]
    assert lost(silent)
    assert leader.last("group")["group"]["members"][2]["away"]
    silent.reconnect()
    assert leader.ask("startGroup", language="en")["type"] == "lobby"


def test_a_late_answer_starts_nothing_and_counts_for_the_next_request(world: World) -> None:
    leader, friend = gather(world, 2)
    world.connections.fall_silent(friend.connection_id)
    leader.send("startGroup", "now", language="en")
    world.sleep(6_000)
    answer(friend, questions(friend)[0])
    assert leader.state["game"] is None
    assert leader.ask("startGroup", language="en")["type"] == "lobby"
    assert len(questions(friend)) == 1


def test_an_old_client_that_cannot_answer_shows_by_hello_that_it_is_there(world: World) -> None:
    leader, friend = gather(world, 2)
    world.connections.fall_silent(friend.connection_id)
    leader.send("startGroup", "now", language="en")
    world.sleep(SILENCE_MS)
    assert leader.ask("startGroup", language="en")["players"] == [friend.id]
    assert friend.connection_id in world.connections.closed
    friend.reconnect()
    world.connections.fall_silent(friend.connection_id)
    assert leader.ask("startGroup", language="en")["type"] == "lobby"


def test_the_answers_of_one_start_do_not_count_for_a_later_one(world: World) -> None:
    leader, friend = gather(world, 2)
    assert leader.ask("startGroup", language="en")["type"] == "lobby"
    friend.ask("leave", what="lobby")
    world.sleep(MINUTE_MS)
    world.connections.fall_silent(friend.connection_id)
    leader.send("startGroup", "later", language="en")
    assert not [frame for frame in leader.frames if frame.get("ref") == "later"]
    assert len(questions(friend)) == 2


def test_a_member_who_leaves_while_the_others_are_asked_holds_nobody_up(world: World) -> None:
    leader, leaver, friend = gather(world, 3)
    for player in (leaver, friend):
        world.connections.fall_silent(player.connection_id)
    leader.send("startGroup", "now", language="en")
    assert leaver.ask("leaveGroup")["type"] == "left"
    answer(friend, questions(friend)[0])
    assert len(leader.answer("now")["lobby"]["players"]) == 2


def test_every_message_of_the_leader_that_waits_is_answered_once(world: World) -> None:
    leader, friend = gather(world, 2)
    world.connections.fall_silent(friend.connection_id)
    for ref in ("one", "two", "one"):
        leader.send("startGroup", ref, language="en")
    answer(friend, questions(friend)[0])
    assert leader.answer("one")["lobby"]["lobby_id"] == leader.answer("two")["lobby"]["lobby_id"]


def test_a_start_that_is_not_possible_any_more_is_refused_to_the_leader_alone(world: World) -> None:
    leader, friend = gather(world, 2)
    world.connections.fall_silent(friend.connection_id)
    leader.send("startGroup", "now", language="en")
    leader.ask("removeMember", player=friend.id)
    other = world.player()
    other.ask("joinGroup", invite=leader.last("group")["group"]["invite"])
    assert answer(friend, questions(friend)[0])["type"] == "heard"
    assert friend.state["game"] is None
