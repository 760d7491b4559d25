"""The pages of what was measured are made of the pages that measurements wrote."""

import importlib.util
import math
import re
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
SPEC = importlib.util.spec_from_file_location("measured", ROOT / "tools" / "measured.py")
measured = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(measured)
SVG = "{http://www.w3.org/2000/svg}"
PICTURES = [name for name in measured.MADE if name.endswith(".svg")]


def table_of(name):
    return (ROOT / "docs" / name).read_text("utf-8")


@pytest.mark.parametrize("name", measured.MADE)
def test_a_page_or_picture_is_as_the_measurements_are(name):
    """Else: `make reference`."""
    assert table_of(name) == measured.MADE[name]()


def test_a_figure_is_that_of_its_row_and_column():
    """Looked up here in another way, on each of the three pages."""
    (row,) = [
        line
        for line in table_of("coverage-tables.md").splitlines()
        if line.startswith("| sum | zCDP |")
    ]
    (beside,) = [
        line
        for line in table_of("nearness-tables.md").splitlines()
        if line.startswith("| slope | zCDP |")
    ]
    csv = table_of("benchmarks-tables.md").partition("\n## Reading CSV\n")[2].partition("\n## ")[0]
    file = csv.partition("| 326 MB")[2].splitlines()[0].split(" | ")[2]
    near = beside.split(" | ")

    assert f"| sum | {' | '.join(row.split(' | ')[5:8])}" in measured.coverage()
    assert f"| slope | {near[4]} | {near[6]} | {near[8]} |" in measured.nearness()
    assert f"326 MB | {file} s |" in measured.speed()


def test_missed_bars_are_on_the_page():
    """Each that the measurement lists, in its own words."""
    listed = (
        table_of("benchmarks-tables.md").partition("\n## ")[0].partition("Missed:")[2].split("\n")
    )
    missed = [line for line in listed if line.startswith("- ")]

    assert missed
    assert all(line in measured.speed().splitlines() for line in missed)


def test_a_row_that_is_gone_stops_the_page():
    """It does not print another one in its place."""
    with pytest.raises(LookupError, match="no section"):
        measured.cells("benchmarks-tables.md", "No such thing", "a")
    with pytest.raises(LookupError, match="no row"):
        measured.cells("coverage-tables.md", "", "no such interval")


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_has_its_words_its_paper_and_fits_a_phone(name):
    """A title for who does not see it, white paper below all, and no text beyond its edges.

    Nor do the two texts of a row touch; a letter is taken for 6.3 pixels wide.
    """
    root = ET.fromstring(measured.MADE[name]())
    wide, rows = int(root.get("width")), {}

    assert root.find(f"{SVG}title").text.endswith(".")
    assert root.find(f"{SVG}rect").get("fill") == "#ffffff"
    assert wide <= 400
    for text in root.findall(f"{SVG}text"):
        x, long = float(text.get("x")), 6.3 * len(text.text)
        left = {"start": x, "middle": x - long / 2, "end": x - long}[text.get("text-anchor")]
        assert left >= 0, text.text
        assert left + long <= wide + 5, text.text
        rows.setdefault(text.get("y"), []).append((left, left + long))
    for texts in rows.values():
        assert all(before[1] <= after[0] for before, after in pairwise(texts))


def dots(name):
    return [
        float(c.get("cx")) for c in ET.fromstring(measured.MADE[name]()).findall(f"{SVG}circle")
    ]


@pytest.mark.parametrize("name", PICTURES)
def test_each_color_has_one_for_dark_paper(name):
    """The style changes each color that is painted, and words stay readable: 4.5 to 1 (WCAG AA)."""
    picture = measured.MADE[name]()
    style = ET.fromstring(picture).find(f"{SVG}style").text
    night = dict(re.findall(r'="(#\w{6})"\]\{\w+:(#\w{6})\}', style))
    painted = re.findall(r'(?:fill|stroke)="(#\w{6})"', picture.replace(style, ""))

    assert "prefers-color-scheme: dark" in style
    assert {*painted} <= night.keys()
    for text in ET.fromstring(picture).iter(f"{SVG}text"):
        paper, ink = (light(night[text.get(part)]) for part in ("stroke", "fill"))
        assert (ink + 0.05) / (paper + 0.05) >= 4.5


def light(color):
    """The luminance of a color, as WCAG defines it."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_each_dot_of_coverage_stands_at_its_share():
    """95 % lies in the middle of 90 and 100 %, and each interval has a dot."""
    shares = [float(measured._held(each)["n = 1,000"].split(" ")[0]) for each in measured.INTERVALS]
    low, high = 20.0, 380.0

    assert dots("pictures/coverage.svg") == pytest.approx(
        [low + (high - low) * (share - 90) / 10 for share in shares], abs=0.1
    )


def test_each_dot_of_nearness_stands_at_its_figure():
    """Three of the key, then three a row; an interval of some bins has none."""
    told = [
        float(figure.split(" ")[0])
        for name in measured.BESIDE
        for figure in (measured._wider(name)[part] for part in measured.PARTS)
        if figure.endswith("%")
    ]

    assert dots("pictures/nearness.svg")[3:] == pytest.approx(
        [20 + 360 * share / 15 for share in told], abs=0.1
    )


def test_each_dot_of_speed_stands_at_its_time():
    """Ten times as long is a fifth of the way; what is no time has no dot."""
    took = [measured._seconds(time) for _, time in measured._times()]
    timed = [seconds for seconds in took if seconds is not None]

    assert len(timed) == len(took) - 2
    assert dots("pictures/speed.svg") == pytest.approx(
        [20 + 360 * (math.log10(seconds) + 3) / 5 for seconds in timed], abs=0.1
    )
