"""A whole tournament over real WebSockets, held against the rules by its frames alone (R1-R9, R19-R21)."""

import asyncio

import pytest

from bots.bot import Bot, BotProfile
from bots.referee import Recorded, read_record, violations
from tests.e2e.arena import Arena, Game
from tests.e2e.conftest import OpenArena
from tests.e2e.frames import Received, check_frames, check_secrets


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
    clocks = {one.name: one.input["tournament_id"] for one in arena.stack.executions("TournamentMachine")}
    # Each was started once under its own name; on a slow machine a rescue may have started another.
    assert len(set(clocks.values())) == 2
    assert set(clocks.values()) <= clocks.keys()


async def _check_results(game: Game, ratings: dict[str, int]) -> None:
    """Compare each player's result with the table, and move `ratings` on."""
    results = await asyncio.gather(*(player.result(game.id) for player in game.players.values()))
    game.check()
    for player, result in zip(game.players.values(), results, strict=True):
        line = game.standing(player)
        ratings[player.player_id] += line["rating_change"]
        assert (result["place"], result["rating_change"]) == (line["place"], line["rating_change"])
        assert result["rating"] == ratings[player.player_id]
        assert (await player.sync())["you"]["rating"] == ratings[player.player_id]


CLUMSY = BotProfile(
    pace=(0.0, 0.05), invalid=0.2, skip=0.03, drop=0.05, back_after=(0.0, 0.02), watches=True, stays=True
)
FLEETING = BotProfile(pace=(0.0, 0.05), leave=0.03, watches=True)


@pytest.mark.slow
@pytest.mark.parametrize("profile", [CLUMSY, FLEETING], ids=["clumsy", "fleeting"])
async def test_bots_on_the_projects_own_client_play_a_tournament_by_the_rules(
    open_arena: OpenArena, profile: BotProfile
) -> None:
    arena = await open_arena(TurnSeconds=2, ReconnectSeconds=25)
    recorded, frames = await play_bots(arena, profile)
    check_frames(frames)
    check_secrets(frames, arena.secrets())
    assert violations(recorded) == []
    if not profile.leave:
        record = read_record(recorded)
        assert not any(one.fate == "left" for one in record.tournaments[-1].players)
        # Bots go when they hear of the end, which may be before they hear of their own place.
        before = [one for one in record.tournaments[-2].players if one.place is not None]
        assert len(before) <= len(
            {one.listener for one, frame in zip(recorded, frames, strict=True) if frame["type"] == "result"}
        )


async def play_bots(arena: Arena, profile: BotProfile) -> tuple[list[Recorded], list[Received]]:
    """Have eight bots play a tournament. Return what they recorded, also as frames."""
    recorded: list[Recorded] = []
    frames: list[Received] = []

    def bot(listener: int) -> Bot:
        def keep(text: str) -> None:
            recorded.append(Recorded(listener, text))
            frames.append(Received(text))

        return Bot(arena.stack.ws_url, "en", listener, profile, on_frame=keep)

    async with asyncio.timeout(300):
        await asyncio.gather(*(bot(listener).play() for listener in range(8)))
    return recorded, frames
