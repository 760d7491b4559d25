"""The site of the docs: each page is in its map, near its home, and no link leaves it.

`make site` builds it strictly, which finds pages and headings that are not there; what it does not
find is looked for here.
"""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
LINK = re.compile(r"\]\(([^)\s#]+)[^)]*\)")
SITE = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
HIGHLIGHTED = {
    "python",
    "text",
    "output",
    "console",
    "sh",
    "toml",
    "sql",
    "json",
    "pycon",
    "py",
    "diff",
}


def named(entries):
    """The pages that a part of the map names."""
    for entry in entries:
        for there in entry.values():
            yield from [there] if isinstance(there, str) else named(there)


def leaving(page, text):
    """The links of a page that lead out of the docs, where the site has nothing."""
    return [
        target
        for target in LINK.findall(text)
        if "://" not in target and not (page.parent / target).resolve().is_relative_to(DOCS)
    ]


def linked(page):
    """The pages to which a page links."""
    folder = (DOCS / page).parent
    targets = LINK.findall((DOCS / page).read_text(encoding="utf-8"))
    paths = {(folder / target).resolve() for target in targets if target.endswith(".md")}
    return {path.relative_to(DOCS).as_posix() for path in paths if path.is_relative_to(DOCS)}


def test_the_map_names_each_page_once():
    """But for decision records, which their index lists."""
    entries = [*named(SITE["nav"])]
    records = {page for page in PAGES if re.match(r"decisions/\d", page)}

    assert sorted(entries) == sorted(PAGES - records)


def test_the_looks_of_the_site_are_there():
    """A style sheet that is named and missing is no fault of a strict build."""
    assert [name for name in SITE["extra_css"] if not (DOCS / name).is_file()] == []


def test_no_page_is_more_than_two_steps_from_home():
    """By the links of pages alone, as on a phone."""
    near = linked("index.md")

    assert PAGES - {"index.md"} - near - {page for step in near for page in linked(step)} == set()


@pytest.mark.parametrize("page", sorted(PAGES))
def test_no_link_leaves_the_docs(page):
    """A file of the repository is named by its path."""
    assert leaving(DOCS / page, (DOCS / page).read_text(encoding="utf-8")) == []


def test_a_link_that_leaves_the_docs_is_seen():
    """The check has power."""
    text = "[a](../README.md), [b](laws/index.md), [c](https://example.org), ![d](pictures/a.png)"

    assert leaving(DOCS / "a.md", text) == ["../README.md"]


@pytest.mark.parametrize("page", sorted(PAGES))
def test_each_block_has_a_kind_that_the_site_colors(page):
    """A block of another kind is shown without colors, or not at all."""
    text = (DOCS / page).read_text(encoding="utf-8")
    kinds = {*re.findall(r"^```(\w+)", text, flags=re.MULTILINE)}

    assert kinds <= HIGHLIGHTED
