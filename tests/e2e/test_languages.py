"""Tournaments in languages whose words are typed in more ways than one (R32, R33)."""

import itertools
import unicodedata
from collections.abc import Callable

import pytest

from tests.e2e.arena import Arena, Game
from tests.e2e.driver import Frame
from wordle_tournament import words

UZBEK_MARKS = ("ʻ", "‘", "’", "'", "`", "ʼ")


def decomposed(word: str) -> str:
    """As some phones send it: letters and their marks apart."""
    return unicodedata.normalize("NFD", word)


def in_ukrainian() -> list[Callable[[str], str]]:
    """Ways of typing one and the same word."""
    return [
        str.upper,
        str.title,
        decomposed,
        lambda word: decomposed(word.upper()),
        lambda word: word.replace("і", "i"),
        lambda word: f" {word} ",
        lambda word: "\u200b".join(word),
    ]


def in_uzbek() -> list[Callable[[str], str]]:
    def labels(mark: str) -> Callable[[str], str]:
        spelt = {"ş": "sh", "ç": "ch", "ö": "o" + mark, "ğ": "g" + mark}
        return lambda word: "".join(spelt.get(letter, letter) for letter in word)

    ways: list[Callable[[str], str]] = [labels(mark) for mark in UZBEK_MARKS]
    return [
        *ways,
        lambda word: labels("’")(word).upper(),
        lambda word: labels("'")(word).title(),
        decomposed,
        str.upper,
    ]


LANGUAGES = {"uk": (in_ukrainian, "їйі"), "uz": (in_uzbek, "öğşç")}


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_tournament_is_played_by_the_rules_however_its_words_are_typed(arena: Arena, language: str) -> None:
    ways, letters = LANGUAGES[language]
    typed = itertools.cycle(ways())
    game = await arena.game(language)
    assert game.now["language"] == language
    while (state := game.now)["round"] <= 3:
        for match in state["matches"]:
            duel = await game.begun(match)
            for _ in range(2):
                word = _telling_word(game, duel, letters)
                duel = await game.turn(match, next(typed)(word))
                assert duel["rows"][-1]["word"] == word, "rows hold canonical letters, one for each tile"
            secret = arena.word(match["duel_id"])
            over = await game.turn(match, next(typed)(secret))
            assert (over["ending"], over["word"]) == ("solved", secret)
            assert over["display"]
        await game.everybody(round=state["round"] + 1)
    game.check()


def _telling_word(game: Game, duel: Frame, letters: str) -> str:
    """A wrong word with as many as can be of the letters that are typed in more ways than one."""
    secret = set(game.arena.words(duel["duel_id"]).values())
    some = game.arena.rng.sample(list(words.guesses(duel["language"], duel["length"])), 200)
    return max((word for word in some if word not in secret), key=lambda word: len(set(word) & set(letters)))


async def test_lobbies_are_of_one_language(arena: Arena) -> None:
    ukrainian, uzbek = await arena.crowd(2)
    one, other = await ukrainian.join("uk"), await uzbek.join("uz")
    assert one["lobby_id"] != other["lobby_id"]
    assert (one["language"], other["language"]) == ("uk", "uz")
    assert await uzbek.refused("join", language="uk") == "in_lobby"
    assert (await uzbek.join("uz"))["lobby_id"] == other["lobby_id"]


@pytest.mark.parametrize(("language", "word"), [("uk", "crane"), ("uz", "ўзбек"), ("uk", "ёжики")])
async def test_letters_of_another_alphabet_are_refused_with_a_reason(arena: Arena, language: str, word: str) -> None:
    game = await arena.game(language)
    match = game.now["matches"][0]
    duel = await game.begun(match)
    answer = await game.sides(match)[0].guess(duel, word)
    assert (answer["type"], answer["code"]) == ("error", "unknown_letter")
