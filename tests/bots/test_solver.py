"""Words that bots choose: always sensible, from the lists of all 13 languages."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots import solver
from wordle_tournament import words
from wordle_tournament.errors import GameError
from wordle_tournament.protocol.messages import Row
from wordle_tournament.rules.duel import TURNS
from wordle_tournament.rules.marks import mark

LANGUAGES = sorted(words.languages())


def row(guess: str, secret: str) -> Row:
    return Row(player_id="p", word=guess, marks=[one.value for one in mark(guess, secret)])


@st.composite
def boards(draw: st.DrawFn) -> tuple[str, str, list[Row]]:
    """A language, a secret and a board on which some guesses were made and some turns skipped."""
    language = draw(st.sampled_from(LANGUAGES))
    length = draw(st.sampled_from(words.LENGTHS))
    secret = draw(st.sampled_from(words.answers(language, length)))
    guessed = draw(st.lists(st.none() | st.sampled_from(words.guesses(language, length)), max_size=4))
    return language, secret, [Row(player_id="p") if word is None else row(word, secret) for word in guessed]


@given(boards(), st.randoms(use_true_random=False))
def test_a_skilled_guess_is_consistent_with_every_row(board: tuple[str, str, list[Row]], rng: random.Random) -> None:
    language, secret, rows = board
    word = solver.choose(language, len(secret), rows, 1.0, rng)
    assert word is not None
    assert word in words.answers(language, len(secret))
    for one in rows:
        assert one.word is None or list(mark(one.word, word)) == one.marks


@given(boards(), st.randoms(use_true_random=False))
def test_the_secret_is_never_ruled_out(board: tuple[str, str, list[Row]], rng: random.Random) -> None:
    _, secret, rows = board
    assert solver.consistent(secret, rows)


@given(boards(), st.floats(0, 1), st.randoms(use_true_random=False))
def test_every_guess_may_be_played_and_was_not_refused_before(
    board: tuple[str, str, list[Row]], skill: float, rng: random.Random
) -> None:
    language, secret, rows = board
    refused: set[str] = set()
    for _ in range(3):
        word = solver.choose(language, len(secret), rows, skill, rng, refused)
        assert word is not None
        assert words.check_guess(language, len(secret), word) == word
        assert word not in refused
        refused.add(word)


@given(st.sampled_from(LANGUAGES), st.sampled_from(words.LENGTHS), st.randoms(use_true_random=False))
def test_a_slip_is_no_word(language: str, length: int, rng: random.Random) -> None:
    with pytest.raises(GameError):
        words.check_guess(language, length, solver.invalid(language, length, rng))


def test_the_same_chance_chooses_the_same_word() -> None:
    def choose() -> str | None:
        return solver.choose("en", 5, [row("crane", "plumb")], 0.7, random.Random(7))

    assert choose() == choose()


def test_when_every_word_was_refused_there_is_none_left() -> None:
    everything = set(words.guesses("it", 4))
    assert solver.choose("it", 4, [], 0.5, random.Random(1), everything) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_skilled_players_find_a_word_on_one_board(language: str) -> None:
    rng = random.Random(11)
    for length in words.LENGTHS:
        secret = words.draw_answer(language, length, (), rng)
        rows: list[Row] = []
        while not rows or rows[-1].word != secret:
            assert len(rows) < TURNS
            word = solver.choose(language, length, rows, 1.0, rng)
            assert word is not None
            rows.append(row(word, secret))
