"""`make`, on a machine that has little else."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("make", "sh", "awk")


def test_help_needs_no_more_than_every_unix_has(tmp_path: Path) -> None:
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / tool).symlink_to(found)
    environment = {"PATH": str(tmp_path)}  # and nothing of a make that runs the tests
    done = subprocess.run(["make", "help"], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0
    assert "make play" in done.stdout
    assert done.stderr == ""
