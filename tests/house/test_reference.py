"""What is made from the code is as the code is: no page of reference is behind it."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
reference = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reference)


@pytest.mark.parametrize("name", reference.PAGES)
def test_a_page_that_is_made_is_as_the_code_is(name):
    """Else: `make reference`."""
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")

    assert page == reference.PAGES[name]()


def test_the_index_of_decisions_lists_each_record_and_what_changed_it():
    """Number, title and status; a later record that names an older one stands beside it."""
    index = reference.decisions()

    for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"):
        assert f"]({path.name}) | " in index
    assert "| 24 | " in index
    (row,) = [line for line in index.splitlines() if line.startswith("| 24 | ")]
    assert row.endswith("| 82 |")
