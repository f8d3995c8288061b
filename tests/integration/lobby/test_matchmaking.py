"""A crowd of singles and groups, and the cases that make matchmaking hard (R23, R24, R26, R29, R31)."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from pydantic import TypeAdapter

from infra.local.testing import (
    INTRO_MS,
    PLAYERS,
    START_MS,
    TOURNAMENT_MACHINE,
    Crash,
    Frame,
    Player,
    World,
    at_once,
    client_error,
)
from wordle_tournament.matchmaking import merging
from wordle_tournament.matchmaking import seats as seating
from wordle_tournament.rules.group import Group
from wordle_tournament.rules.lobby import Lobby, Seat, can_move, near
from wordle_tournament.rules.player import Player as StoredPlayer
from wordle_tournament.store import CONNECTIONS, GROUPS, LOBBIES, Connection, Create, Write, commit, waiting_lobbies
from wordle_tournament.store import PLAYERS as PLAYERS_TABLE

WINDOW = 200
PARTIES = 220
AT_ONCE = 16
"""Threads, each of which is one party's leader after another."""


@dataclass
class Party:
    """A group, its leader first, or a single player; `calls` are the answers to its leader's requests."""

    members: list[Player]
    ratings: list[int]
    language: str
    calls: list[Frame] = field(default_factory=list)

    @property
    def leader(self) -> Player:
        return self.members[0]

    @property
    def ids(self) -> set[str]:
        return {member.id for member in self.members}

    @property
    def mean(self) -> float:
        return sum(self.ratings) / len(self.ratings)

    def search(self) -> Frame:
        """Look for a game, as often as the server says that it is busy."""
        while True:
            if self.leader.state["group"] is None:
                answer = self.leader.ask("join", language=self.language)
            else:
                answer = self.leader.ask("startGroup", language=self.language)
            self.calls.append(answer)
            if answer.get("code") != "busy":
                return answer

    def give_up(self, rng: random.Random) -> Frame:
        """Any of them takes all of them out of the search."""
        while (answer := rng.choice(self.members).ask("leave", what="lobby")).get("code") == "busy":
            pass
        return answer


def gather(
    world: World, size: int, ratings: list[int] | None = None, group: bool = True, language: str = "en"
) -> Party:
    """A party of so many; a group unless it is said not to be one."""
    ratings = ratings or [1000] * size
    members = [world.player(rating) for rating in ratings]
    if group:
        invite = members[0].ask("createGroup")["group"]["invite"]
        for member in members[1:]:
            assert member.ask("joinGroup", invite=invite)["type"] == "group"
    return Party(members, ratings, language)


def single(world: World, rating: int = 1000) -> Party:
    return gather(world, 1, [rating], group=False)


def lobbies(world: World) -> list[Lobby]:
    """All lobbies there ever were."""
    return [
        TypeAdapter(Lobby).validate_python(item["state"])
        for key, item in world.items("LobbiesTable").items()
        if key.startswith("g")
    ]


def assert_all_is_well(world: World, parties: list[Party]) -> None:
    """Nobody is in two places, no group is split, nobody is out of reach, and nobody waits without need."""
    seats = Counter(seat.player_id for lobby in lobbies(world) for seat in lobby.seats)
    assert set(seats.values()) <= {1}, "nobody sits in two places"
    home = {seat.player_id: lobby for lobby in lobbies(world) for seat in lobby.seats}
    players = world.items("PlayersTable")
    for party in parties:
        at = {home[member].lobby_id if member in home else None for member in party.ids}
        assert len(at) == 1, "a group is whole in one place or in none"
        assert {players[member]["state"]["game"] for member in party.ids} == at
        if (lobby := home.get(party.leader.id)) is not None:
            assert lobby.language == party.language
            assert near(party.mean, lobby.rating)
            if len(party.members) == 1:
                assert abs(party.ratings[0] - lobby.rating) <= WINDOW
    tournaments = {key: item["state"] for key, item in world.items("TournamentsTable").items()}
    started = {lobby.lobby_id: lobby for lobby in lobbies(world) if lobby.started}
    assert tournaments.keys() == started.keys()
    assert {start.name for start in world.started(TOURNAMENT_MACHINE)} == started.keys()
    for tournament_id, tournament in tournaments.items():
        entered = [entrant["player_id"] for entrant in tournament["entrants"]]
        assert len(set(entered)) == len(entered) == PLAYERS
        assert set(entered) == {seat.player_id for seat in started[tournament_id].seats}
        paired = [player for match in tournament["rounds"][0]["matches"] for player in match["players"]]
        assert sorted(paired) == sorted(entered)
        assert {world.state("DuelsTable", match["duel_id"])["phase"] for match in tournament["rounds"][0]["matches"]}
    waiting = [lobby for lobby in lobbies(world) if lobby.open]
    assert all(len(lobby.seats) < PLAYERS for lobby in waiting)
    apart = [(one.lobby_id, other.lobby_id) for one in waiting for other in waiting if can_move(one, other)]
    assert apart == [], "no two open lobbies could be one"


# The crowd


def settle(world: World, rng: random.Random, number: int) -> Party:
    """A party that has just come together, written as it is stored: hundreds of them would take long to play."""
    size = rng.choice([1] * 9 + [2, 3, 4, 5, 6, 7, 8])
    spread = rng.choice([60, 350])
    party = Party([], [], rng.choice(["en", "en", "de"]))
    group = Group(f"r{number}", "secret", tuple(f"p{number}.{member}" for member in range(size)), f"p{number}.0")
    grouped = size > 1 or number % 5 == 0
    writes: list[Write] = [Create(GROUPS, group)] if grouped else []
    for player_id in group.members:
        party.ratings.append(rng.randint(1000 - spread, 1000 + spread))
        connection_id = f"of {player_id}"
        player = StoredPlayer(player_id, "hash", "Quiet Otter", world.now_ms, party.ratings[-1])
        seated = replace(player, connection_id=connection_id, group=group.group_id if grouped else None)
        writes += [Create(PLAYERS_TABLE, seated), Create(CONNECTIONS, Connection(connection_id, player_id))]
        world.connections.open(connection_id)
        party.members.append(Player(world, connection_id, player_id))
    commit(*writes)
    return party


@pytest.mark.slow
def test_a_crowd_of_groups_and_singles_at_once(world: World) -> None:
    rng = random.Random(1)
    parties = [settle(world, rng, number) for number in range(PARTIES)]
    undecided = {number for number in range(PARTIES) if rng.random() < 0.2}
    chances = [random.Random(number) for number in range(PARTIES)]

    def play(number: int) -> None:
        party = parties[number]
        assert party.search()["type"] == "lobby", party.calls
        if number in undecided:
            answer = party.give_up(chances[number])
            assert answer["type"] == "left" or answer["code"] == "too_late", answer
            if answer["type"] == "left":
                assert party.search()["type"] == "lobby", party.calls

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(play, range(PARTIES)))
    assert sum(len(party.members) for party in parties) > 450
    assert_all_is_well(world, parties)
    homes = {party.leader.state["game"] for party in parties}
    assert None not in homes, "everybody who looked for a game waits for one or plays"
    assert len(world.items("TournamentsTable")) > 45
    for party in parties:
        if len(party.members) == PLAYERS:
            game = world.state("TournamentsTable", party.leader.state["game"])
            assert {entrant["player_id"] for entrant in game["entrants"]} == party.ids


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_order_of_arrival_nobody_waits_apart_without_need(world: World, seed: int) -> None:
    rng = random.Random(seed)
    parties = []
    for _ in range(12):
        size = rng.choice([1, 1, 2, 3, 4])
        ratings = [rng.choice([800, 900, 1000, 1100, 1200, 1300]) for _ in range(size)]
        party = gather(world, size, ratings, group=size > 1)
        assert party.search()["type"] == "lobby"
        parties.append(party)
        if rng.random() < 0.25:
            rng.choice(parties).give_up(rng)
        assert_all_is_well(world, parties)


# Hard cases


@pytest.mark.thorough
def test_a_group_of_three_and_five_singles_race_for_three_seats(world: World) -> None:
    waiting = [single(world) for _ in range(5)]
    for party in waiting:
        party.search()
    rivals = [gather(world, 3), *(single(world) for _ in range(5))]
    at_once(*(party.search for party in rivals))
    world.sweep()
    assert_all_is_well(world, [*waiting, *rivals])
    assert len(world.items("TournamentsTable")) == 1
    assert sum(len(lobby["seats"]) for lobby in world.lobbies().values()) == 5


def test_joining_and_leaving_in_quick_succession_ends_in_one_place(world: World) -> None:
    player = single(world)
    for _ in range(5):
        player.search()
        player.give_up(random.Random(1))
    player.search()
    assert_all_is_well(world, [player])
    assert [len(lobby["seats"]) for lobby in world.lobbies().values()] == [1]


def test_five_and_four_with_singles_are_two_tournaments_that_fill_up(world: World) -> None:
    five, four = gather(world, 5), gather(world, 4)
    five.search()
    four.search()
    assert sorted(len(lobby["seats"]) for lobby in world.lobbies().values()) == [4, 5]
    singles = [single(world) for _ in range(7)]
    for party in singles:
        party.search()
    assert world.lobbies() == {}
    assert_all_is_well(world, [five, four, *singles])
    assert len(world.items("TournamentsTable")) == 2


def test_the_fullest_lobby_that_fits_is_taken_first(world: World) -> None:
    five, four, three, alone = gather(world, 5), gather(world, 4), gather(world, 3), single(world)
    for party in (four, five):
        party.search()
    alone.search()
    assert alone.leader.state["game"] == five.leader.state["game"]
    three.search()
    assert three.leader.state["game"] == four.leader.state["game"], "three do not fit beside six"
    assert_all_is_well(world, [five, four, three, alone])


def test_seven_and_one_play_at_once(world: World) -> None:
    seven, alone = gather(world, 7), single(world)
    alone.search()
    assert seven.search()["lobby"]["started"]
    assert_all_is_well(world, [seven, alone])


def test_a_group_is_placed_by_its_mean(world: World) -> None:
    waiting = [single(world, rating) for rating in (990, 1390)]
    for party in waiting:
        party.search()
    low, high = (party.leader.state["game"] for party in waiting)
    assert low != high
    wide = gather(world, 2, [1000, 1400])
    wide.search()
    assert wide.leader.state["game"] == high, "1200 is 210 from 990 and 190 from 1390"
    assert_all_is_well(world, [*waiting, wide])


@pytest.mark.parametrize(
    ("rating", "together"), [(990, False), (999, False), (1000, True), (1010, True), (1390, True), (1401, False)]
)
def test_a_group_is_held_against_the_lobbys_rating_by_its_mean(world: World, rating: int, together: bool) -> None:
    waiting, wide = single(world, rating), gather(world, 3, [1000, 1200, 1400])
    waiting.search()
    wide.search()
    assert (waiting.leader.state["game"] == wide.leader.state["game"]) is together
    assert_all_is_well(world, [waiting, wide])


def test_the_window_does_not_widen_however_long_somebody_waits(world: World) -> None:
    alone, far = single(world, 1000), gather(world, 2, [1100, 1302])
    alone.search()
    world.sleep(60 * 60 * 1000)
    world.sweep()
    far.search()
    world.sleep(60 * 60 * 1000)
    world.sweep()
    assert alone.leader.state["game"] != far.leader.state["game"]
    assert len(world.lobbies()) == 2


def test_eight_start_at_once_however_far_apart_they_are(world: World) -> None:
    waiting = single(world)
    waiting.search()
    eight = gather(world, 8, [400, 600, 800, 1000, 1200, 1400, 1600, 2400])
    assert eight.search()["lobby"]["started"]
    assert_all_is_well(world, [waiting, eight])
    assert waiting.leader.state["game"] in world.lobbies()


def test_what_a_leaving_group_makes_possible_is_done(world: World) -> None:
    four, other_four_and_one = gather(world, 4), gather(world, 3)
    four.search()
    other_four_and_one.search()
    blocked = gather(world, 2)
    blocked.search()
    assert len(world.lobbies()) == 2
    other_four_and_one.give_up(random.Random(1))
    assert_all_is_well(world, [four, other_four_and_one, blocked])
    assert [len(one["seats"]) for one in world.lobbies().values()] == [6]
    assert blocked.leader.last("lobby")["lobby"]["lobby_id"] == four.leader.state["game"]


def test_somebody_who_waits_sees_how_many_wait(world: World) -> None:
    alone, three = single(world), gather(world, 3)
    alone.search()
    three.search()
    shown = alone.leader.last("lobby")["lobby"]
    assert (len(shown["players"]), shown["seats"]) == (4, PLAYERS)
    for member in three.members[1:]:
        assert member.last("lobby")["lobby"] == shown


@pytest.mark.thorough
def test_leaving_is_left_even_if_what_it_makes_possible_cannot_be_done(world: World) -> None:
    four, three, blocked = gather(world, 4), gather(world, 3), gather(world, 2)
    for party in (four, three, blocked):
        party.search()
    transactions = 0

    def fail(service: str, operation: str, params: Any) -> None:
        nonlocal transactions
        if operation == "TransactWriteItems":
            transactions += 1
            if transactions > 1:
                raise client_error("TransactionConflictException", operation)

    world.on_call(fail)
    assert three.give_up(random.Random(1))["type"] == "left", "it is not busy: they are out"
    assert transactions > 10, "it was tried"
    world.disturbed.close()
    world.sweep()
    assert_all_is_well(world, [four, three, blocked])


def test_who_leaves_and_joins_again_is_seated_though_the_index_shows_them_still(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, friend = single(world), single(world)
    friend.search()
    alone.search()
    old = waiting_lobbies("en", 1000, WINDOW)
    alone.give_up(random.Random(1))
    monkeypatch.setattr(seating, "waiting_lobbies", lambda *_: old)
    assert alone.search()["lobby"]["lobby_id"] == friend.leader.state["game"]
    assert_all_is_well(world, [alone, friend])


def test_who_goes_from_one_lobby_to_the_other_while_they_are_read_is_not_merged_twice(world: World) -> None:
    four, other = gather(world, 4), gather(world, 4, [1201] * 4)
    mover, mean = single(world, 1100), single(world, 1390)
    for party in (four, other, mover, mean):
        party.search()
    assert len({party.leader.state["game"] for party in (four, other)}) == 2
    home = mover.leader.state["game"]

    def move(service: str, operation: str, params: Any) -> None:
        if operation == "Query":
            hook.close()
            mover.give_up(random.Random(1))
            mover.search()

    hook = world.on_call(move)
    merging.merge_lobbies(home)
    world.sweep()
    assert_all_is_well(world, [four, other, mover, mean])


@pytest.mark.thorough
def test_a_join_costs_the_same_among_a_thousand_lobbies(world: World) -> None:
    alone, late = single(world), single(world)
    alone.search()
    calls = cost(world, late)
    assert calls["Query"] == calls["TransactWriteItems"] == 1
    for part in range(10):
        commit(*[Create(LOBBIES, blocked(number)) for number in range(part * 100, part * 100 + 100)])
    later, latest = single(world), single(world)
    # Two looks more, since there are over 200 lobbies: those nearest to the rating are on both sides of it.
    assert cost(world, later) - Counter(PostToConnection=4, Query=2) == calls - Counter(PostToConnection=2)
    with world.backend.aws.recorded() as recorded:
        waiting_lobbies("en", 1000, WINDOW)
    looks = [call.params for call in recorded]
    assert [look["Limit"] for look in looks] == [200] * 3
    ratings = [one.rating for one in waiting_lobbies("en", 1000, WINDOW)]
    assert len(ratings) == 200
    assert max(abs(rating - 1000) for rating in ratings) < 60, "the nearest"
    assert len(world.lobbies()[later.leader.state["game"]]["seats"]) == 6, "one of the fullest"
    rival = single(world, 1000)

    def overtake(service: str, operation: str, params: Any) -> None:
        if operation == "TransactWriteItems":
            hook.close()
            rival.search()

    hook = world.on_call(overtake)
    with world.backend.aws.recorded() as recorded:
        latest.search()
    counted = Counter(call.operation for call in recorded)
    assert counted["TransactWriteItems"] == 3, "the rival's, one that fails, and one that does not"
    assert counted["Query"] == 9, "each of them looks once, by three queries"
    read = [len(keys) for call in recorded for keys in batches(call.params)]
    assert max(read) <= 32


def blocked(number: int) -> Lobby:
    """Five friends who wait; no two such groups fit together."""
    rating = 801 + number % 399
    seats = [Seat(f"w{number}.{member}", "Otter", rating, f"r{number}", rating) for member in range(5)]
    return Lobby(f"g{number}", "en", rating, START_MS, tuple(seats))


def cost(world: World, party: Party) -> Counter[str]:
    """The AWS calls of a search."""
    with world.backend.aws.recorded() as calls:
        party.search()
    return Counter(call.operation for call in calls)


def batches(params: Mapping[str, Any]) -> list[Any]:
    return [request["Keys"] for request in params.get("RequestItems", {}).values()]


# Asked again


@pytest.mark.parametrize("size", [1, 3, 8])
def test_a_start_that_died_before_the_clock_ran_is_finished_by_asking_again(world: World, size: int) -> None:
    waiting = [single(world) for _ in range(PLAYERS - size)]
    for party in waiting:
        party.search()
    last = gather(world, size, group=size > 1)

    def die(service: str, operation: str, params: Any) -> None:
        if operation == "StartExecution":
            raise Crash

    world.on_call(die)
    with suppress(Crash):
        last.search()
    world.disturbed.close()
    assert world.starts == []
    before = world.everything()
    told = len(world.connections.texts)
    answer = last.search()
    assert answer["lobby"]["started"]
    assert len(answer["lobby"]["players"]) == PLAYERS
    assert [start.name for start in world.started(TOURNAMENT_MACHINE)] == [last.leader.state["game"]]
    assert last.search() == {**answer, "ref": last.calls[-1]["ref"]}, "and again"
    assert world.everything() == before, "nothing is written for it"
    assert all(json.loads(text)["type"] in ("lobby", "group") for text in world.connections.texts[told:])
    assert all(party.leader.last("lobby")["ref"] for party in waiting[-1:]), "nobody else is disturbed"
    last.language = "de"
    assert last.search()["code"] in ("in_tournament", "member_playing")
    last.language = "en"
    world.sleep(INTRO_MS)
    assert last.search()["code"] in ("in_tournament", "member_playing"), "who plays looks for no game"
    assert len(world.starts) == 1


# All seats or none


def _write_number(world: World, number: int, error: Callable[[str], BaseException], after: bool) -> None:
    """Make the so-manieth call that writes fail, before or after it has been done."""
    seen = 0

    def fail(service: str, operation: str, params: Any) -> None:
        nonlocal seen
        if operation in ("TransactWriteItems", "UpdateItem", "PutItem", "StartExecution", "PostToConnection"):
            seen += 1
            if seen == number:
                raise error(operation)

    world.on_call(fail, after=after)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", range(1, 5))
def test_a_crash_at_any_write_of_a_start_seats_all_or_none(world: World, number: int, after: bool) -> None:
    waiting, three = gather(world, 5), gather(world, 3)
    waiting.search()
    _write_number(world, number, lambda operation: Crash(), after)
    with suppress(Crash):
        three.search()
    world.disturbed.close()
    seated = {member.state["game"] for member in three.members}
    assert len(seated) == 1
    everybody = waiting.ids | three.ids
    if seated == {None}:
        assert world.items("TournamentsTable") == {}
        assert [len(lobby["seats"]) for lobby in world.lobbies().values()] == [5]
        assert three.search()["lobby"]["started"]
    (tournament,) = (item["state"] for item in world.items("TournamentsTable").values())
    assert {entrant["player_id"] for entrant in tournament["entrants"]} == everybody
    # The start may have got lost with the function; the sweep finds it again.
    world.sleep(60_000)
    world.sweep()
    assert world.started(TOURNAMENT_MACHINE)


@pytest.mark.parametrize("code", ["TransactionConflictException", "ThrottlingException"])
def test_a_conflict_on_the_way_is_tried_again_and_seats_all(world: World, code: str) -> None:
    waiting, three = gather(world, 5), gather(world, 3)
    waiting.search()
    _write_number(world, 1, lambda operation: client_error(code, operation), after=False)
    assert three.search()["lobby"]["started"]
    assert_all_is_well(world, [waiting, three])


def test_a_member_who_is_gone_between_reading_and_writing_is_seated_with_nobody(world: World) -> None:
    three = gather(world, 3)
    leaver = three.members[2]

    def leave(service: str, operation: str, params: Any) -> None:
        if operation == "TransactWriteItems":
            hook.close()
            assert leaver.ask("leaveGroup")["type"] == "left"

    hook = world.on_call(leave)
    answer = three.search()
    assert {one["player_id"] for one in answer["lobby"]["players"]} == three.ids - {leaver.id}
    assert leaver.state["game"] is None


def test_a_member_who_joins_in_the_same_moment_is_seated_too(world: World) -> None:
    three, late = gather(world, 3), world.player()
    invite = three.leader.last("group")["group"]["invite"]

    def join(service: str, operation: str, params: Any) -> None:
        if operation == "TransactWriteItems":
            hook.close()
            assert late.ask("joinGroup", invite=invite)["type"] == "group"

    hook = world.on_call(join)
    answer = three.search()
    assert {one["player_id"] for one in answer["lobby"]["players"]} == three.ids | {late.id}
