"""The pages of proof name what exists, and their examples run as written."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "laws"
NAMED = re.compile(r"`((?:noise|calculator|post|schema|engine)(?:\.\w+)+)`")
MARKS = re.compile(r"^\| ([A-E]\d+(?:, [A-E]\d+)*) \|", flags=re.MULTILINE)
LINKS = re.compile(r"\]\(([^)#]+\.md)\)")


def is_there(name):
    """Import as much of a dotted name as is a module, and look up the rest."""
    module, *rest = name.split(".")
    found = import_module(f"discreet.{module}")
    for part in rest:
        module = f"{module}.{part}"
        try:
            found = getattr(found, part, None) or import_module(f"discreet.{module}")
        except ModuleNotFoundError:
            return False
    return True


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_the_examples_of_a_page_run_as_written(page):
    """Each number that a page shows behind >>> is computed now."""
    failures, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")

    assert failures == 0


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_names_only_what_exists(page):
    """Functions, classes and pages; a law's page says what it does about the documents."""
    text = page.read_text(encoding="utf-8")

    assert [name for name in NAMED.findall(text) if not is_there(name)] == []
    assert [link for link in LINKS.findall(text) if not (page.parent / link).exists()] == []
    if page.stem != "index":
        assert NAMED.search(text)
        assert "## What the documents had, and what discreet does" in text


def test_a_name_that_does_not_exist_is_seen():
    """The check has power."""
    assert is_there("calculator.formulas.laplace.accuracy_up")
    assert not is_there("calculator.formulas.laplace.accuracy_sideways")
    assert not is_there("calculator.formulas.cauchy")


def test_every_law_has_a_page_and_every_page_is_in_the_index():
    """A law file without a page is a law without a proof."""
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    pages = {page.stem for page in PAGES.glob("*.md")} - {"index"}
    laws = {
        "discrete_laplace",
        "clamped_geometric",
        "truncated_geometric",
        "remap",
        "exponential",
        "choosing",
    }
    laws |= {
        "discrete_gaussian",
        "gaussian",
        "proportions",
        "sums",
        "tables",
        "unknown_keys",
        "quantiles",
        "gdp",
        "moments",
        "joins",
        "sharing",
    }

    assert pages == laws
    assert {link.removesuffix(".md") for link in LINKS.findall(index)} >= laws


def test_the_worst_mistakes_of_the_documents_are_answered():
    """The marks that break a promise of privacy each have a row on some page."""
    rows = [MARKS.findall(page.read_text(encoding="utf-8")) for page in PAGES.glob("*.md")]
    answered = {mark for found in rows for cell in found for mark in cell.split(", ")}

    assert answered >= {"A1", "A4", "B3", "B4", "B8", "C1", "C6", "C7", "D3", "D9", "D10"}
    assert answered >= {"D11", "D14", "D15", "D16", "D17", "E1", "E4"}
