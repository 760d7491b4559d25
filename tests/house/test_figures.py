"""The figures as they are drawn: the same twice, readable by all, beside the numbers they show."""

import csv
import re
from fractions import Fraction
from io import StringIO
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from figures.catalog import FIGURES, write
from figures.figure import csv_of

from discreet.errors import InputError
from discreet.report import look
from discreet.report.look import svg_of
from unit.drawn_curves import curves

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.exhaustive
@pytest.mark.claim("C30")
@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_written_the_same_twice(name, tmp_path):
    """PNG, SVG and CSV, without a date; the tables hold every point that is drawn."""
    figure = FIGURES[name]
    places, tables = write(figure, tmp_path), figure.tables(curves(name))
    again = svg_of(figure.draw(curves(name)))

    assert [place.name for place in places] == [f"{name}{end}" for end in (".png", ".svg", *tables)]
    assert places[1].read_bytes() == again
    assert b"<dc:date>" not in again
    assert [place.read_text(encoding="utf-8") for place in places[2:]] == list(tables.values())
    assert sum(map(values_in, tables.values())) == sum(map(len, curves(name).values()))
    assert all(place.stat().st_size < 150_000 for place in places)


def values_in(text):
    """Return how many values a table of a figure holds: one a row, or one for each panel."""
    head, *lines = text.splitlines()
    return len(lines) * (1 if head == "panel,curve,x,y" else head.count(","))


BLIND = {  # linear RGB as seen without one kind of cone: Machado, Oliveira and Fernandes 2009
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}  # fmt: skip


def seen(color, sight):
    """Return a color in CIELAB, where a distance of 2 is just visible."""
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ np.clip(np.array(sight) @ linear, 0, 1) / (0.9505, 1, 1.089)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(colors):
    """Return the smallest distance of two colors in the worst sight."""
    return min(
        np.linalg.norm(seen(a, sight) - seen(b, sight))
        for sight in BLIND.values()
        for a, b in combinations(colors, 2)
    )


def test_the_colors_stay_apart_for_the_color_blind():
    """Ten times the just visible distance; red and green of equal lightness would not."""
    assert nearest([look.BLUE, look.ORANGE, look.GREEN, look.RED]) > 20
    assert nearest(["#c44e00", "#6f8f00"]) < 20


@pytest.mark.parametrize("name", FIGURES)
def test_the_page_of_figures_shows_each_with_its_caption(name):
    """What the documentation shows is what the program draws."""
    text = (DOCS / "figures.md").read_text(encoding="utf-8")

    assert FIGURES[name].caption in " ".join(text.split())
    assert f"](figures/{name}.png)" in text
    assert f"](figures/{name}.csv)" in text
    assert all((DOCS / "figures" / f"{name}.{end}").exists() for end in ("png", "svg", "csv"))


NUMBER = r"(?<=,)-?[\d.]+(e[+-]?\d+)?(?=,|$)|^\d+(?=,)"


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_the_numbers_kept_in_the_documentation_are_the_computed_ones(name):
    """Each line of the committed CSV is what is computed now, but for a float's last digits."""
    for ending, text in FIGURES[name].tables(curves(name)).items():
        kept = (DOCS / "figures" / f"{name}{ending}").read_text(encoding="utf-8").splitlines()

        for left, right in zip(kept, text.splitlines(), strict=True):
            assert re.sub(NUMBER, "", left) == re.sub(NUMBER, "", right)
            numbers = [[float(n[0]) for n in re.finditer(NUMBER, side)] for side in (left, right)]
            assert numbers[0] == pytest.approx(numbers[1], rel=1e-9, abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_every_table_of_numbers_is_csv_to_every_reader(name):
    """pandas and the csv module see the same rows, and each curve whole, commas in its name too."""
    for ending, text in FIGURES[name].tables(curves(name)).items():
        kept = (DOCS / "figures" / f"{name}{ending}").read_text(encoding="utf-8")
        for said in (text, kept):
            table = pd.read_csv(StringIO(said))
            header, *rows = csv.reader(StringIO(said), strict=True)

            assert header == list(table.columns)
            assert {len(row) for row in rows} == {len(header)}
            assert len(rows) == len(table)
            assert table.select_dtypes("number").shape[1] == len(header) - 2 * (ending == ".csv")
        if ending == ".csv":
            wide = FIGURES[name].wide
            sizes = {at: len(c) for at, c in curves(name).items() if at[1] != wide}
            assert table.groupby(["panel", "curve"]).size().to_dict() == sizes


def test_a_curve_named_with_a_comma_or_a_quote_stays_one_cell():
    """The check above has power: joined by commas, such a name is two cells."""
    said = csv_of({("a", 'line, "dotted"'): ((0.0, 1.0),)})

    assert list(csv.reader(StringIO(said))) == [
        ["panel", "curve", "x", "y"],
        ["a", 'line, "dotted"', "0", "1"],
    ]


def collisions(picture):
    """Return the pairs of ticks of one axis, or of labels in one panel, that cover each other."""
    picture.canvas.draw()
    found = []
    for axes in picture.axes:
        sides = (axes.get_xlim, axes.get_xticklabels), (axes.get_ylim, axes.get_yticklabels)
        kinds = [
            [
                tick
                for tick in (*ticks(minor=False), *ticks(minor=True))
                if ends()[0] <= tick.get_position()[side] <= ends()[1]
            ]
            for side, (ends, ticks) in enumerate(sides)
        ]
        for texts in (*kinds, axes.texts):
            boxes = [(t.get_text(), t.get_window_extent()) for t in texts if t.get_text()]
            found += [
                (a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)
            ]
    return found


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_no_two_words_of_a_figure_cover_each_other(name):
    """Ticks of an axis and labels of a panel can all be read."""
    assert collisions(FIGURES[name].draw(curves(name))) == []


def test_words_that_cover_each_other_are_seen():
    """The check has power: two labels at one place, and all nine ticks of a decade."""
    picture = look.canvas(3, 3)
    axes = look.panel(picture.add_subplot(), "", x="", y="")
    axes.set_yscale("log")
    axes.set_ylim(80, 6000)
    axes.yaxis.set_minor_formatter("{x:g}")
    look.label(axes, (0.5, 99), "one")
    look.label(axes, (0.5, 99), "other")
    found = collisions(picture)

    assert ("one", "other") in found
    assert ("800", "900") in found


def test_the_printed_law_refuses_to_run():
    """What is drawn as not private cannot be released with."""
    from discreet.calculator.formulas.truncated_geometric import NoteTruncatedNotPrivate

    with pytest.raises(InputError, match="does not run on data"):
        NoteTruncatedNotPrivate(Fraction(1, 10), lower=0, upper=30).release(20, None)
