"""The list of claims and the tests that try to break them belong together."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("claims", ROOT / "tools" / "claims.py")
tool = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tool)
PAGE = tool.CLAIMS.read_text(encoding="utf-8")
MARK = re.compile(r"pytest\.mark\.claim\(\s*\"(C\d+)\"\s*\)")


def claims() -> set[str]:
    text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| (C\d+) \|", text, flags=re.MULTILINE))


def marked() -> set[str]:
    files = (ROOT / "tests").rglob("test_*.py")
    return {claim for path in files for claim in MARK.findall(path.read_text(encoding="utf-8"))}


def test_every_claim_has_a_test_that_tries_to_break_it():
    """A claim without a test is a wish."""
    untested = claims() - marked()

    assert untested == set()


def test_every_test_that_names_a_claim_names_one_that_is_listed():
    """A typing slip in a mark must not hide a claim."""
    unknown = marked() - claims()

    assert unknown == set()


@pytest.mark.claim("C630")
def test_claims_stand_in_their_order():
    """Else: `make reference`, which puts a row that was added anywhere into its place."""
    numbers = [row[1] for row in tool.ROW.finditer(PAGE)]

    assert len(numbers) == len(set(numbers))
    assert tool.ordered(PAGE) == PAGE


@pytest.mark.claim("C630")
def test_a_claim_names_code_that_is_there():
    """A file that was renamed takes its claims with it."""
    assert tool.lost(PAGE) == []
    assert tool.lost("| C99 | x | y | `noise/gone.py`, `noise/` |") == ["C99: noise/gone.py"]


@pytest.mark.claim("C630")
def test_the_page_of_tests_is_that_of_the_marks():
    """Else: `make reference`."""
    assert tool.TESTS.read_text(encoding="utf-8") == tool.tests()
    assert {*tool.marks()} == claims()


@pytest.mark.claim("C630")
def test_a_claim_that_is_added_anywhere_finds_its_place():
    """By the first path of its last column, and by its number there."""
    rows = [
        "| C9 | a | b | `noise/` |",
        "| C70 | a | b | `ledgers/` |",
        "| C8 | a | b | `noise/` |",
    ]
    page = tool.ordered("\n".join(["# Claims\n", "| claim | what |", "| --- | --- |", *rows]))

    assert page.index("## Noise") < page.index("| C8 |") < page.index("| C9 |")
    assert page.index("| C9 |") < page.index("## Ledgers") < page.index("| C70 |")
    assert tool.ordered(page) == page
