"""Leaving: in the lobby for free, later for the whole tournament (R10, R25, R27)."""

import asyncio

import pytest

from bots.referee import rating_change
from tests.e2e.arena import Arena, Game
from tests.e2e.conftest import OpenArena
from tests.e2e.driver import Frame, Player


async def test_leaving_a_lobby_is_free_and_the_seat_is_free_again(arena: Arena) -> None:
    players = await arena.crowd(9)
    for player in players[:7]:
        lobby = await player.join()
    assert len(lobby["players"]) == 7
    await players[0].leave("lobby")
    await players[1].until(lambda: True if players[1].lobby and len(players[1].lobby["players"]) == 6 else None)
    state = await players[0].sync()
    assert "lobby" not in state
    assert state["you"]["rating"] == 1000
    assert not (await players[7].join())["started"]
    assert (await players[8].join())["started"]
    game = Game(arena, lobby["lobby_id"], players[1:])
    await game.everybody(round=1)
    assert {one["player_id"] for one in game.now["players"]} == set(game.players)


async def test_too_late_for_leaving_the_lobby_one_stays_in_the_tournament(arena: Arena) -> None:
    game = await arena.game()
    player = game.those()[0]
    assert await player.refused("leave", what="lobby") == "too_late"
    assert (await player.sync())["tournament"]["leavers"] == []


async def _leaves(game: Game, player: Player) -> None:
    """The player leaves, is told so at once, and is free."""
    await player.leave()
    state = await player.sync()
    assert "tournament" not in state
    assert state["duels"] == []
    assert not (await player.join("de"))["started"]
    await player.leave("lobby")


async def _is_told(game: Game, other: Player, leaver: Player) -> Frame:
    return await other.tournament(game.id, lambda one: leaver.player_id in one["leavers"] or one["round"] > 1)


async def _settled(game: Game, leaver: Player, place: int, change: int) -> None:
    line = game.standing(leaver)
    assert (line["fate"], line["place"], line["rating_change"]) == ("left", place, change)
    assert (await leaver.sync())["you"]["rating"] == 1000 + change
    result = await leaver.result(game.id)
    assert (result["place"], result["rating_change"], result["rating"]) == (place, change, 1000 + change)


async def test_leaving_in_the_introduction_loses_the_duel_that_has_not_begun(open_arena: OpenArena) -> None:
    arena = await open_arena(RoundIntroSeconds=3)
    game = await arena.game()
    match = game.now["matches"][0]
    leaver, other = game.sides(match)
    await _leaves(game, leaver)
    await _is_told(game, other, leaver)
    over = await other.duel(match["duel_id"], lambda one: bool(one["over"]))
    assert (over["ending"], over["winner"], over["rows"]) == ("forfeited", other.player_id, [])
    assert [one["lives"] for one in over["players"]] == [0, 3]
    assert "deadline_ms" not in over
    await _rest_of_round(game)
    await _settled(game, leaver, 8, -25)


@pytest.mark.parametrize("own_turn", [True, False], ids=["own turn", "the other's turn"])
async def test_leaving_a_duel_loses_it_and_the_opponent_loses_nothing(arena: Arena, own_turn: bool) -> None:
    game = await arena.game()
    match = game.now["matches"][0]
    first, second = game.sides(match)
    await game.begun(match)
    await game.turn(match)
    leaver, other = (second, first) if own_turn else (first, second)
    await _leaves(game, leaver)
    over = await other.duel(match["duel_id"], lambda one: bool(one["over"]))
    assert (over["ending"], over["winner"]) == ("forfeited", other.player_id)
    assert len(over["rows"]) == 1
    assert {one["player_id"]: one["lives"] for one in over["players"]} == {leaver.player_id: 0, other.player_id: 3}
    await _rest_of_round(game)
    assert game.standing(other)["lives"] == 3
    await _settled(game, leaver, 8, -25)
    game.check()


async def test_leaving_during_a_bye_is_leaving_all_the_same(arena: Arena) -> None:
    game = await arena.game()
    await game.those()[0].leave()
    await _rest_of_round(game)
    leaver = game.players[game.now["bye"]]
    other = game.sides(game.now["matches"][0])[0]
    await _leaves(game, leaver)
    await other.tournament(game.id, lambda one: one["leavers"] == [leaver.player_id])
    await _rest_of_round(game)
    await _settled(game, leaver, 7, -18)
    assert len(game.those()) == 6
    game.check()


async def test_leaving_after_winning_ones_duel_is_placed_below_all_who_fall_in_the_round(arena: Arena) -> None:
    game = await arena.game()
    await game.last_lives()
    first, *others = game.now["matches"]
    leaver, loser = game.sides(first)
    won = await game.win(first, leaver)
    assert [(one["player_id"], one["best_place"], one["worst_place"]) for one in won["out"]] == [
        (loser.player_id, 2, 5)
    ]
    await _leaves(game, leaver)
    for match in others:
        await game.win(match, game.sides(match)[0])
    await game.everybody(round=4)
    # Three survive; four fall and share the place after them; below these comes who left.
    assert {game.standing(one)["place"] for one in game.those("out")} == {4}
    assert len(game.those("out")) == 4
    await _settled(game, leaver, 8, -25)
    # The duel stays as it ended.
    assert game.check().duels[first["duel_id"]][-1].winner == leaver.player_id


async def test_two_who_leave_in_the_same_round_share_the_lower_place(arena: Arena) -> None:
    game = await arena.game()
    first, second, *_ = game.now["matches"]
    leavers = [game.sides(first)[0], game.sides(second)[1]]
    await asyncio.gather(*(player.leave() for player in leavers))
    await _rest_of_round(game)
    for player in leavers:
        await _settled(game, player, 7, -21)
    game.check()


async def test_both_of_a_duel_leaving_at_once_end_it_once_and_neither_gains(arena: Arena) -> None:
    game = await arena.game()
    match = game.now["matches"][0]
    leavers = game.sides(match)
    await asyncio.gather(*(player.leave() for player in leavers))
    await _rest_of_round(game)
    for player in leavers:
        await _settled(game, player, 7, -21)
    assert game.check().duels[match["duel_id"]][-1].ending == "forfeited"


async def test_leaving_once_out_changes_nothing(arena: Arena) -> None:
    game = await arena.game()
    await game.last_lives()
    await game.play_round(lambda match: match["players"][0])
    player = game.those("out")[0]
    before = game.standing(player)
    await player.leave()
    assert (await player.ask("leave", what="tournament"))["type"] == "left", "sent again"
    await game.play()
    assert {**game.standing(player), "away": False} == {**before, "away": False}
    assert (await player.sync())["you"]["rating"] == 1000 + before["rating_change"]
    game.check()


@pytest.mark.slow
async def test_the_last_two_out_together_share_the_first_place_and_nobody_has_won(arena: Arena) -> None:
    game = await arena.game()
    await game.final()
    (match,) = game.now["matches"]
    sides = game.sides(match)
    drawn = await game.draw(match)
    assert [(one["best_place"], one["worst_place"]) for one in drawn["out"]] == [(1, 1)] * 2
    for side in sides:
        result = await side.result(game.id)
        assert (result["place"], result["rating_change"]) == (1, 21)
    await game.over()
    assert not game.those("won")
    assert {one.player_id for one in game.those("out") if game.standing(one)["place"] == 1} == set(match["players"])
    game.check()
    assert not (await sides[0].join())["started"]


@pytest.mark.slow
async def test_all_eight_out_together_share_the_first_place_and_no_rating_moves(arena: Arena) -> None:
    game = await arena.game()
    await game.play(lambda match: None)
    assert [(one["place"], one["rating_change"], one["fate"]) for one in game.now["players"]] == [(1, 0, "out")] * 8
    record = game.check()
    assert len(record.rounds) == 3


async def test_when_all_but_one_have_left_the_last_one_wins_at_once(arena: Arena) -> None:
    game = await arena.game()
    winner = arena.players[0]
    match = game.match(winner)
    last = next(side for side in game.sides(match) if side is not winner)
    leavers = [player for player in arena.players if player not in (winner, last)]
    for player in leavers:
        await player.leave()
    state = await winner.tournament(game.id, lambda one: len(one["leavers"]) == 6)
    assert not state["over"]
    duel = await winner.duel(match["duel_id"])
    assert not duel["over"], "this round's only duel that still runs"
    await last.leave()
    over = await winner.tournament(game.id, lambda one: bool(one["over"]))
    assert over["round"] == 1
    result = await winner.result(game.id)
    assert (result["place"], result["rating_change"]) == (1, 25)
    assert game.standing(winner)["fate"] == "won"
    game.check()
    for leaver in [*leavers, last]:
        await _settled(game, leaver, 2, -4)
    assert not (await winner.join())["started"], "the winner is free as well"


async def test_when_all_leave_at_once_the_tournament_ends_and_all_are_free(arena: Arena) -> None:
    game = await arena.game()
    await asyncio.gather(*(player.leave() for player in arena.players))

    def over() -> bool:
        (tournament,) = arena.stack.items("TournamentsTable")
        return bool(tournament["state"].get("ended_at_ms"))

    await arena.eventually(over)
    # Players who leave in the same round share a place below those who stay; the last one in has won.
    (tournament,) = arena.stack.items("TournamentsTable")
    places: dict[str, int] = {}
    still_in = set(game.players)
    for played in tournament["state"]["rounds"]:
        still_in -= set(played["leavers"])
        places |= dict.fromkeys(played["leavers"], 1 + len(still_in))
    (winner,) = still_in
    places[winner] = 1
    for player in arena.players:
        change = rating_change(player.player_id, places, dict.fromkeys(places, 1000))
        assert (await player.sync())["you"]["rating"] == 1000 + change
    await arena.eventually(lambda: arena.stack.executions("TournamentMachine")[0].status == "SUCCEEDED")
    again = await arena.game(players=arena.players)
    assert again.id != game.id


async def _rest_of_round(game: Game) -> None:
    """Everybody else plays the round to its end."""
    state = game.now
    for match in state["matches"]:
        if not any(game.id in side.left for side in game.sides(match)):
            await game.win(match, game.sides(match)[0])
    await game.everybody(round=state["round"] + 1)
