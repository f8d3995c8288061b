"""What a nickname may look like (R35)."""

import unicodedata

from .refusal import Refusal, RuleError

SHORTEST = 3
LONGEST = 20
JOINERS = frozenset(" -_'’")
MARKS_ON_ONE_LETTER = 2


def check_nickname(text: str) -> str:
    """The nickname in its stored form (NFC, trimmed), 3 to 20 characters.

    Letters and digits of any script, with single spaces, hyphens, underscores or apostrophes between them; a letter
    may carry the combining marks its script needs. Raises RuleError: NICKNAME_LENGTH, NICKNAME_CHARACTERS.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not SHORTEST <= len(name) <= LONGEST:
        raise RuleError(Refusal.NICKNAME_LENGTH, f"A nickname has {SHORTEST} to {LONGEST} characters.")
    marks = 0
    previous_joins = True
    for character in name:
        category = unicodedata.category(character)
        if category in ("Mn", "Mc") and not previous_joins and marks < MARKS_ON_ONE_LETTER:
            marks += 1
        elif category in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd"):
            marks, previous_joins = 0, False
        elif character in JOINERS and not previous_joins:
            marks, previous_joins = 0, True
        else:
            raise _characters()
    if previous_joins:
        raise _characters()
    return name


def _characters() -> RuleError:
    return RuleError(
        Refusal.NICKNAME_CHARACTERS,
        "A nickname is made of letters and digits, with single spaces, hyphens, underscores or apostrophes between.",
    )
