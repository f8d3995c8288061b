"""Losing the connection, and coming back in time or too late (R28)."""

import asyncio

import pytest

from tests.e2e.arena import Arena
from tests.e2e.conftest import OpenArena
from tests.e2e.driver import Frame, Player


def of(player: Player, presences: list[Frame]) -> list[bool]:
    """Return the values of `away` in the player's presence frames, in order."""
    return [one["away"] for one in presences if one["player_id"] == player.player_id]


async def drop(player: Player) -> None:
    player.connection.cut()
    await player.connection.ended()


async def until_away(other: Player, player: Player) -> Frame:
    """Wait until the other player is told. Return that frame."""

    def away_frame() -> Frame | None:
        last = [one for one in other.presences if one["player_id"] == player.player_id][-1:]
        return last[0] if last and last[0]["away"] else None

    return await other.until(away_frame)


@pytest.mark.parametrize("own_turn", [True, False], ids=["own turn", "the other's turn"])
async def test_back_in_the_window_all_is_as_it_was_board_turn_and_time_left(arena: Arena, own_turn: bool) -> None:
    game = await arena.game()
    match = game.now["matches"][0]
    first, second = game.sides(match)
    await game.begun(match)
    before = await game.turn(match)
    player, other = (second, first) if own_turn else (first, second)

    await drop(player)
    away = await until_away(other, player)
    assert away["until_ms"] >= away["now_ms"]
    welcome = await player.sign_in()
    assert "token" not in welcome
    (duel,) = welcome["duels"]
    assert duel == before
    assert duel["deadline_ms"] > welcome["now_ms"]
    assert welcome["tournament"]["tournament_id"] == game.id
    assert welcome["tournament"]["matches"] == game.now["matches"]
    await other.until(lambda: True if of(player, other.presences) == [True, False] else None)

    # Their moves from here on reach everybody, and they hear of everything.
    if not own_turn:
        await game.turn(match)
        await player.duel(match["duel_id"], lambda one: len(one["rows"]) == 2)
    over = await game.win(match, player)
    assert over["winner"] == player.player_id
    await other.duel(match["duel_id"], lambda one: bool(one["over"]))


@pytest.mark.slow
async def test_whoever_came_back_in_time_is_not_forfeited_when_the_window_of_the_loss_ends(
    open_arena: OpenArena,
) -> None:
    arena = await open_arena(ReconnectSeconds=4)
    game = await arena.game()
    player, other = game.sides(game.now["matches"][0])
    await drop(player)
    await until_away(other, player)
    await player.sign_in()
    await arena.eventually(lambda: [one.status for one in arena.stack.executions("ReconnectMachine")] == ["SUCCEEDED"])
    state = await other.sync()
    assert state["tournament"]["leavers"] == []
    assert not any(duel["over"] for duel in state["duels"])


@pytest.mark.slow
async def test_each_loss_has_a_window_of_its_own(open_arena: OpenArena) -> None:
    arena = await open_arena(ReconnectSeconds=4)
    game = await arena.game()
    player, other = game.sides(game.now["matches"][0])
    await drop(player)
    first = await until_away(other, player)
    await asyncio.sleep(1)
    await player.sign_in()
    await other.until(lambda: True if of(player, other.presences) == [True, False] else None)
    await drop(player)
    second = await until_away(other, player)
    assert second["until_ms"] > first["until_ms"]
    state = await other.tournament(game.id, lambda one: bool(one["leavers"]))
    assert state["leavers"] == [player.player_id]
    leaving = next(one for one in other.frames if one["type"] == "tournament" and one["tournament"]["leavers"])
    assert leaving["now_ms"] >= second["until_ms"]


async def test_away_in_the_introduction_one_is_paired_all_the_same_and_back_for_the_first_turn(
    open_arena: OpenArena,
) -> None:
    arena = await open_arena(RoundIntroSeconds=2)
    game = await arena.game()
    match = game.now["matches"][0]
    first, second = game.sides(match)
    await drop(first)
    await until_away(second, first)
    welcome = await first.sign_in()
    assert welcome["tournament"]["starts_at_ms"] == game.now["starts_at_ms"]
    assert (await game.win(match, first))["winner"] == first.player_id


async def test_away_players_turns_pass_as_skips(open_arena: OpenArena) -> None:
    arena = await open_arena(TurnSeconds=2, SilenceSeconds=600)
    game = await arena.game()
    match = game.now["matches"][0]
    first, second = game.sides(match)
    await drop(first)
    skipped = await second.duel(match["duel_id"], lambda one: len(one["rows"]) >= 1)
    assert skipped["rows"][0] == {"player_id": first.player_id, "marks": []}
    assert not skipped["over"]
    welcome = await first.sign_in()
    (duel,) = welcome["duels"]
    assert duel["rows"][0] == skipped["rows"][0]


async def test_away_over_the_end_of_a_round_one_comes_back_into_the_next(arena: Arena) -> None:
    game = await arena.game()
    match = game.now["matches"][0]
    player, other = game.sides(match)
    await game.win(match, player)
    await drop(player)
    await until_away(other, player)
    state = await game.play_round(lambda one: one["players"][0])
    assert next(one for one in state["players"] if one["player_id"] == player.player_id)["away"]
    welcome = await player.sign_in()
    assert welcome["tournament"]["round"] == 2
    match = game.match(player)
    assert match["duel_id"] in [duel["duel_id"] for duel in welcome["duels"]]
    assert (await game.win(match, player))["winner"] == player.player_id


async def test_back_too_late_one_has_left_is_placed_below_all_who_fall_in_the_round_and_may_queue_again(
    open_arena: OpenArena,
) -> None:
    arena = await open_arena(ReconnectSeconds=2)
    game = await arena.game()
    await game.last_lives()
    match = game.now["matches"][0]
    player, other = game.sides(match)
    for fine in game.now["matches"][1:]:
        await game.win(fine, game.sides(fine)[0])
    await drop(player)
    over = await other.duel(match["duel_id"], lambda one: bool(one["over"]))
    assert (over["ending"], over["winner"]) == ("forfeited", other.player_id)
    await game.everybody(round=4)
    line = game.standing(player)
    assert (line["fate"], line["place"]) == ("left", 8)
    assert {one.player_id for one in game.those("out")} == {
        fine.players[1] for fine in game.record().rounds[3][0].matches[1:]
    }
    assert {game.standing(one)["place"] for one in game.those("out")} == {5}

    welcome = await player.sign_in()
    assert "tournament" not in welcome
    assert "lobby" not in welcome
    assert welcome["duels"] == []
    assert welcome["you"]["rating"] == 1000 + line["rating_change"]
    lobby = await player.join()
    assert [seat["player_id"] for seat in lobby["players"]] == [player.player_id]
    game.check()


@pytest.mark.slow
async def test_a_seat_in_a_lobby_is_kept_for_the_window_and_then_given_up_for_free(open_arena: OpenArena) -> None:
    arena = await open_arena(ReconnectSeconds=4)
    kept, lost, other = await arena.crowd(3)
    for player in (kept, lost, other):
        lobby = await player.join()
    await drop(kept)
    await until_away(other, kept)
    welcome = await kept.sign_in()
    assert welcome["lobby"]["lobby_id"] == lobby["lobby_id"]
    await other.until(lambda: True if of(kept, other.presences) == [True, False] else None)

    await drop(lost)
    await until_away(other, lost)

    def without() -> list[str] | None:
        assert other.lobby is not None
        seated = [seat["player_id"] for seat in other.lobby["players"]]
        return seated if lost.player_id not in seated else None

    assert await other.until(without) == [kept.player_id, other.player_id]
    welcome = await lost.sign_in()
    assert "lobby" not in welcome
    assert welcome["you"]["rating"] == 1000
    assert len((await lost.join())["players"]) == 3


@pytest.mark.slow
async def test_out_of_the_tournament_or_in_none_no_window_runs_out(open_arena: OpenArena) -> None:
    arena = await open_arena(ReconnectSeconds=1)
    game = await arena.game()
    await game.last_lives()
    state = await game.play_round(lambda one: one["players"][0])
    gone = game.those("out")[0]
    rating = (await gone.result(game.id))["rating"]
    await drop(gone)
    idle = await arena.player()
    await drop(idle)
    await asyncio.sleep(2)
    welcome = await gone.sign_in()
    assert welcome["you"]["rating"] == rating
    assert welcome["tournament"]["tournament_id"] == game.id
    assert welcome["tournament"]["round"] == state["round"]
    assert "tournament" not in await idle.sign_in()


@pytest.mark.slow
async def test_the_result_of_a_tournament_that_ended_meanwhile_is_there_on_return(arena: Arena) -> None:
    game = await arena.game()
    await game.final()
    (match,) = game.now["matches"]
    winner, loser = game.sides(match)
    await game.begun(match)
    await drop(loser)
    await until_away(winner, loser)
    await game.win(match, winner)
    over = await winner.tournament(game.id, lambda one: bool(one["over"]))
    welcome = await loser.sign_in()
    assert welcome["tournament"] == {**over, "players": welcome["tournament"]["players"]}
    assert game.standing(loser)["place"] == 2
    assert welcome["you"]["rating"] == 1018
    game.check()


async def test_without_its_token_a_connection_is_nobodys(arena: Arena) -> None:
    player = await arena.player()
    assert player.token is not None
    for token in ("", "x", f"{player.player_id}.", player.token[:-1], player.token + "x", player.player_id, ".x"):
        connection = await arena.connection()
        answer = await connection.ask("hello", token=token)
        assert answer["code"] in ("bad_token", "bad_request"), token
        assert (await connection.ask("sync"))["code"] == "not_signed_in"
    assert (await player.sync())["you"]["player_id"] == player.player_id
