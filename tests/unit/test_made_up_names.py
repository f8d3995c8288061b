"""R34, R35: each of the made-up nicknames passes the checks of a chosen one."""

import random

from wordle_tournament import words
from wordle_tournament.rules.made_up_names import FIRST, SECOND, made_up_name
from wordle_tournament.rules.nickname import check_nickname


def test_every_pair_is_a_nickname_that_could_be_chosen() -> None:
    pairs = [f"{first} {second}" for first in FIRST for second in SECOND]
    assert len(pairs) == len(set(pairs)) > 2000
    assert [pair for pair in pairs if check_nickname(pair) != pair or words.is_blocked(pair)] == []


def test_no_word_is_a_blocked_word_or_slur_of_any_language() -> None:
    for word in (*FIRST, *SECOND):
        assert not words.is_blocked(word)
        for language in words.languages():
            assert word.lower() not in words.slurs(language)
            assert word.lower() not in (words.lists.ROOT / language / "blocked.txt").read_text(encoding="utf-8").split()


def test_all_pairs_are_drawn() -> None:
    rng = random.Random(1)
    drawn = {made_up_name(rng) for _ in range(1000)}
    assert len(drawn) > 700
    assert {name.split()[0] for name in drawn} == set(FIRST)
    assert {name.split()[1] for name in drawn} == set(SECOND)
