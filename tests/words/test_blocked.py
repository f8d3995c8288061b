"""The nickname filter (R35): slurs and obscenities are refused in disguise too, and people's names are not."""

import pytest

from wordle_tournament import words
from wordle_tournament.words import blocked
from wordlists.builder import nicknames

CODES = sorted(words.languages())


def slur(language: str) -> str:
    """Return a slur of the language that may be no part of any other word."""
    entries = nicknames.hand(language, "hate")
    return next(entry for entry in entries if blocked.fold(entry) in blocked.load("anywhere"))


@pytest.mark.parametrize("language", CODES)
def test_a_slur_is_refused_in_any_disguise(language: str) -> None:
    word = slur(language)
    doubled = word[:2] + word[1] + word[2:]
    disguises = [
        word,
        word.upper(),
        f"Big {word.title()}",
        f"{word}_88",
        f"x{word}x",
        " ".join(word),
        f"7{word}",
        doubled,
    ]
    assert [name for name in disguises if not words.is_blocked(name)] == []


@pytest.mark.parametrize("language", CODES)
def test_most_entries_of_the_hand_lists_are_refused(language: str) -> None:
    entries = [entry.replace("-", " ") for entry in nicknames.hand(language, "hate")]
    entries = [entry for entry in entries if len(entry) > 3]
    missed = [entry for entry in entries if not words.is_blocked(entry)]
    assert len(missed) <= len(entries) * 0.1, missed


@pytest.mark.parametrize(
    "name",
    [
        "faggots",
        "kikes",
        "pakis",
        "n1gg3rs",
        "f4gg0t",
        "niggggers",
        "NiggerKiller",
        "xNiggerx",
        "FuckYou",
        "Judensau",
        "Sieg Heil",
        "h1tler",
        "KKK",
        "1488",
        "kill yourself",
        "filho da puta",
        "filhodaputa",
        "hijo-de-puta",
        "Zigeuner",
        "bamboula",
        "czarnuch",
        "kanker",
        "nikker",
        "joder",
        "coño",
        "negrata",
        "Ficker",
        "ниггер",
        "хач",
        "черножопый",
        "чмо",
        "ёбаный",
        "пид0р",
        "жиды",
        "Black Ape",
    ],
)
def test_slurs_phrases_and_obscenities_are_refused(name: str) -> None:
    assert words.is_blocked(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Peter",
            "Péter",
            "Anita",
            "Regina",
            "Jude",
            "Jude Bellingham",
            "Ana L",
            "Mona",
            "Nana",
            "Kike",
            "Paki",
            "Dick",
        ),
        *("Cockburn", "Cumming", "Cummings", "Dickinson", "Gerber", "Huyen", "Johny", "Savage", "Sukarno", "Uranus"),
        *("Vergara", "Zorra", "Scunthorpe", "Cum Laude", "Del Pau", "Quick Fox", "Олена", "Жасұлан", "O'Brien", "Babu"),
        *("Zina", "東京", "007 Otter", "1984", "Хохлова", "Гоголь", "Nazir", "Takeshita", "Nigel", "Niger", "Essex"),
        *("Kot", "Кот", "Daun", "Kotak", "Clites", "Fickes", "Sundelin", "Babacan", "Youping", "Coones", "Trutz"),
        *(
            "Cocktail",
            "Grape",
            "Therapist",
            "Assassin",
            "Analyst",
            "Hancock",
            "Titus",
            "Dickens",
            "Penistone",
            "Butter",
        ),
    ],
)
def test_an_innocent_name_is_not_refused(name: str) -> None:
    assert not words.is_blocked(name)


@pytest.mark.parametrize("mark", "ʻ'’‘")
def test_an_apostrophe_may_be_part_of_a_letter(mark: str) -> None:
    assert words.is_blocked(f"Big qo{mark}toq_2")


def test_the_lists_are_folded_and_sorted() -> None:
    for name in ("whole", "exact", "phrases", "anywhere", "partners", "allowed"):
        lines = (words.lists.ROOT / "nicknames" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        assert lines == sorted(set(lines)), name
        assert [line for line in lines if blocked.fold(line) != line] == [], name
