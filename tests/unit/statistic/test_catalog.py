"""Each statistic without noise is the textbook's, and its sensitivity is the proved one."""

from fractions import Fraction
from io import StringIO

import pandas as pd
import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.derive.catalog import derivations
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.statistic.catalog import ASKED, LISTED, statistic_of

ROWS = [
    {"who": "a", "ward": "A", "sex": 1, "cost": 10, "load": 0},
    {"who": "a", "ward": "B", "sex": 2, "cost": 30.5, "load": 4},
    {"who": "b", "ward": "A", "sex": 1, "cost": None, "load": 9},
    {"who": "c", "ward": "A", "sex": 2, "cost": 20, "load": 6},
    {"who": "c", "ward": "Z", "sex": 2, "cost": 99, "load": -1},
]
ALPHA = Fraction(1, 20)
LAW = DiscreteGaussian(Fraction(1))


def declared(unit="row", neighbors="add_remove", rows=ROWS):
    return dp.table(
        rows,
        unit=unit,
        columns={"cost": dp.bounds(-10, 50, step="0.5"), "load": dp.bounds(0, 9, step=1)},
        keys={"ward": ["A", "B", "C"], "sex": [1, 2]},
        neighbors=neighbors,
    )


def without_noise(table, statistic):
    aggregates = statistic.aggregates(table)
    exact = MemoryEngine().prepare(table, aggregates).count(0)
    pairs = zip(exact, aggregates, strict=True)
    noisy = [Noisy(found.transformed(one.transform).opened_by_the_door()) for found, one in pairs]
    return statistic.answer(table, noisy, [LAW] * len(noisy), ALPHA)


TEXTBOOK = [
    (dp.count(), [5]),
    (dp.count(by="ward"), [3, 1, 0]),
    (dp.count(by=["ward", "sex"]), [2, 1, 0, 1, 0, 0]),
    (dp.count_units(), [5]),
    (dp.sum("cost"), [109.5 + 0]),
    (dp.sum("cost", by="ward"), [30, 30.5, 0]),
    (dp.mean("cost", by="ward"), [15, 30.5, None]),
    (dp.mean(["cost", "load"], by="ward"), [15, 3, 30.5, 4, None, None]),
    (dp.mean(["load"], by="ward"), [5, 4, None]),
    (dp.variance("cost", by="ward"), [25, 0, None]),
    (dp.histogram("cost", bins=[-10, 10, 20, 50]), [0, 1, 3]),
    (dp.histogram("cost", by="ward", bins=2), [1, 1, 0, 1, 0, 0]),
]


@pytest.mark.parametrize(("statistic", "values"), TEXTBOOK, ids=lambda x: getattr(x, "label", ""))
def test_without_noise_the_textbook_answer_comes_out(statistic, values):
    """Cells beyond a bound are moved to it: 99 counts as 50."""
    clamped = [60.5 + 50 - 1 if value == 109.5 else value for value in values]
    answer = without_noise(declared(), statistic)

    if statistic.label == "sum cost":
        assert answer.values == (10 + 30.5 + 20 + 50,)
    else:
        assert list(answer.values) == pytest.approx(clamped)


def test_units_are_counted_once():
    """Three people, of whom two are in ward A and one each in B."""
    table = declared(unit=dp.unit("who", max_rows=2))

    assert without_noise(table, dp.count_units()).values == (3,)
    assert without_noise(table, dp.count_units(by="ward")).values == (3, 1, 0)


@pytest.mark.parametrize("name", [name for name, one in LISTED.items() if not one.chooses])
def test_an_empty_table_is_answered(name):
    """Every group is there, with or without rows."""
    options = next(iter(LISTED[name].examples(declared())))
    statistic = statistic_of({"statistic": name, "by": ["ward", "sex"], **options})

    answer = without_noise(declared(rows=[]), statistic)

    found = {row[:2] for row in answer.index if None not in row}
    assert found == {(w, s) for w in "ABC" for s in (1, 2)}
    assert set(answer.values) <= {0, None}


ROW = "row"
PERSON = dp.unit("who", max_rows=3)
LOOSE = dp.unit("who")
SENSITIVITIES = [
    # statistic, unit, neighbors, l1, l2 squared, linf
    (dp.count(), ROW, "add_remove", 1, 1, 1),
    (dp.count(), ROW, "replace", 1, 1, 1),
    (dp.count(by="ward"), ROW, "add_remove", 1, 1, 1),
    (dp.count(by="ward"), ROW, "replace", 2, 2, 1),
    (dp.count(by="ward"), PERSON, "add_remove", 3, 9, 3),
    (dp.count(by="ward"), PERSON, "replace", 6, 18, 3),
    (dp.count(by="ward", max_rows_per_group=2), PERSON, "add_remove", 3, 5, 2),
    (dp.count(by="ward", max_groups=2, max_rows_per_group=1), LOOSE, "add_remove", 2, 2, 1),
    (dp.count(by="ward", max_rows_per_group=2), LOOSE, "add_remove", 6, 12, 2),
    (dp.count_units(), LOOSE, "add_remove", 1, 1, 1),
    (dp.count_units(by="ward"), PERSON, "add_remove", 3, 3, 1),
    (dp.count_units(by="ward", max_groups=1), PERSON, "replace", 2, 2, 1),
    (dp.sum("cost"), ROW, "add_remove", 100, 10_000, 100),
    (dp.sum("cost"), ROW, "replace", 120, 14_400, 120),
    (dp.sum("cost", by="ward"), ROW, "replace", 200, 20_000, 120),
    (dp.sum("cost", by="ward"), PERSON, "add_remove", 300, 90_000, 300),
    (dp.mean("cost"), ROW, "add_remove", 120, 14_400, 120),
    (dp.mean("cost"), ROW, "replace", 240, 28_800, 120),
    (dp.mean("cost", by="ward"), PERSON, "add_remove", 360, 129_600, 360),
    # widths of 120 and 9 steps: 3 * 120 = 360 and 40 * 9; the count's weight is 360 * sqrt(1.41)
    (dp.mean(["cost", "load"]), ROW, "add_remove", 1148, 442_384, 428),
    (dp.mean(["cost", "load"]), ROW, "replace", 1440, 1_036_800, 720),
    (dp.mean(["cost", "load"], by="ward"), ROW, "replace", 2458, 1_036_800, 720),
    (dp.mean(["cost", "load"], by="ward"), PERSON, "add_remove", 3444, 3_981_456, 1284),
    # a width of 120 steps: 14,400 to a row, and at most 1,800 below 0 of one number
    (dp.variance("cost"), ROW, "add_remove", 18_000, 207_360_000, 14_400),
    (dp.std("cost", by="ward"), PERSON, "add_remove", 54_000, 9 * 207_360_000, 43_200),
    (dp.variance("cost", by="ward"), ROW, "replace", 36_000, 466_560_000, 16_200),
    (dp.histogram("cost", bins=4), ROW, "add_remove", 1, 1, 1),
    (dp.histogram("cost", bins=4), ROW, "replace", 2, 2, 1),
    (dp.histogram("cost", bins=1), ROW, "replace", 1, 1, 1),
]


@pytest.mark.claim("C07")
@pytest.mark.parametrize(("statistic", "unit", "neighbors", "l1", "l2", "linf"), SENSITIVITIES)
def test_sensitivities_are_the_proved_ones(statistic, unit, neighbors, l1, l2, linf):
    """Worked out by hand; that they bound what an engine does is tested elsewhere."""
    (aggregate,) = statistic.aggregates(declared(unit, neighbors))

    found = aggregate.sensitivity

    assert (found.l1, found.l2_squared, found.linf) == (l1, l2, linf)


def square(keys=1):
    return dp.table(
        None,
        unit="row",
        columns={name: dp.bounds(-4, 4, step="0.5") for name in "xy"},
        keys={"k": range(keys)},
    )


REFUSED = {
    "by without keys": lambda: dp.count(by="wards").aggregates(declared()),
    "by twice": lambda: dp.count(by=["ward", "ward"]),
    "by a number": lambda: dp.count(by=[3]),
    "column without bounds": lambda: dp.mean("costs").aggregates(declared()),
    "no limit on a unit": lambda: dp.count(by="ward").aggregates(declared(LOOSE)),
    "limits for a row": lambda: dp.count(by="ward", max_groups=1).aggregates(declared()),
    "max_groups zero": lambda: dp.count(by="ward", max_groups=0),
    "weight zero": lambda: dp.count(weight=0),
    "weight half": lambda: dp.count(weight=0.5),
    "columns without bounds": lambda: dp.mean(["cost", "lode"]).aggregates(declared()),
    "no columns": lambda: dp.mean([]),
    "columns twice": lambda: dp.mean(["cost", "cost"]),
    "a column that is a number": lambda: dp.mean(["cost", 3]),
    "ball for one column": lambda: dp.mean("cost", ball=3),
    "ball for a list of one": lambda: dp.mean(["cost"], ball=3),
    "ball zero": lambda: dp.mean(["cost", "load"], ball=0),
    "ball negative": lambda: dp.mean(["cost", "load"], ball="-1/2"),
    "ball nan": lambda: dp.mean(["cost", "load"], ball=float("nan")),
    "ball true": lambda: dp.mean(["cost", "load"], ball=True),
    "ball over two steps": lambda: dp.mean(["cost", "load"], ball=3).aggregates(declared()),
    "ball off the grid": lambda: dp.mean(["x", "y"], ball="0.75").aggregates(square()),
    "ball beyond the bounds": lambda: dp.mean(["x", "y"], ball=6).aggregates(square()),
    "too many groups of columns": lambda: dp.mean(["x", "y"], by="k").aggregates(square(4_000_000)),
    "bins zero": lambda: dp.histogram("cost", bins=0),
    "bins text": lambda: dp.histogram("cost", bins="many"),
    "bins true": lambda: dp.histogram("cost", bins=True),
    "edges reversed": lambda: dp.histogram("cost", bins=[50, 0, -10]).aggregates(declared()),
    "edges off the grid": lambda: dp.histogram("cost", bins=[-10, 0.3, 50]).aggregates(declared()),
    "edges short": lambda: dp.histogram("cost", bins=[0, 50]).aggregates(declared()),
    "spread of no column": lambda: dp.variance("coast").aggregates(declared()),
    "too many cells": lambda: dp.histogram("cost", bins=10**9).aggregates(
        dp.table(None, unit="row", columns={"cost": dp.bounds(0, 10**9, step="0.01")})
    ),
    "unknown statistic": lambda: statistic_of({"statistic": "mode"}),
    "unknown option": lambda: statistic_of({"statistic": "count", "column": "cost"}),
}


@pytest.mark.slow
@pytest.mark.claim("C18")
@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED.keys())
def test_a_question_that_cannot_be_answered_is_refused(ask):
    """In three lines, before anything is charged or read."""
    with pytest.raises(InputError, match=r"^[^\n]+\n  why: [^\n]+\n  fix: [^\n]+$"):
        ask()


@pytest.mark.parametrize("kind", [kind for kind in derivations() if kind not in ASKED])
def test_a_kind_of_derived_number_that_is_asked_as_a_statistic_is_told_its_place(kind):
    """Each that is registered, so that no kind is forgotten: it is made of what is released."""
    with pytest.raises(InputError, match=f"write derive = '{kind}' with its name"):
        statistic_of({"statistic": kind})


def test_a_misspelt_column_gets_a_hint():
    """The hint is about the declaration only."""
    with pytest.raises(InputError, match="Did you mean 'ward'"):
        dp.count(by="wards").aggregates(declared())


@pytest.mark.claim("C09")
def test_the_names_of_a_list_are_not_quoted():
    """A question's column that is declared nowhere is refused; no message lists names of rows."""
    rows = [{"078-05-1120": 1, "Zebulon": 2, "cost": 1}]
    found = dp.table(rows, unit="row", columns={"cost": dp.bounds(0, 9, step=1)})
    asked = dp.sum("cost", where="zebulon = 2").aggregates(found)

    with pytest.raises(InputError) as caught:
        MemoryEngine().prepare(found, asked)

    assert "zebulon is asked for, but declared nowhere" in str(caught.value)
    assert "078-05-1120" not in str(caught.value)
    assert "Zebulon" not in str(caught.value)


@pytest.mark.claim("C09")
def test_names_are_quoted_where_one_of_them_is_declared_alone(tmp_path):
    """Those of a file that was made of one without a header are cells: no message shows them."""
    path = tmp_path / "t.parquet"
    frame = pd.read_csv(StringIO("Zebulon,078-05-1120,41\nAmos,078-05-1121,42\n"))
    frame.to_parquet(path)
    found = dp.table(path, unit="row", columns={"cost": dp.bounds(0, 9, step=1)})

    with pytest.raises(InputError, match="has no column 'cost'") as caught:
        engine_for(path).prepare(found, dp.sum("cost").aggregates(found))

    assert "check that the first row of the source names its columns" in caught.value.fix
    assert "Zebulon" not in str(caught.value)
    assert "078-05-1120" not in str(caught.value)
