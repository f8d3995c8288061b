"""A whole tournament's budget, counted while it is played."""

from tools import reference


def test_a_tournament_that_is_played_stays_within_the_transitions_too() -> None:
    used = reference.play()
    assert used.duels >= 20
    assert used.transitions <= 120
    # One write for each turn, one for each token parked, and little else but transactions.
    parked = used.duels + used.skips
    assert used.calls["UpdateItem"] <= used.turns + parked + used.rounds
    assert used.calls["SendTaskHeartbeat"] + used.calls["SendTaskSuccess"] == used.turns - used.skips
    assert max(used.largest_frame.values()) < 8 * 1024, "far from the 32 KB of one frame"
