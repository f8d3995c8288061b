"""Names must not be made of slurs; a name is not at fault for what can be found inside it."""

import pytest

from wordle_tournament import words


def of(language: str) -> str:
    path = words.lists.ROOT / language / "blocked.txt"
    return path.read_text(encoding="utf-8").split()[0]


@pytest.mark.parametrize("language", sorted(words.languages()))
def test_every_language_blocks_its_own(language: str) -> None:
    word = of(language)
    assert words.is_blocked(word)
    assert words.is_blocked(f"Big {word.title()}")
    assert words.is_blocked(" ".join(word))
    assert not words.is_blocked(f"{word}{word}x")


@pytest.mark.parametrize("name", ["Scunthorpe", "Quick Fox", "Олена", "Жасұлан", "O'Brien", "東京"])
def test_an_innocent_name_is_not_blocked(name: str) -> None:
    assert not words.is_blocked(name)
