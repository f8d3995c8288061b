"""R1, R23-R25, R29, R31: who may wait with whom."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.factories import NOW_MS, a_lobby, a_party
from wordle_tournament.errors import ErrorCode, GameError
from wordle_tournament.rules.lobby import (
    Lobby,
    Seat,
    Waiting,
    can_move,
    choose,
    fits,
    fullest_first,
    leave_seat,
    merge,
    merge_plan,
    movers,
    near,
    open_lobby,
    shown_fullest_first,
    take_seats,
)

# The window (R23, R24)


@pytest.mark.parametrize(
    ("rating", "inside"),
    [(1000, True), (1200, True), (800, True), (1201, False), (799, False), (1200.5, False), (799.5, False)],
)
def test_exactly_200_points_away_is_inside(rating: float, inside: bool) -> None:
    assert near(1000, rating) is near(rating, 1000) is inside


@pytest.mark.parametrize("size", range(1, 9))
def test_exactly_200_is_inside_for_the_mean_of_a_group_too(size: int) -> None:
    for points in range(1000 * size, 1000 * size + 50):
        assert near(points / size, (points + 200 * size) / size)


@pytest.mark.parametrize("size", range(1, 9))
def test_a_point_more_for_one_of_a_group_is_outside(size: int) -> None:
    for points in range(1000 * size, 1000 * size + 50):
        assert not near(points / size, (points + 200 * size + 1) / size)


# Fitting parties


def test_a_party_fits_where_language_seats_and_rating_do() -> None:
    assert fits(a_lobby("l", a_party("a")), "en", a_party("b", 1150, 7))


def test_another_language_does_not_fit() -> None:
    assert not fits(a_lobby("l", a_party("a"), language="kk"), "en", a_party("b"))


def test_a_party_that_is_too_large_does_not_fit() -> None:
    assert not fits(a_lobby("l", a_party("a", size=5)), "en", a_party("b", size=4))


@pytest.mark.parametrize(("rating", "fitting"), [(1200, True), (1201, False)])
def test_a_party_is_held_against_the_lobbys_rating(rating: int, fitting: bool) -> None:
    assert fits(a_lobby("l", a_party("a")), "en", a_party("b", rating)) is fitting


def test_the_window_is_about_the_opener_and_not_about_those_who_came_later() -> None:
    lobby = a_lobby("l", a_party("a", 1000), a_party("b", 1200), a_party("c", 1200))
    assert not fits(lobby, "en", a_party("d", 1350))


def test_the_window_does_not_widen_with_waiting() -> None:
    assert not fits(a_lobby("l", a_party("a"), opened_at_ms=0), "en", a_party("b", 1201))


def test_a_group_is_placed_by_its_mean_even_when_members_are_far_apart() -> None:
    group = (Seat("x", "X", 1000, "g", 1200), Seat("y", "Y", 1400, "g", 1200))
    assert fits(a_lobby("l", a_party("a", 1390)), "en", group)


def test_a_group_of_1200_fits_no_lobby_of_990() -> None:
    assert not fits(a_lobby("l", a_party("a", 990)), "en", a_party("g", 1200, 2))


@pytest.mark.parametrize(
    "lobby",
    [
        replace(a_lobby("l", a_party("a")), seats=()),
        replace(a_lobby("l", a_party("a")), started=True),
        replace(a_lobby("l", a_party("a")), merged_into="m"),
    ],
    ids=["empty", "started", "merged"],
)
def test_nobody_fits_into_a_lobby_that_does_not_wait(lobby: Lobby) -> None:
    assert not fits(lobby, "en", a_party("b"))


def test_the_fullest_that_fits_is_taken() -> None:
    lobbies = [
        a_lobby("few", a_party("a")),
        a_lobby("most", a_party("b", size=5)),
        a_lobby("far", a_party("c", 1500, 7)),
        a_lobby("foreign", a_party("d", size=7), language="pl"),
    ]
    assert fullest_first(lobbies, "en", a_party("x"))[0] == lobbies[1]


def test_the_fullest_is_no_use_to_a_group_that_does_not_fit_into_it() -> None:
    lobbies = [a_lobby("roomy", a_party("a", size=5)), a_lobby("full", a_party("b", size=6))]
    assert fullest_first(lobbies, "en", a_party("x", size=3)) == [lobbies[0]]


def test_of_equally_full_lobbies_the_one_that_waited_longest_is_taken() -> None:
    lobbies = [a_lobby("new", a_party("a")), a_lobby("old", a_party("b"), opened_at_ms=NOW_MS - 1)]
    assert fullest_first(lobbies, "en", a_party("x"))[0] == lobbies[1]


def test_who_loses_seats_to_others_spreads_over_twice_as_many_lobbies_each_time() -> None:
    fitting = [a_lobby(f"l{number}", a_party(f"p{number}")) for number in range(20)]
    rng = random.Random(1)

    def taken(losses: int, of: int, lately: int = 0) -> set[str | None]:
        chosen = [choose(fitting[:of], losses, lately, rng) for _ in range(300)]
        return {lobby.lobby_id if lobby else None for lobby in chosen}

    for losses, width in [(0, 1), (1, 1), (2, 2), (3, 4), (4, 8), (5, 8), (24, 8)]:
        assert taken(losses, of=20) == {f"l{number}" for number in range(width)}, "the fullest of them"
    assert taken(1, of=1) == {"l0"}
    assert taken(2, of=1) == {"l0", None}, "and opens one where there are too few"
    assert taken(0, of=0) == {None}
    assert taken(1, of=20, lately=12) == {"l0"}, "the first loss may be chance"
    assert taken(2, of=20, lately=12) == {f"l{number}" for number in range(12)}, "as many as are being filled"
    assert taken(24, of=20, lately=3) == {f"l{number}" for number in range(8)}


def test_the_index_shows_the_fullest_that_may_fit_first() -> None:
    shown = [
        Waiting("few", 1000, 1, 5),
        Waiting("most", 1200, 7, 5),
        Waiting("far", 1201, 7, 5),
        Waiting("older", 900, 1, 4),
    ]
    assert [one.lobby_id for one in shown_fullest_first(shown, a_party("x"))] == ["most", "older", "few"]
    assert [one.lobby_id for one in shown_fullest_first(shown, a_party("x", size=3))] == ["older", "few"]


def test_none_is_taken_when_none_fits() -> None:
    assert fullest_first([a_lobby("l", a_party("a"))], "en", a_party("x", 1300)) == []


# Opening, taking and leaving seats (R1, R24, R25)


def test_a_lobbys_rating_is_its_openers() -> None:
    assert open_lobby("l", "en", a_party("a", 1234), NOW_MS).rating == 1234


def test_a_lobbys_rating_is_the_mean_of_the_group_that_opened_it() -> None:
    assert open_lobby("l", "en", a_party("g", 1100.5, 2), NOW_MS).rating == 1100.5


def test_a_lobbys_rating_stays_when_others_come_and_the_opener_goes() -> None:
    lobby = take_seats(a_lobby("l", a_party("a", 1000)), a_party("b", 1190))
    assert leave_seat(lobby, "a0").rating == 1000


@pytest.mark.parametrize(("size", "started"), [(1, False), (7, False), (8, True)])
def test_a_lobby_opened_by_eight_starts_at_once(size: int, started: bool) -> None:
    lobby = open_lobby("l", "en", a_party("g", size=size), NOW_MS)
    assert (lobby.started, lobby.open) == (started, not started)


@pytest.mark.parametrize(("size", "started"), [(6, False), (7, True)])
def test_the_eighth_player_starts_it(size: int, started: bool) -> None:
    lobby = take_seats(a_lobby("l", a_party("a")), a_party("g", size=size))
    assert (len(lobby.seats), lobby.started, lobby.full) == (1 + size, started, started)


def test_a_ninth_player_finds_no_seat() -> None:
    full = take_seats(a_lobby("l", a_party("a", size=7)), a_party("b"))
    with pytest.raises(ValueError, match="fit"):
        take_seats(full, a_party("c"))


def test_a_party_gets_all_its_seats_or_none() -> None:
    with pytest.raises(ValueError, match="fit"):
        take_seats(a_lobby("l", a_party("a", size=6)), a_party("g", size=3))


def test_nobody_is_seated_outside_the_window() -> None:
    with pytest.raises(ValueError, match="fit"):
        take_seats(a_lobby("l", a_party("a")), a_party("b", 1201))


def test_nobody_sits_twice_in_a_lobby() -> None:
    with pytest.raises(ValueError, match="fit"):
        take_seats(a_lobby("l", a_party("a")), a_party("a"))


def test_leaving_gives_the_seat_back() -> None:
    lobby = leave_seat(a_lobby("l", a_party("a"), a_party("b")), "a0")
    assert [seat.player_id for seat in lobby.seats] == ["b0"]
    assert fits(lobby, "en", a_party("g", size=7))


def test_a_lobby_that_everybody_has_left_waits_for_nobody() -> None:
    assert not leave_seat(a_lobby("l", a_party("a")), "a0").open


def test_after_the_start_it_is_too_late_to_leave_the_lobby() -> None:
    with pytest.raises(GameError) as refused:
        leave_seat(a_lobby("l", a_party("a", size=8)), "a0")
    assert refused.value.code is ErrorCode.TOO_LATE


@pytest.mark.parametrize("size", [1, 8])
def test_one_without_a_seat_cannot_leave(size: int) -> None:
    with pytest.raises(GameError) as refused:
        leave_seat(a_lobby("l", a_party("a", size=size)), "x")
    assert refused.value.code is ErrorCode.NOT_IN_LOBBY


# Merging (R24)


def test_two_lobbies_that_could_be_one_are() -> None:
    source, target = merge(a_lobby("one", a_party("a", size=3)), a_lobby("two", a_party("b", size=4)))
    assert [seat.player_id for seat in target.seats] == ["b0", "b1", "b2", "b3", "a0", "a1", "a2"]
    assert (source.seats, source.merged_into, source.open, target.open) == ((), "two", False, True)


def test_a_merger_of_eight_starts() -> None:
    _, target = merge(a_lobby("one", a_party("a", size=4)), a_lobby("two", a_party("b", size=4)))
    assert target.started


def test_a_merger_keeps_the_targets_rating() -> None:
    _, target = merge(a_lobby("one", a_party("a", 1100)), a_lobby("two", a_party("b", 1000)))
    assert target.rating == 1000


@pytest.mark.parametrize(("size", "movable"), [(4, True), (5, False)])
def test_more_than_eight_are_not_merged(size: int, movable: bool) -> None:
    assert can_move(a_lobby("one", a_party("a", size=size)), a_lobby("two", a_party("b", size=4))) is movable


@pytest.mark.parametrize(("rating", "movable"), [(1200, True), (1201, False), (800, True), (799, False)])
def test_who_moves_is_within_200_of_the_other_lobby(rating: int, movable: bool) -> None:
    assert can_move(a_lobby("one", a_party("a", rating)), a_lobby("two", a_party("b", 1000))) is movable


def test_everybody_who_moves_is_within_the_window() -> None:
    source = a_lobby("one", a_party("a", 1100), a_party("b", 1250))
    assert not can_move(source, a_lobby("two", a_party("c", 1000)))


def test_those_who_stay_are_not_measured_again() -> None:
    target = a_lobby("two", a_party("a", 1000), a_party("b", 1200))
    assert can_move(a_lobby("one", a_party("c", 850)), target)


def test_lobbies_may_be_mergeable_in_one_direction_only() -> None:
    one = a_lobby("one", a_party("a", 1100), a_party("b", 1300))
    two = a_lobby("two", a_party("c", 1050))
    assert (can_move(one, two), can_move(two, one)) == (False, True)


def test_a_group_moves_by_its_mean_though_a_member_is_far_off() -> None:
    group = (Seat("x", "X", 800, "g", 1100), Seat("y", "Y", 1400, "g", 1100))
    assert can_move(a_lobby("one", group), a_lobby("two", a_party("b", 1000)))


def test_those_who_move_count_and_not_the_rating_of_the_lobby_they_leave() -> None:
    # The opener, 1400, has left: the two who are still there fit.
    source = a_lobby("one", a_party("b", 1200), a_party("c", 1200), rating=1400)
    assert can_move(source, a_lobby("two", a_party("d", 1000)))


def test_lobbies_of_two_languages_are_never_one() -> None:
    assert not can_move(a_lobby("one", a_party("a")), a_lobby("two", a_party("b"), language="ru"))


def test_a_lobby_does_not_merge_with_itself() -> None:
    lobby = a_lobby("one", a_party("a"))
    assert not can_move(lobby, lobby)


@pytest.mark.parametrize("gone", ["started", "empty", "merged"])
@pytest.mark.parametrize("as_source", [True, False])
def test_only_waiting_lobbies_are_merged(gone: str, as_source: bool) -> None:
    lobby = a_lobby("one", a_party("a"))
    closed = {
        "started": replace(lobby, started=True),
        "empty": replace(lobby, seats=()),
        "merged": replace(lobby, merged_into="three"),
    }[gone]
    other = a_lobby("two", a_party("b"))
    assert not (can_move(closed, other) if as_source else can_move(other, closed))


def test_what_may_not_be_merged_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be one"):
        merge(a_lobby("one", a_party("a", 1201)), a_lobby("two", a_party("b", 1000)))


def test_the_fullest_result_is_planned_and_the_fewest_move() -> None:
    small, large = a_lobby("small", a_party("a", size=2)), a_lobby("large", a_party("b", size=6))
    others = [a_lobby("third", a_party("c", size=3)), large]
    assert merge_plan(small, others) == (small, large)
    assert merge_plan(large, [small]) == (small, large)


def test_a_merger_in_the_only_direction_possible_is_found_from_either_side() -> None:
    one = a_lobby("one", a_party("a", 1100), a_party("b", 1300))
    two = a_lobby("two", a_party("c", 1050))
    assert merge_plan(one, [two]) == merge_plan(two, [one]) == (two, one)


def test_two_players_who_arrive_at_the_same_instant_still_meet() -> None:
    one, two = open_lobby("one", "en", a_party("a"), NOW_MS), open_lobby("two", "en", a_party("b", 1010), NOW_MS)
    assert merge_plan(one, [one, two]) == merge_plan(two, [one, two])
    plan = merge_plan(one, [one, two])
    assert plan is not None
    assert len(merge(*plan)[1].seats) == 2


def test_nothing_is_planned_when_nothing_may_merge() -> None:
    assert merge_plan(a_lobby("one", a_party("a")), [a_lobby("two", a_party("b", 1300))]) is None


@st.composite
def lobbies(draw: st.DrawFn) -> list[Lobby]:
    """Some open lobbies, filled by the rules."""
    found: list[Lobby] = []
    for number in range(draw(st.integers(2, 5))):
        rating = draw(st.sampled_from([800, 900, 1000, 1100, 1200, 1300]))
        language = draw(st.sampled_from(["en", "de"]))
        lobby = open_lobby(f"l{number}", language, a_party(f"o{number}", rating, draw(st.integers(1, 3))), NOW_MS)
        for guest in range(draw(st.integers(0, 4))):
            party = a_party(
                f"g{number}{guest}", rating + draw(st.sampled_from([-200, 0, 200])), draw(st.integers(1, 3))
            )
            if fits(lobby, language, party):
                lobby = take_seats(lobby, party)
        found.append(lobby)
    return found


@given(lobbies())
def test_a_plan_is_never_refused_and_none_is_missed(found: list[Lobby]) -> None:
    lobby, *others = found
    plan = merge_plan(lobby, others)
    possible = [pair for other in others for pair in ((lobby, other), (other, lobby)) if movers(*pair)]
    assert (plan is None) == (not possible)
    assert set(possible) >= {pair for other in others for pair in ((lobby, other), (other, lobby)) if can_move(*pair)}
    if plan is None:
        return
    source, target = merge(*plan)
    assert plan in possible
    assert len(target.seats) == max(len(two.seats) + len(movers(one, two)) for one, two in possible)
    assert sorted(seat.player_id for lobby in (source, target) for seat in lobby.seats) == sorted(
        seat.player_id for one in plan for seat in one.seats
    )
    assert target.started == target.full
    assert source.open == bool(source.seats)
    assert not source.open or target.full, "who stays behind does so for a tournament that starts"
    assert not {seat.party for seat in source.seats} & {seat.party for seat in target.seats}, "no party is split"
    assert all(abs(seat.party_rating - target.rating) <= 200 for seat in movers(*plan))


def test_a_lobby_is_filled_from_a_less_full_one() -> None:
    seven = a_lobby("seven", *(a_party(f"a{number}") for number in range(5)), a_party("pair", size=2))
    five = a_lobby("five", a_party("b", 1200), a_party("friends", size=3), a_party("c", 1250))
    assert merge_plan(seven, [five]) == merge_plan(five, [seven]) == (five, seven)
    source, target = merge(five, seven)
    assert [seat.player_id for seat in source.seats] == [seat.player_id for seat in five.seats[1:]]
    assert source.open
    assert target.started


@pytest.mark.parametrize(
    ("sizes", "free"), [((3, 2), 1), ((3, 3), 2), ((5,), 2)], ids=["too large", "no sum of them", "one group"]
)
def test_no_group_is_split_to_fill_a_lobby(sizes: tuple[int, ...], free: int) -> None:
    target = a_lobby("target", a_party("t", size=8 - free))
    source = a_lobby("source", *(a_party(f"s{number}", size=size) for number, size in enumerate(sizes)))
    assert merge_plan(source, [target]) is None


def test_a_lobby_is_not_filled_by_who_is_out_of_reach() -> None:
    target = a_lobby("target", a_party("t", 1000, 7))
    source = a_lobby("source", a_party("a", 1201), a_party("b", 1300), a_party("c", 1201))
    assert merge_plan(source, [target]) is None


@given(lobbies())
def test_mergers_go_on_until_no_two_lobbies_could_be_one(found: list[Lobby]) -> None:
    seated = sorted(seat.player_id for lobby in found for seat in lobby.seats)
    by_id = {lobby.lobby_id: lobby for lobby in found}
    for _ in range(len(found)):
        for lobby_id in by_id:
            plan = merge_plan(by_id[lobby_id], by_id.values())
            if plan:
                by_id |= {lobby.lobby_id: lobby for lobby in merge(*plan)}
    assert not any(can_move(one, two) for one in by_id.values() for two in by_id.values())
    assert sorted(seat.player_id for lobby in by_id.values() for seat in lobby.seats) == seated


@given(lobbies(), st.integers(700, 1400), st.integers(1, 8))
def test_a_party_is_seated_in_the_fullest_lobby_it_fits_into(found: list[Lobby], rating: int, size: int) -> None:
    party = a_party("x", rating, size)
    chosen = choose(fullest_first(found, "en", party), 0, 9, random.Random(1))
    assert (chosen is None) == (not any(fits(lobby, "en", party) for lobby in found))
    if chosen is None:
        return
    seated = take_seats(chosen, party)
    assert len(seated.seats) <= 8
    assert abs(chosen.rating - rating) <= 200
    assert seated.language == "en"
    assert all(len(chosen.seats) >= len(lobby.seats) for lobby in found if fits(lobby, "en", party))
