"""R35: what a nickname may be. Invisible characters are written by code point, so that a reader sees them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.nickname_characters import PATH, UNICODE, module
from wordle_tournament.errors import ErrorCode, GameError
from wordle_tournament.rules import characters
from wordle_tournament.rules.nickname import check_nickname


def refusal(text: str) -> ErrorCode:
    with pytest.raises(GameError) as refused:
        check_nickname(text)
    return refused.value.code


@pytest.mark.parametrize(
    "name",
    [
        "Ann",
        "Quick Silver Fox",
        "x_1-y",
        "007",
        "Żółw",
        "Ñandú",
        "Straße",
        "Nguyễn Thị Hạnh",
        "Олена",
        "Съешь ёлку",
        "Подъезд's",
        "Әлия Қыз",
        "Ұлпан-Өң",
        "O'zbek",
        "Oʻzbek",
        "Gʻayrat",
        "O‘g‘il",
        "Sanʼat",
        "Д’Артаньян",
        "Μαρία",
        "שלום",
        "שָׁלוֹם",
        "מִשְּׁנָה",
        "محمد",
        "مُحَمَّد",
        "سارة ٣",
        "हिन्दी",
        "राजकुमारी",
        "ज़िंदगी",
        "क्षत्रिय ७",
        "বাংলা",
        "தமிழ்",
        "ไทย",
        "ผู้ใหญ่",
        "ที่รัก",
        "ကြောင်",
        "လျှောက်",
        "ខ្មែរ",
        "བསྒྲུབས",
        "王小明",
        "こんにちは",
        "がっこう",
        "ガール",
        "김철수",
        "𠀋𠀋𠀋",
    ],
)
def test_letters_and_digits_of_any_script_are_allowed(name: str) -> None:
    assert check_nickname(name) == unicodedata.normalize("NFC", name)


# Form and length


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("  Ann ", "Ann"),
        ("\tAnn\n", "Ann"),
        ("\u00a0Ann\u3000", "Ann"),
        (unicodedata.normalize("NFD", "Żółw"), "Żółw"),
        (unicodedata.normalize("NFD", "김철수"), "김철수"),
        (unicodedata.normalize("NFD", "Ёлка й"), "Ёлка й"),
    ],
)
def test_a_nickname_is_stored_composed_and_trimmed(text: str, stored: str) -> None:
    assert check_nickname(text) == stored


@pytest.mark.parametrize("length", [3, 20])
@pytest.mark.parametrize("letter", ["a", "Ж", "王", "𠀋"])
def test_three_to_twenty_characters_are_allowed(letter: str, length: int) -> None:
    assert check_nickname(letter * length) == letter * length


@pytest.mark.parametrize("length", [0, 1, 2, 21, 200])
@pytest.mark.parametrize("letter", ["a", "Ж", "王", "𠀋"])
def test_fewer_than_three_and_more_than_twenty_characters_are_refused(letter: str, length: int) -> None:
    assert refusal(letter * length) is ErrorCode.NICKNAME_LENGTH


@pytest.mark.parametrize("text", ["", "   ", " a ", "ab ", "\n\n\n\n"])
def test_what_is_trimmed_does_not_count(text: str) -> None:
    assert refusal(text) is ErrorCode.NICKNAME_LENGTH


def test_twenty_characters_may_be_sent_with_space_around() -> None:
    assert check_nickname(f"   {'a' * 20}   ") == "a" * 20


def test_the_length_is_that_of_the_composed_form() -> None:
    assert check_nickname(unicodedata.normalize("NFD", "é" * 20)) == "é" * 20
    assert refusal(unicodedata.normalize("NFD", "éé")) is ErrorCode.NICKNAME_LENGTH


def test_the_length_is_counted_after_composing_even_where_that_makes_it_longer() -> None:
    # U+0958 is composed by its looks, but two characters in NFC.
    assert refusal("\u0958" * 11) is ErrorCode.NICKNAME_LENGTH
    assert len(check_nickname("\u0958" * 10)) == 20


# Joiners


@pytest.mark.parametrize("joiner", [" ", "-", "_", "'", "’", "‘"])
def test_a_joiner_stands_between(joiner: str) -> None:
    name = f"ab{joiner}cd{joiner}1"
    assert check_nickname(name) == name


@pytest.mark.parametrize("first", [" ", "-", "_", "'", "’", "‘"])
@pytest.mark.parametrize("second", [" ", "-", "_", "'", "’", "‘"])
def test_joiners_are_single(first: str, second: str) -> None:
    assert refusal(f"ab{first}{second}cd") is ErrorCode.NICKNAME_CHARACTERS


@pytest.mark.parametrize("joiner", ["-", "_", "'", "’", "‘"])
def test_a_joiner_neither_leads_nor_trails(joiner: str) -> None:
    assert refusal(f"{joiner}abc") is ErrorCode.NICKNAME_CHARACTERS
    assert refusal(f"abc{joiner}") is ErrorCode.NICKNAME_CHARACTERS


def test_a_name_is_more_than_joiners() -> None:
    assert refusal("---") is ErrorCode.NICKNAME_CHARACTERS


# Refused names


@pytest.mark.parametrize(
    "character",
    [
        *'!"#$%&()*+,./:;<=>?@[\\]^`{|}~',
        "\u00a0",  # no-break space
        "\u3000",  # ideographic space
        "\t",
        "\n",
        "\u2028",  # line separator
        "–",
        "·",
        "©",
        "²",
        "Ⅳ",
        "½",
        "€",
        "𝄞",
        "\ue000",  # private use
        "\u0378",  # unassigned
        "\U0010ffff",
    ],
    ids=ascii,
)
def test_signs_and_other_spaces_are_refused(character: str) -> None:
    assert refusal(f"ab{character}cd") is ErrorCode.NICKNAME_CHARACTERS


@pytest.mark.parametrize(
    "emoji",
    [
        "😀",
        "❤",
        "❤\ufe0f",
        "👍🏽",
        "👨\u200d👩\u200d👧",
        "🇰🇿",
        "1\ufe0f\u20e3",  # keycap
        "☺",
        "⭐",
        "\u2139",  # the emoji that is a letter to Unicode
        "🅰",
    ],
    ids=ascii,
)
def test_emoji_are_refused(emoji: str) -> None:
    for name in (f"ab{emoji}cd", f"abc{emoji}", f"{emoji}abc", emoji * 3):
        assert refusal(name) is ErrorCode.NICKNAME_CHARACTERS


@pytest.mark.parametrize(
    "code",
    [
        *range(0x09),
        *range(0x0E, 0x20),
        *range(0x7F, 0x85),
        *range(0x86, 0xA0),
        0x00AD,  # soft hyphen
        0x034F,  # grapheme joiner
        0x061C,  # Arabic letter mark
        0x115F,  # Hangul fillers
        0x1160,
        0x3164,
        0xFFA0,
        0x17B4,  # Khmer vowels that are not shown
        0x17B5,
        *range(0x180B, 0x1810),  # Mongolian selectors
        *range(0x200B, 0x2010),  # zero-width space and joiners, direction marks
        *range(0x202A, 0x202F),  # direction embeddings and overrides
        *range(0x2060, 0x2070),  # word joiner, invisible operators, direction isolates
        0x2800,  # Braille blank
        *range(0xFE00, 0xFE10),  # variation selectors
        0xFEFF,  # byte order mark
        0xFFFC,
        *range(0x1D173, 0x1D17B),  # musical format
        0xE0001,  # tags
        0xE0041,
        0xE0100,  # more variation selectors
        0xE01EF,
    ],
    ids=hex,
)
def test_control_zero_width_direction_and_other_unseen_characters_are_refused(code: int) -> None:
    assert refusal(f"ab{chr(code)}cd") is ErrorCode.NICKNAME_CHARACTERS


@pytest.mark.parametrize("code", [0x200B, 0x200E, 0x202E, 0x2066, 0xFEFF, 0x00, 0x7F], ids=hex)
def test_they_are_not_trimmed_away_either(code: int) -> None:
    assert refusal(f"{chr(code)}abc") is ErrorCode.NICKNAME_CHARACTERS
    assert refusal(f"abc{chr(code)}") is ErrorCode.NICKNAME_CHARACTERS


@pytest.mark.parametrize("code", [0x3164, 0x115F, 0x2800, 0x200B], ids=hex)
def test_a_name_that_shows_nothing_is_refused(code: int) -> None:
    assert refusal(chr(code) * 5) is ErrorCode.NICKNAME_CHARACTERS


@pytest.mark.parametrize("code", [0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF], ids=hex)
def test_lone_surrogates_are_refused(code: int) -> None:
    assert refusal(f"ab{chr(code)}cd") is ErrorCode.NICKNAME_CHARACTERS


@pytest.mark.parametrize("text", ["\u0301abc", "ab \u0301c", "ab-\u0303c", " \u0301abc", "\u0301\u0301\u0301"])
def test_a_mark_needs_a_letter(text: str) -> None:
    assert refusal(text) is ErrorCode.NICKNAME_CHARACTERS


def test_marks_are_not_heaped_on_a_letter() -> None:
    assert refusal("Z" + "\u0316" * 10 + "algo") is ErrorCode.NICKNAME_CHARACTERS


def test_a_mark_stands_once_on_a_letter() -> None:
    assert check_nickname("a\u0331\u0324bc") == "a\u0331\u0324bc"
    assert refusal("a\u0331\u0331bc") is ErrorCode.NICKNAME_CHARACTERS
    assert check_nickname("x\u0331x\u0331x\u0331") == "x\u0331x\u0331x\u0331"


@pytest.mark.parametrize(
    "name",
    [
        "\u02bc\u02bc\u02bc",
        "\u02bc-\u02bc-\u02bc",
        "\u01c3\u01c3\u01c3",
        "\u01c0 \u01c0",
        "\u30fc\u30fc\u30fc",
        "\u318d\u318d\u318d",
    ],
    ids=ascii,
)
def test_letters_that_look_like_signs_are_no_name_by_themselves(name: str) -> None:
    assert refusal(name) is ErrorCode.NICKNAME_CHARACTERS
    assert check_nickname(f"{name} 1") == f"{name} 1"


def test_an_enclosing_mark_is_refused() -> None:
    assert refusal("ab\u20ddc") is ErrorCode.NICKNAME_CHARACTERS


def test_the_refusal_does_not_repeat_the_name() -> None:
    with pytest.raises(GameError) as refused:
        check_nickname("Robert <script>")
    assert "script" not in f"{refused.value!r} {refused.value.message}"


# Properties of any text

ANY_TEXT = st.one_of(
    st.text(),
    st.text(st.characters(codec=None), min_size=3, max_size=20),
    st.text("aбक़ि् -'ー\u0301\u200b", min_size=2, max_size=22),
)


@given(ANY_TEXT)
def test_a_text_is_a_nickname_in_a_form_that_stays_or_is_refused(text: str) -> None:
    try:
        name = check_nickname(text)
    except GameError:
        return
    assert check_nickname(name) == name
    assert 3 <= len(name) <= 20
    assert unicodedata.is_normalized("NFC", name)
    assert name == name.strip()
    assert {unicodedata.category(character)[0] for character in name} <= set("LNMZP")
    assert name.encode("utf-8").decode() == name


ALPHABETS = [(0x41, 0x5A), (0xC0, 0xD6), (0x386, 0x3CE), (0x410, 0x44F), (0x531, 0x556), (0x5D0, 0x5EA), (0x621, 0x63A)]


@given(
    st.sampled_from(ALPHABETS).flatmap(
        lambda ends: st.text(
            st.characters(categories=["Lu", "Ll", "Lo"], min_codepoint=ends[0], max_codepoint=ends[1]),
            min_size=3,
            max_size=6,
        )
    )
)
def test_any_letters_of_one_alphabet_are_a_nickname(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    assert check_nickname(text) == composed


def test_a_letter_alone_of_any_script_is_allowed_three_times() -> None:
    refused = []
    for code in range(0x3000):
        letter = chr(code)
        styled = unicodedata.decomposition(letter).startswith(("<font>", "<super>"))
        invisible = code in (0x115F, 0x1160, 0x1427, 0x2139, *range(0x01C0, 0x01C4))
        if unicodedata.category(letter) in ("Lu", "Ll", "Lo", "Nd") and not invisible and not styled:
            try:
                check_nickname(letter * 3)
            except GameError:
                refused.append(hex(code))
    assert refused == []


@pytest.mark.parametrize(
    "name",
    [
        "\u0410nna",  # Cyrillic A before Latin letters
        "pay\u0440al",  # Cyrillic er
        "\u039fscar",  # Greek omicron
        "\U0001d4d0\U0001d4f7\U0001d4f7",  # styled letters
        "\uff41\uff42\uff43",  # full width
        "Ad\u1d50in",  # a raised m
        "\u2090da",  # a lowered a
        "Ada \uff11",  # a full-width digit
        "Ada \U0001d7ce",  # a styled one
        "Ada1\u0661",  # digits of two kinds
    ],
)
def test_look_alikes_in_a_word_are_refused(name: str) -> None:
    assert refusal(name) is ErrorCode.NICKNAME_MIXED_SCRIPTS


@pytest.mark.parametrize(
    "name", ["東京タワー", "ひらがなカタカナ", "한국漢字", "mix Мир", "o\u02bbgʻil", "Олена 2", "Али\u0661"]
)
def test_words_of_different_scripts_and_scripts_written_together_are_allowed(name: str) -> None:
    assert check_nickname(name) == name


# The same on every Python


@pytest.mark.parametrize(
    "code",
    [
        0x13441,  # Egyptian blanks: letters since Unicode 15
        0x13442,
        0x11F02,  # Kawi, Unicode 15
        0x2EBF0,  # an ideograph of Unicode 15.1
        0x105C0,  # Todhri, Unicode 16
        0x16FE4,  # marks without ink
        0x1BC9D,
        0x1107F,
        0x2D7F,
    ],
    ids=hex,
)
def test_letters_of_newer_unicode_and_marks_without_ink_are_refused(code: int) -> None:
    assert refusal(f"ab{chr(code)}cd") is ErrorCode.NICKNAME_CHARACTERS
    assert refusal(f"abc{chr(code)}") is ErrorCode.NICKNAME_CHARACTERS


def test_the_table_of_characters_agrees_with_this_python() -> None:
    kinds = {"LETTERS": ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd"), "MARKS": ("Mn",), "SPACING_MARKS": ("Mc",)}
    for name, categories in kinds.items():
        for run in getattr(characters, name).split():
            first, _, last = run.partition("-")
            codes = range(int(first, 16), int(last or first, 16) + 1)
            changed = [hex(code) for code in codes if unicodedata.category(chr(code)) not in categories]
            assert len(changed) <= 2, changed  # a newer Unicode may correct a category


@pytest.mark.thorough
@pytest.mark.skipif(unicodedata.unidata_version != UNICODE, reason=f"made from Unicode {UNICODE}")
def test_the_table_of_characters_is_what_the_tool_makes() -> None:
    assert module() == PATH.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        *("Deleted player", "deleted player", "DELETED_PLAYER", "Deleted-Player", "DeletedPlayer"),
        *(
            "De1eted p1ayer",
            "DeIeted pIayer",
            "D\u00e9l\u00e9t\u00e9d player",
            "\u0110eleted player",
            "Deleeted playerr",
        ),
        *("\u1d05\u1d07\u029f\u1d07\u1d1b\u1d07\u1d05 player", "Deleted pl\u0251yer", "D3l3t3d pl4y3r"),
    ],
)
def test_nobody_is_called_like_a_deleted_player(name: str) -> None:
    assert refusal(name) is ErrorCode.NICKNAME_OFFENSIVE


@pytest.mark.parametrize("name", ["Deleted", "Player", "Deleted players", "A deleted player"])
def test_part_of_it_and_more_than_it_may_be_a_name(name: str) -> None:
    assert check_nickname(name) == name
