"""Connections: one a player, silent ones, dead ones, and those that API Gateway cuts (R28)."""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from infra.local.aws import GoneError
from tests.e2e.arena import Arena
from tests.e2e.conftest import OpenArena
from tests.e2e.driver import Frame, Gone, Player
from wordle_tournament.protocol import messages
from wordle_tournament_client.client import TournamentClient
from wordle_tournament_client.view import View

GOING_AWAY = 1001
CLOSED_BY_SERVER = 1000


# -- a second connection takes over ----------------------------------------------------------------


@pytest.mark.parametrize("late", [False, True], ids=["", "its $disconnect comes late"])
async def test_a_second_connection_takes_over_and_the_end_of_the_first_means_nothing(arena: Arena, late: bool) -> None:
    game = await arena.game()
    match = game.now["matches"][0]
    player, other = game.sides(match)
    await game.begun(match)
    first, first_id = player.connection, arena.connection_id(player)
    arena.stack.gateway.deliver_disconnects = not late

    welcome = await player.sign_in()
    assert [duel["duel_id"] for duel in welcome["duels"]] == [match["duel_id"]]
    assert await first.ended() == CLOSED_BY_SERVER
    assert first.frames[-1]["type"] == "replaced"
    await game.turn(match)
    if late:
        arena.stack.invoke_route(_disconnect_event(first_id))
    await _end_is_noticed(arena, first_id)

    assert not (await other.sync())["tournament"]["players"][0]["away"]
    assert not any(one["away"] for one in other.presences)
    assert arena.stack.executions("ReconnectMachine") == []
    assert arena.stored_player(player)["connection_id"] == arena.connection_id(player)
    await game.turn(match)  # the other's
    await player.duel(match["duel_id"], lambda one: len(one["rows"]) == 2)
    assert (await game.win(match, player))["winner"] == player.player_id


async def _end_is_noticed(arena: Arena, connection_id: str) -> None:
    await arena.eventually(
        lambda: connection_id not in [item["connection_id"] for item in arena.stack.items("ConnectionsTable")]
    )


def _disconnect_event(connection_id: str) -> Frame:
    context = {
        "routeKey": "$disconnect",
        "eventType": "DISCONNECT",
        "connectionId": connection_id,
        "requestId": "late",
        "requestTimeEpoch": 0,
        "disconnectStatusCode": 1006,
        "disconnectReason": "",
    }
    return {"requestContext": context, "isBase64Encoded": False}


async def test_whatever_a_replaced_connection_still_sends_is_refused(arena: Arena) -> None:
    """A `hello` takes over; what was on its way on the old connection must not be played."""
    game = await arena.game()
    match = game.now["matches"][0]
    player, other = game.sides(match)
    duel = await game.begun(match)
    old = player.connection
    word = game.wrong_word(duel)
    with contextlib.ExitStack() as slow:
        # Keep the gateway from closing it, so that it can still speak.
        slow.enter_context(_no_closing(arena))
        await player.sign_in()
        await old.until(lambda: True if old.frames[-1]["type"] == "replaced" else None)
        answers = [
            await old.ask("guess", duel=duel["duel_id"], turn=1, word=word),
            await old.ask("leave", what="tournament"),
            await old.ask("sync"),
        ]
    assert [answer["code"] for answer in answers] == ["replaced"] * 3
    assert (await other.sync())["duels"][0]["rows"] == []


@contextlib.contextmanager
def _no_closing(arena: Arena) -> Iterator[None]:
    gateway, delete = arena.stack.gateway, arena.stack.gateway.delete
    gateway.delete = lambda connection_id: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        gateway.delete = delete  # type: ignore[method-assign]


async def test_of_many_connections_at_once_exactly_one_is_the_players(arena: Arena) -> None:
    game = await arena.game()
    match = game.now["matches"][0]
    player, other = game.sides(match)
    await game.begun(match)
    others = [Player(player.url) for _ in range(5)]
    for one in others:
        one.player_id, one.token = player.player_id, player.token
        arena.players.append(one)
        await one.connect()
    late = []
    hellos = [one.ask("hello", token=one.token) for one in others]
    results = await asyncio.gather(*hellos, return_exceptions=True)
    for one, result in zip(others, results, strict=True):
        if not isinstance(result, dict):
            assert isinstance(result, Gone), result
        elif result["type"] != "welcome":
            # A hello that was overtaken by one of a connection opened later.
            assert result["code"] == "replaced"
            late.append(one)
    current = arena.stored_player(player)["connection_id"]
    (holder,) = (one for one in others if _is_on(arena, one, current))
    for one in [player, *others]:
        if one is not holder and one not in late:
            assert await one.connection.ended() == CLOSED_BY_SERVER
    assert holder.here
    game.players[player.player_id] = holder
    await game.turn(match)
    await game.turn(match)
    await holder.duel(match["duel_id"], lambda one: len(one["rows"]) == 2)
    assert not any(one["away"] for one in other.presences)
    assert (await game.win(match, holder))["winner"] == player.player_id


def _is_on(arena: Arena, player: Player, connection_id: str) -> bool:
    """Whether the player's client is on that connection. One that the gateway is closing may not know it yet."""
    with contextlib.suppress(GoneError):
        return player.here and arena.connection_id(player) == connection_id
    return False


# -- connections that say nothing ------------------------------------------------------------------


@contextlib.asynccontextmanager
async def pinging(*players: Player) -> AsyncIterator[None]:
    """These players show that they are there, as clients do."""

    async def ping(player: Player) -> None:
        while player.here:
            await player.ask("ping")
            await asyncio.sleep(0.3)

    tasks = [asyncio.create_task(ping(player)) for player in players]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def test_a_pulled_cable_is_noticed_at_the_skipped_turn_and_forfeits_when_the_window_ends(
    open_arena: OpenArena,
) -> None:
    arena = await open_arena(TurnSeconds=2, SilenceSeconds=1, ReconnectSeconds=2)
    game = await arena.game()
    match = game.now["matches"][0]
    silent, other = game.sides(match)
    await game.begun(match)
    arena.stack.gateway.pull_cable(arena.connection_id(silent))
    skipped = await other.duel(match["duel_id"], lambda one: len(one["rows"]) == 1)
    assert "word" not in skipped["rows"][0]
    away = await other.until(lambda: next(iter(other.presences), None))
    assert (away["player_id"], away["away"]) == (silent.player_id, True)
    over = await other.duel(match["duel_id"], lambda one: bool(one["over"]))
    assert (over["ending"], over["winner"]) == ("forfeited", other.player_id)
    ending = next(frame for frame in other.frames if frame["type"] == "duel" and frame["duel"] == over)
    assert ending["now_ms"] >= away["until_ms"]
    assert [one["player_id"] for one in other.presences] == [silent.player_id], "nobody who answered was taken for lost"


async def test_a_silent_connection_that_is_still_there_is_closed_and_its_player_comes_back_to_everything(
    open_arena: OpenArena,
) -> None:
    arena = await open_arena(TurnSeconds=2, SilenceSeconds=1)
    game = await arena.game()
    match = game.now["matches"][0]
    silent, other = game.sides(match)
    await game.begun(match)
    silent.connection.answers = False
    await other.until(lambda: next((one for one in other.presences if one["away"]), None))
    assert await silent.connection.ended() == CLOSED_BY_SERVER
    welcome = await silent.sign_in()
    (duel,) = [one for one in welcome["duels"] if not one["over"]]
    assert duel["rows"][0] == {"player_id": silent.player_id, "marks": []}
    assert silent.player_id not in welcome["tournament"]["leavers"]
    await other.until(lambda: next((one for one in other.presences if not one["away"]), None))


async def test_a_push_to_a_dead_connection_stops_no_other_and_counts_as_the_disconnection(arena: Arena) -> None:
    game = await arena.game()
    match = game.now["matches"][0]
    first, second = game.sides(match)
    await game.begun(match)
    gone = arena.connection_id(second)
    arena.stack.gateway.deliver_disconnects = False
    second.connection.cut()
    await arena.eventually(lambda: gone not in arena.stack.gateway.connection_ids())
    await game.turn(match)
    away = await first.until(lambda: next(iter(first.presences), None))
    assert (away["player_id"], away["away"]) == (second.player_id, True)
    welcome = await second.sign_in()
    assert len(welcome["duels"][0]["rows"]) == 1
    assert (await game.win(match, second))["winner"] == second.player_id


# -- connections that API Gateway cuts -------------------------------------------------------------


@pytest.mark.slow
async def test_cut_for_being_idle_in_a_lobby_and_in_a_duel_nothing_is_lost(open_arena: OpenArena) -> None:
    arena = await open_arena(idle_seconds=4)
    waiting = await arena.player()
    lobby = await waiting.join("de")
    assert await waiting.connection.ended() == GOING_AWAY
    welcome = await waiting.sign_in()
    assert welcome["lobby"]["lobby_id"] == lobby["lobby_id"]

    game = await arena.game(players=await arena.crowd(8))
    match = game.now["matches"][0]
    player, other = game.sides(match)
    await game.begun(match)
    before = await game.turn(match)
    for one in game.players.values():
        assert await one.connection.ended() == GOING_AWAY
    for one in (player, other):
        welcome = await one.sign_in()
        assert welcome["duels"] == [before]
        assert welcome["tournament"]["leavers"] == []
    assert (await game.win(match, other))["winner"] == other.player_id


async def test_pings_keep_a_connection_from_being_idle(open_arena: OpenArena) -> None:
    arena = await open_arena(idle_seconds=3)
    (player, idle) = await arena.crowd(2)
    async with pinging(player):
        assert await idle.connection.ended() == GOING_AWAY
        await player.until(lambda: True if len(player.frames) > 8 else None)
        assert player.here


async def test_the_projects_client_lives_through_every_cut_and_its_player_loses_nothing(open_arena: OpenArena) -> None:
    """The two hours in little: every connection lives six seconds."""
    arena = await open_arena(lifetime_seconds=6, ReconnectSeconds=25)
    welcomes: Counter[int] = Counter()

    def keeper(seat: int) -> Callable[[str], None]:
        return lambda text: welcomes.update([seat] if json.loads(text)["type"] == "welcome" else [])

    async with contextlib.AsyncExitStack() as exit_:
        clients = [
            await exit_.enter_async_context(
                TournamentClient(arena.stack.ws_url, on_frame=keeper(seat), backoff_seconds=(0.05, 0.1))
            )
            for seat in range(8)
        ]
        await asyncio.gather(*(client.join("en") for client in clients))
        seats = {client.view.you.player_id: client for client in clients if client.view.you}
        duels = [await client.until(lambda view: view.duel) for client in clients]
        welcomes.clear()
        await arena.eventually(lambda: all(welcomes[seat] for seat in range(8)))
        for client, before in zip(clients, duels, strict=True):
            assert client.view.duel == before
            assert client.view.tournament is not None
            assert client.view.tournament.leavers == []
        for duel in {one.duel_id: one for one in duels}.values():
            over = await seats[str(duel.to_move)].guess(duel.duel_id, duel.turn, arena.word(duel.duel_id))
            assert (over.ending, over.winner) == ("solved", duel.to_move)
        for client in clients:
            state = await client.until(_round_two)
            assert [one.fate for one in state.players] == ["in"] * 8


def _round_two(view: View) -> messages.Tournament | None:
    tournament = view.tournament
    return tournament if tournament is not None and tournament.round == 2 else None
