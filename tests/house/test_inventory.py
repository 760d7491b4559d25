"""Each page of the old docs is where decision 147 says, and each page that was to come is there."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RECORD = DOCS / "decisions" / "0147-what-became-of-each-page.md"
LINK = re.compile(r"\]\(([^)#]+)\)")
STAYS = {"kept", "split", "grown", "rewritten"}
AT_ROOT = {"README.md", "CHANGELOG.md"}


def rows(text, columns):
    """The rows of the tables of a text that have so many columns, without their heads."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    return [row for row in cells if len(row) == columns and row[0] not in ("page", "---")]


def faults(row, mapped):
    """What is not so in a row: a page that is gone, or one that the map of the site has not."""
    named = [(RECORD.parent / link).resolve() for link in LINK.findall(row[-1])]
    yield from [f"{page.name} is missing" for page in named if not page.is_file()]
    paths = [page.relative_to(DOCS).as_posix() for page in named if page.is_file()]
    yield from [f"{path} is not in the map" for path in paths if path not in mapped]
    if not named:
        yield f"{row[0]} leads nowhere"
    if len(row) == 4:
        old = row[0].strip("`")
        there = ((ROOT if old in AT_ROOT else DOCS) / old).exists()
        if there != (row[2] in STAYS):
            yield f"{old} is said to be {row[2]}"


def mapped():
    """The pages in the map of the site."""
    site = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    return {*re.findall(r"[\w/-]+\.md", str(site["nav"]))}


TEXT = RECORD.read_text(encoding="utf-8")


@pytest.mark.claim("C635")
@pytest.mark.parametrize("row", [*rows(TEXT, 4), *rows(TEXT, 2)], ids=lambda row: row[0].strip("`"))
def test_a_page_is_where_the_record_says(row):
    """It exists, and a reader finds it in the map."""
    assert [*faults(row, mapped())] == []


@pytest.mark.claim("C635")
def test_no_page_of_the_inventory_is_left_out():
    """31 pages, the laws, the decisions; 35 that were to come."""
    old = {row[0].strip("`") for row in rows(TEXT, 4)}

    assert len(old) == 33
    assert {"README.md", "rows.md", "limits.md", "engines.md", "laws/", "CHANGELOG.md"} <= old
    assert len(rows(TEXT, 2)) == 35


def test_a_page_that_is_not_there_is_seen():
    """The check has power."""
    there = {"index.md"}

    assert [*faults(["home", "[home](../index.md)"], there)] == []
    assert [*faults(["home", "[home](../gone.md)"], there)] == ["gone.md is missing"]
    assert [*faults(["rows", "[rows](../rows.md)"], there)] == ["rows.md is not in the map"]
    assert [*faults(["`rows.md`", "", "gone", "[x](../index.md)"], there)] == [
        "rows.md is said to be gone"
    ]
    assert [*faults(["rows", "gone"], there)] == ["rows leads nowhere"]
