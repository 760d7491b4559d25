"""The map of the old system's components names each once, and what it names is there."""

import re
from pathlib import Path

import pytest

import discreet as dp
from discreet.releases.release import Release

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "components.md").read_text("utf-8")
LIMITS = " ".join((DOCS / "limits.md").read_text("utf-8").split())
ROWS = dict(re.findall(r"^\| (\w+) \| (.*) \|$", PAGE, re.MULTILINE))
ROWS.pop("component")
NAMES = re.compile(r"`(release\.)?([a-z_]+)(?:[(.=`])")
OPTIONS = {"by", "bins", "to_pandas", "to_polars", "within", "step", "where", "log"}


def test_there_are_66_components_each_once():
    """As many as stand in the old system's last commit."""
    assert len(ROWS) == len(re.findall(r"^\| (?!component)\w+ \| ", PAGE, re.MULTILINE)) == 66


@pytest.mark.parametrize("component", ROWS)
def test_a_verb_that_is_named_is_there_and_what_is_not_has_its_line(component):
    """Verbs are looked up; what is not there is named in docs/limits.md."""
    row = ROWS[component]
    for release, name in NAMES.findall(row):
        assert hasattr(Release, name) if release else name in {*dir(dp), *OPTIONS}, name
    assert NAMES.search(row) or "*not there*" in row or "noise" in row
    if "*not there*" in row:
        assert re.search(rf"\b{component}\b", LIMITS), component


@pytest.mark.parametrize("expression", re.findall(r'derived\("([^"]+)"', PAGE))
def test_an_expression_of_the_page_is_one(expression):
    """Each can be derived of columns of these names."""
    keys = {"AND": True, "OR": True, "NOT": True, "=": True, ">": True, "<": True}
    whole = dp.derived(expression, bounds=dp.bounds(0, 9))
    truth = dp.derived(expression, keys=[True, False])
    words = set(expression.split())
    bounds = dp.bounds(0, 1) if words & {"AND", "OR", "NOT"} else dp.bounds(1, 9)
    table = dp.table(None, unit="row", columns=dict.fromkeys(("a", "b", "income"), bounds))

    derived = truth if keys.keys() & words else whole
    assert "x" in repr(table.derive(x=derived))
