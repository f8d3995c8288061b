"""`make sdks`: generate models of every request and frame in Swift, Kotlin and Dart, and compile those that can be.

quicktype, pinned in locks/node, reads docs/protocol/schemas. The models are in build/sdks; what compiled is printed.
"""

import argparse
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "docs" / "protocol" / "schemas"
QUICKTYPE = ROOT / "build" / "node" / "node_modules" / ".bin" / "quicktype"


@dataclass(frozen=True, slots=True)
class Target:
    """A language: its file, the options of quicktype, and the compiler that checks it."""

    language: str
    file: str
    options: tuple[str, ...]
    compiler: tuple[str, ...]


TARGETS = (
    Target("swift", "Protocol.swift", (), ("swiftc", "-typecheck")),
    Target("kotlin", "Protocol.kt", ("--just-types",), ("kotlinc", "-nowarn", "-d", "kotlin.jar")),
    Target("dart", "protocol.dart", (), ("dart", "analyze")),
)


def generate(target: Target, folder: Path) -> Path:
    """Write the models of a language. Return their file. Raise CalledProcessError if quicktype fails."""
    path = folder / target.file
    schemas = sorted(map(str, SCHEMAS.glob("*.json")))
    options = ("--quiet", "--src-lang", "schema", "--lang", target.language, *target.options)
    command = (str(QUICKTYPE), *options, "--out", str(path), *schemas)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


def compiled(target: Target, path: Path) -> bool | None:
    """Return whether the models compile; None if the compiler is not here."""
    compiler = shutil.which(target.compiler[0])
    if compiler is None:
        return None
    ran = subprocess.run((compiler, *target.compiler[1:], str(path)), cwd=path.parent, capture_output=True, text=True)
    if ran.returncode:
        print(ran.stdout[-2000:], ran.stderr[-2000:], file=sys.stderr)
    return ran.returncode == 0


def main(arguments: list[str] | None = None) -> int:
    """Generate all, and say which compiled. Return 1 if one did not."""
    parser = argparse.ArgumentParser(prog="python -m tools.sdks", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "sdks", help="folder (default: build/sdks)")
    folder: Path = parser.parse_args(arguments).out
    folder.mkdir(parents=True, exist_ok=True)
    verdicts = []
    for target in TARGETS:
        path = generate(target, folder)
        verdict = compiled(target, path)
        verdicts.append(verdict)
        text = {True: "compiled", False: "does not compile", None: f"not compiled: {target.compiler[0]} is not here"}
        print(f"{target.language}: {path.read_text(encoding='utf-8').count(chr(10))} lines in {path}; {text[verdict]}")
    return int(False in verdicts)


if __name__ == "__main__":
    sys.exit(main())
