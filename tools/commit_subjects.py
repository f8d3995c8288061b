"""Hold the subjects of new commits to 72 characters, the most that git's own lists show: part of `make check`.

Older commits than release 1.0.0 are not looked at. Where git, its history or that tag is missing (an archive, a
shallow clone) there is nothing to check.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SINCE = "1.0.0"
LONGEST = 72


def too_long(log: Iterable[str]) -> Iterator[str]:
    """Yield a line for each commit, given as `hash subject`, whose subject is too long."""
    for line in log:
        commit, _, subject = line.partition(" ")
        if len(subject) > LONGEST:
            yield f"commit {commit[:7]}: {len(subject)} characters, at most {LONGEST}: {subject}"


def log(root: Path = ROOT, since: str = SINCE) -> list[str]:
    """Return `hash subject` of each commit after the tag; none if there is no such tag here."""
    command = ["git", "log", "--no-merges", "--format=%H %s", f"refs/tags/{since}..HEAD"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []


def main() -> int:
    """Print the subjects that are too long. Return 1 if there is any."""
    found = list(too_long(log()))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
