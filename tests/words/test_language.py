"""The data with which clients draw a board and a keyboard (R32)."""

import unicodedata

import pytest

from wordle_tournament.words import languages, normalise


def test_a_language_knows_its_code() -> None:
    assert all(code == language.code for code, language in languages().items())


def test_they_are_built_once() -> None:
    assert languages() is languages()


@pytest.mark.parametrize("code", list(languages()))
def test_the_keyboard_has_each_tile_once(code: str) -> None:
    language = languages()[code]
    letters = [tile.letter for tile in language.tiles]
    assert sorted(letter for row in language.keyboard for letter in row) == sorted(letters)


@pytest.mark.parametrize("code", list(languages()))
def test_a_tile_is_one_code_point_and_its_label_types_it(code: str) -> None:
    for tile in languages()[code].tiles:
        assert len(tile.letter) == 1
        assert tile.letter == tile.letter.lower() == unicodedata.normalize("NFC", tile.letter)
        assert normalise(code, tile.label) == tile.letter


def test_labels_of_uzbek_tiles() -> None:
    labels = {tile.letter: tile.label for tile in languages()["uz"].tiles}
    assert [labels[letter] for letter in "öğşça"] == ["oʻ", "gʻ", "sh", "ch", "a"]


@pytest.mark.parametrize(
    ("code", "tiles"),
    [("en", 26), ("de", 30), ("es", 27), ("uz", 28), ("pl", 32), ("kk", 42), ("ru", 32), ("uk", 33)],
)
def test_how_many_tiles(code: str, tiles: int) -> None:
    assert len(languages()[code].tiles) == tiles
