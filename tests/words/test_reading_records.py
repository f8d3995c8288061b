"""The records of the readings of answers: what two verdicts come to, and that a record names real answers."""

from pathlib import Path

import pytest

from wordle_tournament.words import LENGTHS, answers, languages
from wordlists import reading
from wordlists.reading import DROP, FIT, OPEN, Line


def settled(*verdicts: str) -> str:
    line = Line("word")
    for number, verdict in enumerate(verdicts, 1):
        line = line.read(number, verdict, "")
    return line.settled


def test_two_readings_that_agree_settle_a_word() -> None:
    assert settled("fit", "fit") == FIT
    assert settled("wrong", "doubtful") == DROP


def test_one_reading_or_two_that_differ_leave_it_open() -> None:
    assert settled("fit") == OPEN
    assert settled("wrong") == OPEN
    assert settled("fit", "wrong") == OPEN


def test_a_settled_word_stays_so() -> None:
    line = Line("word", ("fit", "wrong"), DROP, "rare").read(2, "fit", "known")
    assert (line.settled, line.reason) == (DROP, "rare; known")


def test_a_record_has_a_verdict_for_each_answer(tmp_path: Path) -> None:
    (tmp_path / "en" / "review").mkdir(parents=True)
    word = answers("en", 4)[0]
    assert reading.record("en", 1, {word: ("wrong", "a name")}, tmp_path) == 1
    lines = reading.load("en", tmp_path)
    assert lines.keys() == {word for length in LENGTHS for word in answers("en", length)}
    assert lines[word] == Line(word, ("wrong", "-"), OPEN, "a name")
    assert lines[answers("en", 5)[0]].readings == ("fit", "-")


def test_a_doubted_word_must_be_an_answer(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="zzzz"):
        reading.record("en", 1, {"zzzz": ("wrong", "")}, tmp_path)


def test_another_verdict_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "doubts.tsv"
    path.write_text("# found\nação\twrong\tname\n", encoding="utf-8")
    assert reading.read_doubts("pt", path) == {"acao": ("wrong", "name")}
    path.write_text("ação\tbad\tname\n", encoding="utf-8")
    with pytest.raises(ValueError, match="bad"):
        reading.read_doubts("pt", path)


@pytest.mark.parametrize("language", list(languages()))
def test_no_answer_was_settled_as_unfit(language: str) -> None:
    dropped = {word for word, line in reading.load(language).items() if line.settled == DROP}
    for length in LENGTHS:
        assert dropped.isdisjoint(answers(language, length))
