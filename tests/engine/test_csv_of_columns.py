"""Columns of a CSV file that are written in their own way: days, times, numbers, missing codes."""

import json
import subprocess
import sys

import pytest

import discreet as dp
from discreet.engine.explain_expression import meanings
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.schema import table_of

ROWS = """u,age,price,cost,day,at,married
a,-9,"1,5",1.5,31.12.2024,9:27AM,Yes
b,30,"1.234,5",2,01.01.2020,2020,1
c,99,x,-9,2024-12-31,10:00PM,no
d,40,7,,1.1.2020,,-9
"""
COLUMNS = {
    "age": {"missing": [-9, 99]},
    "price": {"decimal": ",", "thousands": "."},
    "day": {"days": "%d.%m.%Y"},
    "at": {"times": "%I:%M%p"},
    "married": {"missing": ["-9"]},
}


def declared(folder, **csv):
    (folder / "t.csv").write_text(ROWS)
    return dp.table(
        folder / "t.csv",
        unit="row",
        columns={
            "age": dp.bounds(0, 100, step=1), "price": dp.bounds(0, 2000, step="0.5"),
            "cost": dp.bounds(0, 10, step="0.5"), "day": dp.bounds("2019-01-01", "2025-01-01"),
        },
        keys={"married": dp.keys({"yes": ["Yes", "1"], "no": ["2"]}, other="other", missing="unknown")},
        csv=csv,
    )  # fmt: skip


def opened(table, question):
    aggregates = question.aggregates(table)
    prepared = engine_for(table.source).prepare(table, aggregates)
    return [vector.opened_by_the_door() for vector in prepared.count(7)]


@pytest.mark.claim("C448")
def test_each_column_is_read_in_its_own_way(tmp_path):
    """Missing codes, a decimal comma, days and times; another column is read as the file is."""
    table = declared(tmp_path, columns=COLUMNS)
    asked = [
        dp.sum("age"), dp.sum("price"), dp.sum("cost"), dp.count("married"), dp.count(where="age IS NULL"),
        dp.count(where="year(day) = 2024"), dp.count(where="hour(at) = 9"), dp.count(where="cost IS NULL"),
    ]  # fmt: skip

    assert [opened(table, one) for one in asked] == [
        [(70,)], [(2486,)], [(7,)], [(2, 1, 1, 0)], [(2,)], [(1,)], [(1,)], [(1,)],
    ]  # fmt: skip


@pytest.mark.claim("C448")
def test_what_a_file_says_of_all_holds_beside_what_a_column_says(tmp_path):
    """A column's missing words are more words, and what it does not say is as in its file."""
    table = declared(tmp_path, missing=["", "x"], decimal=",", columns={"cost": {"decimal": "."}, "age": {"missing": ["30"]}})  # fmt: skip

    assert opened(table, dp.sum("cost")) == [(7,)]
    assert opened(table, dp.count(where="price IS NULL")) == [(2,)]  # x, and 1.234,5
    assert opened(table, dp.count(where="age IS NULL")) == [(1,)]


CELLS = ["-9", "99", "1,5", "1.234,5", "2", "31.12.2024", "2024-12-31", "9:27AM", "09:27:00", "", "Yes", "1", "2.5"]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.claim("C449")
@pytest.mark.parametrize("cell", CELLS)
def test_check_says_of_each_column_what_the_query_reads(cell, tmp_path):
    """The reference, cell by cell, and the file of one row, in each role."""
    table = declared(tmp_path, columns=COLUMNS)
    quoted = f'"{cell}"'
    (tmp_path / "t.csv").write_text(
        "u,age,price,cost,day,at,married\n" + ",".join([quoted] * 7) + "\n"
    )
    asked = dp.count(where="hour(at) >= 0")
    said = {one.column: one for one in meanings(table, cell, [asked.aggregates(table)[0].where])}
    is_there = {
        "age": "age >= -9",
        "price": "price >= -9",
        "cost": "cost >= -9",
        "day": "year(day) > 0",
    }

    for name, condition in is_there.items():
        assert opened(table, dp.count(where=condition)) == [(said[name].value is not None,)], name
    assert opened(table, asked) == [(said["at"].value is not None,)]
    keys = [*table.keys["married"]]
    assert opened(table, dp.count("married")) == [
        tuple(key == said["married"].value for key in keys)
    ]


@pytest.mark.claim("C448")
def test_a_plan_says_it_and_a_release_reads_it_back(tmp_path):
    """In words, in its digest, and in the declaration that a release holds."""
    table, usual = declared(tmp_path, columns=COLUMNS), declared(tmp_path)
    plan = dp.plan(table, dp.sum("age"), spend=dp.zcdp(1))

    assert table_of(table.plain()).plain() == table.plain() != usual.plain()
    assert "Written in their own way are cells of age (missing -9, 99)" in str(plan)
    assert "Days are read as %d.%m.%Y" in str(
        dp.plan(table, dp.count(where="year(day) = 2024"), spend=dp.zcdp(1))
    )


@pytest.mark.claim("C448")
def test_a_plan_file_says_it_too(tmp_path):
    """As csv under [data]; `discreet check` shows it of a cell."""
    (tmp_path / "t.csv").write_text(ROWS)
    (tmp_path / "p.toml").write_text(
        '[data]\nsource = "t.csv"\nunit = "row"\n[data.csv.columns]\nage = { missing = [-9, 99] }\nprice = { decimal = ",", thousands = "." }\n'
        "[columns]\nage = { lower = 0, upper = 100, step = 1 }\nprice = { lower = 0, upper = 2000, step = 1 }\n"
        '[spend]\nrho = "1"\n[[ask]]\nstatistic = "sum"\ncolumn = "age"\n'
    )
    plan = read_plan_file(tmp_path / "p.toml").plan
    said = subprocess.run([sys.executable, "-m", "discreet", "check", "p.toml", "--json", "--", "-9"], cwd=tmp_path, check=True, capture_output=True, text=True)  # fmt: skip

    assert opened(plan.table, dp.sum("age")) == [(70,)]
    assert plan.table.csv.plain() == {"columns": {"age": {"missing": ["-9", "99"]}, "price": {"decimal": ",", "thousands": "."}}}  # fmt: skip
    assert {cell["column"]: cell["value"] for cell in json.loads(said.stdout)["cells"]} == {"age": None, "price": "0"}  # fmt: skip


@pytest.mark.claim("C448")
@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        ({"age": {"separator": ";"}},
         ["csv says separator of the column age alone.",
          "why: a column may have its own decimal, thousands, currency, missing, days, times; all else is one in a file",
          "fix: write separator beside columns, or leave it out"]),
        ({"age": {"days": "dd.mm.yyyy"}},
         ["csv days = 'dd.mm.yyyy' is no form of days.", "why: a day has %d, %m (or %b, as in Nov) and %Y, and no time",
          'fix: write csv={"columns": {"age": {"days": "%d.%m.%Y"}}}']),
        ({"aeg": {"decimal": ","}},
         ["csv says how aeg is written, and t.csv has no such column.", "why: names are matched exactly, with their case and blanks",
          "fix: leave aeg out of csv columns, or name the column that is meant"]),
        (["age"],
         ["csv columns is not a dict of dicts.", "why: of each column that is written in its own way it says how",
          'fix: write csv={"columns": {"price": {"decimal": ","}}}, for example']),
    ],
)  # fmt: skip
def test_what_cannot_be_said_of_a_column_is_refused(columns, lines, tmp_path):
    """In three lines, before anything is read."""
    with pytest.raises(InputError) as caught:
        opened(declared(tmp_path, columns=columns), dp.count())
    assert [line.strip() for line in str(caught.value).splitlines()] == lines


@pytest.mark.claim("C448")
def test_columns_of_a_joined_file_are_read_in_their_own_way(tmp_path):
    """As the table says, or as the join does."""
    (tmp_path / "rows.csv").write_text('z,price\n1,"1,5"\n2,-9\n')
    (tmp_path / "o.csv").write_text("z,who,age\n1,ann,-9\n2,bob,7\n")
    own = {"columns": {"price": {"decimal": ",", "missing": [-9]}}}
    table = dp.table(tmp_path / "rows.csv", unit=dp.unit("who", max_rows=2), columns={"price": dp.bounds(-10, 10, step="0.5"), "age": dp.bounds(-10, 10, step=1)}, csv=own)  # fmt: skip
    for csv in ({"columns": {"age": {"missing": [-9]}}}, None):
        owner = dp.owner(tmp_path / "o.csv", on="z", gives=["who", "age"], csv=csv)
        assert opened(table.joined(owner), dp.sum("price")) == [(3,)]
        assert opened(table.joined(owner), dp.sum("age")) == [(7 if csv else -2,)]
