"""R29-R31: a group of friends; and what operators and results ask of the rules (R9, R21, R35)."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.factories import NOW_MS, a_lobby, a_party, a_player, played, running, table
from wordle_tournament.errors import ErrorCode, GameError
from wordle_tournament.rules import duel as duel_rules
from wordle_tournament.rules import group as rules
from wordle_tournament.rules.group import Group
from wordle_tournament.rules.lobby import leave_seat, party_of, rename_seat
from wordle_tournament.rules.player import (
    HOUR_MS,
    Player,
    enter_group,
    finish,
    finish_unplaced,
    leave_group,
    rename,
    take_back,
    take_seat,
)
from wordle_tournament.rules.tournament import PlayerStatus, forget, newly_placed, rating_parts, standings, stop, void

OUT = ["a>b c>d e>f g>h"] * 3
"""Four lose all their lives at once."""


def a_group(names: str = "abc", leader: str = "a") -> Group:
    return Group("g", "secret", tuple(names), leader)


def a_member(name: str, rating: int = 1000, connection: str | None = "here") -> Player:
    player = replace(a_player(), player_id=name, nickname=name.upper(), rating=rating)
    return replace(player, connection_id=connection, away_since_ms=None if connection else NOW_MS)


def refusal(act: object, *arguments: object) -> GameError:
    with pytest.raises(GameError) as caught:
        act(*arguments)  # type: ignore[operator]
    return caught.value


# Membership


def test_who_makes_a_group_leads_it_alone() -> None:
    group = rules.create("g", "secret", "a")
    assert (group.members, group.leader, group.invite) == (("a",), "a", "g.secret")


def test_the_secret_is_not_printed() -> None:
    assert "unguessable" not in repr(replace(a_group(), secret="unguessable"))


def test_friends_stand_in_the_order_in_which_they_came() -> None:
    assert rules.join(a_group(), "secret", "d").members == ("a", "b", "c", "d")


def test_one_who_is_in_already_stays_where_they_are() -> None:
    assert rules.join(a_group(), "secret", "b") == a_group()
    full = a_group("abcdefgh")
    assert rules.join(full, "secret", "h") == full
    renewed = rules.renew(a_group(), "a", "new")
    assert rules.join(renewed, "secret", "b") == renewed, "a repeated join is answered like the first"


def test_the_ninth_is_refused() -> None:
    assert refusal(rules.join, a_group("abcdefgh"), "secret", "i").code is ErrorCode.GROUP_FULL


@pytest.mark.parametrize(("group", "secret"), [(a_group(), "other"), (a_group(""), "secret"), (a_group(), "")])
def test_an_invite_that_is_wrong_or_of_an_ended_group_lets_nobody_in(group: Group, secret: str) -> None:
    assert refusal(rules.join, group, secret, "d").code is ErrorCode.NO_SUCH_GROUP


def test_a_renewed_invite_is_the_only_one() -> None:
    renewed = rules.renew(a_group(), "a", "new")
    assert refusal(rules.join, renewed, "secret", "d").code is ErrorCode.NO_SUCH_GROUP
    assert rules.join(renewed, "new", "d").has("d")


def test_a_member_who_is_removed_is_out_with_the_invite_they_knew_and_the_leader_leads_on() -> None:
    group = rules.remove(a_group(), "a", "b", "new")
    assert (group.members, group.leader) == (("a", "c"), "a")
    assert refusal(rules.join, group, "secret", "b").code is ErrorCode.NO_SUCH_GROUP
    assert rules.join(group, "new", "b").has("b")


@pytest.mark.parametrize(
    ("act", "more"), [(rules.remove, ["c", "new"]), (rules.hand_over, ["c", "abc"]), (rules.renew, ["new"])]
)
@pytest.mark.parametrize(("who", "why"), [("b", ErrorCode.NOT_LEADER), ("x", ErrorCode.NOT_IN_GROUP)])
def test_only_the_leader_may(act: object, more: list[str], who: str, why: ErrorCode) -> None:
    refused = refusal(act, a_group(), who, *more)
    assert (refused.code, refused.field) == (why, None)


def test_nobody_is_removed_who_is_not_there_or_is_the_leader() -> None:
    assert rules.remove(a_group(), "a", "x", "new") == a_group(), "so already"
    refused = refusal(rules.remove, a_group(), "a", "a", "new")
    assert (refused.code, refused.field) == (ErrorCode.CANNOT_REMOVE_YOURSELF, "player")


# The lead


def test_the_lead_is_handed_to_a_member_who_is_there_only() -> None:
    assert rules.hand_over(a_group(), "a", "c", "ac").leader == "c"
    for named, why in {"x": ErrorCode.NOT_IN_GROUP, "b": ErrorCode.MEMBER_AWAY}.items():
        refused = refusal(rules.hand_over, a_group(), "a", named, "acx")
        assert (refused.code, refused.field) == (why, "player")
    assert refusal(rules.hand_over, a_group(), "a", "b", "ac").players == ("b",)


@pytest.mark.parametrize(
    ("connected", "heir"),
    [("bcd", "b"), ("dc", "c"), ("d", "d"), ("", "b"), ("a", "b")],
    ids=lambda value: value or "-",
)
def test_the_longest_standing_connected_member_succeeds_the_leader_who_leaves(connected: str, heir: str) -> None:
    group = rules.leave(a_group("abcd"), "a", connected)
    assert (group.leader, group.members) == (heir, ("b", "c", "d"))


def test_when_another_leaves_the_leader_leads_on_even_if_away() -> None:
    assert rules.leave(a_group("abc", "b"), "a", "ac").leader == "b"


def test_a_lost_leader_stays_a_member() -> None:
    group = rules.succeed(a_group(), "bc")
    assert (group.leader, group.members) == ("b", ("a", "b", "c"))


def test_the_last_one_to_leave_ends_the_group() -> None:
    ended = rules.leave(rules.leave(a_group("ab"), "a", "ab"), "b", "b")
    assert ended.members == ()
    assert refusal(rules.join, ended, "secret", "a").code is ErrorCode.NO_SUCH_GROUP


@given(st.permutations("abcdefgh"), st.sets(st.sampled_from("abcdefgh")), st.integers(1, 8))
def test_whoever_leaves_in_whatever_order_a_member_leads(order: list[str], connected: set[str], number: int) -> None:
    group = a_group("abcdefgh")
    for leaver in order[:number]:
        group = rules.leave(group, leaver, connected)
        assert not group.has(leaver)
        assert group.has(group.leader) or not group.members


# A start


def test_a_group_is_one_party_with_its_mean_rating_in_its_order() -> None:
    party = rules.party(a_group(), "a", [a_member("c", 1400), a_member("a", 900), a_member("b", 1000)])
    assert [seat.player_id for seat in party] == ["a", "b", "c"]
    assert {seat.party for seat in party} == {"g"}
    assert {seat.party_rating for seat in party} == {1100}
    assert [seat.rating for seat in party] == [900, 1000, 1400]


def test_a_mean_need_not_be_whole() -> None:
    (seat, *_) = rules.party(a_group("ab"), "a", [a_member("a", 1000), a_member("b", 1001)])
    assert seat.party_rating == 1000.5


def test_those_in_a_game_are_named_before_those_who_are_away() -> None:
    members = [a_member("a"), take_seat(a_member("b"), "t"), a_member("c", connection=None)]
    error = refusal(rules.party, a_group(), "a", members)
    assert (error.code, error.players) == (ErrorCode.MEMBER_PLAYING, ("b",))


def test_those_who_are_away_or_unknown_are_named() -> None:
    error = refusal(rules.party, a_group(), "a", [a_member("a"), a_member("c", connection=None)])
    assert (error.code, set(error.players)) == (ErrorCode.MEMBER_AWAY, {"b", "c"})


def test_those_who_are_out_and_watch_are_free() -> None:
    watcher = finish(take_seat(a_member("b"), "t"), "t", -4)
    assert len(rules.party(a_group("ab"), "a", [a_member("a"), watcher])) == 2


def test_only_the_leader_starts() -> None:
    assert refusal(rules.party, a_group(), "b", [a_member(name) for name in "abc"]).code is ErrorCode.NOT_LEADER


# In the lobby


def test_a_party_is_all_who_came_together() -> None:
    lobby = a_lobby("l", a_party("a", size=3), a_party("b"))
    assert party_of(lobby, "a1") == ("a0", "a1", "a2")
    assert party_of(lobby, "b0") == ("b0",)
    assert party_of(lobby, "x") == ()


def test_whoever_of_a_party_leaves_takes_all_of_it() -> None:
    lobby = a_lobby("l", a_party("a", size=3), a_party("b"), a_party("c", size=2))
    for name in ("a0", "a1", "a2"):
        left = leave_seat(lobby, name)
        assert [seat.player_id for seat in left.seats] == ["b0", "c0", "c1"]
        assert (left.open, left.rating) == (True, lobby.rating)


def test_a_party_that_leaves_alone_leaves_the_lobby_empty() -> None:
    assert not leave_seat(a_lobby("l", a_party("a", size=3)), "a1").open


def test_a_new_name_shows_in_the_lobby_and_moves_nobody() -> None:
    lobby = a_lobby("l", a_party("a", size=2))
    renamed = rename_seat(lobby, "a1", "Ada")
    assert [seat.nickname for seat in renamed.seats] == ["A", "Ada"]
    assert replace(renamed, seats=()) == replace(lobby, seats=())
    assert rename_seat(lobby, "x", "Ada") == lobby


# The player


def test_a_player_is_in_one_group_at_most_and_in_none_afterwards() -> None:
    player = enter_group(enter_group(a_player(), "g"), "h")
    assert player.group == "h"
    assert leave_group(player) == a_player()


def test_three_renames_an_hour_and_the_hour_moves() -> None:
    player = a_player()
    for number in range(3):
        player = rename(player, f"Name {number}", NOW_MS + number * 60_000)
    with pytest.raises(GameError) as caught:
        rename(player, "Name 4", NOW_MS + HOUR_MS - 1)
    assert caught.value.code is ErrorCode.TOO_MANY_RENAMES
    assert caught.value.until_ms == NOW_MS + HOUR_MS
    later = rename(player, "Name 4", NOW_MS + HOUR_MS)
    assert later.nickname == "Name 4"
    assert len(later.renamed_at_ms) == 3


def test_the_same_name_again_is_no_rename() -> None:
    player = a_player()
    for _ in range(9):
        assert rename(player, player.nickname, NOW_MS) == player


def test_a_change_taken_back_leaves_what_happened_since() -> None:
    player = finish(finish(a_player(), "t", 25), "u", -4)
    assert take_back(player, 25) == replace(player, rating=996, games=1)


def test_one_whose_tournament_is_stopped_is_free_and_may_look_at_it() -> None:
    player = finish_unplaced(take_seat(a_player(), "t"))
    assert (player.game, player.watching, player.rating, player.games) == (None, "t", 1000, 0)


# Stopped and voided


def test_a_stopped_tournament_gives_those_still_in_no_place_and_no_change() -> None:
    before = played(*OUT)
    tournament = stop(before, NOW_MS + 1)
    assert tournament.over
    assert {(table(tournament)[name].place, table(tournament)[name].rating_change) for name in "aceg"} == {(None, None)}
    assert {name: table(tournament)[name] for name in "bdfh"} == {name: table(before)[name] for name in "bdfh"}


def test_a_stopped_tournament_names_no_winner() -> None:
    tournament = stop(played("a>b c>d e>f g>h"), NOW_MS)
    assert {one.status for one in standings(tournament)} == {PlayerStatus.IN}


def test_what_is_over_is_not_stopped_and_a_second_stop_is_none() -> None:
    over = played(*["a=b c=d e=f g=h"] * 3)
    assert over.over
    assert stop(over, NOW_MS + 5) == over
    stopped = stop(played(), NOW_MS)
    assert stop(stopped, NOW_MS + 5) == stopped


def test_only_what_is_over_is_voided() -> None:
    assert void(stop(played(), NOW_MS)).voided
    with pytest.raises(ValueError, match="over"):
        void(played())


def test_a_cancelled_duel_is_over_without_winner_word_or_life_lost() -> None:
    _, duels = running(played(), "a-b c>d e-f g-h")
    for duel in duels:
        cancelled = duel_rules.cancel(duel, NOW_MS)
        assert cancelled.over
        if duel.over:
            assert cancelled == duel
        else:
            assert (cancelled.ending, cancelled.winner, cancelled.lives_left) == (None, None, (3, 3))
            assert cancelled.to_move is None


# Results


def test_nobody_has_fallen_before_the_first_round_is_settled() -> None:
    assert newly_placed(played()) == ()


def test_those_whose_place_the_last_round_has_fixed_are_told_and_nobody_again() -> None:
    assert {one.player_id for one in newly_placed(played(*OUT))} == set("bdfh")
    assert {one.place for one in newly_placed(played(*OUT))} == {5}
    assert newly_placed(played(*OUT, "a>c e>g")) == ()


def test_a_leaver_falls_when_the_round_is_settled() -> None:
    (fallen,) = newly_placed(played("a>b c>d e>f g>h !h"))
    assert (fallen.player_id, fallen.status, fallen.place) == ("h", PlayerStatus.LEFT, 8)


def test_the_winner_falls_with_the_last_round() -> None:
    tournament = played(*OUT, *["a>c e>g"] * 3, *["a>e"] * 3)
    assert tournament.over
    assert [(one.player_id, one.place) for one in newly_placed(tournament)] == [("a", 1), ("e", 2)]


def test_a_change_adds_up_from_seven_opponents() -> None:
    tournament = played(*OUT, *["a>c e>g"] * 3, *["a>e"] * 3, ratings=(1400, 1000, 900, 1100, 1000, 1200, 800, 1000))
    for one in standings(tournament):
        parts = rating_parts(tournament, one.player_id)
        assert len({other for other, _, _ in parts} - {one.player_id}) == len(parts) == 7
        assert round(math.fsum(points for _, _, points in parts)) == one.rating_change


def test_nothing_adds_up_before_the_place_is_fixed_and_nothing_for_strangers() -> None:
    assert rating_parts(played(*OUT), "a") == ()
    assert len(rating_parts(played(*OUT), "b")) == 7
    with pytest.raises(GameError):
        rating_parts(played(), "x")


def test_a_deleted_player_keeps_the_place_under_a_neutral_name() -> None:
    before = played(*OUT)
    after = forget(before, "b", "Deleted player")
    assert standings(after) == standings(before)
    assert [entrant.nickname for entrant in after.entrants] == ["A", "Deleted player", *"CDEFGH"]
