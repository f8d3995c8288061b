"""A whole tournament's budget, counted while it is played."""

from infra.local import template
from tools.bench import flood, reference


def test_a_tournament_that_is_played_stays_within_the_transitions_too() -> None:
    used = reference.play()
    assert used.rounds == 9
    assert used.duels >= 20
    assert used.transitions <= 92
    # One write for each turn, one for each first token, one for each answer of a player whose turn was skipped or
    # who has a bye, and little else but transactions.
    assert used.answers <= used.skips + 2 * used.rounds
    assert used.calls["UpdateItem"] <= used.turns + used.duels + used.answers + used.rounds
    assert used.calls["SendTaskHeartbeat"] + used.calls["SendTaskSuccess"] == used.turns
    assert used.calls["SendTaskFailure"] == 0
    assert max(used.largest_frame.values()) < 8 * 1024, "far from the 32 KB of one frame"


def test_no_route_lets_a_flood_through_that_costs_more_than_140_dollars_an_hour() -> None:
    """All messages that pass may be one stranger's; docs/security.md has the possible mixtures."""
    costs = flood.count()
    differ = {cost.route for cost in costs} ^ (template.load().routes.keys() - {"$connect"})
    assert not differ, f"tools/bench/flood.py and the template's routes differ in {sorted(differ)}"
    for cost in costs:
        assert 0 < cost.dollars * cost.passes * 3600 < 140, f"{cost.route}, {cost.by}"
