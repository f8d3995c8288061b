"""The page has a text for everything that the server may send."""

import re
from typing import Any, get_args

import pytest

from tests.web.fake_server import KIT, WEB
from wordle_tournament.protocol import messages
from wordle_tournament.protocol.errors import ErrorCode


def keys(script: str, table: str) -> set[str]:
    """Return the names in an object literal of a script, written over several lines or in one."""
    _, found, rest = (
        ((WEB if (WEB / script).exists() else KIT) / script).read_text(encoding="utf-8").partition(f"{table} {{")
    )
    assert found, f"{script} has no {table}"
    if rest.startswith("\n"):
        indent = len(rest) - len(rest.lstrip()) - 1
        block = re.split(rf"^ {{{indent - 2}}}\}}", rest, maxsplit=1, flags=re.MULTILINE)[0]
        return set(re.findall(rf"^ {{{indent}}}(\w+):", block, re.MULTILINE))
    return set(re.findall(r"(\w+):", rest.partition("}")[0]))


def test_the_page_has_words_for_every_code() -> None:
    assert set(ErrorCode) <= keys("texts/en.js", "refusals:")


@pytest.mark.parametrize(
    ("script", "table", "values"),
    [
        ("texts/en.js", "marks:", messages.Mark),
        ("texts/en.js", "where:", messages.Where),
        ("texts/en.js", "outcomes:", messages.Outcome),
        ("game.js", "STRENGTH =", messages.Mark),
        ("state.js", "LEFT =", messages.LeftWhat),
    ],
)
def test_a_table_of_the_page_has_every_value(script: str, table: str, values: Any) -> None:
    assert set(get_args(values)) == keys(script, table)


def test_only_a_finished_tournament_is_named_after_its_winner() -> None:
    assert keys("texts/en.js", "endings:") == set(get_args(messages.TournamentEnding)) - {"finished"}


def test_the_page_takes_every_kind_of_frame() -> None:
    kinds = {model.model_fields["type"].default for model in messages.MESSAGES}
    # The connection itself takes the questions, and the answers to its own.
    assert kinds == keys("state.js", "CHANGES =") | {"export", "question", "heard"}
    assert "export" in keys("main.js", "AFTER =")


def test_the_page_measures_time_with_a_clock_that_nobody_sets() -> None:
    """`Date.now` only where the device's clock is shown."""
    lines = [
        line
        for path in (*WEB.glob("*.js"), *KIT.glob("*.js"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert [line for line in lines if "Date.now" in line and "text.clock(" not in line] == []
