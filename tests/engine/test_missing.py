"""Missing cells that count: as a public value, or as a group of their own, alike on every engine."""

import json

import pytest

import discreet as dp
from adversarial.moves import exceeds, move
from discreet.engine import memory
from discreet.engine.explain_expression import meanings
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.schema import ROW, table_of, unit
from engine.sources import opened
from engine.test_expressions_agree import SOURCES, numbered

ENDS = {
    "x": dp.bounds(0, 10, step="0.5", missing="2.5"),
    "y": dp.bounds(-3, 3, step=1, missing=-3),
}
KEYS = {
    "s": dp.keys("a", "b", "", missing="gone", other="else"),
    "t": dp.keys("a", "1", missing="gone"),
    "d": dp.keys("2000-02-29", "1970-01-01", missing="no day"),
    "m": dp.keys("2000-02-29", "1970-01-01", missing="no day", other="any day"),
}
UNITS = [ROW, unit("i", max_rows=2, sampling="portable")]


def declared(source, who=ROW, neighbors="add_remove"):
    return dp.table(source, unit=who, columns=ENDS, keys=KEYS, name="t", neighbors=neighbors)


def asked(table):
    every = [dp.count(name) for name in KEYS]
    every += [dp.count(["s", "d"]), dp.sum("x", "s"), dp.mean("y", "t"), dp.histogram("x", bins=4)]
    every += [dp.mean(["x", "y"]), dp.variance("x", "s"), dp.count(["t", "m"], where="x > 1")]
    return tuple(a for one in every for a in one.aggregates(table))


def of_units(data):
    return [{**row, "i": row["i"] // 3} for row in data]


@pytest.mark.exhaustive
@pytest.mark.claim("C54")
@pytest.mark.slow
@pytest.mark.parametrize("make", SOURCES)
def test_missing_cells_count_alike_on_every_source(make, tmp_path):
    """Tables, files, frames of objects, a server; whole rows and bounded units."""
    source, data = make(of_units(numbered(3)), tmp_path)
    for who in UNITS:
        here, there = declared(data, who), declared(source, who)
        expected = opened(MemoryEngine().prepare(here, asked(here)).count(4))

        assert opened(engine_for(source).prepare(there, asked(there)).count(4)) == expected
        assert all(any(vector) for vector in expected)


@pytest.mark.claim("C54")
def test_groups_add_up_to_the_rows_that_count():
    """With both names every row is in one group; a missing number counts as it was declared."""
    data = numbered(1)
    table = declared(data)
    questions = [dp.count("m"), dp.count(), dp.sum("x"), dp.histogram("x", bins=4)]
    aggregates = tuple(a for one in questions for a in one.aggregates(table))
    m, rows, x, bins = opened(MemoryEngine().prepare(table, aggregates).count(0))

    assert sum(m) == rows[0] == sum(bins) == len(data)
    gone = sum(row["m"] is None for row in data)
    assert m[2] == gone > 0
    empty = [{"x": None}, {"x": float("nan")}, {"x": "n/a"}]
    of = declared(empty)
    (total,) = MemoryEngine().prepare(of, dp.sum("x").aggregates(of)).count(0)
    assert total.opened_by_the_door() == (3 * 5,)  # 2.5 in steps of 0.5, three times
    assert x


def moves(neighbors):
    """The largest move of each vector over all tables that differ in one unit, over the declared."""
    data = of_units(numbered(2))[:60]
    table = declared(data, UNITS[1], neighbors)
    aggregates = asked(table)
    before = opened(MemoryEngine().prepare(table, aggregates).count(1))
    for who in {row["i"] for row in data}:
        rest = [row for row in data if row["i"] != who]
        if neighbors == "replace":
            rest += [dict.fromkeys(row, None) | {"i": who} for row in data if row["i"] == who]
        other = declared(rest, UNITS[1], neighbors)
        after = opened(MemoryEngine().prepare(other, aggregates).count(1))
        for one, two, aggregate in zip(before, after, aggregates, strict=True):
            yield exceeds(move(one, two), aggregate.sensitivity)


@pytest.mark.claim("C54")
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_one_unit_moves_no_vector_too_far(neighbors):
    """Each unit is taken away, or exchanged for one whose cells are all missing."""
    assert not any(moves(neighbors))


def test_a_missing_cell_beyond_the_bounds_would_be_seen(monkeypatch):
    """The check has power: a missing cell that counts as more than the bounds allow moves too far.

    The reference clamps what it adds up, so that the fault is planted behind that, too.
    """
    honest = memory.in_steps
    monkeypatch.setattr(
        memory,
        "in_steps",
        lambda cell, ends: 10**6 if honest(cell, ends) == ends.missing_step else honest(cell, ends),
    )
    monkeypatch.setattr("discreet.engine.memory._clamped", lambda _bounds, steps: steps)

    assert any(moves("add_remove"))


def test_the_declaration_goes_through_plain_data_and_a_release():
    """What a missing cell counts as is a part of the plan and its digest."""
    table = declared([])
    plain = json.loads(json.dumps(table.plain()))

    assert plain["missing"] == ["d", "m", "s", "t"]
    assert plain["others"] == ["m", "s"]
    assert plain["columns"]["x"]["missing"] == "5/2"
    assert table_of(plain) == table
    assert table_of(plain).listed("s") == ("a", "b", "")
    plan = dp.plan(table, dp.count("s"), dp.mean("x", "t"), spend=dp.zcdp(1))
    release = dp.rehearse(plan)
    assert [row["s"] for row in release["count by s"].rows] == ["a", "b", "", "gone", "else"]
    assert dp.verify(release)
    assert "missing counts as 2.5" in str(plan)
    without = dp.table([], unit="row", columns={"x": dp.bounds(0, 10, step="0.5")}, name="t")
    assert (
        dp.plan(without, dp.sum("x"), spend=dp.zcdp(1)).digest
        != dp.plan(
            dp.table([], unit="row", columns={"x": ENDS["x"]}, name="t"),
            dp.sum("x"),
            spend=dp.zcdp(1),
        ).digest
    )


def test_what_a_cell_means_says_so():
    """`discreet check` names the value and the group."""
    found = dp.table(
        [], unit="row", columns={"x": ENDS["x"]}, keys={"t": KEYS["t"]}, csv={"missing": ["NA"]}
    )
    said = {one.column: one.said for one in meanings(found, "NA")}

    assert said == {"x": "missing, which counts as the number 2.5", "t": "the key 'gone'"}


PLAN = """\
[data]
source = "people.csv"
unit = "row"
[columns]
pay = { lower = 0, upper = 10, step = 1, missing = 0 }
[keys]
ward = ["A", "B"]
[missing]
ward = "unknown"
[spend]
rho = "1/50"
[[ask]]
statistic = "mean"
column = "pay"
by = "ward"
"""


def test_a_plan_file_says_both(tmp_path):
    """Under [missing] and in a range; what cannot be is refused with its line."""
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    table = read_plan_file(path).plan.table

    assert (table.keys["ward"], table.missing) == (("A", "B", "unknown"), {"ward"})
    assert table.columns["pay"].missing == 0
    for good, bad, line, words in [
        ("missing = 0", "missing = 11", 5, "not between 0 and 10"),
        ('ward = "unknown"', "ward = 3", 9, "not like the keys"),
        ('ward = "unknown"', 'ward = "A"', 9, "a key of ward already"),
        ('ward = "unknown"', 'wart = "A"', 9, "no keys of wart"),
    ]:
        path.write_text(PLAN.replace(good, bad))
        with pytest.raises(InputError, match=words) as refused:
            read_plan_file(path)
        assert f"line {line}" in str(refused.value)


def test_what_cannot_be_declared_is_refused():
    """A name of another type, one twice, and names for derived columns."""
    with pytest.raises(InputError, match="not like the keys"):
        dp.keys(1, 2, missing="none")
    with pytest.raises(InputError, match="already"):
        dp.keys("A", missing="B", other="B")
    with pytest.raises(InputError, match="rows of no value"):
        dp.derived("s", keys=dp.keys("A", other="B"))
