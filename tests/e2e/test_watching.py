"""Watching: who has no duel of their own running may watch another, and sees exactly what its players see (R10)."""

from tests.e2e.arena import Arena, Game
from tests.e2e.driver import Frame, Player


def boards(player: Player, duel_id: str, since: int = 0) -> dict[int, Frame]:
    """Return the states of a duel that a player was shown, by version, after the first `since` frames."""
    return {
        frame["duel"]["version"]: frame["duel"]
        for frame in player.frames[since:]
        if frame["type"] == "duel" and frame["duel"]["duel_id"] == duel_id
    }


async def told_everything(*players: Player) -> None:
    """Wait until all frames pushed to the players before have arrived."""
    for player in players:
        await player.ask("ping")


async def _with_a_bye(arena: Arena) -> tuple[Game, Player]:
    """The second round of seven, and who has the bye in it."""
    game = await arena.game()
    leaver = game.sides(game.now["matches"][0])[0]
    await leaver.leave()
    for match in game.now["matches"][1:]:
        await game.win(match, game.sides(match)[0])
    await game.everybody(round=2)
    return game, game.players[game.now["bye"]]


async def test_a_player_with_a_bye_watches_switches_and_stops_and_sees_what_the_players_see(arena: Arena) -> None:
    game, watcher = await _with_a_bye(arena)
    first, second, third = game.now["matches"]
    for match in (first, second):
        await game.begun(match)
    before = await game.turn(first)
    assert not boards(watcher, first["duel_id"]), "nothing of it before it is watched"

    answer = await watcher.ask("watch", duel=first["duel_id"])
    assert answer["duel"] == before
    await game.turn(first)
    await game.turn(first)
    # A push may come after a later answer.
    await watcher.until(lambda: len(boards(watcher, first["duel_id"])) == 3 or None)
    seen = boards(watcher, first["duel_id"])
    one, other = game.sides(first)
    await one.until(lambda: seen.items() <= boards(one, first["duel_id"]).items() or None)
    await other.until(lambda: seen.items() <= boards(other, first["duel_id"]).items() or None)
    assert (await watcher.sync())["watching"] == first["duel_id"]

    # The next one instead.
    answer = await watcher.ask("watch", duel=second["duel_id"])
    assert answer["duel"]["rows"] == []
    mark = len(watcher.frames)
    await game.turn(first)
    await game.turn(second)
    await watcher.until(lambda: len(boards(watcher, second["duel_id"], mark)) == 1 or None)
    assert not boards(watcher, first["duel_id"], mark)

    # And none.
    for _ in range(2):
        assert (await watcher.ask("unwatch"))["type"] == "unwatched"
    mark = len(watcher.frames)
    await game.turn(second)
    await told_everything(watcher)
    assert not boards(watcher, second["duel_id"], mark)
    assert "watching" not in await watcher.sync()

    # The end comes to everybody.
    over = await game.win(second, game.sides(second)[1])
    assert await watcher.duel(second["duel_id"], lambda one: bool(one["over"])) == over
    assert await watcher.refused("watch", duel=second["duel_id"]) == "duel_over"
    assert (await watcher.ask("watch", duel=third["duel_id"]))["type"] == "duel"


async def test_being_watched_changes_nothing_for_the_players(arena: Arena) -> None:
    game, watcher = await _with_a_bye(arena)
    match = game.now["matches"][0]
    duel = await game.begun(match)
    marks = {side: len(side.frames) for side in game.sides(match)}
    for _ in range(3):
        await watcher.ask("watch", duel=match["duel_id"])
    await watcher.ask("unwatch")
    await told_everything(*marks)
    for side, mark in marks.items():
        assert {frame["type"] for frame in side.frames[mark:]} <= {"pong", "duel"}
        # Its opening may come late, and that is all.
        assert set(boards(side, match["duel_id"], mark)) <= {duel["version"]}
    assert (await game.turn(match))["version"] == duel["version"] + 1


async def test_watching_needs_the_own_duel_to_be_over_and_the_same_tournament(arena: Arena) -> None:
    game = await arena.game()
    first, second, *_ = game.now["matches"]
    player, _ = game.sides(first)
    await game.begun(first)
    assert await player.refused("watch", duel=second["duel_id"]) == "in_duel"
    assert await player.refused("watch", duel=first["duel_id"]) == "in_duel"
    await game.win(first, player)
    assert (await player.ask("watch", duel=second["duel_id"]))["type"] == "duel"
    assert await player.refused("watch", duel=first["duel_id"]) == "duel_over"
    assert await player.refused("guess", duel=second["duel_id"], turn=1, word="crane") == "not_in_duel"
    stranger = await arena.player()
    assert await stranger.refused("watch", duel=second["duel_id"]) == "not_in_tournament"
    assert not boards(stranger, second["duel_id"])


async def test_a_watcher_who_loses_the_connection_goes_on_watching_on_return(arena: Arena) -> None:
    game = await arena.game()
    first, second, *_ = game.now["matches"]
    watcher, _ = game.sides(first)
    await game.win(first, watcher)
    await watcher.ask("watch", duel=second["duel_id"])
    watcher.connection.cut()
    await watcher.connection.ended()
    played = await game.turn(second)
    welcome = await watcher.sign_in()
    assert welcome["watching"] == second["duel_id"]
    assert played in welcome["duels"]
    played = await game.turn(second)
    assert await watcher.duel(second["duel_id"], lambda one: one["version"] >= played["version"]) == played


async def test_whoever_is_out_watches_to_the_end_and_hears_of_every_round(arena: Arena) -> None:
    game = await arena.game()
    await game.last_lives()
    await game.play_round(lambda match: match["players"][0])
    watcher = game.those("out")[0]
    place = game.standing(watcher)["place"]
    while not game.now["over"]:
        match = game.now["matches"][0]
        side = game.sides(match)[0]
        await game.begun(match)
        assert (await watcher.ask("watch", duel=match["duel_id"]))["type"] == "duel"
        await game.turn(match)
        await game.turn(match)
        await told_everything(watcher, side)
        seen = boards(watcher, match["duel_id"])
        assert len(seen) == 3
        assert seen.items() <= boards(side, match["duel_id"]).items()
        state = await game.play_round(lambda one: one["players"][0])
        await watcher.tournament(game.id, lambda one, version=state["version"]: one["version"] >= version)  # type: ignore[misc]
    assert watcher.tournaments[game.id]["over"]
    assert game.standing(watcher)["place"] == place
    (result,) = watcher.results
    assert result["place"] == place
    game.check()


async def test_whoever_is_out_and_joins_another_game_hears_no_more_of_this_one(arena: Arena) -> None:
    game = await arena.game()
    await game.last_lives()
    await game.play_round(lambda match: match["players"][0])
    player = game.those("out")[0]
    match = game.now["matches"][0]
    await game.begun(match)
    await player.ask("watch", duel=match["duel_id"])
    await player.join()
    mark = len(player.frames)
    await game.play_round()
    await told_everything(player)
    assert {frame["type"] for frame in player.frames[mark:]} <= {"pong", "lobby"}
    assert "tournament" not in await player.sync()
    game.check()
