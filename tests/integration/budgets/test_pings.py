"""Both real clients in the reference tournament, in virtual time: they ping when they have heard nothing for 20 s."""

import shutil

import pytest

from tools.bench import pings, reference

BEFORE = 288
"""Two pings a minute for each of eight clients in 18 minutes: those of clients that ping when they have sent
nothing."""


@pytest.fixture(scope="module")
def heard() -> list[pings.Arrivals]:
    return pings.arrivals()


def test_the_tournament_takes_as_long_as_people_take(heard: list[pings.Arrivals]) -> None:
    assert len(heard) == 8
    assert 14 * 60_000 <= max(one[-1][0] for one in heard) <= 22 * 60_000


def test_the_python_clients_need_a_third_of_the_pings(heard: list[pings.Arrivals]) -> None:
    assert 0 < sum(map(pings.of_the_python_client, heard)) <= reference.PINGS <= BEFORE / 3


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_the_pages_need_a_third_of_the_pings(heard: list[pings.Arrivals]) -> None:
    assert 0 < sum(map(pings.of_the_page, heard)) <= reference.PINGS <= BEFORE / 3
