"""Many who come at once (R1, R23, R24)."""

import asyncio
from collections import Counter

import pytest

from tests.e2e.arena import Arena


@pytest.mark.slow
async def test_of_sixty_who_join_at_once_seven_tournaments_start_and_four_wait_together(arena: Arena) -> None:
    players = await arena.crowd(60)
    await asyncio.gather(*(player.join() for player in players))

    def settled() -> bool:
        games = Counter(str(item["state"]["game"]) for item in arena.stack.items("PlayersTable"))
        return sorted(games.values()) == [4] + [8] * 7

    await arena.eventually(settled)
    tournaments = [item["state"] for item in arena.stack.items("TournamentsTable")]
    seated = [entrant["player_id"] for one in tournaments for entrant in one["entrants"]]
    assert (len(tournaments), len(seated), len(set(seated))) == (7, 56, 56)
    waiting = [player for player in players if player.player_id not in seated]
    for player in waiting:
        state = await player.sync()
        assert {seat["player_id"] for seat in state["lobby"]["players"]} == {one.player_id for one in waiting}
    for one in tournaments:
        for entrant in one["entrants"]:
            player = next(player for player in players if player.player_id == entrant["player_id"])
            await player.tournament(one["tournament_id"])
    assert len(arena.stack.executions("TournamentMachine")) == 7
