"""Commits after 1.0.0 have subjects of at most 72 characters."""

import subprocess
from pathlib import Path

from tools.commit_subjects import log, too_long


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_a_subject_has_72_characters_at_most() -> None:
    assert list(too_long(["abc " + "x" * 72])) == []
    (line,) = too_long(["abc " + "x" * 72, "def " + "x" * 73])
    assert line.startswith("commit def: 73 characters")


def test_only_commits_after_the_tag_are_looked_at(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--allow-empty", "-m", "Before")
    assert log(tmp_path) == []
    git(tmp_path, "tag", "1.0.0")
    git(tmp_path, "commit", "--allow-empty", "-m", "After\n\nWith a body.")
    assert [line.partition(" ")[2] for line in log(tmp_path)] == ["After"]


def test_a_folder_without_git_or_the_tag_has_nothing_to_check(tmp_path: Path) -> None:
    assert log(tmp_path) == []
    git(tmp_path, "init", "--quiet")
    assert log(tmp_path) == []
