"""How typed text becomes a canonical word, in each language (R33)."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordle_tournament.errors import ErrorCode, GameError
from wordle_tournament.words import (
    LENGTHS,
    answers,
    check_guess,
    display,
    guesses,
    languages,
    normalise,
)


def refusal(language: str, length: int, text: str) -> GameError:
    with pytest.raises(GameError) as refused:
        check_guess(language, length, text)
    return refused.value


@pytest.mark.parametrize(
    ("language", "typed", "word"),
    [
        ("en", "NAÏVE", "naive"),
        ("id", "Tapi", "tapi"),
        ("de", "STRAẞE", "straße"),
        ("de", "Café", "cafe"),
        ("es", "ÁRBOL", "arbol"),
        ("es", "pingüino", "pinguino"),
        ("fr", "cœur", "coeur"),
        ("fr", "GARÇON", "garcon"),
        ("it", "città", "citta"),
        ("nl", "NAÏEF", "naief"),
        ("pl", "ŻÓŁW", "żółw"),
        ("pt", "AÇÃO", "acao"),
        ("kk", "ӘЖЕ", "әже"),
        ("ru", "Ёлка", "елка"),
        ("uk", "Ґрунт", "ґрунт"),
        ("uz", "GʻOYA", "ğoya"),
    ],
)
def test_accepted_variants(language: str, typed: str, word: str) -> None:
    for text in (typed, unicodedata.normalize("NFD", typed), f"\u00ad{typed}\u200b "):
        assert normalise(language, text) == word


@pytest.mark.parametrize("language", list(languages()))
def test_normalising_twice_changes_nothing(language: str) -> None:
    letters = "".join(tile.letter for tile in languages()[language].tiles)
    assert normalise(language, letters) == letters
    assert normalise(language, letters.replace("ß", "ẞ").upper()) == letters


class TestSharpS:
    """ß is a letter; SS is two others."""

    def test_sharp_s_and_its_capital_are_the_word(self) -> None:
        assert check_guess("de", 4, "groß") == "groß"
        assert check_guess("de", 4, "GROẞ") == "groß"
        assert check_guess("de", 4, "GROß") == "groß"

    def test_ss_is_a_word_of_another_length(self) -> None:
        for typed in ("gross", "GROSS", "groß".upper()):
            refused = refusal("de", 4, typed)
            assert refused.code is ErrorCode.WRONG_LENGTH
            assert refused.message == "The word must have 4 letters."


class TestRealLetters:
    """Marks are not dropped from letters of the alphabet."""

    @pytest.mark.parametrize(
        ("language", "one", "other"),
        [
            ("es", "caña", "cana"),
            ("de", "schön", "schon"),
            ("pl", "łaska", "laska"),
            ("ru", "край", "краи"),
            ("kk", "қой", "қои"),
            ("uk", "їжак", "іжак"),
            ("uz", "oʻt", "ot"),
            ("uz", "gʻoz", "goz"),
        ],
    )
    def test_neighbours_stay_apart(self, language: str, one: str, other: str) -> None:
        for form in ("NFC", "NFD"):
            assert normalise(language, unicodedata.normalize(form, one)) != normalise(language, other)

    @pytest.mark.parametrize(
        ("language", "letters"),
        [("es", "ñ"), ("de", "äöüß"), ("pl", "ąćęłńóśźż"), ("ru", "й"), ("uk", "йїґєі"), ("kk", "әғқңөұүһій")],
    )
    def test_lists_have_them(self, language: str, letters: str) -> None:
        used = {letter for length in LENGTHS for word in guesses(language, length) for letter in word}
        assert set(letters) <= used


class TestLookAlikes:
    """The apostrophe and letters that look like another script's."""

    @pytest.mark.parametrize("apostrophe", ["'", "’", "ʼ", "`"])
    def test_ukrainian_words_with_an_apostrophe_are_not_in_the_game(self, apostrophe: str) -> None:
        refused = refusal("uk", 5, f"п{apostrophe}ять")
        assert refused.code is ErrorCode.UNKNOWN_LETTER
        assert refused.message == f"The language has no letter {apostrophe}."

    def test_latin_i_stands_for_the_cyrillic_one(self) -> None:
        assert check_guess("uk", 4, "сiль") == check_guess("uk", 4, "сіль")
        assert check_guess("kk", 5, "бiлек") == "білек"

    @pytest.mark.parametrize(("language", "typed"), [("ru", "cлово"), ("uk", "cлово"), ("kk", "aдам"), ("en", "wоrd")])
    def test_other_look_alikes_are_refused(self, language: str, typed: str) -> None:
        assert refusal(language, len(typed), typed).code is ErrorCode.UNKNOWN_LETTER


class TestDigraphs:
    """Digraphs that are one letter, and those that are two."""

    def test_dutch_ij_is_two_letters(self) -> None:
        for typed in ("prijs", "prĳs", "PRĲS"):
            assert check_guess("nl", 5, typed) == "prijs"

    def test_russian_yo_is_ye(self) -> None:
        for typed in ("чёрт", "черт", "ЧЁРТ"):
            assert check_guess("ru", 4, typed) == "черт"
        assert display("ru", "черт") == "чёрт"

    def test_uzbek_digraphs_are_one_tile_each(self) -> None:
        for mark in "ʻʼ‘’`'´′":
            assert normalise("uz", f"O{mark}G{mark}IL") == "öğil"
        assert check_guess("uz", 4, "SHAXS") == "şaxs"
        assert display("uz", "şaxs") == "shaxs"

    def test_display_folds_to_no_two_answers(self) -> None:
        for code in languages():
            for length in LENGTHS:
                words = answers(code, length)
                assert [normalise(code, display(code, word)) for word in words] == list(words)


def test_refusals_in_order_letters_length_list() -> None:
    assert refusal("en", 5, "wörd!").code is ErrorCode.UNKNOWN_LETTER
    assert refusal("en", 5, "!").message == "The language has no letter !."
    assert refusal("en", 5, "").code is ErrorCode.WRONG_LENGTH
    assert refusal("en", 5, "word").message == "The word must have 5 letters."
    assert refusal("en", 5, "zzzzz").code is ErrorCode.NOT_IN_WORD_LIST


def test_a_refusal_never_repeats_the_word() -> None:
    for typed in ("zzzzz", "zzzzzz", "zz!zz"):
        assert "zz" not in str(refusal("en", 5, typed))


@pytest.mark.parametrize(
    "text",
    [
        "\ud800abc",
        "\udfff" * 131_072,
        "\x00" * 5,
        "🎉" * 32_768,
        "\u0316\u0301" * 65_536,
        "e" + "\u0301\u0316" * 65_536,
        "a" * 131_072,
        "і" * 65_536,
        " " * 131_072,
        "\u200b" * 131_072,
        "\u202eabc",
        "ﷺ" * 40_000,
        "абvгд",
        "crane" + " " * 131_000,
    ],
    ids=lambda text: f"{len(text)}x{ord(text[0]):04x}",
)
def test_hostile_text_is_refused_at_once(text: str) -> None:
    started = time.perf_counter()
    for language in languages():
        if text.strip() == "crane":
            normalise("en", text)
            continue
        refused = refusal(language, 5, text)
        str(refused).encode()
    assert time.perf_counter() - started < 0.5


@given(language=st.sampled_from(sorted(languages())), text=st.text(st.characters(), max_size=12))
def test_any_text_is_a_word_of_the_list_or_refused(language: str, text: str) -> None:
    try:
        word = check_guess(language, 5, text)
    except GameError as refused:
        str(refused).encode()
    else:
        assert word in guesses(language, 5)
