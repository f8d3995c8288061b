"""Which words of a text are Kazakh stems with endings."""

import pytest

from wordlists.builder.kazakh import parse


@pytest.mark.parametrize(
    ("stem", "form"),
    [
        ("бару", "баруға"),
        ("істеу", "істеді"),
        ("қуу", "қуып"),
        ("кету", "кете"),
        ("шығу", "шықты"),
        ("табу", "тауып"),
        ("үй", "үйінен"),
        ("кітап", "кітабы"),
        ("рахмет", "рахметті"),
    ],
)
def test_a_form_is_known_by_its_stem(stem: str, form: str) -> None:
    assert parse([form], [stem]) == {form: {stem}}


@pytest.mark.parametrize(("stem", "form"), [("үй", "үйлар"), ("бала", "балалер"), ("қала", "қаларден")])
def test_endings_agree_with_the_vowels_of_the_stem(stem: str, form: str) -> None:
    assert parse([form], [stem]) == {}
