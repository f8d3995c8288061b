"""Loading is lazy, and a list is read at most once in a process."""

import subprocess
import sys
from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared"

# Run on its own, since this process has read lists already. An audit hook cannot be removed.
SCRIPT = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from wordle_tournament import words
lists = lambda: [path for path in opened if "wordlists" in path]
words.languages()
words.normalise("uk", "Слово")
assert not lists(), lists()
for _ in range(3):
    words.check_guess("uk", 5, "слово")
assert [path.rpartition("/")[2] for path in lists()] == ["guesses-5.txt"], lists()
"""


def test_a_guess_reads_one_list_once() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, env={"PYTHONPATH": str(SHARED)}, timeout=60)


def test_words_import_the_standard_library_only() -> None:
    code = (
        "import sys, wordle_tournament.words;"
        "print(*{name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", code], check=True, env={"PYTHONPATH": str(SHARED)}, capture_output=True, text=True
    )
    assert set(run.stdout.split()) <= {"wordle_tournament", "__main__"}
