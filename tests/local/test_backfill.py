"""Bots take the free seats of lobbies in which a person waits, and of no others."""

import asyncio
from collections.abc import Iterator

import pytest

from infra.local.backfill import OpenLobby, left_alone, open_lobbies, set_rating, start_backfill, to_fill
from infra.local.stack import LocalStack
from wordle_tournament_client import TournamentClient

BOTS = {"bot1", "bot2", "bot3"}
PATIENCE_SECONDS = 60


def a_lobby(*players: str) -> OpenLobby:
    return OpenLobby("l1", "en", 1000, players)


def test_a_lobby_with_a_person_gets_a_bot() -> None:
    assert to_fill([a_lobby("ann"), a_lobby("bob", "bot1")], BOTS, []) == [a_lobby("ann"), a_lobby("bob", "bot1")]


def test_a_lobby_of_bots_gets_none() -> None:
    assert to_fill([a_lobby("bot1", "bot2")], BOTS, []) == []


def test_no_more_bots_are_sent_than_seats_are_free() -> None:
    people = a_lobby(*(f"p{number}" for number in range(6)))
    assert to_fill([people], BOTS, ["l1"]) == [people]
    assert to_fill([people], BOTS, ["l1", "l1"]) == []


def test_bots_without_a_person_are_left_alone() -> None:
    assert left_alone(a_lobby("bot1", "bot2"), BOTS) == {"bot1", "bot2"}
    assert left_alone(a_lobby("bot1", "ann"), BOTS) == set()


@pytest.fixture
def stack() -> Iterator[LocalStack]:
    with LocalStack({"TurnSeconds": "25", "LogLevel": "ERROR"}) as stack:
        stop = start_backfill(stack.ws_url)
        yield stack
        stop()


@pytest.mark.parametrize(("language", "rating"), [("en", 1000), ("kk", 1834)])
async def test_one_person_can_play_at_once_whatever_their_rating(stack: LocalStack, language: str, rating: int) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS), TournamentClient(stack.ws_url) as person:
        assert person.view.you is not None
        await asyncio.to_thread(set_rating, person.view.you.player_id, rating)
        await person.join(language)
        tournament = await person.until(lambda view: view.tournament)
        assert tournament.language == language
        assert len(tournament.players) == 8
        assert all(abs(player.rating - rating) <= 200 for player in tournament.players)


async def test_bots_leave_a_lobby_that_the_person_has_left(stack: LocalStack) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS), TournamentClient(stack.ws_url) as person:
        await person.join("en")
        await person.until(lambda view: view.lobby if view.lobby and len(view.lobby.players) > 2 else None)
        await person.leave_lobby()
        while await asyncio.to_thread(open_lobbies):
            await asyncio.sleep(0.1)
