"""R7: how long a tournament of even players lasts, from a thousand of them.

It takes duels that are seldom drawn: with 5 % of draws 78 % of tournaments last 8 to 10 rounds, with 15 % only 43 %.
"""

import random
from collections import Counter

import pytest

from tests.unit.simulate import outcome


@pytest.mark.slow
@pytest.mark.parametrize("draws", [0.0, 0.03])
def test_a_tournament_of_even_players_usually_lasts_eight_to_ten_rounds(draws: float) -> None:
    rng = random.Random(2024)
    rounds = Counter(len(outcome(rng, draws).rounds) for _ in range(1_000))
    assert sum(rounds[number] for number in (8, 9, 10)) > 800
    assert max(rounds) <= 12
