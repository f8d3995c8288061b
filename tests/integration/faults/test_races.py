"""Moves at the same instant, by threads on a store whose every call is atomic.

No test here depends on the order: each one states the right result for every order.
"""

from __future__ import annotations

import json
import random
from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from infra.local.testing import PLAYERS, TURN_GRACE_MS, TURN_MS, WINDOW_MS, Game, Player, World, at_once, wrong
from tests.integration.conftest import Scenes, on_both
from wordle_tournament.matchmaking import merging, seats
from wordle_tournament.rules.lobby import Waiting
from wordle_tournament.store import queries

WINDOW = 200
ROUNDS = range(3)
"""How often a short race is run."""


def codes(answers: list[Any]) -> list[str]:
    """Return the type of each answer, or the code of its refusal."""
    return [str(answer.get("code", answer["type"])) for answer in answers]


def calm(world: World, answers: list[Any]) -> None:
    """Nothing raised, nothing was internal or busy."""
    for answer in answers:
        assert not isinstance(answer, BaseException), answer
        if isinstance(answer, dict):
            assert answer.get("code") not in ("internal", "busy"), answer


# One duel


@pytest.mark.parametrize("_", ROUNDS)
def test_the_same_guess_twice_at_once_is_one_row_and_answered_alike(scenes: Scenes, world: World, _: int) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    player, word = game.to_move(duel), wrong(duel)
    answers = at_once(*[lambda: player.guess(duel, word)] * 3)
    calm(world, answers)
    assert len(game.duel(duel["duel_id"])["rows"]) == 1
    first, *others = [answer["duel"] for answer in answers]
    assert all(other == first for other in others)


@pytest.mark.parametrize("_", ROUNDS)
def test_the_solving_guess_twice_at_once_ends_the_duel_once(scenes: Scenes, world: World, _: int) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    player = game.to_move(duel)
    answers = at_once(*[lambda: player.guess(duel, duel["word"])] * 3)
    calm(world, answers)
    after = game.duel(duel["duel_id"])
    assert len(after["rows"]) == 1
    assert after["winner"] == player.id
    assert all(answer["duel"]["winner"] == player.id for answer in answers)


@pytest.mark.parametrize("_", ROUNDS)
def test_of_two_different_guesses_in_one_turn_one_counts(scenes: Scenes, world: World, _: int) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    player, one = game.to_move(duel), wrong(duel)
    other = wrong(duel, but=[one])
    answers = at_once(lambda: player.guess(duel, one), lambda: player.guess(duel, other))
    assert sorted(codes(answers)) == ["duel", "turn_over"]
    (row,) = game.duel(duel["duel_id"])["rows"]
    assert row["word"] == (one if answers[0]["type"] == "duel" else other)


@pytest.mark.parametrize("_", ROUNDS)
def test_who_is_not_in_turn_leaves_no_trace(scenes: Scenes, world: World, _: int) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    answers = at_once(
        lambda: game.to_move(duel).guess(duel, wrong(duel)),
        lambda: game.waiting(duel).guess(duel, duel["word"], turn=1),
    )
    assert codes(answers)[0] == "duel"
    assert codes(answers)[1] in ("not_your_turn", "turn_over")
    assert [row["player_id"] for row in game.duel(duel["duel_id"])["rows"]] == [game.to_move(duel).id]


@on_both
@pytest.mark.parametrize("_", ROUNDS)
def test_a_guess_received_in_time_against_the_skip(scenes: Scenes, world: World, _: int) -> None:
    """Either the guess or the skip fills the row; the next player has a whole turn either way (R15, R17)."""
    game = scenes.begun()
    duel = game.duels[0]
    world.sleep_until(duel["deadline_ms"] + TURN_GRACE_MS + 5)
    player = game.to_move(duel)
    answers = at_once(
        lambda: player.guess(duel, wrong(duel), at_ms=duel["deadline_ms"] - 1),
        *[lambda: world.skip(duel["duel_id"])] * 2,
    )
    calm(world, answers)
    after = game.duel(duel["duel_id"])
    (row,) = after["rows"]
    assert codes(answers[:1]) == (["duel"] if row["word"] else ["turn_over"])
    assert after["deadline_ms"] == world.now_ms + TURN_MS


def test_a_guess_at_the_very_deadline_is_late(scenes: Scenes, world: World) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    world.sleep_until(duel["deadline_ms"])
    assert game.to_move(duel).guess(duel, duel["word"])["code"] == "turn_over"
    world.run_out(duel)
    world.skip(duel["duel_id"])
    assert game.duel(duel["duel_id"])["rows"][0]["word"] is None


@pytest.mark.parametrize("times", [2, 3])
def test_an_alarm_delivered_several_times_skips_one_turn(scenes: Scenes, world: World, times: int) -> None:
    game = scenes.begun()
    for duel in game.duels:
        world.run_out(duel)
    moves = [partial(world.skip, duel["duel_id"]) for duel in game.duels for _ in range(times)]
    seconds = at_once(*moves)
    assert seconds == [(TURN_MS + TURN_GRACE_MS) // 1000] * len(moves)
    for duel in game.duels:
        assert len(duel["rows"]) == 1
        assert duel["deadline_ms"] == world.now_ms + TURN_MS
    # And again later, one after the other, while the next turn is on.
    world.sleep(1_000)
    for duel in game.duels:
        assert world.skip(duel["duel_id"]) == (TURN_MS + TURN_GRACE_MS) // 1000 - 1
        assert len(game.duel(duel["duel_id"])["rows"]) == 1


@pytest.mark.parametrize("_", ROUNDS)
def test_leaving_against_a_solving_guess(scenes: Scenes, world: World, _: int) -> None:
    """The duel ends once: solved, or forfeited by the leaver. The leaver is out either way (R27)."""
    game = scenes.begun()
    duel = game.duels[0]
    player, leaver = game.to_move(duel), game.waiting(duel)
    answers = at_once(lambda: player.guess(duel, duel["word"]), lambda: leaver.ask("leave", what="tournament"))
    calm(world, answers)
    after = game.duel(duel["duel_id"])
    assert after["winner"] == player.id
    assert codes(answers) == (["duel", "left"] if after["ending"] == "solved" else ["duel_over", "left"])
    assert game.state["rounds"][-1]["leavers"] == [leaver.id]


@pytest.mark.parametrize("_", ROUNDS)
def test_the_solver_leaves_while_solving(scenes: Scenes, world: World, _: int) -> None:
    game = scenes.begun()
    duel = game.duels[0]
    player = game.to_move(duel)
    calm(world, at_once(lambda: player.guess(duel, duel["word"]), lambda: player.ask("leave", what="tournament")))
    after = game.duel(duel["duel_id"])
    assert (after["ending"], after["winner"] == player.id) in (("solved", True), ("forfeited", False))
    assert game.state["rounds"][-1]["leavers"] == [player.id]


@pytest.mark.parametrize("_", ROUNDS)
def test_both_players_of_a_duel_leave_at_once(scenes: Scenes, world: World, _: int) -> None:
    """Neither gains by it: both are out of the tournament and share the place below all others (R27)."""
    game = scenes.begun()
    duel = game.duels[0]
    both = [game.players[player_id] for player_id in duel["players"]]
    answers = at_once(*[partial(player.ask, "leave", what="tournament") for player in both])
    assert codes(answers) == ["left", "left"]
    assert set(game.state["rounds"][-1]["leavers"]) == set(duel["players"])
    assert game.duel(duel["duel_id"])["ending"] == "forfeited"
    game.finish()
    assert {player.last("tournament")["tournament"]["over"] for player in game.all if player not in both} == {True}
    shown = next(player for player in game.all if player not in both)
    table = {one["player_id"]: one for one in shown.last("tournament")["tournament"]["players"]}
    assert {table[player.id]["place"] for player in both} == {7}
    game.assert_ended_right()


@pytest.mark.parametrize("_", ROUNDS)
def test_all_eight_leave_at_once(scenes: Scenes, world: World, _: int) -> None:
    """The last one in cannot lose any more: seven leavers and a winner, or that one out of the game as the winner."""
    game = scenes.begun()
    answers = at_once(*[partial(player.ask, "leave", what="tournament") for player in game.all])
    assert set(codes(answers)) <= {"left", "not_in_tournament"}
    world.advance(game.id)
    game.assert_ended_right()
    assert len(game.state["rounds"][-1]["leavers"]) == 7


@pytest.mark.parametrize("_", ROUNDS)
def test_leaving_against_the_end_of_the_round(scenes: Scenes, world: World, _: int) -> None:
    """Whether it falls into the old round or the new one: the player is a leaver, once, and nobody is stuck."""
    game = scenes.last_lives()
    for duel in game.duels:
        game.solve(duel["duel_id"])
    leaver = game.players[game.duels[0]["winner"]]
    answers = at_once(lambda: leaver.ask("leave", what="tournament"), *[lambda: world.advance(game.id)] * 2)
    calm(world, answers)
    rounds = game.state["rounds"]
    assert sum(leaver.id in played["leavers"] for played in rounds) == 1
    assert leaver.state["game"] is None
    game.finish()
    game.assert_ended_right()


@pytest.mark.parametrize("_", ROUNDS)
def test_the_round_ends_once_however_many_clocks_there_are(scenes: Scenes, world: World, _: int) -> None:
    game = scenes.last_lives()
    for duel in game.duels:
        game.solve(duel["duel_id"])
    answers = at_once(*[lambda: world.advance(game.id)] * 4)
    calm(world, answers)
    assert all(answer == answers[0] for answer in answers)
    assert len(game.state["rounds"]) == 4
    assert len(game.duels) == 2
    ratings = Counter(game.ratings())
    game.finish()
    game.assert_ended_right()
    assert sum(ratings.values()) == PLAYERS


# Connections


@pytest.mark.parametrize("_", ROUNDS)
def test_of_two_hellos_at_once_the_duels_know_the_one_that_stays(scenes: Scenes, world: World, _: int) -> None:
    game = scenes.begun()
    player = game.all[0]
    sockets = [Player(world, world.connection_id(), player.id, player.token) for _ in range(3)]
    # One that is replaced is closed, perhaps before its answer.
    statuses = at_once(*[partial(socket.send, "hello", "h", token=player.token) for socket in sockets])
    assert statuses == [200] * 3
    current = player.state["connection_id"]
    assert current in [socket.connection_id for socket in sockets]
    for duel in game.duels:
        assert world.item("DuelsTable", duel["duel_id"])["connections"][player.id] == current
    (stays,) = [socket for socket in sockets if socket.connection_id == current]
    (own,) = [duel for duel in game.duels if player.id in duel["players"]]
    assert stays.ask("sync")["duels"][0]["duel_id"] == own["duel_id"]
    for socket in sockets:
        if socket is not stays:
            # Its own welcome may still come after that: two functions send the two.
            assert "replaced" in [frame["type"] for frame in socket.frames]
            assert socket.connection_id in world.connections.closed


@pytest.mark.parametrize("_", ROUNDS)
def test_the_old_connections_end_means_nothing_after_a_new_hello(scenes: Scenes, world: World, _: int) -> None:
    game = scenes.begun()
    player = game.all[0]
    old = player.connection_id
    fresh = Player(world, world.connection_id(), player.id, player.token)
    calm(world, at_once(fresh.hello, lambda: world.disconnected(old)))
    world.disconnected(old)
    assert player.state["connection_id"] == fresh.connection_id
    for duel in game.duels:
        assert world.item("DuelsTable", duel["duel_id"])["connections"][player.id] == fresh.connection_id
    world.sleep(2 * WINDOW_MS)
    for start in world.started("ReconnectMachine"):
        assert not world.forfeit(start.input["player_id"], start.input["epoch"])
    assert game.state["rounds"][-1]["leavers"] == []


@pytest.mark.parametrize("_", ROUNDS)
def test_the_end_of_the_window_against_the_return(scenes: Scenes, world: World, _: int) -> None:
    """Back in the tournament, or out of it: never shown as in it and taken for a leaver."""
    game = scenes.begun()
    player = game.all[0]
    player.drop()
    (start,) = world.started("ReconnectMachine")
    world.sleep(WINDOW_MS - 1)
    fresh = Player(world, world.connection_id(), player.id, player.token)
    answers = at_once(fresh.hello, lambda: world.forfeit(player.id, start.input["epoch"]))
    calm(world, answers)
    assert not answers[1], "the window is not over"
    world.sleep(1)
    fresh.drop()
    world.sleep(WINDOW_MS)
    again = Player(world, world.connection_id(), player.id, player.token)
    answers = at_once(again.hello, lambda: world.forfeit(player.id, start.input["epoch"] + 1))
    calm(world, answers)
    assert "tournament" not in again.ask("sync")
    assert game.state["rounds"][-1]["leavers"] == [player.id]


@pytest.mark.parametrize("_", ROUNDS)
def test_a_disconnection_while_the_round_opens(scenes: Scenes, world: World, _: int) -> None:
    """The new duels do not go on talking to a connection that is gone."""
    game = scenes.last_lives()
    for duel in game.duels:
        game.solve(duel["duel_id"])
    player = game.players[game.duels[0]["winner"]]
    calm(world, at_once(lambda: world.advance(game.id), player.drop))
    assert player.state["connection_id"] is None
    fresh = Player(world, world.connection_id(), player.id, player.token)
    fresh.hello()
    for duel in game.duels:
        assert world.item("DuelsTable", duel["duel_id"])["connections"][player.id] == fresh.connection_id
    game.players[player.id] = fresh
    game.finish()
    game.assert_ended_right()


@pytest.mark.parametrize("_", ROUNDS)
def test_a_return_while_the_round_opens(scenes: Scenes, world: World, _: int) -> None:
    game = scenes.last_lives()
    for duel in game.duels:
        game.solve(duel["duel_id"])
    player = game.players[game.duels[0]["winner"]]
    fresh = Player(world, world.connection_id(), player.id, player.token)
    calm(world, at_once(lambda: world.advance(game.id), fresh.hello))
    for duel in game.duels:
        assert world.item("DuelsTable", duel["duel_id"])["connections"][player.id] == fresh.connection_id


# Lobbies


def seated_in(world: World) -> dict[str, list[str]]:
    """Return the ids of the players in each open lobby and tournament, by its id."""
    found = {key: [seat["player_id"] for seat in lobby["seats"]] for key, lobby in world.lobbies().items()}
    for key, item in world.items("TournamentsTable").items():
        found[key] = [entrant["player_id"] for entrant in item["state"]["entrants"]]
    return found


def check_seats(world: World, players: list[Player], seated: bool = True) -> None:
    """Each player is in one place, the one their record names."""
    where = [(player_id, game) for game, sitting in seated_in(world).items() for player_id in sitting]
    assert len({player_id for player_id, _ in where}) == len(where), "somebody sits twice"
    games = dict(where)
    for player in players:
        assert player.state["game"] == games.get(player.id)
        assert not seated or player.id in games


def test_sixty_joins_at_once(world: World) -> None:
    players = world.players(60)
    calm(world, at_once(*[partial(player.ask, "join", language="en") for player in players]))
    check_seats(world, players)
    assert sorted(len(sitting) for sitting in seated_in(world).values()) == [4] + [PLAYERS] * 7
    assert len(world.lobbies()) == 1
    tournaments = world.items("TournamentsTable")
    assert Counter(start.name for start in world.starts) == Counter(list(tournaments))
    assert len(world.items("DuelsTable")) == 7 * 4


def test_fifty_joins_for_one_seat(scenes: Scenes, world: World) -> None:
    game = scenes.lobby()
    more = [game.all[-1], *world.players(49)]
    calm(world, at_once(*[partial(player.ask, "join", language="en") for player in more]))
    everybody = [*game.all, *more[1:]]
    check_seats(world, everybody)
    assert sorted(len(sitting) for sitting in seated_in(world).values()) == [1] + [PLAYERS] * 7
    assert world.items("TournamentsTable")[game.id]


@pytest.mark.parametrize("_", ROUNDS)
def test_the_last_seat_is_left_as_the_eighth_arrives(scenes: Scenes, world: World, _: int) -> None:
    game = scenes.lobby()
    leaver, eighth = game.all[0], game.all[-1]
    answers = at_once(lambda: leaver.ask("leave", what="lobby"), lambda: eighth.ask("join", language="en"))
    calm(world, answers)
    started = bool(world.items("TournamentsTable"))
    assert codes(answers)[0] == ("too_late" if started else "left")
    check_seats(world, game.all, seated=False)
    assert (leaver.state["game"] is not None) == started
    assert eighth.state["game"] is not None
    assert all(len(sitting) == (PLAYERS if started else 7) for sitting in seated_in(world).values())


@pytest.mark.parametrize("_", ROUNDS)
def test_join_and_leave_of_the_same_player_at_once(scenes: Scenes, world: World, _: int) -> None:
    game = scenes.lobby()
    player = game.all[-1]
    calm(world, at_once(lambda: player.ask("join", language="en"), lambda: player.ask("leave", what="lobby")))
    check_seats(world, game.all, seated=False)


@pytest.mark.parametrize("_", ROUNDS)
def test_two_sockets_of_one_player_join(world: World, _: int) -> None:
    player = world.player()
    older = Player(world, player.connection_id, player.id, player.token)
    newer = Player(world, world.connection_id(), player.id, player.token)
    answers = at_once(
        lambda: older.send("join", "a", language="en"),
        lambda: older.send("join", "b", language="de"),
        lambda: (newer.hello(), newer.ask("join", language="en")),
    )
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    check_seats(world, [player])
    assert len(seated_in(world)) == 1


def test_joins_in_two_languages_at_once(world: World) -> None:
    player = world.player()
    answers = at_once(*[partial(player.ask, "join", language=language) for language in ("en", "de", "fr")])
    assert sorted(codes(answers)) == ["in_lobby", "in_lobby", "lobby"]
    check_seats(world, [player])


def test_two_half_lobbies_merged_by_all_at_once(world: World) -> None:
    """Lobbies at 900 and 1100 whose last members, leaving, make them fit together."""
    low, high = [world.player(900) for _ in range(5)], [world.player(1101) for _ in range(5)]
    for player in (*low, *high):
        player.ask("join", language="en")
    assert len(world.lobbies()) == 2
    leavers = [low[0], low[1], high[0], high[1]]
    calm(world, at_once(*[partial(player.ask, "leave", what="lobby") for player in leavers]))
    check_seats(world, [*low, *high], seated=False)
    assert_nothing_to_merge(world)


def assert_nothing_to_merge(world: World) -> None:
    """No two open lobbies could be one, and nobody sits outside the window (R23, R24)."""
    lobbies = list(world.lobbies().values())
    for lobby in lobbies:
        for seat in lobby["seats"]:
            assert abs(seat["party_rating"] - lobby["rating"]) <= WINDOW + 1e-6
        assert len({seat["player_id"] for seat in lobby["seats"]}) == len(lobby["seats"]) < PLAYERS
    for one, other in combinations(lobbies, 2):
        if one["language"] != other["language"] or len(one["seats"]) + len(other["seats"]) > PLAYERS:
            continue
        for source, target in ((one, other), (other, one)):
            assert any(abs(seat["party_rating"] - target["rating"]) > WINDOW + 1e-6 for seat in source["seats"])


@on_both
def test_joins_at_once_while_the_index_lags(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look into the index shows it as it was four looks ago (an index is read eventually consistent)."""
    looks: deque[list[Waiting]] = deque([[]] * 4, maxlen=4)

    def stale(language: str, rating: float, window: float) -> list[Waiting]:
        now, then = queries.waiting_lobbies(language, 0, 1e9), looks[0]
        looks.append(now)
        return [lobby for lobby in then if abs(lobby.rating - rating) <= window]

    monkeypatch.setattr(seats, "waiting_lobbies", stale)
    monkeypatch.setattr(merging, "waiting_lobbies", stale)
    players = world.players(20)
    calm(world, at_once(*[partial(player.ask, "join", language="en") for player in players]))
    check_seats(world, players)
    for _ in range(4):
        world.sweep()
    check_seats(world, players)
    assert sorted(len(sitting) for sitting in seated_in(world).values()) == [4, PLAYERS, PLAYERS]


@pytest.mark.parametrize("seed", range(4))
def test_lobbies_of_many_ratings_come_to_rest(world: World, seed: int) -> None:
    """Players of random ratings come and go all at once; when it is quiet nothing is left to be merged."""
    rng = random.Random(seed)
    players = [world.player(rng.randrange(600, 1400, 10)) for _ in range(24)]

    def visit(player: Player, leaves: bool) -> None:
        player.ask("join", language="en")
        if leaves:
            player.ask("leave", what="lobby")

    moves = [partial(visit, player, rng.random() < 0.3) for player in players]
    calm(world, at_once(*moves))
    check_seats(world, players, seated=False)
    assert_nothing_to_merge(world)
    world.sweep()
    assert_nothing_to_merge(world)


def test_groups_and_singles_race_for_seats(world: World) -> None:
    """A group is whole in one lobby, whoever comes first (R29)."""
    groups = [world.players(size) for size in (5, 4, 3)]
    singles = world.players(12)
    for leader, *friends in groups:
        invite = leader.ask("createGroup")["group"]["invite"]
        for friend in friends:
            friend.ask("joinGroup", invite=invite)
    moves: list[Callable[[], Any]] = [partial(group[0].ask, "startGroup", language="en") for group in groups]
    moves += [partial(player.ask, "join", language="en") for player in singles]
    calm(world, at_once(*moves))
    everybody = [*singles, *(player for group in groups for player in group)]
    check_seats(world, everybody)
    for group in groups:
        assert len({player.state["game"] for player in group}) == 1
    assert_nothing_to_merge(world)


@pytest.mark.parametrize("_", ROUNDS)
def test_nine_friends_join_a_group_at_once(world: World, _: int) -> None:
    leader, *friends = world.players(10)
    invite = leader.ask("createGroup")["group"]["invite"]
    answers = at_once(*[partial(friend.ask, "joinGroup", invite=invite) for friend in friends])
    assert sorted(codes(answers)) == ["group"] * 7 + ["group_full"] * 2
    (group,) = world.items("GroupsTable").values()
    members = group["state"]["members"]
    assert len(set(members)) == len(members) == PLAYERS
    assert all((player.state["group"] is not None) == (player.id in members) for player in (leader, *friends))


@pytest.mark.parametrize("_", ROUNDS)
def test_a_member_leaves_as_the_group_starts(world: World, _: int) -> None:
    leader, *friends = world.players(3)
    invite = leader.ask("createGroup")["group"]["invite"]
    for friend in friends:
        friend.ask("joinGroup", invite=invite)
    calm(world, at_once(lambda: leader.ask("startGroup", language="en"), lambda: friends[0].ask("leaveGroup")))
    check_seats(world, [leader, *friends], seated=False)
    assert friends[0].state["group"] is None
    assert friends[0].state["game"] is None
    assert leader.state["game"] == friends[1].state["game"]


@on_both
def test_a_whole_game_of_impatient_players(scenes: Scenes, world: World) -> None:
    """Everybody guesses all the time, in and out of turn, and sends everything twice; clocks run at random."""
    game = scenes.last_lives()
    rng = random.Random(7)
    for _ in range(12):
        if game.over:
            break
        game.begin()
        moves: list[Callable[[], Any]] = []
        for duel in game.duels:
            solve = rng.random() < 0.6
            for player_id in duel["players"]:
                word = duel["word"] if solve else wrong(duel)
                moves += [partial(_impatient, game, game.players[player_id], duel["duel_id"], word)] * 2
        answers = at_once(*moves, lambda: world.advance(game.id))
        assert not [answer for answer in answers if isinstance(answer, Exception)]
        for duel in game.duels:
            owners = [row["player_id"] for row in duel["rows"]]
            assert owners == [duel["players"][index % 2] for index in range(len(owners))]
        if all(duel["phase"] == "over" for duel in game.duels):
            world.advance(game.id)
    game.finish()
    game.assert_ended_right()


def _impatient(game: Game, player: Player, duel_id: str, word: str) -> None:
    for turn in (1, 2):
        player.send("guess", f"{turn}-{json.dumps(word)}", duel=duel_id, turn=turn, word=word)
