"""Reads hunspell dictionaries and expands their affixes to word forms.

The packaged `unmunch` silently loses forms of dictionaries with long or UTF-8 flags or with
suffixes on suffixes; this knows what the dictionaries used here contain.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wordlists.builder.material import Form

DIRECTORY = Path("/usr/share/hunspell")

Flags = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Affix:
    """One rule: take `strip` off, put `add` on, where `condition` holds; `flags` may follow."""

    flag: str
    strip: str
    add: str
    condition: re.Pattern[str] | None
    flags: Flags


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the .dic file."""

    word: str
    flags: Flags
    tags: str


class Dictionary:
    """A dictionary by name, such as `de_DE`."""

    def __init__(self, name: str, directory: Path = DIRECTORY) -> None:
        affix_file = directory / f"{name}.aff"
        encoding = _encoding(affix_file)
        self._long_flags = False
        self._suffixes: defaultdict[str, list[Affix]] = defaultdict(list)
        self._prefixes: defaultdict[str, list[Affix]] = defaultdict(list)
        self._combining: set[tuple[str, str]] = set()
        self._special: dict[str, str] = {}
        self._read_affixes(_lines(affix_file, encoding))
        self.entries = [
            self._entry(line)
            for line in _lines(directory / f"{name}.dic", encoding)[1:]
            if line.strip() and not line.startswith("#")
        ]

    def forms(self, longest: int) -> Iterator[Form]:
        """Every form of at most `longest` characters, with repetitions."""
        for entry in self.entries:
            if len(entry.word) > longest + 6:
                continue
            for word in self._expand(entry):
                if len(word) <= longest:
                    yield Form(word, entry.word, entry.tags, is_base=word == entry.word)

    def capitalised(self) -> set[str]:
        """Entries that are written with a capital: names, except in German."""
        return {e.word for e in self.entries if e.word[:1].isupper() and e.word[1:].islower()}

    def not_suggested(self) -> set[str]:
        """Entries that a spelling checker accepts and never proposes: vulgar words, where the flag is used."""
        return {e.word for e in self.entries if self._bears("NOSUGGEST", e.flags)}

    def _read_affixes(self, lines: list[str]) -> None:
        self._long_flags = any(line.split()[:2] == ["FLAG", "long"] for line in lines)
        for fields in map(str.split, lines):
            match fields:
                case [("SFX" | "PFX") as kind, flag, ("Y" | "N") as combines, count] if count.isdigit():
                    if combines == "Y":
                        self._combining.add((kind, flag))
                case [("SFX" | "PFX") as kind, flag, strip, add, *rest]:
                    table = self._suffixes if kind == "SFX" else self._prefixes
                    table[flag].append(self._affix(kind, flag, strip, add, rest))
                case [
                    (
                        "NEEDAFFIX" | "PSEUDOROOT" | "FORBIDDENWORD" | "ONLYINCOMPOUND" | "CIRCUMFIX" | "NOSUGGEST"
                    ) as name,
                    flag,
                    *_,
                ]:
                    self._special[name.replace("PSEUDOROOT", "NEEDAFFIX")] = flag

    def _affix(self, kind: str, flag: str, strip: str, add: str, rest: list[str]) -> Affix:
        add, _, flags = add.partition("/")
        condition = rest[0] if rest and not re.match(r"[a-z]{2}:", rest[0]) else "."
        pattern = condition if kind == "PFX" else f"(?:{condition})$"
        return Affix(
            flag,
            "" if strip == "0" else strip,
            "" if add == "0" else add,
            None if condition == "." else re.compile(pattern),
            self._flags(flags),
        )

    def _entry(self, line: str) -> Entry:
        head, *tags = re.split(r"\t|\s+(?=[a-z]{2}:)", line.strip(), maxsplit=1)
        # A slash in first place is a word of its own.
        word, _, flags = head[1:].partition("/")
        return Entry((head[:1] + word).strip(), self._flags(flags.strip()), "".join(tags))

    def _flags(self, text: str) -> Flags:
        step = 2 if self._long_flags else 1
        return tuple(text[i : i + step] for i in range(0, len(text), step))

    def _expand(self, entry: Entry) -> Iterator[str]:
        if self._bears("FORBIDDENWORD", entry.flags) or self._bears("ONLYINCOMPOUND", entry.flags):
            return
        if not self._bears("NEEDAFFIX", entry.flags):
            yield entry.word
        for word, suffix in self._with_suffix(entry.word, entry.flags):
            if self._stands_alone(suffix.flags):
                yield word
                if ("SFX", suffix.flag) in self._combining:
                    for both, prefix in self._with_prefix(word, entry.flags):
                        if ("PFX", prefix.flag) in self._combining and self._stands_alone(prefix.flags):
                            yield both
            # Suffixes on suffixes, and prefixes that come with a suffix (circumfixes).
            for longer, second in self._with_suffix(word, suffix.flags):
                if self._stands_alone(second.flags):
                    yield longer
            yield from (longer for longer, _ in self._with_prefix(word, suffix.flags))
        for word, prefix in self._with_prefix(entry.word, entry.flags):
            if self._stands_alone(prefix.flags):
                yield word

    def _bears(self, name: str, flags: Flags) -> bool:
        return self._special.get(name) in flags

    def _stands_alone(self, flags: Flags) -> bool:
        return not flags or not any(
            self._bears(name, flags) for name in ("NEEDAFFIX", "ONLYINCOMPOUND", "FORBIDDENWORD", "CIRCUMFIX")
        )

    def _with_suffix(self, word: str, flags: Flags) -> Iterator[tuple[str, Affix]]:
        for flag in flags:
            for affix in self._suffixes.get(flag, ()):
                if word.endswith(affix.strip) and (affix.condition is None or affix.condition.search(word)):
                    yield word.removesuffix(affix.strip) + affix.add, affix

    def _with_prefix(self, word: str, flags: Flags) -> Iterator[tuple[str, Affix]]:
        for flag in flags:
            for affix in self._prefixes.get(flag, ()):
                if word.startswith(affix.strip) and (affix.condition is None or affix.condition.match(word)):
                    yield affix.add + word.removeprefix(affix.strip), affix


def _encoding(affix_file: Path) -> str:
    declared = re.search(rb"^(?:\xef\xbb\xbf)?SET\s+(\S+)", affix_file.read_bytes(), re.MULTILINE)
    name = declared[1].decode().lower() if declared else "utf-8"
    return name.removeprefix("microsoft-").replace("iso8859", "iso-8859")


def _lines(path: Path, encoding: str) -> list[str]:
    text = path.read_text(encoding=encoding, errors="replace").removeprefix("\ufeff")
    return text.splitlines()
