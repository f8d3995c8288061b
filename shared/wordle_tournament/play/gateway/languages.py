"""The languages of the game, with their letters and keyboards (R32)."""

from ...clock import now_ms
from ...delivery import views
from ...delivery.session import Call
from ...protocol import messages
from ...protocol.requests import Languages


def languages(call: Call, request: Languages) -> messages.LanguageList:
    """Return all languages. It needs no sign-in."""
    return messages.LanguageList(now_ms=now_ms(), languages=views.languages())
