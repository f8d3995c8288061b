"""The guard against floods: a sample of messages, counted in windows of a minute."""

from math import comb

import pytest

from wordle_tournament.rules.flooding import MOST, ONE_IN, WINDOW_MS, floods, is_counted, window


def tail(messages: int, counted: int) -> float:
    """Return the probability that so many or more of the messages are counted."""
    chance = 1 / ONE_IN
    return 1.0 - sum(
        comb(messages, number) * chance**number * (1 - chance) ** (messages - number) for number in range(counted)
    )


def test_one_message_in_twenty_is_counted() -> None:
    assert [is_counted(number / 1000) for number in range(1000)] == [True] * 50 + [False] * 950


def test_a_count_belongs_to_one_minute() -> None:
    minute = 29_000_000 * WINDOW_MS
    assert window(minute) == window(minute + WINDOW_MS - 1) == window(minute - 1) + 1 == window(minute + WINDOW_MS) - 1


def test_it_floods_from_forty_counted_messages_on() -> None:
    assert [floods(number) for number in (0, 1, MOST - 1, MOST, MOST + 1)] == [False, False, False, True, True]


@pytest.mark.parametrize("a_second", [1, 2])
def test_no_player_is_cut(a_second: int) -> None:
    """A game needs one message in some seconds. Even with two a second nobody is cut in a billion hours (security)."""
    assert tail(a_second * 60, MOST) * 60 < 1e-9


def test_a_burst_after_coming_back_is_no_flood() -> None:
    """Hundreds of messages at once, as of a client that sends again what was not answered."""
    assert tail(200, MOST) < 1e-13


def test_a_flood_gets_some_eight_hundred_messages_in() -> None:
    """The figures of docs/security.md."""
    assert tail(600, MOST) < 0.05
    assert 0.45 < tail(800, MOST) < 0.55
    assert tail(1200, MOST) > 0.99
