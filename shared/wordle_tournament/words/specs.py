"""The specification of each language, as data. docs/words.md gives the reasons."""

from collections.abc import Mapping
from dataclasses import dataclass, field

GRAVE, ACUTE, CIRCUMFLEX, TILDE = "\u0300", "\u0301", "\u0302", "\u0303"
DIAERESIS, RING, CEDILLA = "\u0308", "\u030a", "\u0327"

LATIN = "abcdefghijklmnopqrstuvwxyz"
QWERTY = "qwertyuiop asdfghjkl zxcvbnm"

LIGATURES = {"œ": "oe", "æ": "ae", "ĳ": "ij"}
# Phones that are set to Turkish type these for I and i.
TURKISH_I = {"ı": "i", "i\u0307": "i"}
# Players easily type a Latin i in Cyrillic words, which have a letter that looks the same.
LATIN_I = {"i": "і"}
# Keyboards produce any of these for the mark of oʻ and gʻ.
UZBEK_MARKS = "\u02bb\u02bc\u02bd\u02b9\u2018\u2019\u201b\u2032\u0060\u00b4\u0027\uff07"


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageSpec:
    """The specification of one language.

    `alphabet` lists the canonical letters in order, one code point each; `labels` has the labels of
    letters that are not shown as themselves. Marks in `folded_marks` are
    dropped from a letter, unless letter and mark together are a letter of the alphabet.
    `variants` maps other accepted spellings to canonical letters; the longest match wins.
    """

    name: str
    native_name: str
    alphabet: str
    keyboard: str
    labels: Mapping[str, str] = field(default_factory=dict)
    folded_marks: str = ""
    variants: Mapping[str, str] = field(default_factory=dict)


SPECS: Mapping[str, LanguageSpec] = {
    "en": LanguageSpec(
        name="English",
        native_name="English",
        alphabet=LATIN,
        keyboard=QWERTY,
        folded_marks=GRAVE + ACUTE + CIRCUMFLEX + TILDE + DIAERESIS + RING + CEDILLA,
        variants=LIGATURES | TURKISH_I,
    ),
    "id": LanguageSpec(
        name="Indonesian",
        native_name="Bahasa Indonesia",
        alphabet=LATIN,
        keyboard=QWERTY,
        folded_marks=GRAVE + ACUTE + CIRCUMFLEX + DIAERESIS,
        variants=TURKISH_I,
    ),
    "de": LanguageSpec(
        name="German",
        native_name="Deutsch",
        alphabet=LATIN + "äöüß",
        keyboard="qwertzuiopü asdfghjklöä yxcvbnmß",
        folded_marks=GRAVE + ACUTE + CIRCUMFLEX + TILDE + CEDILLA,
        variants=TURKISH_I,
    ),
    "es": LanguageSpec(
        name="Spanish",
        native_name="Español",
        alphabet="abcdefghijklmnñopqrstuvwxyz",
        keyboard="qwertyuiop asdfghjklñ zxcvbnm",
        folded_marks=ACUTE + DIAERESIS,
        variants=TURKISH_I,
    ),
    "fr": LanguageSpec(
        name="French",
        native_name="Français",
        alphabet=LATIN,
        keyboard="azertyuiop qsdfghjklm wxcvbn",
        folded_marks=GRAVE + ACUTE + CIRCUMFLEX + TILDE + DIAERESIS + CEDILLA,
        variants=LIGATURES | TURKISH_I,
    ),
    "it": LanguageSpec(
        name="Italian",
        native_name="Italiano",
        alphabet=LATIN,
        keyboard=QWERTY,
        folded_marks=GRAVE + ACUTE + CIRCUMFLEX + DIAERESIS,
        variants=TURKISH_I,
    ),
    "nl": LanguageSpec(
        name="Dutch",
        native_name="Nederlands",
        alphabet=LATIN,
        keyboard=QWERTY,
        folded_marks=GRAVE + ACUTE + CIRCUMFLEX + TILDE + DIAERESIS + RING + CEDILLA,
        variants=LIGATURES | TURKISH_I,
    ),
    "uz": LanguageSpec(
        name="Uzbek",
        native_name="Oʻzbekcha",
        alphabet="abdefghijklmnopqrstuvxyzöğşç",
        keyboard="qertyuiopöğ asdfghjklş zxvbnmç",
        labels={"ö": "oʻ", "ğ": "gʻ", "ş": "sh", "ç": "ch"},
        variants={
            "sh": "ş",
            "ch": "ç",
            "ș": "ş",
            "õ": "ö",
            "ō": "ö",
            "ḡ": "ğ",
            **{"o" + mark: "ö" for mark in UZBEK_MARKS},
            **{"g" + mark: "ğ" for mark in UZBEK_MARKS},
            **TURKISH_I,
        },
    ),
    "pl": LanguageSpec(
        name="Polish",
        native_name="Polski",
        alphabet="aąbcćdeęfghijklłmnńoóprsśtuwyzźż",
        keyboard="ąćęłńóśźż wertyuiop asdfghjkl zcbnm",
        variants=TURKISH_I,
    ),
    "pt": LanguageSpec(
        name="Portuguese",
        native_name="Português",
        alphabet=LATIN,
        keyboard=QWERTY,
        folded_marks=GRAVE + ACUTE + CIRCUMFLEX + TILDE + DIAERESIS + CEDILLA,
        variants=TURKISH_I,
    ),
    "kk": LanguageSpec(
        name="Kazakh",
        native_name="Қазақша",
        alphabet="аәбвгғдеёжзийкқлмнңоөпрстуұүфхһцчшщъыіьэюя",
        keyboard="әіңғүұқөһ йцукенгшщзхъ фывапролджэ ячсмитьбюё",
        variants=LATIN_I,
    ),
    "ru": LanguageSpec(
        name="Russian",
        native_name="Русский",
        alphabet="абвгдежзийклмнопрстуфхцчшщъыьэюя",
        keyboard="йцукенгшщзхъ фывапролджэ ячсмитьбю",
        variants={"ё": "е"},
    ),
    "uk": LanguageSpec(
        name="Ukrainian",
        native_name="Українська",
        alphabet="абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
        keyboard="йцукенгшщзхї фівапролджє ґячсмитьбю",
        variants=LATIN_I,
    ),
}
