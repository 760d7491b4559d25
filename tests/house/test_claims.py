"""The list of claims and the tests that try to break them belong together."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
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
