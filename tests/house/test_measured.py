"""The page of what was measured is made of the pages that measurements wrote."""

import importlib.util
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("measured", ROOT / "tools" / "measured.py")
measured = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(measured)


def test_the_page_and_its_picture_are_as_the_measurements_are():
    """Else: `make reference`."""
    assert (ROOT / "docs" / "measured.md").read_text("utf-8") == measured.page()
    assert (ROOT / "docs" / measured.PICTURE).read_text("utf-8") == measured.picture()


def test_a_figure_is_that_of_its_row_and_column():
    """Looked up here in another way, on each of the three pages."""
    coverage = (ROOT / "docs" / "coverage.md").read_text("utf-8")
    (row,) = [line for line in coverage.splitlines() if line.startswith("| sum | zCDP |")]
    benchmarks = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    csv = benchmarks.partition("\n## Reading CSV\n")[2].partition("\n## ")[0]
    file = csv.partition("| 326 MB")[2].splitlines()[0].split(" | ")[2]

    assert f"| sum | {' | '.join(row.split(' | ')[5:8])}" in measured.page()
    assert f"326 MB | {file} s |" in measured.page()


def test_a_row_that_is_gone_stops_the_page():
    """It does not print another one in its place."""
    with pytest.raises(LookupError, match="no section"):
        measured.cells("benchmarks.md", "No such thing", "a")
    with pytest.raises(LookupError, match="no row"):
        measured.cells("coverage.md", "", "no such interval")


def test_each_dot_of_the_picture_stands_at_its_share():
    """95 % lies in the middle of 90 and 100 %, and each interval has a dot."""
    root = ET.fromstring(measured.picture())
    dots = root.findall("{http://www.w3.org/2000/svg}circle")
    texts = [text.text for text in root.findall("{http://www.w3.org/2000/svg}text")]

    assert len(dots) == len(measured.INTERVALS)
    assert measured._x(95) == (measured._x(90) + measured._x(100)) / 2
    assert all(name in texts for name in measured.INTERVALS)
