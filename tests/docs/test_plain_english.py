"""The check for plain English finds what it should, and nothing else."""

import pytest

from tools.plain_english import BANNED, Finding, check, files, main, summary


def docstring(text: str) -> str:
    return f'"""{text}"""'


def found(path: str, source: str) -> list[tuple[int, str]]:
    return [(one.line, one.sentence) for one in check(path, source)]


@pytest.mark.parametrize(
    ("path", "source", "line", "sentence"),
    [
        ("a.md", "Whoever deploys\nmakes roles. It takes an administrator.", 1, "Whoever deploys makes roles."),
        ("a.md", "It is open.\nTo all. What is\nclosed stays so.", 2, "What is closed stays so."),
        ("a.md", "- Fine.\n- What is counted, by route.", 2, "What is counted, by route."),
        ("a.md", "1. **Who leaves** is placed below.", 1, "Who leaves is placed below."),
        ("a.md", "- **R27 (decided) Leaving.** (given) Who leaves has lost.", 1, "Who leaves has lost."),
        ("a.md", "| `a` | Fine. |\n| `a | b` | Whom alarms write to. |", 2, "Whom alarms write to."),
        ("a.md", "## What the roles may do", 1, "What the roles may do"),
        ("a.md", '"What it is" is no title.', 1, 'What it is" is no title.'),
        ("a.md", "[Who](x.md) waits.", 1, "Who waits."),
        ("a.md", "`join` ends. Whose turn it is, `duel` says.", 1, "Whose turn it is, `duel` says."),
        ("a.py", docstring("What this is."), 1, "What this is."),
        ("a.py", 'def f():\n    """Do it.\n\n    Whoever calls it waits.\n    """', 4, "Whoever calls it waits."),
        ("a.py", "X = 1\n" + docstring("What is counted."), 2, "What is counted."),
        ("a.py", "x = 1\n# It is one,\n# and two. What is three\n# comes later.", 3, "What is three comes later."),
        ("a.py", 'x = "ä # b"  # What follows', 1, "What follows"),
        ("a.py", 'raise E(f"Nothing of {x}. Whoever asks gets nothing.")', 1, "Whoever asks gets nothing."),
        ("a.yaml", "a: 1\n# What players feel.\nb: 2", 2, "What players feel."),
        ("a.yaml", "A:\n  Description: Whom alarms write to.\n  B: 1", 2, "Whom alarms write to."),
        ("a.yaml", "A:\n  AlarmDescription: >-\n    It fails.\n    Who is on duty acts.", 4, "Who is on duty acts."),
        ("a.js", "f('// no'); // What is drawn", 1, "What is drawn"),
        ("a.js", "// It draws.\n// What is\n// hidden stays so.", 2, "What is hidden stays so."),
        ("a.css", "/* Fine. */\na { }\n/*\n * What is wide.\n */", 4, "What is wide."),
        ("a.html", "<p>What is shown</p>\n<!-- What is not. -->", 2, "What is not."),
        ("Makefile", "a: b ## Fine\n\tc # What it does", 2, "What it does"),
        ("a.toml", "# Who rebuilds the lists.\na = 1", 1, "Who rebuilds the lists."),
    ],
)
def test_an_opening_without_a_subject_is_found(path: str, source: str, line: int, sentence: str) -> None:
    assert found(path, source) == [(line, sentence)]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.md", "What does it cost? Who pays?\n\n## What now?"),
        ("a.md", 'The form asks "What is your name?" and waits.'),
        ("a.md", "It says who waits, and what\nwhoever asks is told."),
        ("a.md", "| what is lost | what happens |\n| --- | --- |"),
        ("a.md", "Whether it waits. Whatsoever."),
        ("a.md", "```\nWhat is code\n```\n\n  ```\n  # Who is code\n  ```"),
        ("a.md", "`What is code`, and ``Who ` too``."),
        ("a.md", "It opens with `Who`. `What` is next."),
        ("a.py", 'x = "What"\ny = ["Who", "What"]'),
        ("a.py", "def what() -> None: ...\nWhat = 1"),
        ("a.py", '"""Do it.\n\n>>> What(1)\n"""'),
        ("tests/a.py", "x = '''\n# What is the text of a sample\n'''[1:]"),
        ("a.yaml", "What: 1\nDescription: !Sub What"),
        ("a.js", 'const What = "Who is it"; // fine'),
        ("a.css", "a::before { content: 'What'; }"),
    ],
)
def test_questions_code_and_the_middle_of_sentences_are_fine(path: str, source: str) -> None:
    assert found(path, source) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Whether, be it early, or late.", "be it"),
        ("All but for one.", "but for"),
        ("It is reckoned anew.", "reckoned"),
        ("Reckoning costs.", "Reckoning"),
        ("The sweeper mends it.", "mends"),
        ("Lines bear ids.", "bear"),
        ("The dearest routes.", "dearest"),
        ("It stays for ever.", "for ever"),
        ("Frames of one time.", "of one time"),
    ],
)
def test_a_banned_word_is_found_with_what_to_write_instead(text: str, word: str) -> None:
    (finding,) = check("docs/a.md", text)
    assert str(finding).startswith(f"docs/a.md:1: {text!r} has {word!r}: write ".replace(f"{word!r}", f'"{word}"'))
    assert not finding.opening


@pytest.mark.parametrize("text", ["Amend it.", "Forever.", "Bearer.", "`dear` is German.", "But forty.", "It is."])
def test_other_words_are_fine(text: str) -> None:
    assert list(check("a.md", text)) == []


def test_a_finding_tells_what_to_write_instead() -> None:
    (finding,) = check("docs/a.md", "Who waits is told.")
    assert str(finding).startswith("docs/a.md:1: 'Who waits is told.' opens with \"Who\": name the subject")


def test_the_summary_counts_by_folder() -> None:
    findings = [
        Finding("docs/a.md", 1, "", "", opening=True),
        Finding("docs/b.md", 1, "", "", opening=False),
        Finding("README.md", 1, "", "", opening=True),
    ]
    assert [line.split() for line in summary(findings)] == [
        ["README.md", "1", "openings", "0", "words"],
        ["docs", "1", "openings", "1", "words"],
        ["in", "all", "2", "openings", "1", "words"],
    ]


def test_all_kinds_of_files_are_read_and_nothing_that_is_generated() -> None:
    paths = set(files())
    assert paths >= {
        "README.md",
        "Makefile",
        "template.yaml",
        ".ci/run",
        ".github/workflows/ci.yml",
        "docs/rules.md",
        "web/main.js",
        "web/style.css",
        "tests/docs/test_plain_english.py",
        "shared/wordle_tournament/entry.py",
        "infra/statemachines/tournament.asl.yaml",
    }
    assert "docs/asyncapi.yaml" not in paths
    assert not any(path.startswith((".venv/", "build/")) for path in paths)


def test_the_command_fails_if_there_is_something_to_rewrite(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools/plain_english.py"]) == 0
    assert "1 files, nothing to rewrite" in capsys.readouterr().out


def test_every_banned_word_has_advice() -> None:
    assert all(advice.startswith("write ") for advice in BANNED.values())
