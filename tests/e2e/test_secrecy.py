"""The word leaves the server only when its duel is over (R18).

Played in Ukrainian: none of its letters is in an id, a key, a code, a nickname or an error's text, so that a word can
be looked for in the whole of a frame. (tests/e2e/arena.py looks at the words' places after every other test, too.)
"""

import asyncio

import pytest

from tests.e2e.arena import Arena, Game
from tests.e2e.driver import Frame
from tests.e2e.frames import check_secrets, check_text


@pytest.mark.slow
async def test_no_frame_before_a_duels_end_holds_its_word(arena: Arena) -> None:
    game = await arena.game("uk")
    watched = returned = 0
    while not game.now["over"]:
        state = game.now
        for match in state["matches"]:
            await game.begun(match)
            await game.turn(match)
            watched += await _idle_ones_watch(game, match)
            await game.turn(match)
            if arena.rng.random() < 0.5:
                returned += await _drop_and_return(game, match)
            answer = await game.sides(match)[0].ask("guess", duel=match["duel_id"], turn=3, word="ґґґґ")
            assert answer["type"] == "error"
            await asyncio.gather(*(player.sync() for player in arena.rng.sample(arena.players, 1)))
            await game.win(match, game.sides(match)[arena.rng.randrange(2)])
        await game.everybody(round=state["round"] + 1)
    game.check()

    frames, secrets = arena.frames(), arena.secrets()
    check_text(frames, secrets)
    assert watched > 10
    assert returned > 2
    history = arena.history()
    assert game.id in history
    assert not [secret for secret in secrets if secret.word in history]


async def test_the_search_for_words_finds_one(arena: Arena) -> None:
    """Or the test above would prove nothing."""
    game = await arena.game("uk")
    match = game.now["matches"][0]
    word = arena.word(match["duel_id"])
    player = game.sides(match)[0]
    leaks: list[Frame] = [
        {"type": "error", "now_ms": 0, "message": f"not {word}"},
        {"type": "duel", "now_ms": 0, "duel": {**(await game.begun(match)), "display": word.title()}},
    ]
    for leak in leaks:
        with pytest.raises(AssertionError):
            check_text([leak], arena.secrets())
    with pytest.raises(AssertionError):
        check_secrets(leaks, arena.secrets())
    check_text(player.frames, arena.secrets())


async def _idle_ones_watch(game: Game, match: Frame) -> int:
    """Some of those who may watch the duel."""
    busy = {
        player
        for other in game.now["matches"]
        for player in other["players"]
        if not game.players[player].duels.get(other["duel_id"], {}).get("over")
    }
    idle = [player for player in game.players.values() if player.player_id not in busy]
    watchers = game.arena.rng.sample(idle, min(2, len(idle)))
    for answer in await asyncio.gather(*(player.ask("watch", duel=match["duel_id"]) for player in watchers)):
        assert answer["type"] == "duel"
    return len(watchers)


async def _drop_and_return(game: Game, match: Frame) -> int:
    """One of the two loses the connection, and comes back."""
    player = game.sides(match)[0]
    player.connection.cut()
    await player.connection.ended()
    welcome = await player.sign_in()
    assert match["duel_id"] in {duel["duel_id"] for duel in welcome["duels"] if not duel["over"]}
    return 1
