"""The form of a nickname (R35)."""

import unicodedata
from functools import cache

from ..errors import ErrorCode, GameError

SHORTEST = 3
LONGEST = 20
DELETED = "Deleted player"
"""The name of a deleted player wherever their results are still shown."""
# Both curly forms: Uzbek's o‘ and g‘ are mostly typed with the left one.
JOINERS = frozenset(" -_'’‘")
MARKS_ON_ONE_LETTER = 3
"""The most marks that may stack over or under a letter, as Hebrew or Tibetan need. Marks with a width of their own
(the vowel signs of Hindi and Burmese) are not counted."""

TOGETHER = (
    frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"}),
    frozenset({"CJK", "HANGUL"}),
    frozenset({"CJK", "BOPOMOFO"}),
)
"""Scripts that one word may mix: Japanese, Korean and Chinese (Unicode Technical Standard 39)."""
_STYLES = frozenset({"<font>", "<wide>", "<narrow>", "<circle>", "<super>", "<sub>", "<square>", "<small>"})
"""The tags of a compatibility decomposition that mark a character as a styled form of another one."""
_LIKE_SIGNS = frozenset("ǀǁǂǃꞋꞌꞏᐧㆍ")
"""Letters that look like signs: clicks like bars and an exclamation mark, saltillos like apostrophes, dots."""


def check_nickname(text: str) -> str:
    """Return the nickname in its stored form (NFC, trimmed, 3 to 20 characters).

    Letters and digits of any script, with single spaces, hyphens, underscores or apostrophes between them; a letter
    may carry the combining marks that its script needs, each once; each word is of one script, and at least one
    character looks like a letter or digit. Nobody may look like a deleted player. The allowed characters do not depend
    on the Unicode version of Python. Raises GameError: NICKNAME_LENGTH, NICKNAME_CHARACTERS, NICKNAME_MIXED_SCRIPTS,
    NICKNAME_OFFENSIVE.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not SHORTEST <= len(name) <= LONGEST:
        raise GameError(
            ErrorCode.NICKNAME_LENGTH, f"A nickname has {SHORTEST} to {LONGEST} characters.", field="nickname"
        )
    kinds = _kinds()
    marks: set[str] = set()
    previous_joins = True
    for character in name:
        kind = kinds.get(ord(character))
        if kind == "mark" and not previous_joins and len(marks) < MARKS_ON_ONE_LETTER and character not in marks:
            marks.add(character)
        elif kind == "spacing mark" and not previous_joins:
            continue
        elif kind == "letter":
            marks, previous_joins = set(), False
        elif character in JOINERS and not previous_joins:
            marks, previous_joins = set(), True
        else:
            raise _characters()
    if previous_joins or not any(map(_is_plain, name)):
        raise _characters()
    if any(_mixed(word) for word in "".join(" " if letter in JOINERS else letter for letter in name).split()):
        raise GameError(
            ErrorCode.NICKNAME_MIXED_SCRIPTS,
            "A word of a nickname is written in one alphabet, so as not to look like another.",
            field="nickname",
        )
    if _look(name) == _look(DELETED):
        raise GameError(
            ErrorCode.NICKNAME_OFFENSIVE, "Players who have been deleted are called that.", field="nickname"
        )
    return name


@cache
def _kinds() -> dict[int, str]:
    """Return what each allowed code point is: letter (or digit), mark, or spacing mark."""
    from . import characters

    kinds: dict[int, str] = {}
    tables = (("letter", characters.LETTERS), ("mark", characters.MARKS), ("spacing mark", characters.SPACING_MARKS))
    for kind, table in tables:
        for run in table.split():
            first, _, last = run.partition("-")
            kinds |= dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), kind)
    return kinds


def _look(name: str) -> str:
    """Return what Latin letters look like: without marks, strokes, joiners and repetitions, i and 1 as l, 3 as e."""
    letters = []
    for character in unicodedata.normalize("NFKD", name):
        described = unicodedata.name(character, "")
        if described.startswith(("LATIN SMALL LETTER ", "LATIN CAPITAL LETTER ", "LATIN LETTER SMALL CAPITAL ")):
            letters.append(_base_letter(described))
        elif character.isalnum():
            letters.append(character)
    look = "".join(letters).translate(_LOOKS)
    return "".join(letter for letter, before in zip(look, " " + look, strict=False) if letter != before)


def _base_letter(described: str) -> str:
    """Return the letter that a Unicode name of a Latin letter describes: `LATIN SMALL LETTER D WITH STROKE` is d."""
    plain = described.partition(" WITH ")[0].split()[-1].lower()
    return {"alpha": "a", "iota": "l", "dotless": "l"}.get(plain, plain)


_LOOKS = str.maketrans({"i": "l", "1": "l", "3": "e", "4": "a", "7": "t", "5": "s", "ꓓ": "d"})


def _is_plain(character: str) -> bool:
    """Return True if it looks like a letter or digit. Modifier letters look like apostrophes, dashes and dots."""
    return unicodedata.category(character) in ("Lu", "Ll", "Lt", "Lo", "Nd") and character not in _LIKE_SIGNS


def _mixed(word: str) -> bool:
    """Return True if the word mixes letters or digits of several scripts, or has styled forms that imitate others."""
    scripts = {_script(letter) for letter in word if unicodedata.category(letter).startswith("L")} - {""}
    foreign = len(scripts) > 1 and not any(scripts <= together for together in TOGETHER)
    zeros = {ord(digit) - unicodedata.decimal(digit) for digit in word if digit.isdecimal()}
    styled = any(unicodedata.decomposition(letter).partition(" ")[0] in _STYLES for letter in word)
    return foreign or styled or len(zeros) > 1


def _script(letter: str) -> str:
    """Return the script of a letter. The standard library has no such table, but a letter's name begins with it."""
    name = unicodedata.name(letter, "")
    if name.startswith("MODIFIER LETTER"):  # marks and primes that all scripts use
        return ""
    return name.partition(" ")[0]


def _characters() -> GameError:
    return GameError(
        ErrorCode.NICKNAME_CHARACTERS,
        "A nickname is made of letters and digits, with single spaces, hyphens, underscores or apostrophes between.",
        field="nickname",
    )
