"""Public numbers of rows and units: what they say in a plan, and that no price depends on them."""

import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.plans.plan import plan_of
from discreet.schema import table_of

ROWS = [{"who": i // 2, "ward": "AB"[i % 2], "cost": i % 7} for i in range(40)]


def declared(**how):
    how = {"unit": "row", "name": "visits", **how}
    return dp.table(
        ROWS, columns={"cost": dp.bounds(0, 6, step=1)}, keys={"ward": ["A", "B"]}, **how
    )


def test_a_public_size_is_what_a_relative_error_is_a_part_of():
    """Of all rows, or all units; not of groups, nor of the rows of a condition."""
    whole = declared(unit=dp.unit("who", max_rows=2), rows=40, units=20)
    plan = dp.plan(
        whole,
        dp.count(within="5%"),
        dp.count_units(within="10%"),
        dp.mean("cost"),
        spend=dp.zcdp(4),
    )
    assert [line.asked.ask.rows for line in plan.lines] == [40, 20, 40]
    halves = [
        line.asked.expected(whole, line.laws, plan.alpha).half_width for line in plan.lines[:2]
    ]
    assert max(halves) <= 2
    assert "at 40 rows" in str(plan)
    assert "Public: 40 rows and 20 units (typed, not checked)." in str(plan)
    assert plan_of(plan.plain()).digest == plan.digest
    for question in (dp.count(by="ward", within="5%"), dp.count(where="cost > 1", within="5%")):
        with pytest.raises(InputError, match="is a part of no public size"):
            dp.plan(whole, question)
    assert dp.plan(whole, dp.count(within="5%", rows=400)).lines[0].asked.ask.rows == 400


def test_no_price_depends_on_it():
    """The same noise and price with and without; the digest says that something else was said."""
    plans = [
        dp.plan(declared(**how), dp.count(), dp.mean("cost"), spend=dp.zcdp("1/50"))
        for how in ({}, {"rows": 40})
    ]
    assert plans[0].laws == plans[1].laws
    assert plans[0].digest != plans[1].digest


def test_under_replace_nothing_exceeds_what_is_public():
    """The sentence of protection says how many there are, and no interval of a count goes beyond."""
    exact = declared(neighbors="replace", rows=40)
    plan = dp.plan(exact, dp.count(by="ward"), spend=dp.zcdp("1/1000"))
    assert "what it says, among 40 rows (neighbors: replace)" in str(plan)
    release = dp.rehearse(plan)
    assert max(row["high"] for row in release["count by ward"]) <= 40
    assert all(row["low"] <= row["high"] for row in release["count by ward"])
    loose = dp.rehearse(dp.plan(declared(rows=40), dp.count(by="ward"), spend=dp.zcdp("1/1000")))
    assert max(row["high"] for row in loose["count by ward"]) > 40  # of 2,000 made-up rows
    assert "as many units" in str(
        dp.plan(declared(neighbors="replace"), dp.count(), spend=dp.zcdp(1))
    )


def test_it_is_read_back_and_refused_where_it_is_no_number():
    """From plain data; a row is its own unit, so that units is then said by rows."""
    for one in (declared(rows=40), declared(unit=dp.unit("who", max_rows=2), units=20)):
        assert table_of(one.plain()) == one
    assert "facts" not in declared().plain()
    for how in ({"rows": 0}, {"rows": 2.5}, {"units": 3}):
        with pytest.raises(InputError) as refused:
            declared(**how)
        assert len(str(refused.value).splitlines()) == 3


def test_a_plan_file_says_it(tmp_path):
    """rows and units under [data]."""
    (tmp_path / "p.csv").write_text("who,cost\n1,2\n")
    (tmp_path / "plan.toml").write_text(
        """
[data]
source = "p.csv"
unit = { column = "who", max_rows = 2 }
rows = 40
units = 20
[spend]
rho = 1
[[ask]]
statistic = "count_units"
within = "10%"
"""
    )
    found = read_plan_file(tmp_path / "plan.toml")
    assert found.plan.table.facts.plain() == {"rows": 40, "units": 20}
    assert found.plan.lines[0].asked.ask.rows == 20


def test_rows_that_the_limit_of_a_unit_leaves_out_are_no_part_of_the_size():
    """A thousand units of one row each are a thousand rows, however many there are."""
    size = {}
    for rows, units, each in ((1_000_000, 1_000, 1), (1_000_000, 1_000, 7), (3_000, 1_000, 7)):
        table = declared(unit=dp.unit("who", max_rows=each), rows=rows, units=units)
        plan = dp.plan(table, dp.count(within="5%"))
        size[rows, units, each] = plan.lines[0].asked.ask.rows
    assert [*size.values()] == [1_000, 7_000, 3_000]

    unsaid = declared(unit=dp.unit("who", max_rows=1), rows=1_000_000)
    with pytest.raises(InputError, match="is a part of no public size"):
        dp.plan(unsaid, dp.count(within="5%"))
    with pytest.raises(InputError, match="rows = 10 and units = 1000"):
        declared(unit=dp.unit("who", max_rows=1), rows=10, units=1_000)
