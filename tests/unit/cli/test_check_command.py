"""`discreet check`: what a typed cell means is what the engines make of it; no data is opened."""

import io
import json

import pytest

import discreet as dp
from discreet.cli.check import check
from discreet.cli.output import Screen
from discreet.engine.duckdb.connect import opened
from discreet.engine.explain_expression import meanings
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file

OPTIONS = [
    {},
    {"decimal": ",", "thousands": "."},
    {"missing": ["", "NA"], "trim": True},
    {"quote": "'"},
]
CELLS = ["1", "01", " 2 ", "1,5", "1.000", "NA", '"A"', "'A'", "A", "true", "1e3", "-7", "x", "6"]
PLAN = """
[data]
source = "gone.csv"
unit = "row"
{csv}
[keys]
ward = ["A", "B"]
[spend]
rho = 1
[[ask]]
statistic = "count"
by = "ward"
"""


def declared(source, csv):
    return dp.table(
        source,
        unit=dp.unit("u", max_rows=1),
        columns={"v": dp.bounds(0, 5, step="1/2")},
        keys={"k": ["A", "1", "01"], "n": [1, 2]},
        csv=csv,
    )


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.parametrize("csv", OPTIONS, ids=str)
@pytest.mark.parametrize("cell", CELLS)
def test_a_typed_cell_is_what_a_file_with_it_says(cell, csv, tmp_path):
    """Each meaning, against the vectors that DuckDB counts of a file with this one row."""
    path = tmp_path / "t.csv"
    path.write_text(f"u;v;k;n\n{cell};{cell};{cell};{cell}\n")
    table = declared(path, {**csv, "separator": ";"})
    said = {one.column: one.value for one in meanings(table, cell)}

    def counted(*asked):
        from discreet.engine.duckdb.engine import DuckEngine

        aggregates = tuple(a for one in asked for a in one.aggregates(table))
        vectors = DuckEngine().prepare(table, aggregates).count(1)
        return [vector.opened_by_the_door() for vector in vectors]

    (units,), sums, keys, numbers = counted(
        dp.count_units(), dp.sum("v"), dp.count("k"), dp.count("n")
    )

    assert (said["u"] is not None) == units
    if units:
        assert sums[0] == (0 if said["v"] is None else dp.bounds(0, 5).lower + 2 * float(said["v"]))
        assert [key for key, n in zip(["A", "1", "01"], keys, strict=True) if n] == (
            [said["k"]] if said["k"] else []
        )
        assert [str(key) for key, n in zip([1, 2], numbers, strict=True) if n] == (
            [said["n"]] if said["n"] else []
        )


def test_options_of_a_plan_file_are_those_of_python(tmp_path):
    """And they are in the plain declaration, so in every release."""
    path = tmp_path / "p.toml"
    path.write_text(PLAN.format(csv='csv = { decimal = ",", trim = true }'))

    plan = read_plan_file(path).plan

    assert plan.table.plain()["csv"] == {"decimal": ",", "trim": True}
    assert plan.table.csv == declared("a.csv", {"decimal": ",", "trim": True}).csv


@pytest.mark.parametrize(
    ("csv", "said"),
    [
        ('csv = { decimal = "." , thousands = "." }', "line 5, data, csv"),
        ("csv = { trim = 1 }", "line 5, data, csv, trim"),
        ('csv = "excel"', "data, csv"),
    ],
)
def test_a_slip_in_the_options_is_named_with_its_place(csv, said, tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(PLAN.format(csv=csv))

    with pytest.raises(InputError, match=said):
        read_plan_file(path)


def test_cells_are_read_from_standard_input_too(tmp_path, monkeypatch):
    """One a line; without any it is said how to type one."""
    path = tmp_path / "p.toml"
    path.write_text(PLAN.format(csv=""))
    monkeypatch.setattr("sys.stdin", io.StringIO("A\nC\n"))
    assert [line.value for line in check(Screen(as_json=True), path, []).cells] == ["A", None]

    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(InputError, match="no cell to check"):
        check(Screen(as_json=True), path, [])


def test_nothing_is_opened(tmp_path, monkeypatch):
    """Not even to see whether it is there."""
    path = tmp_path / "p.toml"
    path.write_text(PLAN.format(csv=""))
    monkeypatch.setattr(f"{opened.__module__}.opened", lambda *_: 1 // 0)

    assert check(Screen(as_json=True), path, ["A"]).cells[0].said == "the key 'A'"


@pytest.mark.parametrize(
    ("cell", "value", "said"),
    [
        ("Alien", "Alien", "the key 'Alien' where it is found, else the group of all others"),
        ("", "none", "the key 'none' where it is found"),
        ("(rest)", "(rest)", "the group of all others, '(rest)'"),
        ("A long film", "(rest)", "the group of all others, '(rest)'"),
    ],
)
def test_a_cell_of_keys_that_nobody_knows_counts_for_itself_or_all_others(cell, value, said):
    """Whether a key is found nobody knows before; of keys of several columns the parts are cells."""
    film = dp.unknown(max_groups=2, longest=8, other="(rest)", missing="none")
    trip = dp.unknown(max_groups=2, of=["start", "end"])
    table = dp.table("gone.csv", unit="row", keys={"film": film, "trip": trip})

    found, *parts = meanings(table, cell)

    assert (found.column, found.role, found.value) == ("film", "keys", value)
    assert found.said.startswith(said)
    assert [one.column for one in parts] == ["end", "start"]


def test_a_missing_cell_of_keys_that_nobody_knows_is_in_no_group():
    """Unless it was given a name."""
    table = dp.table("gone.csv", unit="row", keys={"film": dp.unknown(max_groups=2)})

    assert meanings(table, "")[0].value is None


def test_a_cell_that_is_no_text_is_told_as_json_too(tmp_path, capsys):
    """A byte that is no UTF-8 comes from the command line as half of a surrogate pair."""
    path = tmp_path / "p.toml"
    path.write_text(PLAN.format(csv=""), encoding="utf-8")
    screen = Screen(as_json=True)

    screen.reply(check(screen, path, ["\udcff"]))

    (cell,) = json.loads(capsys.readouterr().out)["cells"]
    assert (cell["cell"], cell["column"], cell["value"]) == ("\udcff", "ward", None)


TIMES = """
[data]
source = "gone.csv"
unit = "row"
csv = { days = "%d.%m.%Y", times = "%I:%M%p" }
where = "year(born) > 1950"
[derive.h]
expression = "hour(entered)"
keys = { from = 0, to = 23 }
[spend]
rho = 1
[[ask]]
statistic = "count"
by = "h"
where = "smoker = 'yes' AND size > 2"
"""


def test_columns_that_an_expression_alone_reads_are_listed(tmp_path):
    """Of the table's condition, of derived columns and of questions, each as what it is read as."""
    path = tmp_path / "p.toml"
    path.write_text(TIMES)

    def said(cell):
        lines = check(Screen(as_json=True), path, [cell]).cells
        assert {one.role for one in lines} == {"read by an expression"}
        return {one.column: one.value for one in lines}

    assert said("9:27AM") == {
        "born": None,
        "entered": "1970-01-01 09:27:00",
        "size": None,
        "smoker": "9:27AM",
    }
    assert said("31.12.2024")["born"] == "2024-12-31"
    assert said("2024-12-31")["born"] is None
    assert said("1.50")["size"] == "1.5"
