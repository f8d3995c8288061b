"""How a board narrows its word down: R17 says which words fit a row."""

from hypothesis import given
from hypothesis import strategies as st

from wordle_tournament.rules.duel import Row
from wordle_tournament.rules.marks import mark
from wordle_tournament.rules.review import possible

# Few letters, so that they are often repeated; two of them mean something in a pattern.
WORDS = st.text("ab.^", min_size=4, max_size=4)


@given(st.sets(WORDS, min_size=1), WORDS, st.lists(st.none() | WORDS, max_size=5))
def test_exactly_the_words_with_the_same_marks_stay_possible(
    words: set[str], secret: str, guesses: list[str | None]
) -> None:
    rows = [Row("p", guess, mark(guess, secret)) if guess else Row("p") for guess in guesses]
    fitting = sorted(words)
    expected = [len(fitting)]
    for row in rows:
        fitting = [word for word in fitting if row.word is None or mark(row.word, word) == row.marks]
        expected.append(len(fitting))
    assert possible(sorted(words), rows) == expected


def test_a_skipped_row_and_a_repeated_guess_exclude_nothing() -> None:
    words = ["brine", "price", "slate", "stone"]
    first = Row("p1", "slate", mark("slate", "brine"))
    assert possible(words, [first, Row("p2"), first, Row("p2", "brine", mark("brine", "brine"))]) == [4, 2, 2, 2, 1]
