"""Friends who play together, with bots on the free seats, and play again (R29-R31)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bots.bot import Bot, BotProfile
from tests.e2e.arena import Arena
from tests.e2e.conftest import OpenArena
from tests.e2e.driver import Frame, Player


async def gather(arena: Arena, size: int) -> list[Player]:
    """A group of so many, its leader first, the others in the order in which they came; all follow the link at once."""
    leader, *friends = await arena.crowd(size)
    invite = (await leader.ask("createGroup"))["group"]["invite"]
    answers = await asyncio.gather(*(friend.ask("joinGroup", invite=invite) for friend in friends))
    assert {answer["type"] for answer in answers} == {"group"}
    by_id = {player.player_id: player for player in (leader, *friends)}
    return [by_id[member["player_id"]] for member in (await leader.sync())["group"]["members"]]


def group_of(player: Player) -> Frame:
    """The group as the player knows it: the greatest version, and of that the latest."""
    frames = [frame for frame in player.frames if "group" in frame]
    newest: Frame = max(frames, key=lambda frame: (frame["group"]["version"], frame["now_ms"]))["group"]
    return newest


def where(player: Player) -> list[str]:
    return [member["where"] for member in group_of(player)["members"]]


@asynccontextmanager
async def bots(arena: Arena, number: int, tournaments: int, *, to_the_end: bool = True) -> AsyncIterator[None]:
    """So many bots who look for so many games, one after the other; they may be called off at the end."""
    profile = BotProfile(skill=0.5, pace=(0.0, 0.01))
    playing = [
        asyncio.create_task(Bot(arena.stack.ws_url, "en", seed, profile).play(tournaments)) for seed in range(number)
    ]
    try:
        yield
        if to_the_end:
            await asyncio.gather(*playing)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)


async def play_on(arena: Arena, player: Player, tournament_id: str) -> Frame:
    """Win whatever duel is to be won, until the tournament is over. Return it as the player was told."""
    done = set()

    def due() -> Frame | bool | None:
        if tournament_id in player.tournaments and player.tournaments[tournament_id]["over"]:
            return True
        for duel in player.duels.values():
            ours = duel["tournament_id"] == tournament_id and not duel["over"]
            if ours and duel["to_move"] == player.player_id and (duel["duel_id"], duel["turn"]) not in done:
                return duel
        return None

    while isinstance(duel := await player.until(due), dict):
        done.add((duel["duel_id"], duel["turn"]))
        await player.guess(duel, arena.word(duel["duel_id"]))
    return player.tournaments[tournament_id]


async def start(leader: Player, group: list[Player]) -> str:
    """Start, and wait until all are in the tournament. Return its id."""
    before = set(leader.tournaments)
    answer = await leader.ask("startGroup", language="en")
    assert answer["type"] == "lobby", answer
    # Not that of the lobby, which may be merged into another one.
    tournament_id = str(await leader.until(lambda: next(iter(leader.tournaments.keys() - before), None)))
    for member in group:
        tournament = await member.tournament(tournament_id)
        assert {one.player_id for one in group} <= {one["player_id"] for one in tournament["players"]}
    return tournament_id


@pytest.mark.slow
async def test_three_friends_play_with_bots_come_back_and_play_again_while_the_leader_drops_for_good(
    open_arena: OpenArena,
) -> None:
    arena = await open_arena(ReconnectSeconds=2)
    leader, friend, third = group = await gather(arena, 3)
    async with bots(arena, 5, tournaments=2):
        first = await start(leader, group)
        refusal = await leader.ask("startGroup", language="en")
        assert refusal["code"] == "member_playing"
        assert set(refusal["players"]) == {member.player_id for member in group}
        for over in await asyncio.gather(*(play_on(arena, member, first) for member in group)):
            assert over["over"]
        for member in group:
            await member.until(lambda member=member: where(member) == ["free"] * 3 or None)  # type: ignore[misc]
            state = await member.sync()
            assert [one["player_id"] for one in state["group"]["members"]] == [one.player_id for one in group]
            assert state["you"]["games"] == 1

        second = await start(leader, group)
        assert second != first
        leader.connection.cut()
        for member in (friend, third):
            await member.until(
                lambda member=member: group_of(member)["leader"] == friend.player_id or None  # type: ignore[misc]
            )
        assert group_of(third)["members"][0]["away"]
        for over in await asyncio.gather(*(play_on(arena, member, second) for member in (friend, third))):
            (lost,) = (one for one in over["players"] if one["player_id"] == leader.player_id)
            assert (lost["fate"], lost["place"]) == ("left", 8)
    refusal = await friend.ask("startGroup", language="en")
    assert (refusal["code"], refusal["players"]) == ("member_away", [leader.player_id])

    welcome = await leader.sign_in()
    assert welcome["group"]["leader"] == friend.player_id
    assert await leader.refused("startGroup", language="en") == "not_leader"
    lobby = (await friend.ask("startGroup", language="en"))["lobby"]
    assert {one["player_id"] for one in lobby["players"]} == {member.player_id for member in group}


async def test_eight_friends_start_at_once_and_one_who_leaves_the_lobby_takes_all_out_before(arena: Arena) -> None:
    leader, *friends = group = await gather(arena, 7)
    await leader.ask("startGroup", language="en")
    await friends[2].leave("lobby")
    for member in group:
        await member.until(lambda member=member: where(member) == ["free"] * 7 or None)  # type: ignore[misc]
    for member in group:
        assert "lobby" not in await member.sync()
    eighth = await arena.player()
    assert (await eighth.ask("joinGroup", invite=group_of(leader)["invite"]))["type"] == "group"
    ninth = await arena.player()
    assert await ninth.refused("joinGroup", invite=group_of(leader)["invite"]) == "group_full"
    tournament_id = await start(leader, [*group, eighth])
    assert {one["player_id"] for one in leader.tournaments[tournament_id]["players"]} == {
        member.player_id for member in [*group, eighth]
    }
