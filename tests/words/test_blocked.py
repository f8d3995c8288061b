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
    assert words.is_blocked(f"{word.title()}88")
    assert words.is_blocked(f"Big 4{word}_2")
    assert not words.is_blocked(f"{word}{word}x")


@pytest.mark.parametrize("language", ["en", "es", "ru"])
def test_slurs_longer_than_any_word_of_the_game_are_blocked(language: str) -> None:
    path = words.lists.ROOT / language / "blocked.txt"
    longest = max(path.read_text(encoding="utf-8").split(), key=len)
    assert len(longest) > max(words.LENGTHS)
    assert words.is_blocked(f"Big {longest.title()}")


@pytest.mark.parametrize("mark", "ʻ'’‘")
def test_an_apostrophe_may_be_part_of_a_letter(mark: str) -> None:
    blocked = (words.lists.ROOT / "uz" / "blocked.txt").read_text(encoding="utf-8").split()
    word = next(word for word in blocked if "ö" in word)
    assert words.is_blocked(f"Big {word.replace('ö', f'o{mark}')}_2")


@pytest.mark.parametrize(
    "name",
    ["Del Pau", "Scunthorpe", "Quick Fox", "Олена", "Жасұлан", "O'Brien", "Babu", "Zina", "東京", "007 Otter", "1984"],
)
def test_an_innocent_name_is_not_blocked(name: str) -> None:
    assert not words.is_blocked(name)
