"""What stands beside a size of noise in a plan: what 1 of it is worth, where it is no row."""

from fractions import Fraction

import pytest

import discreet as dp
from discreet.exact.number import rounded, text_of
from discreet.schema import unit as unit_of
from discreet.statistic.catalog import LISTED, statistic_of
from property.strategies import declared

pytestmark = pytest.mark.claim("C515")

ROWS = [{"p": 1, "g": 1, "w": 2.0, "x": 0.5, "q": 3, "d": "2020-01-01"}]
COLUMNS = {
    "w": dp.bounds(0, 1000, step="0.01"),
    "x": dp.bounds(-1, 1, step="0.25"),
    "q": dp.bounds(0, 10, step=1),
    "d": dp.bounds("2020-01-01", "2021-01-01"),
}


def table(unit="row", **more):
    keys = {"g": [1, 2]}
    return dp.table(ROWS, name="t", unit=unit, keys=keys, columns=COLUMNS, **more)


def sizes(plan):
    """What a plan prints of the noise of each question, as its sheet has it."""
    sheet = plan.sheet()
    return [row[2] for row in sheet.rows]


@pytest.mark.parametrize("spend", [dp.zcdp("1/2"), dp.pure(1), dp.approx(1, "1e-6")], ids=str)
@pytest.mark.parametrize("unit", ["row", dp.unit("p", max_rows=4)], ids=["row", "unit"])
def test_a_size_times_its_step_is_the_width_of_a_sum(spend, unit):
    """Sums of four columns: half-widths are those of the law, in steps, times what is printed."""
    for column, bounds in COLUMNS.items():
        if bounds.kind == "day":
            continue
        plan = dp.plan(table(unit), dp.sum(column), spend=spend)
        (law,) = plan.laws
        (line,) = plan.lines
        size, _, step = sizes(plan)[0].partition(" steps of ")
        half = line.statistic.expected(plan.table, line.laws, plan.alpha).half_width

        assert size == rounded(law.size_up())
        assert (step or "1") == text_of(bounds.step)
        assert half == law.half_width(plan.alpha) * dp.bounds(0, 1, step=step or 1).step


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (dp.count("g"), "1"),
        (dp.sum("w", "g"), "100,000 steps of 0.01"),
        (dp.sum("q"), "10"),
        (dp.mean("w"), "100,000 steps of 0.01"),
        (dp.mean("d"), "366 days"),
        (dp.mean("x", weights="w"), "800,000 steps of 0.0025"),
        (dp.histogram("w", bins=10), "1"),
    ],
    ids=str,
)
def test_what_a_plan_prints_of_noise(asked, says):
    """At rho = 1/2, where sigma is what one row moves; rows have no step, and 1 is not said."""
    assert sizes(dp.plan(table(), asked, spend=dp.zcdp("1/2"))) == [says]


def test_where_the_number_of_rows_is_known_a_mean_moves_in_half_steps():
    """2 v - (L + U): sigma is of that sum, so that a step is half of the column's."""
    columns = {
        "x": dp.bounds(-1, 1, step="0.25", missing=0),
        "d": dp.bounds("2020-01-01", "2021-01-01", missing="2020-01-01"),
    }
    known = dp.table(ROWS, name="t", unit="row", columns=columns, neighbors="replace", rows=3)

    assert sizes(dp.plan(known, dp.mean("x"), spend=dp.zcdp("1/2"))) == ["16 steps of 0.125"]
    assert sizes(dp.plan(known, dp.mean("d"), spend=dp.zcdp("1/2"))) == ["732 steps of 0.5 days"]


def test_of_a_vector_that_is_shared_each_question_has_the_step_of_its_column():
    """The count in rows, and each mean in steps, however often a row is counted in the vector."""
    wide = {"w": 20, "x": "0.04"}
    means = [dp.mean(c, "g", within=wide[c], rows=1_000) for c in wide]
    asked = [dp.count("g", within=20), *means]
    columns = {
        "w": dp.bounds(0, 1000, step="0.01", missing=0),
        "x": dp.bounds(-1, 1, step="0.25", missing=0),
    }
    known = dp.table(ROWS, name="t", unit="row", keys={"g": [1, 2]}, columns=columns)
    plan = dp.plan(known, *asked, kind="zcdp")
    count, *means = sizes(plan)

    assert all(line.shared for line in plan.lines)
    assert "steps" not in count
    assert [mean.partition(" steps of ")[2] for mean in means] == ["0.01", "0.25"]


@pytest.mark.parametrize("name", [name for name, kind in LISTED.items() if not kind.chooses])
def test_each_statistic_says_the_step_that_its_report_says(name):
    """Of all examples: where a plan prints a step, the page of the report has the same one."""
    declared_table = declared([], unit=unit_of("who", max_rows=9))
    for options in LISTED[name].examples(declared_table):
        question = statistic_of({"statistic": name, **options, "by": []})
        plan = dp.plan(declared_table, question, spend=dp.zcdp("1/2"))
        step = sizes(plan)[0].partition(" steps of ")[2]
        in_report = question.counted_in(declared_table)
        if step:
            half = "half " if "half" in in_report else ""
            assert in_report == f", in {half}steps of {text_of(Fraction(step) * (1 + bool(half)))}"
