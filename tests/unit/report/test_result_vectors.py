"""A release with means of several columns: shown, written, read back, and checked."""

import json
from pathlib import Path

import pytest

import discreet as dp
from discreet.document.check import checked_document
from discreet.document.regular import csv_rows
from discreet.document.tidy import tidy
from discreet.errors import DiscreetError, InputError, VerifyError
from discreet.report.page import page
from discreet.report.pictures import figure
from unit.report_documents import HOSTILE, csv_text, made

ROWS = [
    {"who": i // 2, "k": "AB"[i % 2], "column": i % 3, "x": i % 9, "y": -i % 7, "age": i % 90}
    for i in range(900)
]
QUESTIONS = (
    dp.mean(["x", "y"], by=["k", "column"], ball=3),
    dp.mean(["age", "x"]),
    dp.mean("age", by="k"),
    dp.histogram("age", bins=2),
)


def declared(source=()):
    return dp.table(
        list(source),
        unit=dp.unit("who", max_rows=2),
        columns={
            "x": dp.bounds(-5, 5, step="0.5"),
            "y": dp.bounds(-5, 5, step="0.5"),
            "age": dp.bounds(0, 120, step=1),
        },
        keys={"k": ["A", "B"], "column": [1, 2]},
        name="t",
    )


def vectors():
    return made(dp.plan(declared(), *QUESTIONS, spend=dp.zcdp("1/50")), size=90_000)


def test_the_table_has_a_column_for_the_columns():
    """Behind the keys and before the bins; empty where one column is asked; a key of its name moves."""
    table = tidy(vectors())

    assert table.columns == (
        *("statistic", "k", "column (key)", "column"),
        *("from", "to", "rows", "value", "low", "high"),
    )
    assert table.kinds[:6] == ("text", "text", "whole", "text", "real", "real")
    assert table.column("column") == ["x", "y"] * 4 + ["age", "x"] + [None] * 4
    assert table.column("column (key)")[:4] == [1, 1, 2, 2]
    assert table.to_polars()["column"].to_list() == table.column("column")
    assert len(table.to_pandas()) == 14


def test_the_table_goes_to_csv_and_back():
    """Names of columns are text, and guarded as text."""
    table = tidy(vectors())

    assert csv_rows(csv_text(table), table.kinds) == (table.columns, table.rows)


@pytest.mark.slow
def test_the_page_and_the_figure_show_each_column():
    """By name, in the order of the question; the noise is said in steps that it has."""
    text = page(vectors())

    assert "Mean of x and y, of rows moved into a ball of 3, by k and column" in text
    assert "Mean of age and x" in text
    assert "in steps of 0.25" in text
    assert "each column in steps of its own" in text
    panels = figure(vectors()).axes
    assert [label.get_text() for label in panels[1].get_yticklabels()] == ["age", "x"]
    assert [label.get_text() for label in panels[0].get_yticklabels()][:2] == ["A, 1, x", "A, 1, y"]


def test_a_heading_of_many_columns_stays_short():
    """The first few, and how many more."""
    names = [f"c{i}" for i in range(30)]
    table = dp.table([], unit="row", columns={n: dp.bounds(0, 1, step=1) for n in names}, name="t")
    text = page(made(dp.plan(table, dp.mean(names), spend=dp.pure(1))))

    assert "Mean of c0, c1, c2, c3 and 26 more columns" in text
    assert "mean (c0, c1, c2, c3 and 26 more)" in text


def test_names_of_columns_are_text_wherever_they_are_shown():
    """No markup on the page, no formula in a spreadsheet."""
    names = [word for word in dict.fromkeys(HOSTILE) if is_name(word)]
    table = dp.table([], unit="row", columns={n: dp.bounds(0, 1, step=1) for n in names}, name="t")
    document = made(dp.plan(table, dp.mean(names), spend=dp.pure(1)))
    long = tidy(document)

    assert len(names) > 20
    assert "<script>" not in page(document)
    assert '"=HYP' not in csv_text(long)
    assert csv_rows(csv_text(long), long.kinds) == (long.columns, long.rows)
    assert checked_document(document.text()) == document


def is_name(word):
    try:
        dp.table([], unit="row", columns={word: dp.bounds(0, 1)})
    except InputError:
        return False
    return True


CHANGES = {
    "a column that was not asked": ('["A",1,"x",', '["A",1,"age",'),
    "a number for a column": ('["A",1,"x",', '["A",1,7,'),
    "no column": ('["A",1,"x",', '["A",1,'),
    "another heading": ('["k","column","column","rows"', '["k","column","axis","rows"'),
    "another axis": ('{"kind":"column","name":"column"}', '{"kind":"key","name":"column"}'),
    "another ball": ('"ball":"3"', '"ball":"4"'),
    "a ball that is none": ('"ball":"3"', '"ball":"0"'),
    "columns twice": ('["age","x"]', '["age","age"]'),
}


@pytest.mark.claim("C15")
@pytest.mark.slow
def test_a_release_is_verified_and_a_change_is_found(tmp_path: Path):
    """The whole way: run, saved, verified with its files; each change is refused."""
    ledger = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp(1))
    plan = dp.plan(declared(ROWS), *QUESTIONS, spend=dp.zcdp("1/2"))
    release = dp.run(plan, ledger=ledger)
    folder = release.save(tmp_path / "out")

    assert len(dp.verify(folder, ledger=ledger).checks) == 6
    assert dp.load(folder).document == release.document
    text = release.document.text()
    for old, new in CHANGES.values():
        assert old in text
        (tmp_path / "changed.json").write_text(text.replace(old, new))
        with pytest.raises(DiscreetError):
            dp.verify(tmp_path / "changed.json")
    other = json.loads(text)
    other["statistics"][0]["answer"]["rows"][0][3] += 1  # how many rows the mean is made of
    (tmp_path / "changed.json").write_text(json.dumps(other))
    with pytest.raises(VerifyError, match="does not follow from the integers"):
        dp.verify(tmp_path / "changed.json")
    (tmp_path / "same.json").write_text(text)
    dp.verify(tmp_path / "same.json")
