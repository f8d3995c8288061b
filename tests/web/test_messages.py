"""The page has a text for everything that the server may send."""

import re

from tests.web.fake_server import WEB
from wordle_tournament.protocol.errors import ErrorCode


def test_the_page_has_words_for_every_code() -> None:
    messages = (WEB / "messages.js").read_text(encoding="utf-8")
    refusals = re.findall(r"^    (\w+):", messages.partition("refusals: {")[2], re.MULTILINE)
    assert set(ErrorCode) <= set(refusals)
