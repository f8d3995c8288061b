"""The clock of a turn, and guesses that come twice, together or too late (R11, R14-R17)."""

import asyncio
import random
import time

import pytest

from tests.e2e.arena import Arena, Game
from tests.e2e.conftest import OpenArena
from tests.e2e.driver import Frame, Player


@pytest.mark.slow
async def test_twelve_skips_are_a_draw_that_costs_both_a_life_and_the_next_round_opens(open_arena: OpenArena) -> None:
    arena = await open_arena(TurnSeconds=1, SilenceSeconds=600)
    game = await arena.game()
    first = game.now
    state = await game.everybody(round=2)
    duels = [await player.duel(match["duel_id"]) for match in first["matches"] for player in game.sides(match)[:1]]
    for duel in duels:
        assert [set(row) for row in duel["rows"]] == [{"player_id", "marks"}] * 12
        assert duel["ending"] == "drawn"
        assert [player["lives"] for player in duel["players"]] == [2, 2]
    assert state["round"] == 2
    assert [(player["lives"], player["fate"]) for player in state["players"]] == [(2, "in")] * 8
    assert len(state["matches"]) == 4


@pytest.mark.slow
async def test_of_a_guess_at_the_deadline_and_the_skip_exactly_one_happens(open_arena: OpenArena) -> None:
    arena = await open_arena(TurnSeconds=1, TurnGraceSeconds=0, SilenceSeconds=600)
    game = await arena.game()
    tries = await asyncio.gather(*(_race(game, match) for match in game.now["matches"]))
    assert all(tries)
    state = await game.everybody(round=2)
    assert [player["lives"] for player in state["players"]] == [2] * 8


async def _race(game: Game, match: Frame) -> int:
    """Play a duel in which every guess comes when the turn's alarms do; how many there were."""
    tries = 0
    rng = random.Random(match["duel_id"][-1])
    duel = await game.begun(match)
    wrong = game.wrong_word(duel)
    while not duel["over"]:
        turn, mover = duel["turn"], game.players[duel["to_move"]]
        at_ms = duel["deadline_ms"] + rng.uniform(-40, 15)
        answer = await _guess_while_alarms_ring(game, mover, duel, wrong, at_ms)
        duel = await mover.duel(match["duel_id"], lambda one, turn=turn: one["turn"] > turn)  # type: ignore[misc]
        row = duel["rows"][turn - 1]
        assert row["player_id"] == mover.player_id
        if "word" in row:
            assert answer["type"] == "duel"
            assert answer["duel"]["rows"][turn - 1] == row
        else:
            assert answer.get("code") in ("turn_over", "duel_over"), answer
        tries += 1
    assert (duel["ending"], len(duel["rows"])) == ("drawn", 12)
    return tries


async def _guess_while_alarms_ring(game: Game, mover: Player, duel: Frame, word: str, at_ms: float) -> Frame:
    """Guess at that time; alarms come at the deadline and again, and the machine's own comes too."""
    alarms = [
        asyncio.ensure_future(asyncio.to_thread(_alarm, game, duel["duel_id"], duel["deadline_ms"] + wait))
        for wait in (0, 5)
    ]
    await asyncio.sleep(max(0.0, at_ms / 1000 - time.time()))
    answer = await mover.guess(duel, word)
    await asyncio.gather(*alarms)
    return answer


def _alarm(game: Game, duel_id: str, time_ms: float) -> None:
    time.sleep(max(0.0, time_ms / 1000 - time.time()))
    game.arena.stack.invoke_task("skip_turn", duel_id=duel_id, tournament_id=game.id)


async def test_a_repeated_alarm_skips_a_turn_once_and_an_early_one_never(arena: Arena) -> None:
    game = await arena.game()
    match = game.now["matches"][0]
    duel = await game.begun(match)
    for _ in range(3):
        _alarm(game, match["duel_id"], 0)
    after = await game.turn(match)
    assert (duel["turn"], after["turn"]) == (1, 2)
    assert "word" in after["rows"][0]


async def test_the_same_guess_delivered_twice_is_one_row_and_answered_alike(arena: Arena) -> None:
    game, mover, duel = await _duel(arena)
    word = game.wrong_word(duel)
    answers = await _at_once(mover, duel, word, word)
    again = await mover.guess(duel, word, turn=1)
    for answer in [*answers, again]:
        assert answer["type"] == "duel", answer
        assert [row.get("word") for row in answer["duel"]["rows"]] == [word]


async def test_of_two_different_guesses_in_one_turn_one_counts_and_the_other_is_told_so(arena: Arena) -> None:
    game, mover, duel = await _duel(arena)
    one, other = game.wrong_word(duel), game.wrong_word(duel)
    while other == one:
        other = game.wrong_word(duel)
    answers = await _at_once(mover, duel, one, other)
    assert sorted(answer["type"] for answer in answers) == ["duel", "error"]
    assert [answer["code"] for answer in answers if answer["type"] == "error"] == ["turn_over"]
    played = next(answer["duel"] for answer in answers if answer["type"] == "duel")
    assert len(played["rows"]) == 1
    assert (await mover.sync())["duels"][0]["rows"] == played["rows"]


async def test_a_guess_out_of_turn_leaves_no_trace_even_at_the_same_instant(arena: Arena) -> None:
    game, mover, duel = await _duel(arena)
    other = next(side for side in game.sides(game.match(mover)) if side is not mover)
    await other.duel(duel["duel_id"])
    word, solution = game.wrong_word(duel), arena.word(duel["duel_id"])
    answer, refusal = await asyncio.gather(mover.guess(duel, word), other.guess(duel, solution))
    assert refusal["code"] in ("not_your_turn", "turn_over")
    assert [row.get("word") for row in answer["duel"]["rows"]] == [word]
    assert not answer["duel"]["over"]


async def test_a_refused_guess_costs_nothing_and_the_clock_goes_on(arena: Arena) -> None:
    _, mover, duel = await _duel(arena)
    wrong = {"a": "wrong_length", "q" * duel["length"]: "not_in_word_list", "1" * duel["length"]: "unknown_letter"}
    for word, code in wrong.items():
        assert (await mover.guess(duel, word))["code"] == code
    (synced,) = (await mover.sync())["duels"]
    assert synced == duel


async def test_nothing_is_added_after_the_word_was_found(arena: Arena) -> None:
    game, mover, duel = await _duel(arena)
    match = game.match(mover)
    over = await game.win(match, mover)
    for side in game.sides(match):
        assert await side.refused("guess", duel=duel["duel_id"], turn=over["turn"], word=game.wrong_word(duel)) in (
            "duel_over",
        )
    (stored,) = (one["state"] for one in arena.stack.items("DuelsTable") if one["duel_id"] == duel["duel_id"])
    assert len(stored["rows"]) == len(over["rows"]) == 1


async def _duel(arena: Arena) -> tuple[Game, Player, Frame]:
    """A duel that has just begun, and who moves first."""
    game = await arena.game()
    match = game.now["matches"][0]
    duel = await game.begun(match)
    return game, game.players[duel["to_move"]], duel


async def _at_once(player: Player, duel: Frame, *words: str) -> list[Frame]:
    refs = [f"word {index}" for index in range(len(words))]
    for ref, word in zip(refs, words, strict=True):
        guess = {"action": "guess", "duel": duel["duel_id"], "turn": duel["turn"], "word": word}
        await player.connection.send({**guess, "ref": ref})
    return [await player.connection.answer(ref) for ref in refs]
