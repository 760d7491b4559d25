"""The mean of a public number of rows under replace: one sum, and how far one row moves it."""

import math
from fractions import Fraction
from itertools import product

import pyarrow as pa
import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.engine.select_engine import engine_for
from discreet.noise.discrete_gaussian import DiscreteGaussian
from engine.sources import opened

CELLS = [None, math.nan, math.inf, -math.inf, -1e300, 1e300, 5e-324, -2.0, -0.25, 0.74, 3.0]
SPENDS = [dp.pure(1), dp.zcdp("1/8")]


def declared(source=(), *, rows=900, neighbors="replace", missing=0, ends=(0, 99), **how):
    column = {} if missing is None else {"missing": missing}
    return dp.table(
        list(source) if isinstance(source, tuple) else source,
        unit=how.pop("unit", "row"),
        name="people",
        columns={"age": dp.bounds(*ends, step=how.pop("step", 1), **column)},
        keys={"sex": ["f", "m"]},
        neighbors=neighbors,
        rows=rows,
        **how,
    )


@pytest.mark.claim("C167")
@pytest.mark.parametrize(
    ("kind", "ends"),
    [*(("memory", ends) for ends in [(-2, 3), (0, 1), (1, 8), (-9, -4)]), ("duckdb", (-2, 3))],
)
def test_no_row_in_place_of_another_moves_the_sum_further_than_declared(ends, kind):
    """Whatever both hold; a missing cell counts as a value, and the largest move is reached."""
    beside = [{"age": float(x), "sex": "f"} for x in (-3, 0, 2)]
    found = []
    cells = [*CELLS, *map(float, ends)] if kind == "memory" else [None, math.nan, -1e300, 1e300]
    for cell in cells:
        rows = [*beside, {"age": cell, "sex": "m"}]
        source = rows if kind == "memory" else pa.Table.from_pylist(rows)
        table = declared(source, rows=4, ends=ends, missing=ends[0])
        (one,) = dp.mean("age").aggregates(table)
        found.append(opened(engine_for(source).prepare(table, (one,)).count(7))[0][0])

    moves = [abs(a - b) for a, b in product(found, found)]
    assert max(moves) == one.sensitivity.l1 == one.sensitivity.linf
    assert max(moves) ** 2 == one.sensitivity.l2_squared
    lone = declared(beside, rows=4, ends=ends, missing=ends[0])
    alone = opened(engine_for(beside).prepare(lone, (one,)).count(7))
    assert all(abs(x - alone[0][0]) <= one.sensitivity.linf for x in found)  # one row less


@pytest.mark.claim("C167")
@pytest.mark.parametrize(
    ("how", "ask"),
    [
        ({"neighbors": "add_remove"}, {}),
        ({"missing": None}, {}),
        ({"rows": None}, {}),
        ({"unit": dp.unit("who", max_rows=2)}, {}),
        ({}, {"by": "sex"}),
        ({}, {"where": "age > 3"}),
    ],
    ids=str,
)
def test_where_rows_may_drop_out_they_are_counted_with_noise(how, ask):
    """Who is protected, a missing cell, a group or a condition: then how many count is private."""
    (one,) = dp.mean("age", **ask).aggregates(declared(**how))
    assert len(one.measures) == 2
    filtered = declared().where("age > 3")
    (one,) = dp.mean("age").aggregates(filtered)
    assert len(one.measures) == 2
    (one,) = dp.mean("age").aggregates(declared())
    assert len(one.measures) == 1


@pytest.mark.claim("C167")
@pytest.mark.parametrize("spend", SPENDS, ids=str)
def test_it_is_paid_released_and_verified_and_narrower(spend, tmp_path):
    """By a third under a Gaussian, by a half under Laplace noise."""
    source = [{"age": i * 37 % 90} for i in range(900)]
    plan = dp.plan(declared(source), dp.mean("age"), spend=spend)
    other = dp.plan(declared(source, missing=None), dp.mean("age"), spend=spend)
    wide, half = (
        one.lines[0].statistic.expected(one.table, one.laws, one.alpha) for one in (other, plan)
    )
    ledger = dp.ledger(tmp_path / "a.ledger", budget=spend)
    release = dp.run(plan, ledger=ledger)
    release.save(tmp_path / "r")
    (row,) = release["mean age"]

    assert wide.per_row
    assert not half.per_row
    assert half.half_width < wide.half_width / 900 * Fraction(71, 100)
    assert plan.cost.fits(spend)
    assert row["rows"] == 900
    assert abs(row["value"] - 44.5) < 6
    assert row["high"] - row["low"] == pytest.approx(float(2 * half.half_width))
    assert dp.verify(tmp_path / "r", ledger=ledger).checks
    assert "half steps" in (tmp_path / "r" / "report.html").read_text()


@pytest.mark.claim("C167")
@pytest.mark.parametrize("total", [-(10**9), -17, 0, 12345, 10**9])
def test_its_interval_is_the_sums_over_the_rows_rounded_outward(total):
    """Within the bounds, wherever noise has put the sum."""
    table, law = declared(rows=7, step="0.1"), DiscreteGaussian(Fraction(400))
    answer = dp.mean("age").answer(table, [Noisy((total,))], [law], Fraction(1, 20))
    off, step = law.half_width(Fraction(1, 20)), Fraction(1, 10)
    exact = [
        min(max(Fraction(99, 2) + (total + x) * step / 14, Fraction(0)), Fraction(99))
        for x in (-off, 0, off)
    ]
    assert Fraction(answer.low[0]) <= exact[0] <= Fraction(math.nextafter(answer.low[0], math.inf))
    assert answer.values[0] == float(exact[1])
    assert Fraction(answer.high[0]) >= exact[2] >= Fraction(math.nextafter(answer.high[0], -1))
    assert (answer.rows, answer.rows_within) == ((7.0,), 0.0)


def test_a_wanted_error_needs_no_size_and_costs_half():
    """The number of rows is there; the plan says that it is public, and a rehearsal has as many."""
    plan = dp.plan(declared(), dp.mean("age", within="0.5"), kind="zcdp")
    other = dp.plan(declared(missing=None), dp.mean("age", within="0.5"), kind="zcdp")
    assert plan.cost.rho < other.cost.rho * Fraction(51, 100)
    assert "a noisy sum over 900 rows, which are public" in str(plan)
    beside = dp.rehearse(dp.plan(declared(), dp.mean("age"), dp.count(), spend=dp.zcdp(2)))
    assert abs(beside["count"].values[0] - 900) < 30


def test_a_report_names_its_panels_in_the_publishers_words_and_calls_no_public_number_noisy(
    tmp_path,
):
    """Columns by their labels in headings, too; of 900 public rows nothing is said of noise in them."""
    about = dp.about(title="Ages", labels={"age": {"name": "age in years"}})
    release = dp.rehearse(dp.plan(declared(), dp.mean("age"), spend=dp.zcdp(1)))
    release.save(tmp_path / "r", about=about)
    page = (tmp_path / "r" / "report.html").read_text()
    assert "Mean of age in years" in page
    assert "That number is noisy, too" not in page
    other = dp.rehearse(dp.plan(declared(missing=None), dp.mean("age"), spend=dp.zcdp(1)))
    other.save(tmp_path / "o")
    page = (tmp_path / "o" / "report.html").read_text()
    assert "Mean of age" in page
    assert "That number is noisy, too" in page
