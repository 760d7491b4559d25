"""Cubes and lists of tables count the same on every engine, with groups for other rows too.

What they count is a count of rows by columns, which the suites of engines ask; here their tables
are compared whole, after the matrices, and what one unit can move is tried out in a small world.
"""

from itertools import product

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import discreet as dp
from adversarial.moves import counted, exceeds, move
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from engine.sources import opened
from servers import filled

OTHER = {
    "sex": ["F", "M"],
    "age": dp.keys(0, 1, 2, other=9),
    "place": dp.keys("a", "b", other="else"),
}
ROWS = [
    {"who": str(i % 40), "sex": "FM?"[i * i % 3], "age": i % 5, "place": "abcd"[i % 4]}
    for i in range(240)
]
PLACE = dp.levels(["region", "place"], rows=[("n", "a"), ("n", "b"), ("s", "else")])
QUESTIONS = {
    "cube": dp.cube(["sex", "age", PLACE]),
    "known": dp.cube(["sex", PLACE], known={"region": {"n": 80, "s": 80}}),
    "tables": dp.tables([["sex", "age"], ["age", "region"], [PLACE]]),
    "tables where": dp.tables([["sex", "age"], ["age", "place"]], where="age <> 1 OR sex = 'F'"),
}
UNITS = {"row": "row", "a unit of two rows": dp.unit("who", max_rows=2, sampling="portable")}


def people(rows, **how):
    return dp.table(rows, keys=OTHER, name="t", **how)


def vectors(rows, question, **how):
    table = people(rows, **how)
    asked = question.aggregates(table)
    return asked, counted(asked, opened(MemoryEngine().prepare(table, asked).count(7)))


@pytest.mark.claim("C88")
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("name", QUESTIONS)
def test_each_table_adds_up_the_rows_whose_keys_are_listed_or_other(name, unit):
    """A row of no sex on the list is in none of them; every age and place is somewhere."""
    asked, found = vectors(ROWS, QUESTIONS[name], unit=unit)
    sums = [
        sum(vector)
        for one, vector in zip(asked, found, strict=True)
        if not (one.transform and one.transform.matrix.ends()[0])
    ]

    assert set(sums) == {sums[0]}
    some = ROWS if name != "tables where" else [r for r in ROWS if r["age"] != 1 or r["sex"] == "F"]
    listed = sum(row["sex"] in "FM" for row in some)
    assert sums[0] == listed if unit == "row" else 0 < sums[0] <= 80


@pytest.mark.claim("C88")
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_no_unit_moves_any_table_further_than_declared_and_some_unit_does(name, neighbors):
    """Each row of a small world in the place of each other: all of them, tried out."""
    cells = list(product(["F", "M"], [0, 3], ["a", "c"]))
    worlds = [dict(zip(("sex", "age", "place"), cell, strict=True)) for cell in cells]
    how = {"unit": "row", "neighbors": neighbors}
    question = QUESTIONS[name]
    asked, empty = vectors([], question, **how)
    every = [vectors([row], question, **how)[1] for row in worlds]
    pairs = [(one, empty) for one in every]
    pairs = [(a, b) for a in every for b in every] if neighbors == "replace" else pairs
    for at, aggregate in enumerate(asked):
        moves = [move(one[at], other[at]) for one, other in pairs]
        assert not any(exceeds(moved, aggregate.sensitivity) for moved in moves)
        most = max(moved[1] for moved in moves)
        sizes = aggregate.size(people([], **how))
        assert most == aggregate.sensitivity.l2_squared or sizes == 1 or name != "cube"


@pytest.mark.exhaustive
@pytest.mark.claim("C88")
@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("source", ["arrow", "parquet", "csv", "postgres"])
def test_engines_count_the_same_cells(source, name, tmp_path):
    """Of units of two rows, chosen alike; of Spark it is `test_spark` that asks."""
    typed = pa.Table.from_pylist(ROWS)
    if source == "parquet":
        pq.write_table(typed, tmp_path / "rows.parquet")
    if source == "csv":
        pa_csv.write_csv(typed, tmp_path / "rows.csv")
    if source == "postgres":
        kinds = {"who": "text", "sex": "text", "age": "integer", "place": "text"}
        data = filled(kinds, [tuple(row.values()) for row in ROWS])
    else:
        data = typed if source == "arrow" else str(tmp_path / f"rows.{source}")
    how = {"unit": UNITS["a unit of two rows"]}
    asked, expected = vectors(ROWS, QUESTIONS[name], **how)
    found = counted(asked, opened(engine_for(data).prepare(people(data, **how), asked).count(7)))

    assert [tuple(one) for one in found] == [tuple(one) for one in expected]
