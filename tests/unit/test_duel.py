"""R11-R18, R27: one duel, its turns and its clock."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.factories import NOW_MS, TURN_MS, a_duel, ended, guessed, timed_out
from wordle_tournament.errors import ErrorCode, GameError
from wordle_tournament.rules.duel import (
    TURNS,
    TURNS_EACH,
    Duel,
    Ending,
    Outlook,
    Phase,
    Row,
    forfeit,
    guess,
    places_possible,
    row_already_played,
    skip,
)
from wordle_tournament.rules.marks import Mark


def refusal(duel: Duel, player_id: str, turn: int, received_ms: int, word: str = "zzzzz") -> ErrorCode:
    with pytest.raises(GameError) as refused:
        guess(duel, player_id, turn, word, received_ms, received_ms)
    return refused.value.code


# Turns (R11)


def test_the_first_of_the_players_guesses_first() -> None:
    assert (a_duel().turn, a_duel().to_move) == (1, "ann")


def test_turns_alternate_whether_used_or_skipped() -> None:
    duel, movers = a_duel(), []
    for index in range(TURNS - 1):
        movers.append(duel.to_move)
        duel = timed_out(duel) if index % 3 == 0 else guessed(duel)
    assert movers == ["ann", "bob"] * 5 + ["ann"]


def test_each_has_six_turns_and_the_board_twelve_rows() -> None:
    duel = a_duel()
    while not duel.over:
        duel = guessed(duel)
    assert [row.player_id for row in duel.rows] == ["ann", "bob"] * 6


def test_a_guess_takes_a_row_with_its_marks() -> None:
    duel = guessed(a_duel("crane"), "nacre")
    assert duel.rows == (Row("ann", "nacre", (Mark.PRESENT, Mark.PRESENT, Mark.PRESENT, Mark.PRESENT, Mark.CORRECT)),)


def test_a_guess_already_on_the_board_may_be_repeated() -> None:
    duel = guessed(guessed(a_duel(), "nacre"), "nacre")
    assert [row.word for row in duel.rows] == ["nacre", "nacre"]


def test_out_of_turn_is_refused() -> None:
    assert refusal(a_duel(), "bob", 1, NOW_MS) is ErrorCode.NOT_YOUR_TURN


def test_out_of_turn_is_refused_even_with_the_right_word() -> None:
    assert refusal(a_duel("crane"), "bob", 1, NOW_MS, "crane") is ErrorCode.NOT_YOUR_TURN


def test_a_turn_cannot_be_played_ahead() -> None:
    assert refusal(a_duel(), "ann", 3, NOW_MS) is ErrorCode.NOT_YOUR_TURN


def test_one_who_just_guessed_waits_for_the_opponent() -> None:
    duel = guessed(a_duel())
    assert refusal(duel, "ann", 2, duel.deadline_ms - 1) is ErrorCode.NOT_YOUR_TURN


def test_a_second_word_for_the_same_turn_is_refused() -> None:
    duel = guessed(a_duel(), "nacre")
    assert refusal(duel, "ann", 1, NOW_MS + 2_000, "caner") is ErrorCode.TURN_OVER


def test_a_stranger_does_not_guess() -> None:
    assert refusal(a_duel(), "eve", 1, NOW_MS) is ErrorCode.NOT_IN_DUEL


def test_a_stranger_learns_nothing_else_of_a_duel_that_is_over() -> None:
    assert refusal(ended(a_duel(), "ann"), "eve", 1, NOW_MS) is ErrorCode.NOT_IN_DUEL


def test_nobody_guesses_during_the_introduction() -> None:
    assert refusal(a_duel(), "ann", 1, NOW_MS - 1) is ErrorCode.NOT_STARTED


def test_a_guess_counts_from_the_instant_the_duel_starts() -> None:
    assert len(guessed(a_duel(), after_ms=0).rows) == 1


def test_the_opponent_is_the_other_one() -> None:
    assert [a_duel().opponent(player) for player in ("ann", "bob")] == ["bob", "ann"]


# The clock (R11, R15, R17)


def test_a_guess_received_just_before_the_deadline_counts() -> None:
    assert guessed(a_duel(), after_ms=TURN_MS - 1).rows[0].player_id == "ann"


@pytest.mark.parametrize("late_ms", [0, 1, 1_000])
def test_a_guess_received_at_the_deadline_or_later_is_too_late(late_ms: int) -> None:
    assert refusal(a_duel(), "ann", 1, NOW_MS + TURN_MS + late_ms) is ErrorCode.TURN_OVER


def test_the_right_word_at_the_deadline_is_too_late() -> None:
    assert refusal(a_duel("crane"), "ann", 1, NOW_MS + TURN_MS, "crane") is ErrorCode.TURN_OVER


def test_a_guess_counts_by_when_it_was_received_and_not_when_it_was_handled() -> None:
    duel = guess(a_duel(), "ann", 1, "zzzzz", NOW_MS + TURN_MS - 1, NOW_MS + TURN_MS + 400)
    assert duel.rows == (Row("ann", "zzzzz", (Mark.ABSENT,) * 5),)


def test_the_opponent_has_the_whole_turn_from_when_the_guess_was_handled() -> None:
    duel = guess(a_duel(), "ann", 1, "zzzzz", NOW_MS + TURN_MS - 1, NOW_MS + TURN_MS + 400)
    assert duel.deadline_ms == NOW_MS + TURN_MS + 400 + TURN_MS


def test_a_guess_for_a_skipped_turn_is_too_late() -> None:
    duel = timed_out(a_duel())
    assert refusal(duel, "ann", 1, NOW_MS + TURN_MS - 1) is ErrorCode.TURN_OVER


def test_a_turn_is_not_skipped_before_its_deadline() -> None:
    duel = a_duel()
    assert skip(duel, 1, NOW_MS + TURN_MS - 1, 0) == duel


def test_a_turn_is_skipped_at_exactly_its_deadline() -> None:
    assert skip(a_duel(), 1, NOW_MS + TURN_MS, 0).rows == (Row("ann", None, ()),)


def test_in_the_grace_a_turn_is_not_skipped_and_a_guess_received_in_time_counts() -> None:
    """R17: on the last turn too, where the skip would make a draw of the solving word."""
    duel = a_duel()
    for turn in range(1, 13):
        assert skip(duel, turn, duel.deadline_ms + 999, 1_000) == duel
        if turn < 12:
            duel = skip(duel, turn, duel.deadline_ms + 1_000, 1_000)
            assert duel.turn == turn + 1
    received_ms, now_ms = duel.deadline_ms - 1, duel.deadline_ms + 999
    assert duel.to_move is not None
    assert guess(duel, duel.to_move, 12, duel.word, received_ms, now_ms).ending is Ending.SOLVED


def test_a_skipped_turn_passes_to_the_opponent_with_a_whole_turn() -> None:
    duel = skip(a_duel(), 1, NOW_MS + TURN_MS + 700, 0)
    assert (duel.to_move, duel.turn, duel.deadline_ms) == ("bob", 2, NOW_MS + TURN_MS + 700 + TURN_MS)


@pytest.mark.parametrize("later_ms", [0, 1, 10 * TURN_MS])
def test_an_expiry_delivered_again_skips_nothing_and_starts_no_clock(later_ms: int) -> None:
    once = skip(a_duel(), 1, NOW_MS + TURN_MS, 0)
    assert skip(once, 1, NOW_MS + TURN_MS + later_ms, 0) == once


def test_the_expiry_of_a_played_turn_skips_nothing() -> None:
    duel = guessed(a_duel())
    assert skip(duel, 1, duel.deadline_ms + 1, 0) == duel


def test_a_turn_to_come_cannot_be_skipped() -> None:
    assert skip(a_duel(), 2, NOW_MS + 10 * TURN_MS, 0) == a_duel()


def test_exactly_one_of_guess_and_skip_takes_a_turn_at_any_instant() -> None:
    duel = a_duel()
    for instant in (NOW_MS + TURN_MS - 1, NOW_MS + TURN_MS):
        skipped = skip(duel, 1, instant, 0) != duel
        try:
            guess(duel, "ann", 1, "zzzzz", instant, instant)
            guessed_in_time = True
        except GameError:
            guessed_in_time = False
        assert skipped != guessed_in_time


# Resends (R11: one guess a turn)


def test_a_resend_is_known_by_player_turn_and_word() -> None:
    assert row_already_played(guessed(a_duel(), "nacre"), "ann", 1, "nacre")


@pytest.mark.parametrize(
    ("player_id", "turn", "word"),
    [
        ("ann", 1, "caner"),
        ("bob", 1, "nacre"),
        ("ann", 2, "nacre"),
        ("ann", 0, "nacre"),
        ("ann", -1, "nacre"),
        ("ann", 3, "nacre"),
    ],
)
def test_anything_else_is_no_resend(player_id: str, turn: int, word: str) -> None:
    duel = guessed(guessed(a_duel(), "nacre"), "aaaaa")
    assert not row_already_played(duel, player_id, turn, word)


def test_the_solving_guess_is_known_again_after_the_duel() -> None:
    assert row_already_played(guessed(a_duel("crane"), "crane"), "ann", 1, "crane")


def test_a_guess_after_its_turn_was_skipped_is_no_resend() -> None:
    assert not row_already_played(timed_out(a_duel()), "ann", 1, "nacre")


# How it ends (R6, R13, R15, R16, R27)


def test_the_first_to_guess_the_word_wins() -> None:
    duel = guessed(guessed(a_duel("crane")), "crane")
    assert (duel.phase, duel.ending, duel.winner) == (Phase.OVER, Ending.SOLVED, "bob")


def test_the_word_in_the_very_last_turn_still_wins() -> None:
    duel = guessed(timed_out(a_duel("crane"), TURNS - 1), "crane")
    assert (duel.ending, duel.winner, len(duel.rows)) == (Ending.SOLVED, "bob", 12)


def test_twelve_wrong_guesses_are_a_draw() -> None:
    duel = a_duel()
    for _ in range(TURNS):
        duel = guessed(duel)
    assert (duel.ending, duel.winner) == (Ending.DRAWN, None)


def test_twelve_skips_are_a_draw() -> None:
    duel = timed_out(a_duel(), TURNS)
    assert (duel.ending, duel.winner, duel.lives_left) == (Ending.DRAWN, None, (2, 2))


def test_eleven_skips_are_no_end() -> None:
    assert timed_out(a_duel(), TURNS - 1).over is False


def test_skipping_every_turn_does_not_lose_while_the_opponent_guesses_wrong() -> None:
    duel = a_duel()
    while not duel.over:
        duel = timed_out(duel) if duel.to_move == "ann" else guessed(duel)
    assert duel.ending is Ending.DRAWN


def test_nobody_is_to_move_once_it_is_over() -> None:
    assert ended(a_duel(), "ann").to_move is None


def test_it_ends_when_the_last_guess_was_handled() -> None:
    assert guess(a_duel("crane"), "ann", 1, "crane", NOW_MS + 5, NOW_MS + 9).ended_at_ms == NOW_MS + 9


@pytest.mark.parametrize("player_id", ["ann", "bob"])
def test_nothing_is_guessed_after_the_end(player_id: str) -> None:
    duel = guessed(a_duel("crane"), "crane")
    assert refusal(duel, player_id, 2, NOW_MS + 2_000) is ErrorCode.DUEL_OVER


def test_nothing_is_skipped_after_the_end() -> None:
    duel = guessed(a_duel("crane"), "crane")
    assert skip(duel, duel.turn, duel.deadline_ms + TURN_MS, 0) == duel


@pytest.mark.parametrize(("winner", "lives_left"), [("ann", (3, 2)), ("bob", (2, 3)), (None, (2, 2))])
def test_losing_costs_a_life_and_a_draw_one_of_each(winner: str | None, lives_left: tuple[int, int]) -> None:
    assert ended(a_duel(), winner).lives_left == lives_left


def test_no_life_is_lost_while_the_duel_runs() -> None:
    duel = timed_out(a_duel(), 5)
    assert (duel.losers, duel.lives_left) == ((), (3, 3))


@pytest.mark.parametrize("turns_before", [0, 1, 2])
def test_leaving_gives_the_duel_to_the_opponent_on_whosever_turn(turns_before: int) -> None:
    duel = forfeit(timed_out(a_duel(), turns_before), "ann", NOW_MS + 5)
    assert (duel.ending, duel.winner, duel.ended_at_ms) == (Ending.FORFEITED, "bob", NOW_MS + 5)


def test_leaving_costs_all_lives_and_the_opponent_none() -> None:
    assert forfeit(a_duel(lives=(3, 2)), "ann", NOW_MS).lives_left == (0, 2)


def test_a_duel_can_be_forfeited_during_the_introduction() -> None:
    assert forfeit(a_duel(), "bob", NOW_MS - 1).winner == "ann"


@pytest.mark.parametrize("leaver", ["ann", "bob"])
@pytest.mark.parametrize("winner", ["ann", "bob", None])
def test_a_duel_that_is_over_stays_as_it_ended(leaver: str, winner: str | None) -> None:
    duel = ended(a_duel(), winner)
    assert forfeit(duel, leaver, NOW_MS + 99) == duel


def test_when_both_leave_the_first_has_lost() -> None:
    duel = forfeit(forfeit(a_duel(), "bob", NOW_MS), "ann", NOW_MS)
    assert (duel.winner, duel.lives_left) == ("ann", (3, 0))


def test_a_stranger_cannot_forfeit() -> None:
    with pytest.raises(GameError) as refused:
        forfeit(a_duel(), "eve", NOW_MS)
    assert refused.value.code is ErrorCode.NOT_IN_DUEL


# The secret (R18)


def test_the_secret_word_is_in_no_text_made_of_a_duel() -> None:
    duel = guessed(guessed(a_duel("crane")), "crane")
    assert "crane" not in repr(duel) + str(duel) + f"{duel.rows}"


def test_the_secret_word_is_in_no_refusal() -> None:
    with pytest.raises(GameError) as refused:
        guess(a_duel("crane"), "bob", 1, "crane", NOW_MS, NOW_MS)
    assert "crane" not in f"{refused.value} {refused.value.message} {refused.value!r}"


# Places still possible (R9), here against figures computed by hand; test_settlement.py tries every outcome.


def test_a_player_with_lives_left_has_no_place_yet() -> None:
    assert places_possible(ended(a_duel(lives=(2, 3)), "bob"), "ann") is None


def test_a_player_in_a_running_duel_has_no_place_yet() -> None:
    assert places_possible(a_duel(lives=(1, 1)), "ann") is None


def test_the_winner_has_no_place_yet() -> None:
    assert places_possible(ended(a_duel(lives=(1, 1)), "ann"), "ann") is None


def test_the_first_out_of_eight_is_last_when_nobody_else_can_fall() -> None:
    assert places_possible(ended(a_duel(lives=(1, 3), outlook=Outlook(8, 0, 0)), "bob"), "ann") == (8, 8)


def test_who_falls_elsewhere_makes_the_place_better() -> None:
    duel = ended(a_duel(lives=(1, 3), outlook=Outlook(8, 1, 4)), "bob")
    assert places_possible(duel, "ann") == (4, 7)


def test_both_of_a_draw_share_the_place() -> None:
    duel = ended(a_duel(lives=(1, 1), outlook=Outlook(8, 0, 2)), None)
    assert [places_possible(duel, player) for player in duel.players] == [(5, 7), (5, 7)]


def test_the_last_two_drawn_are_both_first() -> None:
    assert places_possible(ended(a_duel(lives=(1, 1), outlook=Outlook(2, 0, 0)), None), "bob") == (1, 1)


def test_a_leaver_is_told_no_place() -> None:
    assert places_possible(forfeit(a_duel(lives=(1, 1)), "ann", NOW_MS), "ann") is None


def test_a_stranger_has_no_place() -> None:
    with pytest.raises(GameError):
        places_possible(a_duel(), "eve")


# Invariants of every sequence of moves

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["guess", "solve", "skip", "forfeit"]),
        st.sampled_from(["ann", "bob"]),
        st.integers(-1, 1),  # the turn meant, against the one being played
        st.integers(-40_000, 20_000),  # when, against the deadline
    ),
    max_size=40,
)


def step(duel: Duel, kind: str, player_id: str, turn: int, at_ms: int) -> Duel:
    if kind == "skip":
        return skip(duel, turn, at_ms, 0)
    if kind == "forfeit":
        return forfeit(duel, player_id, at_ms)
    try:
        return guess(duel, player_id, turn, duel.word if kind == "solve" else "zzzzz", at_ms, at_ms)
    except GameError:
        return duel


@given(STEPS)
def test_a_duel_keeps_the_rules_whatever_comes_in(steps: list[tuple[str, str, int, int]]) -> None:
    duel = a_duel("crane")
    for kind, player_id, turn_off, ms_off in steps:
        # Leaving ends everything at once, so let it come late.
        if kind == "forfeit" and len(duel.rows) < 3:
            continue
        before, turn, at_ms = duel, duel.turn + turn_off, duel.deadline_ms + ms_off
        duel = step(before, kind, player_id, turn, at_ms)
        if before.over:
            assert duel == before
        assert duel.rows[: len(before.rows)] == before.rows
        assert len(duel.rows) - len(before.rows) in (0, 1)
        if len(duel.rows) > len(before.rows):
            assert turn == before.turn
            assert (at_ms >= before.deadline_ms) == (kind == "skip")
            assert duel.rows[-1].player_id == before.to_move
        else:
            assert duel.deadline_ms == before.deadline_ms
        assert max(sum(row.player_id == player for row in duel.rows) for player in duel.players) <= TURNS_EACH
        assert (duel.ending is Ending.SOLVED) == any(row.word == "crane" for row in duel.rows)
        assert not (len(duel.rows) == TURNS and not duel.over)
        assert (duel.winner is not None) == (duel.ending in (Ending.SOLVED, Ending.FORFEITED))
        assert all(0 <= left <= 3 for left in duel.lives_left)


@given(st.integers(1, 3), st.integers(1, 3), st.sampled_from(["ann", "bob", None]))
def test_a_duel_costs_one_or_two_lives(first: int, second: int, winner: str | None) -> None:
    duel = ended(replace(a_duel(), lives=(first, second)), winner)
    assert first + second - sum(duel.lives_left) == (2 if winner is None else 1)
