"""R1-R3, R6-R12, R20, R21, R27: rounds, lives, places and leaving, from the start to the end of a tournament."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.factories import (
    INTRO_MS,
    NAMES,
    NOW_MS,
    TURN_MS,
    a_word,
    ended,
    places,
    played,
    running,
    settled,
    some_entrants,
    started,
    table,
    timed_out,
)
from tests.unit.simulate import Moment, moments
from wordle_tournament.errors import ErrorCode, GameError
from wordle_tournament.rules import rating
from wordle_tournament.rules.duel import Duel, Ending, places_possible
from wordle_tournament.rules.tournament import (
    Entrant,
    PlayerStatus,
    Timing,
    Tournament,
    leave,
    lives,
    players_in,
    remaining,
    settle,
    start,
)

# b, d, f and h have one life each after these, the others three.
TWO_ROUNDS = ("a>b c>d e>f g>h", "a>b c>d e>f g>h")
# h is out after these, 8th and alone; a to g have 3, 2, 2, 1, 2, 1 and 1 lives.
OUT_H = ("a>h b>c d>e f>g", "a>h c>b e>d g>f", "a>h b>d c>f e>g")
# a, b and e are left after these, with 3, 1 and 1 lives; f and g are 6th, c is 5th and d 4th.
LAST_THREE = (*OUT_H, "a>g b>f d>c e", "d>c a>b e", "a>d b>e")
# a and b are left after these, with one life each; c and d are 3rd, the others 5th.
LAST_TWO = (
    *("a>h b>g c>f d>e",) * 3,
    "c>a d>b",
    "c>b d>a",
    "a>c b>d",
    "a>d b>c",
    "a>c b>d",
)

# The start and the rounds (R1-R3, R11, R12)


def test_eight_players_start_with_three_lives_each() -> None:
    tournament, _ = started()
    assert lives(tournament) == dict.fromkeys(NAMES, 3)


@pytest.mark.parametrize("count", [0, 7])
def test_fewer_than_eight_do_not_start(count: int) -> None:
    with pytest.raises(ValueError, match="8"):
        start("t", "en", some_entrants()[:count], Timing(), a_word, random.Random(1), NOW_MS)


def test_nine_do_not_start() -> None:
    nine = [*some_entrants(), Entrant("i", "I", 1000)]
    with pytest.raises(ValueError, match="8"):
        start("t", "en", nine, Timing(), a_word, random.Random(1), NOW_MS)


def test_nobody_plays_twice_in_a_tournament() -> None:
    eight = [*some_entrants()[:7], some_entrants()[0]]
    with pytest.raises(ValueError, match="8"):
        start("t", "en", eight, Timing(), a_word, random.Random(1), NOW_MS)


def test_eight_distinct_players_and_one_of_them_again_do_not_start() -> None:
    nine = [*some_entrants(), some_entrants()[0]]
    with pytest.raises(ValueError, match="8"):
        start("t", "en", nine, Timing(), a_word, random.Random(1), NOW_MS)


def test_the_first_round_pairs_all_eight() -> None:
    tournament, duels = started()
    assert sorted(player for duel in duels for player in duel.players) == list(NAMES)
    assert (len(duels), tournament.round.number, tournament.round.bye) == (4, 1, None)


def test_the_duels_start_together_after_the_introduction() -> None:
    _, duels = started()
    assert {duel.starts_at_ms for duel in duels} == {NOW_MS + INTRO_MS}
    assert {duel.deadline_ms for duel in duels} == {NOW_MS + INTRO_MS + TURN_MS}


def test_the_introduction_is_six_seconds_and_a_turn_thirty() -> None:
    assert Timing() == Timing(intro_ms=6_000, turn_ms=30_000)


def test_the_next_round_starts_after_an_introduction_of_its_own() -> None:
    tournament, duels = running(started()[0], "a>b c>d e>f g>h")
    _, following = settle(tournament, duels, Timing(1_000, 7_000), a_word, random.Random(1), NOW_MS + 99)
    assert {(duel.starts_at_ms, duel.deadline_ms) for duel in following} == {(NOW_MS + 1_099, NOW_MS + 8_099)}


def test_a_round_remembers_the_match_of_each_duel() -> None:
    tournament, duels = started()
    for duel in duels:
        match = tournament.match_of(duel.players[1])
        assert match is not None
        assert (match.duel_id, match.players, match.length) == (duel.duel_id, duel.players, len(duel.word))


def test_one_with_the_bye_has_no_match() -> None:
    tournament, _ = running(played(*OUT_H), "a-b c-d e-f g")
    assert tournament.match_of("g") is None


def test_a_stranger_is_no_entrant() -> None:
    with pytest.raises(GameError) as refused:
        started()[0].entrant("x")
    assert refused.value.code is ErrorCode.NOT_IN_TOURNAMENT


def test_every_pair_has_a_word_of_its_own_and_no_word_comes_twice() -> None:
    for seed in range(20):
        *_, last = moments(random.Random(seed), draws=0.2)
        words = [result.word for played_round in last.tournament.rounds for result in played_round.results]
        assert len(set(words)) == len(words) == sum(len(item.matches) for item in last.tournament.rounds)


def test_the_words_length_is_drawn_for_every_duel_and_each_of_three_as_likely() -> None:
    lengths = Counter(len(duel.word) for seed in range(600) for duel in started(seed)[1])
    assert set(lengths) == {4, 5, 6}
    assert all(720 < count < 880 for count in lengths.values())


def test_two_duels_of_a_round_need_not_have_words_of_the_same_length() -> None:
    assert {len({len(duel.word) for duel in started(seed)[1]}) for seed in range(50)} == {1, 2, 3}


def test_a_word_is_drawn_knowing_all_that_were_used() -> None:
    tournament, duels = running(started()[0], "a>b c>d e>f g>h")
    words = ("lion", "zebra", "badger", "otter")
    duels = tuple(replace(duel, word=word) for duel, word in zip(duels, words, strict=True))
    told: list[set[str]] = []

    def draw_word(length: int, used: object) -> str:
        assert isinstance(used, set)
        told.append(set(used))
        return f"{len(told)}".rjust(length, "x")

    _, following = settle(tournament, duels, Timing(), draw_word, random.Random(1), NOW_MS)
    assert told == [{*words, *(duel.word for duel in following[:index])} for index in range(4)]


def test_the_secret_words_are_in_no_text_made_of_a_running_tournament() -> None:
    tournament, duels = started()
    text = f"{tournament!r} {duels!r} {tournament} {duels}"
    assert not [duel.word for duel in duels if duel.word in text]


def test_a_result_keeps_what_became_of_the_duel() -> None:
    tournament, duels = running(started()[0], "a>b c=d !e e-f g>h")
    results = settled(tournament, duels)[0].rounds[0].results
    assert [(result.duel_id, result.ending, result.winner, result.word, result.turns) for result in results] == [
        (duel.duel_id, ending, winner, duel.word, turns)
        for duel, (ending, winner, turns) in zip(
            duels,
            [(Ending.SOLVED, "a", 1), (Ending.DRAWN, None, 12), (Ending.FORFEITED, "f", 0), (Ending.SOLVED, "g", 1)],
            strict=True,
        )
    ]


# Settling once, with everything there (R3)


def test_a_round_is_not_settled_while_a_duel_runs() -> None:
    with pytest.raises(ValueError, match="over"):
        settled(*running(started()[0], "a>b c>d e>f g-h"))


def test_a_round_is_not_settled_with_a_duel_missing() -> None:
    tournament, duels = running(started()[0], "a>b c>d e>f g>h")
    with pytest.raises(ValueError, match="all its duels"):
        settled(tournament, duels[1:])


def test_a_round_is_not_settled_with_another_rounds_duels() -> None:
    tournament, duels = running(started()[0], "a>b c>d e>f g>h")
    following, _ = settled(tournament, duels)
    with pytest.raises(ValueError, match="all its duels"):
        settled(following, duels)


def test_a_tournament_that_is_over_is_not_settled_again() -> None:
    tournament, duels = running(played(*LAST_TWO), "a=b")
    over, _ = settled(tournament, duels)
    assert settled(over, duels) == (over, ())


def test_the_same_chance_settles_alike() -> None:
    tournament, duels = running(started()[0], "a>b c>d e>f g>h")
    assert settled(tournament, duels) == settled(tournament, duels)


# Lives (R6, R7)


def test_losing_costs_a_life_winning_none_and_a_draw_one_of_each() -> None:
    assert lives(played("a>b c=d e>f g>h")) == {"a": 3, "b": 2, "c": 2, "d": 2, "e": 3, "f": 2, "g": 3, "h": 2}


def test_a_bye_costs_nothing() -> None:
    assert lives(played(*OUT_H, "a>b c>d e>f g"))["g"] == lives(played(*OUT_H))["g"]


def test_the_lives_a_duel_starts_with_are_those_left() -> None:
    tournament, duels = settled(*running(started()[0], "a>b c=d e>f g>h"))
    left = lives(tournament)
    assert all(duel.lives == (left[duel.players[0]], left[duel.players[1]]) for duel in duels)


def test_lives_are_taken_when_the_duel_ends_and_standings_change_when_the_round_does() -> None:
    tournament, duels = running(played(*TWO_ROUNDS), "a>b c-d e-f g-h")
    assert duels[0].lives_left == (3, 0)
    assert remaining(tournament, duels) == ("a", "c", "d", "e", "f", "g", "h")
    assert (table(tournament)["b"].status, places(tournament)["b"]) == (PlayerStatus.IN, None)


def test_at_no_lives_a_player_is_out_and_not_paired_again() -> None:
    tournament, duels = settled(*running(played(*TWO_ROUNDS), "a>b c>e d>f g>h"))
    assert table(tournament)["b"].status is PlayerStatus.OUT
    assert "b" not in players_in(tournament)
    assert "b" not in [player for duel in duels for player in duel.players] + [tournament.round.bye]


# Places (R7-R9)


def test_the_one_eliminated_alone_first_is_eighth() -> None:
    assert places(played(*OUT_H)) == dict.fromkeys("abcdefg") | {"h": 8}


def test_players_eliminated_in_the_same_round_share_the_place_below_all_still_in() -> None:
    tournament = played(*TWO_ROUNDS, "a>b c>d g>f e>h")
    assert places(tournament) == dict.fromkeys("aceg") | dict.fromkeys("bdfh", 5)


def test_two_out_together_with_six_still_in_are_both_seventh() -> None:
    tournament = played(*TWO_ROUNDS, "a>b c>d f>e h>g")
    assert places(tournament) == dict.fromkeys("acefgh") | {"b": 7, "d": 7}


def test_the_last_one_in_has_won() -> None:
    tournament = played(*LAST_TWO, "b>a")
    assert tournament.over
    assert (table(tournament)["b"].status, table(tournament)["b"].place, table(tournament)["b"].lives) == (
        PlayerStatus.WON,
        1,
        1,
    )


def test_places_of_a_whole_tournament() -> None:
    assert places(played(*LAST_TWO, "b>a")) == {
        "b": 1,
        "a": 2,
        "c": 3,
        "d": 3,
        "e": 5,
        "f": 5,
        "g": 5,
        "h": 5,
    }


def test_places_by_groups_of_one_two_one_one_one_and_two() -> None:
    tournament = played(*LAST_THREE, "a>b e", "e>a", "e>a", "a=e")
    assert places(tournament) == {"a": 1, "b": 3, "c": 5, "d": 4, "e": 1, "f": 6, "g": 6, "h": 8}


def test_two_who_share_the_second_place_are_followed_by_the_fourth() -> None:
    tournament = places(played(*LAST_THREE, "b=e a"))
    assert [tournament[player] for player in "abed"] == [1, 2, 2, 4]


def test_the_one_with_the_bye_wins_when_the_others_fall() -> None:
    assert table(played(*LAST_THREE, "b=e a"))["a"].status is PlayerStatus.WON


def test_two_left_with_one_life_each_and_a_draw_share_the_first_place() -> None:
    tournament = played(*LAST_TWO, "a=b")
    assert (tournament.over, places(tournament)["a"], places(tournament)["b"]) == (True, 1, 1)


def test_when_the_last_fall_together_nobody_has_won_and_no_round_follows() -> None:
    tournament, duels = settled(*running(played(*LAST_TWO), "a=b"))
    assert (duels, len(tournament.rounds), tournament.ended_at_ms) == ((), 9, NOW_MS)
    assert PlayerStatus.WON not in {standing.status for standing in table(tournament).values()}


def test_four_left_with_one_life_each_and_two_draws_are_all_first() -> None:
    tournament = played(*("a>h b>g c>f d>e",) * 3, "a=b c=d", "a=c b=d", "a=b c=d")
    assert tournament.over
    assert places(tournament) == dict.fromkeys("abcd", 1) | dict.fromkeys("efgh", 5)


def test_all_eight_losing_all_lives_by_draws_are_all_first_after_three_rounds() -> None:
    tournament = played("a=b c=d e=f g=h", "a=c b=d e=g f=h", "a=b c=d e=f g=h")
    assert (tournament.over, len(tournament.rounds)) == (True, 3)
    assert {(standing.place, standing.rating_change) for standing in table(tournament).values()} == {(1, 0)}


def test_standings_are_best_first_with_those_in_by_their_lives() -> None:
    tournament = played(*TWO_ROUNDS, "a>b c>d f>e h>g")
    assert [(standing.place, standing.lives) for standing in table(tournament).values()] == [
        *[(None, 3)] * 2,
        *[(None, 2)] * 2,
        *[(None, 1)] * 2,
        *[(7, 0)] * 2,
    ]


# Rating changes (R19-R21)


def test_the_rating_change_is_fixed_with_the_place_and_not_before() -> None:
    changes = {player: standing.rating_change for player, standing in table(played(*OUT_H)).items()}
    assert changes == dict.fromkeys("abcdefg") | {"h": -25}


def test_two_sharing_the_first_place_get_21_each() -> None:
    tournament = table(played(*LAST_TWO, "a=b"))
    assert [tournament[player].rating_change for player in "ab"] == [21, 21]


def test_two_sharing_the_last_place_lose_21_each() -> None:
    tournament = table(played(*TWO_ROUNDS, "a>b c>d f>e h>g"))
    assert [tournament[player].rating_change for player in "bd"] == [-21, -21]


def test_the_winner_gets_25_among_equals() -> None:
    assert table(played(*LAST_TWO, "b>a"))["b"].rating_change == 25


def test_the_change_is_reckoned_with_the_ratings_of_the_start() -> None:
    # h is rated 1400, loses to seven of 1000 each, and loses ten elevenths of 50.
    assert table(played(*OUT_H, ratings=(1000,) * 7 + (1400,)))["h"].rating_change == -45


def test_a_leaver_is_rated_by_the_place_like_anybody() -> None:
    tournament, duels = running(started()[0], "!h a>b c>d e>f g-h")
    assert table(settled(tournament, duels)[0])["h"].rating_change == -25


# Leaving (R27)


def test_leaving_loses_the_running_duel_and_the_opponent_nothing() -> None:
    tournament = played("a>b c>d e>f !h g-h")
    assert (lives(tournament)["g"], lives(tournament)["h"], table(tournament)["h"].status) == (3, 0, PlayerStatus.LEFT)


def test_leaving_ends_only_the_leavers_duel() -> None:
    tournament, duels = running(started()[0], "a-b c-d e-f g-h")
    _, changed = leave(tournament, duels, "d", NOW_MS + 5)
    over = [(duel.players, duel.winner, duel.ended_at_ms) for duel in changed if duel.over]
    assert over == [(("c", "d"), "c", NOW_MS + 5)]


@pytest.mark.parametrize(
    "script",
    [
        "!h a>b c>d e>f g-h",  # in the introduction, or in the duel
        "a>b c>d e>f g-h !h",  # when all others are done
        "g>h !h a>b c>d e>f",  # after losing this round's duel
        "h>g !h a>b c>d e>f",  # after winning it
        "g=h !h a>b c>d e>f",  # after a draw
    ],
)
def test_a_leaver_is_out_at_whatever_moment(script: str) -> None:
    tournament = played(script)
    assert (table(tournament)["h"].status, places(tournament)["h"], lives(tournament)["h"]) == (PlayerStatus.LEFT, 8, 0)
    assert "h" not in players_in(tournament)


def test_a_leaver_in_the_middle_of_a_duel_is_out_too() -> None:
    tournament, duels = running(started()[0], "a>b c>d e>f g-h")
    duels = (*duels[:3], timed_out(duels[3], 3))
    left, forfeited = leave(tournament, duels, "h", NOW_MS)
    assert places(settled(left, (*duels[:3], *forfeited))[0])["h"] == 8


def test_leaving_after_winning_gives_the_loser_no_life_back() -> None:
    assert lives(played("h>g !h a>b c>d e>f"))["g"] == 2


def test_one_who_leaves_with_the_bye_is_out() -> None:
    tournament = played(*OUT_H, "b>a d>c f>e g !g")
    assert (table(tournament)["g"].status, places(tournament)["g"]) == (PlayerStatus.LEFT, 7)


def test_a_leaver_is_placed_below_all_others_eliminated_in_that_round() -> None:
    tournament = played(*TWO_ROUNDS, "a>b c>d !e e-f g>h")
    # Four are in (a, c, f, g), three fell and one left.
    assert places(tournament) == dict.fromkeys("acfg") | dict.fromkeys("bdh", 5) | {"e": 8}


def test_a_leaver_is_above_those_eliminated_before() -> None:
    assert places(played(*OUT_H, "b>a d>c f>e g !g")) == dict.fromkeys("abcdef") | {"g": 7, "h": 8}


def test_two_who_leave_in_the_same_round_share_the_lower_place() -> None:
    tournament = played(*TWO_ROUNDS, "!a a-b c>d !e e-f g>h")
    assert places(tournament) == dict.fromkeys("bcfg") | dict.fromkeys("dh", 5) | dict.fromkeys("ae", 7)


def test_both_of_a_duel_who_leave_share_the_lower_place() -> None:
    tournament = played("a>b c>d e>f !g !h g-h")
    assert places(tournament) == dict.fromkeys("abcdef") | {"g": 7, "h": 7}


def test_a_leaver_who_would_have_fallen_anyway_is_below_those_who_fell() -> None:
    tournament = played(*TWO_ROUNDS, "a>b c>d e>f !h g-h")
    assert places(tournament) == dict.fromkeys("aceg") | dict.fromkeys("bdf", 5) | {"h": 8}


def test_one_whose_last_life_is_gone_keeps_the_place_by_leaving_then() -> None:
    before, duels = running(played(*TWO_ROUNDS), "a>b c-d e-f g-h")
    assert leave(before, duels, "b", NOW_MS) == (before, ())


def test_one_who_is_out_changes_nothing_by_leaving() -> None:
    tournament, duels = running(played(*OUT_H), "a-b c-d e-f g")
    assert leave(tournament, duels, "h", NOW_MS) == (tournament, ())


def test_leaving_twice_is_leaving_once() -> None:
    tournament, duels = running(started()[0], "!a a-b c-d e-f g-h")
    assert leave(tournament, duels, "a", NOW_MS + 9) == (tournament, ())


def test_a_leaver_of_an_earlier_round_changes_nothing_by_leaving_again() -> None:
    tournament, duels = running(played("!h a>b c>d e>f g-h"), "a-c b-d e-g f")
    assert leave(tournament, duels, "h", NOW_MS) == (tournament, ())


def test_a_stranger_cannot_leave() -> None:
    with pytest.raises(GameError) as refused:
        leave(*started(), "x", NOW_MS)
    assert refused.value.code is ErrorCode.NOT_IN_TOURNAMENT


def test_when_all_but_one_leave_the_last_one_has_won() -> None:
    tournament, duels = running(started()[0], "a-b c-d e-f g-h !a !c !d !e !f !g !h")
    assert remaining(tournament, duels) == ("b",)
    over, following = settled(tournament, duels)
    assert (over.over, following, table(over)["b"].status) == (True, (), PlayerStatus.WON)
    assert places(over) == {"b": 1} | dict.fromkeys("acdefgh", 2)


def test_no_duel_runs_on_when_one_player_is_left() -> None:
    _, duels = running(started()[0], "a-b c-d e-f g-h !a !c !d !e !f !g !h")
    assert all(duel.over for duel in duels)


def test_the_last_one_left_cannot_leave_the_victory() -> None:
    tournament, duels = running(started()[0], "a-b c-d e-f g-h !a !c !d !e !f !g !h")
    assert leave(tournament, duels, "b", NOW_MS) == (tournament, ())


def test_when_all_leave_the_tournament_is_over_and_everybody_placed() -> None:
    tournament = played("a-b c-d e-f g-h !a !b !c !d !e !f !g !h")
    assert tournament.over
    assert None not in places(tournament).values()


def test_one_of_the_last_two_leaving_makes_the_other_the_winner() -> None:
    tournament = table(played(*LAST_TWO, "!a a-b"))
    assert [(tournament[player].status, tournament[player].place) for player in "ba"] == [
        (PlayerStatus.WON, 1),
        (PlayerStatus.LEFT, 2),
    ]


def test_the_winner_of_the_last_duel_cannot_lose_it_by_leaving() -> None:
    tournament, duels = running(played(*LAST_TWO), "a>b !a")
    assert table(settled(tournament, duels)[0])["a"].status is PlayerStatus.WON


def test_one_with_the_bye_who_leaves_is_third_even_when_the_other_two_fall_together() -> None:
    tournament = places(played(*LAST_THREE, "a !a b=e"))
    assert [tournament[player] for player in "abe"] == [3, 1, 1]


def test_after_the_end_leaving_changes_nothing() -> None:
    tournament, duels = running(played(*LAST_TWO), "a>b")
    over, _ = settled(tournament, duels)
    assert leave(over, duels, "a", NOW_MS) == (over, ())


# The places that are still possible (R9), by trying everything that the other duels can bring


def others_played(duels: Sequence[Duel], mine: Duel) -> list[tuple[Duel, ...]]:
    others = [duel for duel in duels if duel is not mine]
    return [
        tuple(ended(duel, winner) for duel, winner in zip(others, winners, strict=True))
        for winners in product(*((*duel.players, None) for duel in others))
    ]


def places_by_trying(tournament: Tournament, duels: Sequence[Duel], mine: Duel, over: Duel, player: str) -> set[int]:
    found = set()
    for others in others_played(duels, mine):
        place = places(settled(tournament, (over, *others))[0])[player]
        assert place is not None
        found.add(place)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_the_best_and_worst_place_possible_are_those_the_other_duels_can_bring(seed: int) -> None:
    told = 0
    seen: set[int] = set()
    for tournament, duels in moments(random.Random(seed), draws=0.15):
        # Only a round at its very beginning.
        if tournament.over or tournament.round.number in seen:
            continue
        seen.add(tournament.round.number)
        for mine in duels:
            for winner in (*mine.players, None):
                over = ended(mine, winner)
                for player, left in zip(over.players, over.lives_left, strict=True):
                    if left == 0:
                        possible = places_by_trying(tournament, duels, mine, over, player)
                        assert places_possible(over, player) == (min(possible), max(possible))
                        told += 1
    assert told > 5


# Invariants of every tournament


def check_places(tournament: Tournament) -> None:
    placed = {player: place for player, place in places(tournament).items() if place is not None}
    still_in = 8 - len(placed)
    for place in placed.values():
        assert place == 1 + still_in + sum(other < place for other in placed.values())


SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize("seed", range(60))
def test_the_places_that_a_duel_calls_possible_hold(seed: int) -> None:
    """R9: the worst is certain; the best holds unless somebody leaves after the duel was over."""
    told: dict[str, tuple[int, int, int]] = {}
    for tournament, duels in moments(random.Random(seed), draws=0.4, leaving=0.3):
        left = sum(len(played.leavers) for played in tournament.rounds)
        for duel in duels:
            for player in duel.players:
                places = places_possible(duel, player)
                if places is not None:
                    told.setdefault(player, (*places, left))
        settled = {player: standing.place for player, standing in table(tournament).items() if standing.place}
        for player in told.keys() & settled.keys():
            best, worst, left_before = told.pop(player)
            later = sum(len(played.leavers) for played in tournament.rounds) - left_before
            place = settled[player]
            assert place is not None
            assert place <= worst, player
            assert later or best <= place, player


@pytest.mark.thorough
@given(SEEDS, st.sampled_from([0.0, 0.05, 0.3, 0.8, 1.0]), st.sampled_from([0.0, 0.02, 0.1, 0.5]))
def test_any_tournament_keeps_the_rules_from_beginning_to_end(seed: int, draws: float, leaving: float) -> None:
    fixed: dict[str, tuple[int | None, int | None]] = {}
    before: Moment | None = None
    for moment in moments(random.Random(seed), draws, leaving, ratings=tuple(range(900, 1300, 50))):
        tournament, duels = moment
        assert all(0 <= left <= 3 for left in lives(tournament).values())
        check_places(tournament)
        for player, standing in table(tournament).items():
            assert (standing.place is None) == (standing.rating_change is None)
            assert (standing.status is PlayerStatus.IN) == (standing.place is None)
            if player in fixed:
                assert (standing.place, standing.rating_change) == fixed[player]
            elif standing.place is not None:
                fixed[player] = (standing.place, standing.rating_change)
        if before and before.tournament.round.number != tournament.round.number:
            # R5, R4: against the round before.
            last, now = before.tournament.round, tournament.round
            assert now.bye is None or now.bye != last.bye
            again = {frozenset(pair) for pair in now.pairing.pairs} & {frozenset(pair) for pair in last.pairing.pairs}
            assert not again or len(players_in(tournament)) == 2
        if not tournament.over:
            assert len(players_in(tournament)) >= 2
            if len(remaining(tournament, duels)) <= 1:
                assert all(duel.over for duel in duels)
        before = moment
    assert before is not None
    tournament = before.tournament
    assert tournament.over
    assert len(fixed) == 8
    assert sum(len(item.matches) for item in tournament.rounds) <= 23
    winners = [standing for standing in table(tournament).values() if standing.status is PlayerStatus.WON]
    assert len(winners) <= 1
    assert len(winners) == 1 or sum(place == 1 for place, _ in fixed.values()) >= 2


@pytest.mark.thorough
@given(SEEDS, st.sampled_from([0.0, 0.05, 0.3, 1.0]))
def test_without_leavers_it_takes_three_to_twelve_rounds(seed: int, draws: float) -> None:
    *_, last = moments(random.Random(seed), draws)
    assert 3 <= len(last.tournament.rounds) <= 12


@pytest.mark.thorough
@given(SEEDS, st.lists(st.integers(-500, 4_000), min_size=8, max_size=8))
def test_what_is_shown_and_what_is_rated_are_the_same_places(seed: int, ratings: list[int]) -> None:
    *_, last = moments(random.Random(seed), draws=0.3, leaving=0.05, ratings=tuple(ratings))
    standings = table(last.tournament)
    own_ratings = dict(zip(NAMES, ratings, strict=True))
    for player, standing in standings.items():
        assert standing.place is not None
        against = [
            (own_ratings[other], rating.Outcome.of(standing.place, theirs.place))
            for other, theirs in standings.items()
            if other != player and theirs.place is not None
        ]
        assert standing.rating_change == rating.change(own_ratings[player], against)


@pytest.mark.parametrize("saved", ["most", "fewest"])
def test_no_choice_of_losers_makes_it_longer_than_23_duels(saved: str) -> None:
    for seed in range(30):
        tournament, duels = started(seed)
        while not tournament.over:
            finished = []
            for duel in duels:
                first_is_richer = duel.lives[0] >= duel.lives[1]
                finished.append(ended(duel, duel.players[first_is_richer != (saved == "most")]))
            tournament, duels = settled(tournament, finished, seed)
        assert len(tournament.rounds) <= 12
        assert sum(len(item.matches) for item in tournament.rounds) <= 23
