"""Stored data of players and tournaments: who may see it, and that expired data is never seen (R10, R20, R21)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import boto3
import pytest

from infra.local.testing import PLAYERS, START_MS, Frame, Game, Player, World, at_once, wrong
from tests.integration.conftest import Scenes
from wordle_tournament import store, words
from wordle_tournament.play.admin import verbs
from wordle_tournament.rules.marks import mark
from wordle_tournament.rules.nickname import DELETED
from wordle_tournament.store import values

KEYS = {
    "PlayersTable": "player_id",
    "ConnectionsTable": "connection_id",
    "LobbiesTable": "lobby_id",
    "GroupsTable": "group_id",
    "TournamentsTable": "tournament_id",
    "DuelsTable": "duel_id",
}


def expire(world: World, table: str, key: str) -> None:
    """Its time is over, and DynamoDB has not deleted it yet, which may take days."""
    boto3.client("dynamodb").update_item(
        TableName=world.table(table),
        Key={KEYS[table]: {"S": key}},
        UpdateExpression="SET expires_at = :past",
        ConditionExpression="attribute_exists(expires_at)",
        ExpressionAttributeValues={":past": {"N": str(world.now_ms // 1000 - 1)}},
    )


def finished(scenes: Scenes) -> Game:
    game = scenes.final()
    game.finish()
    return game


def results_of(game: Game) -> Frame:
    answer = game.all[0].ask("results", tournament=game.id)
    assert answer["type"] == "results", answer
    return answer


def players_of(results: Frame) -> dict[str, Frame]:
    return {one["player_id"]: one for one in results["players"]}


# Results and boards


@pytest.mark.thorough
def test_a_finished_tournament_is_told_whole_to_all_who_played(scenes: Scenes) -> None:
    game = finished(scenes)
    results = results_of(game)
    assert results["ended_at_ms"] == game.state["ended_at_ms"]
    assert [one["number"] for one in results["rounds"]] == list(range(1, len(game.state["rounds"]) + 1))
    for told, stored in zip(results["rounds"], game.state["rounds"], strict=True):
        assert [duel["players"] for duel in told["duels"]] == [match["players"] for match in stored["matches"]]
        for duel in told["duels"]:
            assert duel["word"] == game.duel(duel["duel_id"])["word"]
            assert duel["turns"] == len(game.duel(duel["duel_id"])["rows"])
    places = [one["place"] for one in results["players"]]
    assert places == sorted(places)
    for player in game.all:
        assert players_of(player.ask("results", tournament=game.id)) == players_of(results)


@pytest.mark.thorough
def test_each_rating_change_is_the_sum_of_seven_results_rounded_once(scenes: Scenes) -> None:
    game = finished(scenes)
    told = players_of(results_of(game))
    for player_id, one in told.items():
        assert len(one["parts"]) == 7
        assert one["rating_change"] == round(sum(part["points"] for part in one["parts"]))
        assert game.players[player_id].state["rating"] == one["rating"] + one["rating_change"]
        for part in one["parts"]:
            other = told[part["player_id"]]
            expected = "draw" if other["place"] == one["place"] else "win" if other["place"] > one["place"] else "loss"
            assert part["outcome"] == expected


@pytest.mark.thorough
def test_of_a_running_tournament_the_settled_rounds_are_told_and_no_word_of_the_others(scenes: Scenes) -> None:
    game = scenes.semifinal()
    results = results_of(game)
    assert "ended_at_ms" not in results
    assert len(results["rounds"]) == len(game.state["rounds"]) - 1
    told = players_of(results)
    in_it = {player for duel in game.duels for player in duel["players"]}
    for player_id, one in told.items():
        assert (one["fate"] == "in") == (player_id in in_it)
        assert ("place" in one) == ("rating_change" in one) == bool(one["parts"]) == (player_id not in in_it)
    for duel in game.duels:
        assert duel["duel_id"] not in str(results)


def test_the_standing_is_known_to_all_after_each_round(scenes: Scenes) -> None:
    game = scenes.semifinal()
    told = players_of(results_of(game))
    for player in game.all:
        shown = {one["player_id"]: one for one in player.ask("sync")["tournament"]["players"]}
        for player_id, one in told.items():
            for field in ("lives", "fate", "place", "rating_change"):
                assert shown[player_id].get(field) == one.get(field)


def standing(frames: list[Frame]) -> dict[str, tuple[int, str, int | None]]:
    """Lives, fate and place of everybody, as docs/protocol.md tells clients to compute them from frames."""
    told: dict[str, Frame] = {}
    for frame in frames:
        duels = [frame["duel"]] if "duel" in frame else frame.get("duels", [])
        for one in [*duels, *([frame["tournament"]] if "tournament" in frame else [])]:
            key = one.get("duel_id", "tournament")
            if key not in told or told[key]["version"] <= one["version"]:
                told[key] = one
    shown = told["tournament"]
    table = {one["player_id"]: (one["lives"], one["fate"], one.get("place")) for one in shown["players"]}
    for match in shown["matches"]:
        duel = told.get(match["duel_id"])
        # One that an operator has cancelled costs nothing, and a settled one is in the table already.
        if duel is not None and duel["over"] and not shown["over"]:
            for player in duel["players"]:
                table[player["player_id"]] = (player["lives"], "in" if player["lives"] else "falling", None)
    return table | {player: (0, "leaving", None) for player in shown["leavers"] if table[player][2] is None}


@pytest.mark.thorough
def test_the_standing_is_known_to_all_after_every_kind_of_event_and_to_who_comes_back(
    scenes: Scenes, world: World
) -> None:
    game = scenes.last_lives()
    first, second, third, fourth = (duel["duel_id"] for duel in game.duels)
    leaver, lost = game.to_move(game.duel(second)), game.waiting(game.duel(third))
    there = [player for player in game.all if player not in (leaver, lost)]
    seen = set()

    def check() -> dict[str, tuple[int, str, int | None]]:
        pushed = [standing(player.frames) for player in there]
        back = Player(world, world.connection_id(), token=there[0].token)
        again = standing([back.hello()])
        there[0].connection_id = back.connection_id
        assert pushed == [again] * len(there)
        seen.add(str(again))
        return again

    assert set(check().values()) == {(1, "in", None)}
    game.solve(first)
    beaten = next(player for player in game.duel(first)["players"] if player != game.duel(first)["winner"])
    assert check()[beaten] == (0, "falling", None)
    leaver.ask("leave", what="tournament")
    assert check()[leaver.id] == (0, "leaving", None)
    game.draw(fourth)
    assert {check()[player] for player in game.duel(fourth)["players"]} == {(0, "falling", None)}
    if game.duel(third)["phase"] != "over":
        lost.drop()
        world.sleep(60_000)
        world.forfeit(lost.id, lost.state["epoch"])
    assert check()[lost.id] == (0, "leaving", None)
    world.advance(game.id)
    table = check()
    assert {table[player] for player in (leaver.id, lost.id)} == {(0, "left", 7)}
    assert {table[player] for player in (beaten, *game.duel(fourth)["players"])} == {(0, "out", 4)}
    bye = game.state["rounds"][-1]["bye"]
    there = [player for player in there if player.id != bye]
    game.players[bye].ask("leave", what="tournament")
    assert check()[bye] == (0, "leaving", None)
    verbs.stop(game.id)
    assert check()[bye] == (0, "leaving", None)
    verbs.void(game.id)
    check()
    assert len(seen) == 7, "each event but the last two showed something new"


def test_a_stranger_is_told_of_no_results_and_no_board(scenes: Scenes, world: World) -> None:
    game = finished(scenes)
    stranger = world.player()
    assert stranger.refused("results", tournament=game.id) == "no_such_tournament"
    for action in ("board", "review"):
        assert stranger.refused(action, duel=f"{game.id}.1.1") == "no_such_tournament"
    assert game.all[0].refused("board", duel=f"{game.id}.99.1") == "no_such_duel"
    assert game.all[0].refused("results", tournament="g0") == "no_such_tournament"


def test_a_board_is_shown_once_its_duel_is_over_also_to_those_who_did_not_play_it(scenes: Scenes) -> None:
    game = scenes.begun()
    duel, other = game.duels[:2]
    assert game.to_move(other).refused("board", duel=duel["duel_id"]) == "duel_running"
    game.solve(duel["duel_id"], game.waiting(duel))
    board = game.to_move(other).ask("board", duel=duel["duel_id"])["duel"]
    assert board["word"] == duel["word"]
    assert [row["word"] for row in board["rows"]] == [row["word"] for row in game.duel(duel["duel_id"])["rows"]]


def test_a_review_counts_the_words_that_fit_before_and_after_each_row_and_names_none(
    scenes: Scenes, world: World
) -> None:
    game = scenes.begun()
    duel, other = game.duels[:2]
    assert game.to_move(other).refused("review", duel=duel["duel_id"]) == "duel_running"
    assert game.to_move(other).refused("review", duel="nothing") == "no_such_duel"
    game.to_move(duel).guess(duel, wrong(duel))
    game.solve(duel["duel_id"])
    ended = game.duel(duel["duel_id"])
    with world.backend.aws.recorded() as calls:
        review = game.to_move(other).ask("review", duel=duel["duel_id"])
    assert {call.operation for call in calls} == {"GetItem", "PostToConnection"}, "nothing is written"
    fitting = list(words.answers(ended["language"], len(ended["word"])))
    assert review["answers"] == len(fitting)
    for row, told in zip(ended["rows"], review["rows"], strict=True):
        before = len(fitting)
        if row["word"]:
            fitting = [word for word in fitting if [*mark(row["word"], word)] == row["marks"]]
        assert told == {"player_id": row["player_id"], "before": before, "after": len(fitting)}
    assert fitting == [ended["word"]]
    assert ended["word"] not in json.dumps(review)


@pytest.mark.thorough
def test_the_changes_add_up_with_leavers_byes_draws_and_shared_places(world: World) -> None:
    game = world.tournament()
    for number, player in enumerate(game.all):
        world.set_rating(player.id, 940 + 31 * number)  # the tournament has begun: of no consequence any more
    game.begin()
    game.draw(game.duels[0]["duel_id"])
    leaver = game.to_move(game.duels[1])
    leaver.ask("leave", what="tournament")
    while not game.over:
        game.draw_round() if len(game.state["rounds"]) % 2 else game.finish_round()
    results = results_of(game)
    told = players_of(results)
    assert any("bye" in one for one in results["rounds"])
    assert {duel["ending"] for one in results["rounds"] for duel in one["duels"]} == {"solved", "drawn", "forfeited"}
    assert len({one["place"] for one in told.values()}) < 8, "shared places"
    assert (told[leaver.id]["fate"], results["rounds"][0]["leavers"]) == ("left", [leaver.id])
    for one in told.values():
        assert len(one["parts"]) == 7
        assert one["rating_change"] == round(sum(part["points"] for part in one["parts"]))
        for part in one["parts"]:
            other = told[part["player_id"]]["place"]
            expected = "draw" if other == one["place"] else "win" if other > one["place"] else "loss"
            assert part["outcome"] == expected


def test_a_tournament_is_played_with_the_ratings_of_its_start(world: World) -> None:
    players = world.players(15)
    first = [player.ask("join", language="en") for player in players[:8]][-1]["lobby"]["lobby_id"]
    game = Game(world, first, {player.id: player for player in players[:8]})
    world.advance(game.id)
    leaver = players[0]
    leaver.ask("leave", what="tournament")
    leaver.ask("join", language="de")
    game.finish_round()
    assert leaver.state["rating"] == 975, "settled while waiting elsewhere"
    second = [player.ask("join", language="de") for player in players[8:]][-1]["lobby"]["lobby_id"]
    entrants = {one["player_id"]: one["rating"] for one in world.state("TournamentsTable", second)["entrants"]}
    assert entrants[leaver.id] == 975


def test_who_leaves_is_told_place_and_change_when_the_round_is_settled(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    leaver, lost, gone = (game.to_move(duel) for duel in game.duels[:3])
    game.solve(game.duels[3]["duel_id"])
    leaver.ask("leave", what="tournament")
    for player in (lost, gone):
        player.drop()
    world.sleep(61_000)
    for player in (lost, gone):
        world.forfeit(player.id, player.state["epoch"])
    lost.connection_id = world.connection_id()
    assert "tournament" not in lost.hello(), "back too late"
    tournaments = len([frame for frame in leaver.frames if frame["type"] == "tournament"])
    game.finish_round()
    told = players_of(results_of(game))
    for player in (leaver, lost):
        result = player.last("result")
        assert (result["tournament_id"], result["place"]) == (game.id, 6)
        assert result["rating_change"] == told[player.id]["rating_change"] == -18
        assert result["rating"] == player.state["rating"] == 982
    assert len([frame for frame in leaver.frames if frame["type"] == "tournament"]) == tournaments
    assert "result" not in [frame["type"] for frame in gone.frames]


@pytest.mark.thorough
def test_the_words_of_the_last_round_are_seen_also_by_one_who_comes_back_in_the_introduction(
    scenes: Scenes, world: World
) -> None:
    game = scenes.begun()
    assert "last_round" not in game.all[0].ask("sync")["tournament"]
    ended = game.duels
    player = game.waiting(ended[0])
    player.drop()
    game.finish_round()
    player.connection_id = world.connection_id()
    last = player.hello()["tournament"]["last_round"]
    assert all(one == last for one in last_rounds(game, but=player))
    assert {one["duel_id"]: one["word"] for one in last["duels"]} == {duel["duel_id"]: duel["word"] for duel in ended}
    assert player.ask("results", tournament=game.id)["rounds"][-1] == player.ask("sync")["tournament"]["last_round"]
    game.finish()
    over = player.last("tournament")["tournament"]
    assert (over["last_round"]["number"], over["round"]) == (len(game.state["rounds"]),) * 2


def last_rounds(game: Game, but: Player) -> list[Frame]:
    return [player.last("tournament")["tournament"]["last_round"] for player in game.all if player is not but]


# One's own record


def test_a_new_player_has_an_empty_record(world: World) -> None:
    profile = world.player().ask("profile")
    assert (profile["you"]["rating"], profile["you"]["games"], profile["recent"]) == (1000, 0, [])
    assert "best_place" not in profile


def test_a_finished_tournament_is_in_the_record_once_with_the_rating_it_led_to(scenes: Scenes, world: World) -> None:
    game = finished(scenes)
    for _ in range(2):
        world.advance(game.id)  # the clock may ask again
    told = players_of(results_of(game))
    for player in game.all:
        profile = player.ask("profile")
        (entry,) = profile["recent"]
        one = told[player.id]
        assert entry["tournament_id"] == game.id
        assert (entry["place"], entry["rating_change"]) == (one["place"], one["rating_change"])
        assert entry["rating"] == profile["you"]["rating"]
        assert profile["best_place"] == entry["place"]
        assert entry["language"] == game.state["language"]
        solved = [
            (duel["turns"] + 1) // 2
            for one in results_of(game)["rounds"]
            for duel in one["duels"]
            if duel.get("winner") == player.id and duel["ending"] == "solved"
        ]
        assert entry["solved"] == solved
        boards = [player.ask("board", duel=duel["duel_id"])["duel"] for duel in results_of(game)["rounds"][0]["duels"]]
        for board in boards:
            rows = [row for row in board["rows"] if row["player_id"] == player.id]
            if board.get("winner") == player.id and board["ending"] == "solved":
                assert len(rows) == entry["solved"][0], "the player's own rows, skipped ones too"


@pytest.mark.thorough
def test_the_record_goes_newest_first_and_keeps_the_best_place(world: World) -> None:
    players = world.players(8)
    places: list[int] = []
    for number in range(3):
        lobby = [player.ask("join", language="en") for player in players][-1]["lobby"]
        game = Game(world, lobby["lobby_id"], {player.id: player for player in players})
        world.advance(game.id)
        if number == 2:
            players[0].ask("leave", what="tournament")
        game.finish()
        places.append(players_of(game.all[0].ask("results", tournament=game.id))[players[0].id]["place"])
    profile = players[0].ask("profile")
    assert [entry["place"] for entry in profile["recent"]] == places[::-1]
    assert profile["best_place"] == min(places)
    assert profile["you"]["games"] == 3
    change = sum(entry["rating_change"] for entry in profile["recent"])
    assert profile["you"]["rating"] == 1000 + change


@pytest.mark.thorough
def test_export_has_all_that_is_stored_of_a_player_but_no_secret(scenes: Scenes, world: World) -> None:
    game = finished(scenes)
    player = game.all[0]
    data = player.ask("export")["data"]
    stored = {**player.state}
    token_hash = stored.pop("token_hash")
    assert data["player"] == stored
    assert data["history"]["recent"][0]["tournament_id"] == game.id
    assert token_hash not in str(data)
    assert player.token.split(".")[1] not in str(world.everything())


# Deletion


def test_deletion_has_to_be_confirmed(world: World) -> None:
    player = world.player()
    for fields in ({}, {"confirm": False}, {"confirm": 1}, {"confirm": "true"}):
        assert player.refused("deleteMe", **fields) == "bad_request", fields


def test_who_is_deleted_is_gone_and_the_token_is_worth_nothing(scenes: Scenes, world: World) -> None:
    game = finished(scenes)
    player, other = game.all[:2]
    name = player.state["nickname"]
    before = players_of(results_of(game))
    assert player.ask("deleteMe", confirm=True)["type"] == "deleted"
    assert player.id not in world.items("PlayersTable")
    assert f"history.{player.id}" not in world.items("PlayersTable")
    assert player.connection_id not in world.items("ConnectionsTable")
    assert player.refused("sync") == "not_signed_in"
    stranger = Player(world, world.connection_id())
    assert stranger.refused("hello", token=player.token) == "bad_token"
    after = players_of(other.ask("results", tournament=game.id))
    assert after[player.id]["nickname"] == DELETED
    assert name not in str(world.everything())
    for player_id, one in after.items():
        assert (one["place"], one["rating_change"]) == (before[player_id]["place"], before[player_id]["rating_change"])


@pytest.mark.thorough
def test_deletion_during_a_tournament_counts_as_leaving(scenes: Scenes) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    player, opponent = game.to_move(duel), game.waiting(duel)
    player.ask("deleteMe", confirm=True)
    assert (opponent.last("duel")["duel"]["winner"], opponent.last("duel")["duel"]["ending"]) == (
        opponent.id,
        "forfeited",
    )
    assert game.state["rounds"][-1]["leavers"] == [player.id]
    game.finish()
    table = players_of(opponent.ask("results", tournament=game.id))
    assert (table[player.id]["place"], table[player.id]["fate"]) == (8, "left")
    assert table[player.id]["nickname"] == DELETED
    assert sum(one["rating_change"] for one in table.values()) in range(-4, 5)


def played_to_the_end(game: Game) -> Player:
    game.finish()
    return game.all[0]


def left_in_the_introduction(game: Game) -> Player:
    game.all[0].ask("leave", what="tournament")
    return game.all[0]


def left_after_losing_the_last_life(game: Game) -> Player:
    duel = game.duels[0]
    loser = game.waiting(duel)
    game.solve(duel["duel_id"])
    loser.ask("leave", what="tournament")
    return loser


def left_what_was_stopped(game: Game) -> Player:
    player = left_in_the_introduction(game)
    verbs.stop(game.id)
    return player


def in_it_when_it_was_stopped(game: Game) -> Player:
    verbs.stop(game.id)
    return game.all[0]


def left_and_waiting_elsewhere(game: Game) -> Player:
    player = left_in_the_introduction(game)
    player.ask("join", language="de")
    return player


def watching_on(game: Game) -> Player:
    game.finish_round()
    player = next(player for player in game.all if player.state["watching"])
    player.ask("watch", duel=game.duels[0]["duel_id"])
    return player


WAYS: list[Callable[[Game], Player]] = [
    played_to_the_end,
    left_in_the_introduction,
    left_after_losing_the_last_life,
    left_what_was_stopped,
    in_it_when_it_was_stopped,
    left_and_waiting_elsewhere,
    watching_on,
    lambda game: game.all[0],
]


def assert_forgotten(world: World, player: Player, name: str) -> None:
    """Nothing that is stored tells who it was; the id alone stays, where results and boards need one."""
    everything = world.everything()
    assert name not in str(everything)
    assert player.token.split(".")[1] not in str(everything)
    for table in ("PlayersTable", "ConnectionsTable", "GroupsTable"):
        assert player.id not in str({key: item for key, item in everything[table].items() if not ended(item)}), table
    for lobby in everything["LobbiesTable"].values():
        assert player.id not in str(lobby) or lobby["state"]["started"]


def ended(item: dict[str, Any]) -> bool:
    return bool(item["state"].get("members") == [])


@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_nothing_that_is_stored_keeps_the_name_of_a_deleted_player(
    scenes: Scenes, world: World, way: Callable[[Game], Player]
) -> None:
    game = scenes.last_lives()
    player = way(game)
    name = player.state["nickname"]
    assert name in str(world.items("TournamentsTable"))
    player.ask("createGroup")
    assert player.ask("deleteMe", confirm=True)["type"] == "deleted"
    assert_forgotten(world, player, name)
    if not game.over:
        game.finish()
    assert_forgotten(world, player, name)
    witness = next(other for other in game.all if other is not player)
    assert players_of(witness.ask("results", tournament=game.id))[player.id]["nickname"] == DELETED


@pytest.mark.thorough
def test_a_deletion_that_dies_anywhere_can_be_asked_for_again(scenes: Scenes, world: World) -> None:
    def prepare() -> tuple[Player, str]:
        player = left_in_the_introduction(scenes.last_lives())
        return player, player.state["nickname"]

    def act(prepared: tuple[Player, str]) -> None:
        prepared[0].send("deleteMe", "first", confirm=True)

    for player, name in world.dies_everywhere(prepare, act):
        if player.id in world.items("PlayersTable"):
            assert player.ask("deleteMe", confirm=True)["type"] == "deleted"
        assert_forgotten(world, player, name)


def test_deletion_finds_all_tournaments_that_are_still_kept(world: World) -> None:
    player = world.player()
    day_ms = 24 * 60 * 60 * 1000
    history = None
    for number in range(120):
        one = store.Finished(f"g{number}", START_MS + number * day_ms // 2, 3, 0, 1000)
        history, page = store.add_to_history(history, player.id, one)
        assert page is None
    assert history is not None
    kept = [one.tournament_id for one in history.recent]
    assert kept == [f"g{number}" for number in range(119, 58, -1)], "those of 30 days, and more than fifty of them"
    store.commit(store.Create(store.HISTORIES, history))
    assert len(player.ask("profile")["recent"]) == store.RECENT
    assert len(player.ask("export")["data"]["history"]["recent"]) == len(kept)


def short(world: World, players: list[Player]) -> str:
    """Play a tournament that all but one leave, and return its id."""
    for player in players:
        player.ask("leave", what="tournament")
        player.ask("join", language="en")
    game = players[0].state["game"]
    world.advance(game)
    for player in players[:-1]:
        player.ask("leave", what="tournament", id=game)
    assert world.state("TournamentsTable", game)["ended_at_ms"]
    return str(game)


def test_deletion_after_very_many_tournaments_leaves_the_name_nowhere(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record hands its oldest tournaments to pages, and deletion finds those too."""
    monkeypatch.setattr(values, "RECENT", 2)
    monkeypatch.setattr(values, "MOST", 3)
    monkeypatch.setattr(values, "PAGE", 2)
    players = world.players(PLAYERS)
    games = []
    for _ in range(8):
        games.append(short(world, players))
        world.sleep(60_000)
        for player in players:
            player.reconnect()
    player, other = players[:2]
    name = player.state["nickname"]
    export = player.ask("export")["data"]["history"]
    shown = [one["tournament_id"] for one in export["recent"]]
    for number in range(len(export["pages"]), 0, -1):
        shown += player.ask("export", page=number)["data"]["tournaments"]
    assert shown == games[::-1], "each once, newest first"
    assert player.ask("export", page=99)["data"]["tournaments"] == []

    assert player.ask("deleteMe", confirm=True)["type"] == "deleted"
    assert name not in str(world.everything())
    assert player.id not in str(world.items("PlayersTable").keys())
    assert other.state["nickname"] in str(world.state("TournamentsTable", games[0])), "only the one who asked"


def test_pages_are_forgotten_with_their_tournaments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "RECENT", 2)
    monkeypatch.setattr(values, "MOST", 3)
    monkeypatch.setattr(values, "PAGE", 2)
    day_ms = 24 * 60 * 60 * 1000
    history: store.History | None = None
    pages = {}
    for day in range(60):
        one = store.Finished(f"g{day}", START_MS + day * day_ms, 3, 0, 1000)
        history, page = store.add_to_history(history, "p1", one)
        if page is not None:
            pages[page.newest_at_ms] = page
        kept = {one.tournament_id for one in history.recent}
        kept |= {game for at_ms in history.pages for game in pages[at_ms].tournaments}
        assert kept >= {f"g{number}" for number in range(max(0, day - 30), day + 1)}
        assert len(history.recent) <= 3
        assert len(history.pages) <= 16


def test_what_is_over_lasts_no_longer_for_being_written_again(scenes: Scenes, world: World) -> None:
    game = finished(scenes)
    until = world.item("TournamentsTable", game.id)["expires_at"]
    assert until == game.state["ended_at_ms"] // 1000 + 30 * 24 * 60 * 60
    world.sleep(29 * 24 * 60 * 60 * 1000)
    game.all[0].connection_id = world.connection_id()
    game.all[0].hello()
    game.all[0].ask("deleteMe", confirm=True)
    verbs.void(game.id)
    item = world.item("TournamentsTable", game.id)
    assert item["state"]["voided"]
    assert item["state"]["entrants"][0]["nickname"] == DELETED
    assert item["expires_at"] == until
    duel = f"{game.id}.1.1"
    assert world.item("DuelsTable", duel)["expires_at"] >= until, "no board goes before its results"


def test_deletion_in_a_lobby_frees_the_seat(world: World) -> None:
    player, other = world.players(2)
    for one in (player, other):
        one.ask("join", language="en")
    player.ask("deleteMe", confirm=True)
    assert [one["player_id"] for one in other.last("lobby")["lobby"]["players"]] == [other.id]


def test_deletion_as_the_last_seat_is_taken_ends_with_the_player_gone(scenes: Scenes, world: World) -> None:
    game = scenes.lobby()
    player, eighth = game.all[0], game.all[7]
    at_once(lambda: player.ask("deleteMe", confirm=True), lambda: eighth.ask("join", language="en"))
    assert player.id not in world.items("PlayersTable")
    tournaments = list(world.items("TournamentsTable").values())
    if tournaments:
        assert tournaments[0]["state"]["rounds"][-1]["leavers"] == [player.id]
    else:
        assert player.id not in str(world.lobbies())


# Expired items


def test_an_expired_player_is_unknown(world: World) -> None:
    player = world.player()
    expire(world, "PlayersTable", player.id)
    for action in ("sync", "profile", "export", "createGroup", "watchAll", "unwatch"):
        assert player.refused(action) == "not_signed_in"
    assert player.refused("join", language="en") == "not_signed_in"
    assert Player(world, world.connection_id()).refused("hello", token=player.token) == "bad_token"
    for verb in (verbs.show_player, verbs.delete):
        with pytest.raises(verbs.AdminError, match="no player"):
            verb(player.id)


def test_an_expired_player_is_shown_to_nobody(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    player, other = game.all[:2]
    invite = other.ask("createGroup")["group"]["invite"]
    player.ask("joinGroup", invite=invite)
    name = player.state["nickname"]
    expire(world, "PlayersTable", player.id)
    sent = len(world.connections.texts)
    state = other.ask("sync")
    other.ask("results", tournament=game.id)
    other.ask("rename", nickname="Brave Otter")
    assert [one["player_id"] for one in state["group"]["members"]] == [other.id]
    assert name not in str(world.connections.texts[sent:])


def test_an_expired_connection_is_signed_in_nowhere(world: World) -> None:
    player = world.player()
    expire(world, "ConnectionsTable", player.connection_id)
    assert player.refused("sync") == "not_signed_in"
    assert player.hello()["you"]["player_id"] == player.id


def test_an_expired_lobby_seats_nobody(world: World) -> None:
    waiting, late = world.players(2)
    old = waiting.ask("join", language="en")["lobby"]["lobby_id"]
    expire(world, "LobbiesTable", old)
    assert late.ask("join", language="en")["lobby"]["lobby_id"] != old
    assert "lobby" not in waiting.ask("sync")
    assert waiting.ask("join", language="en")["lobby"]["lobby_id"] == late.state["game"]
    world.sweep()
    assert sorted(seat["player_id"] for seat in world.lobbies()[late.state["game"]]["seats"]) == sorted(
        [waiting.id, late.id]
    )


def test_an_expired_lobby_keeps_nobody_from_a_group_game(world: World) -> None:
    leader, late = world.players(2)
    leader.ask("createGroup")
    old = leader.ask("startGroup", language="en")["lobby"]["lobby_id"]
    expire(world, "LobbiesTable", old)
    assert leader.ask("sync")["group"]["members"][0]["where"] == "free"
    lobby = leader.ask("startGroup", language="en")
    assert lobby["type"] == "lobby", lobby
    assert late.ask("join", language="en")["lobby"]["lobby_id"] == lobby["lobby"]["lobby_id"] != old


def test_an_expired_lobby_keeps_nobody_from_deletion(world: World) -> None:
    player = world.player()
    expire(world, "LobbiesTable", player.ask("join", language="en")["lobby"]["lobby_id"])
    assert player.ask("deleteMe", confirm=True)["type"] == "deleted"


def test_an_expired_group_has_ended(world: World) -> None:
    leader, friend, stranger = world.players(3)
    invite = leader.ask("createGroup")["group"]["invite"]
    friend.ask("joinGroup", invite=invite)
    expire(world, "GroupsTable", leader.state["group"])
    assert stranger.refused("joinGroup", invite=invite) == "no_such_group"
    for action, fields in {
        "renewInvite": {},
        "startGroup": {"language": "en"},
        "handOver": {"player": friend.id},
        "removeMember": {"player": friend.id},
    }.items():
        assert leader.refused(action, **fields) == "not_in_group", action
    assert "group" not in friend.ask("sync")
    assert friend.ask("join", language="en")["type"] == "lobby"
    assert leader.ask("createGroup")["type"] == "group"


@pytest.mark.thorough
def test_an_expired_tournament_and_its_boards_are_gone(scenes: Scenes, world: World) -> None:
    game = finished(scenes)
    player = game.all[0]
    duel = f"{game.id}.1.1"
    expire(world, "DuelsTable", duel)
    for action in ("board", "watch"):
        assert player.refused(action, duel=duel) == "no_such_duel"
    assert player.refused("guess", duel=duel, turn=1, word="crane") == "no_such_duel"
    expire(world, "TournamentsTable", game.id)
    assert player.refused("results", tournament=game.id) == "no_such_tournament"
    assert player.refused("board", duel=f"{game.id}.1.2") == "no_such_tournament"
    assert "tournament" not in player.ask("sync")
    assert player.refused("watch", duel=f"{game.id}.1.2") == "duel_over"
    assert player.ask("profile")["recent"][0]["tournament_id"] == game.id, "the record lives on"
    for verb in (verbs.show_tournament, verbs.stop, verbs.void, verbs.settle):
        with pytest.raises(verbs.AdminError, match="no tournament"):
            verb(game.id)
    assert world.advance(game.id)["over"]


@pytest.mark.thorough
def test_an_expired_record_is_none_and_the_next_game_begins_a_new_one(scenes: Scenes, world: World) -> None:
    game = finished(scenes)
    player, *others = game.all
    expire(world, "PlayersTable", f"history.{player.id}")
    assert player.ask("profile")["recent"] == []
    assert player.ask("export")["data"]["history"] is None
    lobby = [one.ask("join", language="de") for one in [player, *others]][-1]["lobby"]
    again = Game(world, lobby["lobby_id"], {one.id: one for one in game.all})
    world.advance(again.id)
    player.ask("leave", what="tournament")
    again.finish()
    (entry,) = player.ask("profile")["recent"]
    assert entry["tournament_id"] == again.id
    assert len(others[0].ask("profile")["recent"]) == 2


@pytest.mark.parametrize(
    ("table", "key", "days"),
    [
        ("PlayersTable", "player_id", 365),
        ("ConnectionsTable", "connection_id", 2),
        ("GroupsTable", "group_id", 1),
        ("LobbiesTable", "lobby_id", 2),
        ("TournamentsTable", "tournament_id", 30),
        ("DuelsTable", "duel_id", 31),
    ],
)
def test_what_is_stored_says_when_it_ends(world: World, table: str, key: str, days: int) -> None:
    leader, *friends = world.players(8)
    invite = leader.ask("createGroup")["group"]["invite"]
    for friend in friends:
        friend.ask("joinGroup", invite=invite)
    leader.ask("startGroup", language="en")
    items: list[dict[str, Any]] = [item for item in world.items(table).values() if "door." not in item[key]]
    assert items
    for item in items:
        assert item["expires_at"] == START_MS // 1000 + days * 24 * 60 * 60


def test_the_index_of_open_lobbies_shows_no_expired_one(world: World) -> None:
    lobby = world.player().ask("join", language="en")["lobby"]["lobby_id"]
    assert [found.lobby_id for found in store.waiting_lobbies("en", 1000, 200)] == [lobby]
    expire(world, "LobbiesTable", lobby)
    assert store.waiting_lobbies("en", 1000, 200) == []
