"""R20, R21, R26, R28, R34: a player's connections, games and rating."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.factories import NOW_MS, a_player
from wordle_tournament.errors import ErrorCode, GameError
from wordle_tournament.rules.player import check_free, connect, drop, finish, has_left, leave_game, take_seat

WINDOW_MS = 60_000


# Connections (R28)


def test_a_player_who_connects_is_there() -> None:
    assert connect(a_player(), "one").away is False


def test_a_player_whose_connection_ends_is_away_from_then_on() -> None:
    player = drop(connect(a_player(), "one"), "one", NOW_MS)
    assert (player.away, player.away_since_ms) == (True, NOW_MS)


def test_a_newer_connection_replaces_the_older_one() -> None:
    assert connect(connect(a_player(), "one"), "two").connection_id == "two"


def test_the_end_of_a_replaced_connection_means_nothing() -> None:
    player = connect(connect(a_player(), "one"), "two")
    assert drop(player, "one", NOW_MS) == player


def test_an_end_told_twice_does_not_restart_the_time_away() -> None:
    player = drop(connect(a_player(), "one"), "one", NOW_MS)
    assert drop(player, "one", NOW_MS + 5_000) == player


def test_coming_back_ends_the_time_away() -> None:
    player = connect(drop(connect(a_player(), "one"), "one", NOW_MS), "two")
    assert (player.away, player.away_since_ms) == (False, None)


def test_each_connection_has_an_epoch_of_its_own() -> None:
    first = connect(a_player(), "one")
    second = connect(drop(first, "one", NOW_MS), "two")
    third = connect(second, "three")
    assert first.epoch < second.epoch < third.epoch


def test_the_same_connection_greeting_again_changes_nothing() -> None:
    player = connect(a_player(), "one")
    assert connect(player, "one") == player


@pytest.mark.parametrize(("away_ms", "left"), [(0, False), (59_999, False), (60_000, True), (600_000, True)])
def test_sixty_seconds_away_are_having_left(away_ms: int, left: bool) -> None:
    player = drop(connect(a_player(), "one"), "one", NOW_MS)
    assert has_left(player, WINDOW_MS, NOW_MS + away_ms) is left


def test_one_who_came_back_has_not_left_however_long_ago_they_were_away() -> None:
    player = connect(drop(connect(a_player(), "one"), "one", NOW_MS), "two")
    assert has_left(player, WINDOW_MS, NOW_MS + 10 * WINDOW_MS) is False


def test_each_disconnection_has_the_sixty_seconds_anew() -> None:
    player = connect(drop(connect(a_player(), "one"), "one", NOW_MS), "two")
    player = drop(player, "two", NOW_MS + 50_000)
    assert has_left(player, WINDOW_MS, NOW_MS + 100_000) is False
    assert has_left(player, WINDOW_MS, NOW_MS + 110_000) is True


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("xyz")), max_size=20))
def test_a_player_is_away_exactly_when_the_latest_connection_has_ended(events: list[tuple[bool, str]]) -> None:
    player, current, epochs = a_player(), None, [0]
    for clock, (opens, connection_id) in enumerate(events):
        if opens:
            player, current = connect(player, connection_id), connection_id
        else:
            player = drop(player, connection_id, NOW_MS + clock)
            current = None if current == connection_id else current
        assert player.connection_id == current
        assert player.epoch >= epochs[-1]
        epochs.append(player.epoch)
        if player.epoch:
            assert player.away == (player.away_since_ms is not None)


# One game at a time (R26)


def test_one_in_no_game_is_free() -> None:
    check_free(a_player(), lobby=False)


def test_one_who_only_watches_is_free() -> None:
    check_free(replace(a_player(), watching="t"), lobby=False)


@pytest.mark.parametrize(("lobby", "refusal"), [(True, ErrorCode.IN_LOBBY), (False, ErrorCode.IN_TOURNAMENT)])
def test_one_in_a_game_is_not_free(lobby: bool, refusal: ErrorCode) -> None:
    with pytest.raises(GameError) as refused:
        check_free(take_seat(a_player(), "t"), lobby)
    assert refused.value.code is refusal


def test_taking_a_seat_ends_watching() -> None:
    player = take_seat(replace(a_player(), watching="old"), "new")
    assert (player.game, player.watching) == ("new", None)


def test_one_who_leaves_is_in_no_game_and_watches_none() -> None:
    player = leave_game(replace(a_player(), game="t", watching="u"))
    assert (player.game, player.watching) == (None, None)


# The end of a tournament (R10, R20, R21)


def test_a_new_player_has_the_starting_rating_and_no_games() -> None:
    assert (a_player().rating, a_player().games) == (1000, 0)


@pytest.mark.parametrize("change", [25, 0, -25])
def test_the_change_is_added_to_the_rating_of_the_moment(change: int) -> None:
    player = finish(replace(a_player(), rating=1234), "t", change)
    assert (player.rating, player.games) == (1234 + change, 1)


def test_a_rating_may_fall_below_zero() -> None:
    assert finish(replace(a_player(), rating=10), "t", -25).rating == -15


def test_one_who_is_out_is_free_and_watches_on() -> None:
    player = finish(take_seat(a_player(), "t"), "t", -25)
    assert (player.game, player.watching) == (None, "t")


def test_one_who_left_stays_away() -> None:
    player = finish(leave_game(take_seat(a_player(), "t")), "t", -25)
    assert (player.game, player.watching) == (None, None)


def test_one_who_left_and_plays_elsewhere_keeps_that_game() -> None:
    player = finish(take_seat(leave_game(take_seat(a_player(), "t")), "u"), "t", -25)
    assert (player.rating, player.game, player.watching) == (975, "u", None)
