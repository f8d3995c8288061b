"""A whole tournament over real WebSockets, held against the rules by its frames alone (R1-R9, R19-R21)."""

import asyncio
import json
from typing import Any

import pytest

from tests.e2e import referee
from tests.e2e.arena import Arena, Game
from tests.e2e.conftest import OpenArena
from wordle_tournament_client.bot import Bot, Manner


async def test_a_tournament_of_eight_goes_by_the_rules_from_lobby_to_winner_and_all_can_play_again(
    arena: Arena,
) -> None:
    players = await arena.crowd(8)
    ratings = {player.player_id: 1000 for player in players}
    for _ in range(2):  # the second one with the ratings that the first one left
        game = await arena.game(players=players)
        assert {player: game.standing(player)["rating"] for player in players} == {
            player: ratings[player.player_id] for player in players
        }
        await game.play()
        await _check_results(game, ratings)
        await arena.eventually(lambda: all(one.status == "SUCCEEDED" for one in arena.stack.executions()))
    assert len(arena.stack.executions("TournamentMachine")) == 2


async def _check_results(game: Game, ratings: dict[str, int]) -> None:
    """What each player was told agrees with the table; `ratings` are moved on."""
    results = await asyncio.gather(*(player.result(game.id) for player in game.players.values()))
    told = game.check()
    assert set(told.results) == set(game.players)
    for player, result in zip(game.players.values(), results, strict=True):
        line = game.standing(player)
        ratings[player.player_id] += line["rating_change"]
        assert (result["place"], result["rating_change"]) == (line["place"], line["rating_change"])
        assert result["rating"] == ratings[player.player_id]
        assert (await player.sync())["you"]["rating"] == ratings[player.player_id]


CLUMSY = Manner(pace=(0.0, 0.05), invalid=0.2, skip=0.03, drop=0.05, back_after=(0.0, 0.02), watches=True, stays=True)
FLEETING = Manner(pace=(0.0, 0.05), leave=0.03, watches=True)


@pytest.mark.parametrize("manner", [CLUMSY, FLEETING], ids=["clumsy", "fleeting"])
async def test_bots_on_the_projects_own_client_play_a_tournament_by_the_rules(
    open_arena: OpenArena, manner: Manner
) -> None:
    arena = await open_arena(TurnSeconds=2, ReconnectSeconds=25)
    frames = await play_bots(arena, manner)
    (item,) = arena.stack.items("TournamentsTable")
    told = referee.chronicle(item["tournament_id"], frames)
    referee.check_frames(frame for received in frames.values() for frame in received)
    referee.check_secrets([frame for received in frames.values() for frame in received], arena.secrets())
    referee.check(told)
    if not manner.leave:
        assert not any(one["fate"] == "left" for one in told.last["players"])
        # Bots go when they hear of the end, which may be before they hear of their own place.
        before = {one["player_id"] for one in told.states[-2]["players"] if "place" in one}
        assert before <= set(told.results)


async def play_bots(arena: Arena, manner: Manner) -> dict[str, list[dict[str, Any]]]:
    """Have eight bots play a tournament; returns the frames that each got, by player."""
    received: list[list[dict[str, Any]]] = [[] for _ in range(8)]

    def keeper(frames: list[dict[str, Any]]) -> Any:
        return lambda text: frames.append(json.loads(text))

    bots = [
        Bot(arena.stack.ws_url, "en", seed, manner, on_frame=keeper(frames)) for seed, frames in enumerate(received)
    ]
    async with asyncio.timeout(300):
        await asyncio.gather(*(bot.play() for bot in bots))
    return {frames[0]["you"]["player_id"]: frames for frames in received}
