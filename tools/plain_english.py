"""Find sentences that are hard to read: `make check` runs this over documents, docstrings and comments.

Two things are refused. A sentence that opens with "Who", "Whoever" or "What" hides its subject, unless it is a
question. A few words have a common meaning that misleads a reader who learned English at school (`BANNED`). Inline
code and code blocks are not prose and are passed over.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

SKIPPED_FOLDERS = {"build", "node_modules", "__pycache__", "fixtures"}
HIDDEN_FOLDERS = {".github", ".ci"}
"""Folders with a dot in front of their name that are checked all the same."""
GENERATED = {"docs/asyncapi.yaml"}
"""Files that are written by a tool from texts that are checked at their source."""

OPENING = re.compile(r"(?:Who|Whoever|Whom|Whomever|Whose|What|Whatever)(?![\w-])")
OPENING_ADVICE = 'name the subject ("A player who ...", "The table that ...", "Return the ..."), or ask a question'

BANNED = {
    r"be it": 'write "whether ... or ..."',
    r"but for": 'write "except for"',
    r"reckon(?:s|ed|ing)?": 'write "count", "compute", "estimate" or "consider"',
    r"mend(?:s|ed|ing)?": 'write "fix" or "repair"',
    r"bear(?:s|ing)?|bore|borne": 'write "have", "carry" or "support"',
    r"dear(?:er|est|ly)?": 'write "expensive" or "costly"',
    r"for ever": 'write "forever", "permanently" or "without end"',
    r"of one (?:time)": 'write "of the same time"',
}
_BANNED = [(re.compile(rf"\b(?:{word})\b", re.IGNORECASE), advice) for word, advice in BANNED.items()]


@dataclass(frozen=True)
class Finding:
    """A sentence to rewrite."""

    path: str
    line: int
    sentence: str
    fault: str
    opening: bool

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.sentence!r} {self.fault}"


@dataclass
class Block:
    """Text that is read in one go: a paragraph, a list item, a table cell, a comment."""

    parts: list[tuple[int, str]]
    """Line numbers and the text of each line."""

    def sentences(self) -> Iterator[tuple[int, str, str]]:
        """Yield the line where each sentence begins, and the sentence: with its inline code masked, and as it is."""
        text, starts = "", []
        for line, part in self.parts:
            starts.append((len(text), line))
            text += part.strip() + " "
        masked = _masked(text)
        begin = 0
        for end in [*(found.end() for found in _SENTENCE_END.finditer(masked)), len(text)]:
            raw = masked[begin:end]
            first = begin + len(raw) - len(raw.lstrip())
            yield max(line for start, line in starts if start <= first), _plain(raw), _plain(text[begin:end])
            begin = end


def _masked(text: str) -> str:
    """Return the text with its inline code replaced, at the same length."""
    return _INLINE_CODE.sub(lambda found: "`" + "x" * (len(found[0]) - 2) + "`", text)


_INLINE_CODE = re.compile(r"``[^`]+``|`[^`]+`")
_SENTENCE_END = re.compile(r"""[.!?]["'”)\]*_]*\s+(?=["'“(\[*_`]*[^\W\d_a-z]|\*\*|`|\()""")
_LABEL = re.compile(r"(?:(?:R\d+(?:, R\d+)* )?\((?:given|decided)\)|R\d+(?:, R\d+)*:?) ")
"""The number of a rule, and whether it was given or decided."""
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_FENCE = re.compile(r"\s*(```|~~~)")


def _plain(raw: str) -> str:
    """Return the sentence without links, emphasis, a rule's label, and opening brackets or quotes."""
    text = _LINK.sub(r"\1", raw).replace("**", "").strip()
    return _LABEL.sub("", text, count=1).lstrip("\"'“([*_ ")


# -- from a file to blocks -----------------------------------------------------------------------


def markdown(lines: Iterable[tuple[int, str]], *, indented_code: bool = False) -> Iterator[Block]:
    """Split Markdown, or a docstring, into blocks; a table's cells are a block each."""
    open_: list[tuple[int, str]] = []
    fenced = False
    for number, line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            yield from _closed(open_)
        elif fenced or (indented_code and line.lstrip().startswith((">>>", "..."))):
            continue
        elif not line.strip():
            yield from _closed(open_)
        elif line.lstrip().startswith("|"):
            yield from _closed(open_)
            ends = [-1, *(found.start() for found in re.finditer(r"(?<!\\)\|", _masked(line))), len(line)]
            yield from (Block([(number, line[begin + 1 : end])]) for begin, end in itertools.pairwise(ends))
        elif line.startswith("#"):
            yield from _closed(open_)
            yield Block([(number, line.lstrip("# "))])
        elif item := _LIST_ITEM.match(line):
            yield from _closed(open_)
            open_.append((number, line[item.end() :]))
        else:
            open_.append((number, line.lstrip("> ")))
    yield from _closed(open_)


def _closed(open_: list[tuple[int, str]]) -> Iterator[Block]:
    if open_:
        yield Block(list(open_))
        open_.clear()


def python(source: str, *, strings: bool = True) -> Iterator[Block]:
    """Find a module's comments, its docstrings, also those of attributes, and the strings that somebody reads."""
    lines = source.splitlines()
    hidden: list[tuple[int, int, int, int]] = []
    docstrings: set[ast.expr] = set()
    parts: set[ast.expr] = set()
    for node in ast.walk(ast.parse(source)):
        text = ""
        if isinstance(node, ast.Expr):
            docstrings.add(node.value)
            continue
        if isinstance(node, ast.JoinedStr):
            parts.update(node.values)
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "`x`" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and node not in parts:
            text = node.value if isinstance(node.value, str) else ""
        else:
            continue
        hidden.append((node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0))
        if node in docstrings or (strings and _SPOKEN.search(text)):
            yield from markdown(enumerate(text.splitlines(), node.lineno), indented_code=True)
    yield from _hash_comments(_without(lines, hidden))


_SPOKEN = re.compile(r"\w+,? \w+,? \w+")
"""Three words in a row: a string that somebody reads."""


def _without(lines: list[str], spans: Iterable[tuple[int, int, int, int]]) -> list[str]:
    """Return the lines with the string literals blanked out. Columns are counted in bytes, as `ast` does."""
    raw = [line.encode() for line in lines]
    for first, begin, last, end in spans:
        for number in range(first, last + 1):
            line = raw[number - 1]
            start, stop = begin if number == first else 0, end if number == last else len(line)
            raw[number - 1] = line[:start] + b"_" * (stop - start) + line[stop:]
    return [line.decode(errors="replace") for line in raw]


_HASH = re.compile(r"(?:^|(?<=\s))#+(?!!)")


def _hash_comments(lines: Iterable[str]) -> Iterator[Block]:
    """Join the comments of neighbouring lines; a comment behind code is a block of its own."""
    open_: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        found = _HASH.search(line)
        text = line[found.end() :].strip(" -=") if found else ""
        if not found or line[: found.start()].strip():
            yield from markdown(_taken(open_))
            if text:
                yield from markdown([(number, text)])
        else:
            open_.append((number, text))
    yield from markdown(_taken(open_))


def _taken(open_: list[tuple[int, str]]) -> list[tuple[int, str]]:
    taken = list(open_)
    open_.clear()
    return taken


_DESCRIPTION = re.compile(r"(\s*)(?:- )?(?:\w*[Dd]escription|Comment):\s*(.*)")


def yaml(source: str) -> Iterator[Block]:
    """Find the comments of a YAML file, and its descriptions."""
    lines = source.splitlines()
    yield from _hash_comments(lines)
    for number, line in enumerate(lines, 1):
        if (found := _DESCRIPTION.fullmatch(line)) and not found[2].startswith(("!", "#", "{")):
            block = [(number, re.sub(r"^[>|][-+]?$|^[\"']", "", found[2]))]
            for next_, following in enumerate(lines[number:], number + 1):
                if following.strip() and len(following) - len(following.lstrip()) <= len(found[1]):
                    break
                block.append((next_, following))
            yield from markdown(block)


def hashed(source: str) -> Iterator[Block]:
    """Find the comments of a Makefile, a shell script or a TOML file."""
    yield from _hash_comments(source.splitlines())


_SLASHED = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/""",
    re.DOTALL,
)


def slashed(source: str) -> Iterator[Block]:
    """Find the comments of JavaScript and of CSS."""
    open_: list[tuple[int, str]] = []
    for found in _SLASHED.finditer(source):
        number = source.count("\n", 0, found.start()) + 1
        if found["line"] is not None:
            own_line = not source[source.rfind("\n", 0, found.start()) + 1 : found.start()].strip()
            if open_ and not (own_line and open_[-1][0] == number - 1):
                yield from markdown(_taken(open_))
            open_.append((number, found["line"].strip(" -=")))
        elif found["block"] is not None:
            yield from markdown(_taken(open_))
            lines = (re.sub(r"^\s*\*?\s?", "", line) for line in found["block"].splitlines())
            yield from markdown(enumerate(lines, number))
    yield from markdown(_taken(open_))


def html(source: str) -> Iterator[Block]:
    """Find the comments of an HTML page."""
    for found in re.finditer(r"<!--(.*?)-->", source, re.DOTALL):
        yield from markdown(enumerate(found[1].splitlines(), source.count("\n", 0, found.start()) + 1))


READERS: dict[str, Callable[[str], Iterator[Block]]] = {
    ".md": lambda source: markdown(enumerate(source.splitlines(), 1)),
    ".py": python,
    ".yaml": yaml,
    ".yml": yaml,
    ".toml": hashed,
    ".sh": hashed,
    ".js": slashed,
    ".mjs": slashed,
    ".css": slashed,
    ".html": html,
}
READERS_BY_NAME = {"Makefile": hashed, "run": hashed}


# -- the check -----------------------------------------------------------------------------------


def check(path: str, source: str) -> Iterator[Finding]:
    """Find what is hard to read in a file, told by the ending of its path how to read it."""
    name, suffix = Path(path).name, Path(path).suffix
    if path.startswith("tests/") and suffix == ".py":
        blocks = python(source, strings=False)
    else:
        blocks = (READERS_BY_NAME.get(name) or READERS[suffix])(source)
    for block in blocks:
        for line, masked, sentence in block.sentences():
            opening = OPENING.match(masked)
            if opening and not re.search(r"\?[\"'”)\]*_:]*$", masked):
                fault = f'opens with "{opening[0]}": {OPENING_ADVICE}'
                yield Finding(path, line, _short(sentence), fault, opening=True)
            for pattern, advice in _BANNED:
                if found := pattern.search(masked):
                    yield Finding(path, line, _short(sentence), f'has "{found[0]}": {advice}', opening=False)


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= 90 else f"{sentence[:87]}..."


def files(root: Path = ROOT) -> Iterator[str]:
    """Yield the paths, relative to the root, of all files that can be read."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if (not name.startswith(".") or name in HIDDEN_FOLDERS)
            and name not in SKIPPED_FOLDERS
            and not name.endswith(".egg-info")
        )
        for name in sorted(names):
            path = (Path(folder) / name).relative_to(root).as_posix()
            if path not in GENERATED and (name in READERS_BY_NAME or Path(name).suffix in READERS):
                yield path


def summary(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield a line for each folder with the number of its openings and of its banned words."""
    openings: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for finding in findings:
        folder = "/".join(finding.path.split("/")[:-1][:3]) or finding.path
        (openings if finding.opening else words)[folder] += 1
    for folder in sorted(openings.keys() | words.keys()):
        yield f"{folder:45} {openings[folder]:4} openings {words[folder]:4} words"
    yield f"{'in all':45} {openings.total():4} openings {words.total():4} words"


def main(arguments: list[str] | None = None) -> int:
    """Print what is hard to read. Return 1 if there is any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--summary", action="store_true", help="counts for each folder only")
    parser.add_argument("paths", nargs="*", help="files or folders to check, relative to the root (default: all)")
    given = parser.parse_args(arguments)
    wanted = [path.rstrip("/") for path in given.paths]
    paths = [path for path in files() if not wanted or any(f"{path}/".startswith(f"{one}/") for one in wanted)]
    findings = [finding for path in paths for finding in check(path, (ROOT / path).read_text(encoding="utf-8"))]
    for line in summary(findings) if given.summary else map(str, findings):
        print(line)
    if not findings:
        print(f"Plain English: {len(paths)} files, nothing to rewrite.")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
