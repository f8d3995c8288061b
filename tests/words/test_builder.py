"""The stages of the builder that need no dictionary: expanding affixes, reading the review."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from wordlists.builder import analysers, headwords, sources
from wordlists.builder.analysers import Reading
from wordlists.builder.filters import fitting, foreign_script, has_vowel, is_plain, is_roman_number
from wordlists.builder.headwords import _spelled
from wordlists.builder.hunspell import Dictionary
from wordlists.builder.languages import de, it, pt
from wordlists.builder.material import Answer, Form, most_common_first
from wordlists.builder.review import Review


def forms(tmp_path: Path, affixes: str, *entries: str) -> set[str]:
    (tmp_path / "x.aff").write_text(f"SET UTF-8\n{affixes}", encoding="utf-8")
    (tmp_path / "x.dic").write_text("\n".join([str(len(entries)), *entries]), encoding="utf-8")
    return {form.written for form in Dictionary("x", tmp_path).forms(longest=12)}


class TestHunspell:
    def test_suffix_with_strip_and_condition(self, tmp_path: Path) -> None:
        rules = "SFX A Y 2\nSFX A y ies [^aeiou]y\nSFX A 0 s [aeiou]y\n"
        assert forms(tmp_path, rules, "city/A", "day/A") == {"city", "cities", "day", "days"}

    def test_prefix_and_suffix_combine(self, tmp_path: Path) -> None:
        rules = "PFX P Y 1\nPFX P 0 re .\nSFX S Y 1\nSFX S 0 ed .\n"
        assert forms(tmp_path, rules, "load/PS") == {"load", "reload", "loaded", "reloaded"}

    def test_suffix_on_a_suffix(self, tmp_path: Path) -> None:
        rules = "SFX A Y 1\nSFX A 0 er/B .\nSFX B Y 1\nSFX B 0 s .\n"
        assert forms(tmp_path, rules, "play/A") == {"play", "player", "players"}

    def test_long_flags(self, tmp_path: Path) -> None:
        rules = "FLAG long\nSFX Aa Y 1\nSFX Aa 0 s .\nSFX Ab Y 1\nSFX Ab 0 ed .\n"
        assert forms(tmp_path, rules, "walk/AaAb", "talk/Aa") == {"walk", "walks", "walked", "talk", "talks"}

    def test_forbidden_words_and_stems_that_need_an_affix(self, tmp_path: Path) -> None:
        rules = "FORBIDDENWORD F\nNEEDAFFIX N\nSFX A Y 1\nSFX A 0 en .\n"
        assert forms(tmp_path, rules, "bad/F", "lauf/NA") == {"laufen"}

    def test_tags_and_base_forms(self, tmp_path: Path) -> None:
        (tmp_path / "x.aff").write_text("SET UTF-8\nSFX A Y 1\nSFX A 0 s .\n", encoding="utf-8")
        (tmp_path / "x.dic").write_text("1\nchat/A po:nom\n", encoding="utf-8")
        found = {(form.written, form.is_base, form.tags) for form in Dictionary("x", tmp_path).forms(9)}
        assert found == {("chat", True, "po:nom"), ("chats", False, "po:nom")}


class TestReview:
    def test_words_keep_how_they_are_written(self, tmp_path: Path) -> None:
        (tmp_path / "add-answers.txt").write_text("# found\nAção você # both\n", encoding="utf-8")
        (tmp_path / "slurs.txt").write_text("tolo\n", encoding="utf-8")
        review = Review.read("pt", tmp_path)
        assert review.add_answers == {"acao": "Ação", "voce": "você"}
        assert review.slurs == {"tolo"}
        assert not review.drop_answers

    def test_a_word_is_not_added_and_dropped(self, tmp_path: Path) -> None:
        (tmp_path / "add-answers.txt").write_text("você\n", encoding="utf-8")
        (tmp_path / "drop-answers.txt").write_text("voce\n", encoding="utf-8")
        with pytest.raises(ValueError, match="added and dropped"):
            Review.read("pt", tmp_path)

    def test_what_the_readings_dropped_may_still_be_guessed_although_it_was_added(self, tmp_path: Path) -> None:
        (tmp_path / "add-answers.txt").write_text("anda roca\n", encoding="utf-8")
        (tmp_path / "verdicts.tsv").write_text("anda\tdoubtful\twrong\tdrop\tform of andar\n", encoding="utf-8")
        review = Review.read("es", tmp_path)
        assert review.add_answers == {"roca": "roca"}
        assert review.drop_answers == {"anda"} <= review.add_guesses


class TestSpellingsThatAreOnlyGuessed:
    def test_german_of_another_country_or_time_or_without_its_capital(self, monkeypatch: pytest.MonkeyPatch) -> None:
        today = [Form(w, w) for w in ("Größe", "Schloss", "Hahn", "groß", "Masse", "Maße", "gern")]
        monkeypatch.setattr(sources, "hunspell", lambda _: SimpleNamespace(forms=lambda _longest: today))
        monkeypatch.setattr(sources, "main_tags", lambda _: {"umsonst": "ADV", "hahn": "NN"})
        de._spelled_today.cache_clear()
        written = ["Größe", "Grösse", "Schloss", "Schloß", "Hahn", "hahn", "mars", "Masse", "Maße", "gern", "umsonst"]
        assert [w for w in written if de._is_misspelled(w)] == ["Grösse", "Schloß", "hahn", "mars"]
        de._spelled_today.cache_clear()

    def test_portuguese_with_a_silent_letter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        brazil = [Form(w, w) for w in ("ação", "ótimo", "ato", "pacto", "fato")]
        monkeypatch.setattr(sources, "hunspell", lambda _: SimpleNamespace(forms=lambda _longest: brazil))
        pt._spelled_in_brazil.cache_clear()
        written = ["acção", "ação", "óptimo", "acto", "pacto", "facto", "corte"]
        assert [w for w in written if pt._is_old(w)] == ["acção", "óptimo", "acto"]
        pt._spelled_in_brazil.cache_clear()

    def test_italian_infinitives_without_their_vowel(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known = {"volere", "stare", "dottore"}
        monkeypatch.setattr(sources, "is_known", lambda _, word: word in known)
        monkeypatch.setattr(sources, "is_base_form", lambda _, word: word in known)
        monkeypatch.setattr(sources, "commonness", lambda _: {"volere": 4.7, "voler": 4.6, "stare": 5.4, "star": 4.8})
        monkeypatch.setattr(sources, "main_tags", lambda _: {"star": "NN"})
        assert [w for w in ("voler", "volere", "star", "dottor", "poster") if it._is_shortened(w)] == ["voler"]

    def test_polish_words_of_one_phrase(self) -> None:
        reading = analysers._polish_reading("bezcen", "bezcen", "frag", [], [])
        assert not reading.is_base
        assert "fragment" in reading.marks


@pytest.mark.parametrize(
    ("written", "lemma", "is_base"),
    [("копьё", "копьё", True), ("копье", "копьё", False), ("шофёр", "шофер", True), ("небо", "небо", True)],
)
def test_a_form_without_the_headwords_yo_is_no_headword(written: str, lemma: str, *, is_base: bool) -> None:
    parse = SimpleNamespace(tag=_NounTag(), normal_form=lemma, word=written, score=0.5)
    assert analysers._slavic_reading(written.replace("ё", "е"), parse).is_base is is_base


def test_a_headword_that_is_written_in_two_ways_has_its_yo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headwords, "_with_yo", lambda: {"шофёр", "нёбо"})
    driver = [Reading("шофер", "noun", is_base=True, share=0.5, written=w) for w in ("шофер", "шофёр")]
    assert _spelled("шофер", driver) == "шофёр"
    sky = [Reading(w, "noun", is_base=True, share=0.5, written=w) for w in ("небо", "нёбо")]
    assert _spelled("небо", sky) == "небо"
    being = [Reading("бытие", "noun", is_base=True, share=0.5, written=w) for w in ("бытие", "бытиё")]
    assert _spelled("бытие", being) == "бытие"


class _NounTag:
    POS = "NOUN"

    def __str__(self) -> str:
        return "NOUN,inan,neut sing,nomn"


def test_fitting_is_what_the_game_reads() -> None:
    assert fitting("uz", "soʻzlash") == "sözlaş"
    assert fitting("uk", "п'ять") is None
    assert fitting("en", "it") is None


def test_judgements() -> None:
    assert is_plain("word")
    assert not is_plain("Word")
    assert not is_plain("o'er")
    assert is_roman_number("xviii")
    assert not is_roman_number("civic")
    assert has_vowel("лён")
    assert not has_vowel("xbrl")
    assert foreign_script("uk", ["слово", "слoво"]) == ["слoво"]


def test_ties_are_ranked_by_code_point() -> None:
    ranked = most_common_first([Answer("b", "b", 1), Answer("a", "a", 1), Answer("c", "c", 2)])
    assert [answer.word for answer in ranked] == ["c", "a", "b"]
