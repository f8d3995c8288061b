"""The pages of docs/ agree with each other, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("wordlists/*.md")])


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of the page's headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        target, _, anchor = "".join(link.split()).partition("#")
        if "://" in target:
            continue
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{page.name} links to {link}, which does not exist"
        if anchor:
            assert anchor in anchors(file), f"{page.name} links to {link}, but {file.name} has no such heading"


CODE = re.compile(r"`((?:shared|functions|client|infra|tools|tests|web|wordlists)/[\w/.-]*\w)`")
IN_THE_PACKAGE = re.compile(r"`((?:play|rules|store|delivery|lifecycle|matchmaking|protocol|words)/[\w/.-]*\w)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page.name in ("CHANGELOG.md", "CONTRIBUTING.md"):  # tells of the past, and of files that are still to be written
        return
    for folder, pattern in ((ROOT, CODE), (ROOT / "shared" / "wordle_tournament", IN_THE_PACKAGE)):
        for name in pattern.findall(text):
            path = folder / name
            assert path.exists() or path.with_suffix(".py").exists(), f"{page.name} names {name}, which does not exist"


NAMED = re.compile(r"\bdocs/[\w/.-]+\.(?:md|yaml|png)\b")


def test_pages_named_in_the_code_exist() -> None:
    folders = ("shared", "functions", "client", "infra", "tools", "tests", "web", ".github")
    files = [
        path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".yaml", ".js")
    ]
    for path in [*files, ROOT / "Makefile", ROOT / "samconfig.toml"]:
        if path != Path(__file__):
            for name in NAMED.findall(path.read_text(encoding="utf-8")):
                assert (ROOT / name).exists() or path.match("tests/docs/*"), (
                    f"{path} names {name}, which does not exist"
                )


def decided_in_the_rules() -> set[str]:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    rules = re.findall(r"^- \*\*(R\d+) (.*?)(?=^- \*\*R|^#|\Z)", text, re.MULTILINE | re.DOTALL)
    return {number for number, rule in rules if "(decided)" in rule}


def decided_in_the_table() -> list[list[str]]:
    text = (ROOT / "docs" / "decided-rules.md").read_text(encoding="utf-8")
    return [
        [cell.strip() for cell in row.strip("|").split("|")] for row in re.findall(r"^\| R\d+ .*", text, re.MULTILINE)
    ]


def test_every_decided_rule_is_in_the_table_of_decided_rules() -> None:
    tabled = {row[0] for row in decided_in_the_table()}
    missing, extra = decided_in_the_rules() - tabled, tabled - decided_in_the_rules()
    assert not missing, f"docs/rules.md marks {sorted(missing)} as decided: add a row to docs/decided-rules.md"
    # R27 and R30 are given in part; the table has the parts that were decided.
    assert not extra, f"docs/decided-rules.md has {sorted(extra)}, which docs/rules.md does not mark as decided"


def test_a_decision_has_a_rule_a_gap_a_choice_and_a_reason() -> None:
    rows = decided_in_the_table()
    assert len(rows) > 20
    for row in rows:
        assert len(row) == 4, row
        assert all(len(cell) > 10 for cell in row[1:]), row
        assert row[1].endswith("?"), row


def test_the_readme_leads_to_the_decided_rules() -> None:
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Decisions\n")[2].partition("\n## ")[0]
    assert "(docs/decided-rules.md)" in section


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 90
