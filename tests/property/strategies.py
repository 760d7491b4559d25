"""What Hypothesis may draw: rows with hostile cells, declared tables, questions, salts.

Few different values, so that units collide, rows repeat and groups overflow.
"""

import math

from hypothesis import strategies as st

from discreet.aggregate import Aggregate
from discreet.schema import ROW, Table, bounds, keys, table, unit
from discreet.statistic.count import count, count_units
from discreet.statistic.histogram import histogram
from discreet.statistic.mean import mean
from discreet.statistic.sum import sum_
from discreet.statistic.variance import variance

UNITS = ["ann", "bob", "a|b", "Ann", "ann ", "e\u0301", "\u00e9", "o'hara; --", None]
WARDS = ["A", "B", "it's", "C;\n", "a", None]
FLOORS = ["1", "01", " 2 ", "2e0", "3", "x", "-0", None]
COSTS = [0.0, -0.0, 1.0, 2.5, 2.25, -7.0, 99.0, 1e308, -1e308, 5e-324, math.inf, -math.inf]
COSTS += [math.nan, None, 3.75, 0.25]
AGES = [
    "1",
    "2",
    "2.5",
    "1e+05",
    "Miller",
    "1_000",
    "0x10",
    "nan",
    "-inf",
    "",
    " 3 ",
    "1e400",
    None,
]

COLUMNS = {"cost": bounds(-3, 9, step="0.5"), "age": bounds(0, 4, step="0.5")}
BALLS = [None, "0.5", 1, "1.5", 2, 5]  # in half steps 2, 4, 6, 8, 20; the box reaches 25
KEYS = {"ward": ["A", "B", "it's", "C;\n"], "floor": [0, 1, 2]}
OTHER = {"ward": "a", "floor": 3}  # cells that are called so are among the others


def rows(*, least: int = 0, most: int = 14) -> st.SearchStrategy[list[dict[str, object]]]:
    """Rows of five columns; a unit may have none of them, or all."""
    row = st.fixed_dictionaries(
        {
            "who": st.sampled_from(UNITS),
            "ward": st.sampled_from(WARDS),
            "floor": st.sampled_from(FLOORS),
            "cost": st.sampled_from(COSTS),
            "age": st.sampled_from(AGES),
        }
    )
    return st.lists(row, min_size=least, max_size=most)


def declared(source: object, *, other: bool = False, **how: object) -> Table:
    """The declaration that fits these rows; with a group for every other row, or without."""
    public = {n: keys(one, other=OTHER[n]) for n, one in KEYS.items()} if other else KEYS
    return table(source, name="t", columns=COLUMNS, keys=public, **how)  # type: ignore[arg-type]


@st.composite
def declarations(draw: st.DrawFn) -> dict[str, object]:
    """Who is protected, and against what: a row or a unit, both relations."""
    whose = draw(st.sampled_from([ROW, unit("who"), *(unit("who", max_rows=n) for n in (1, 2, 4))]))
    neighbors = draw(st.sampled_from(["add_remove", "replace"]))
    return {"unit": whose, "neighbors": neighbors, "other": draw(st.booleans())}


@st.composite
def questions(draw: st.DrawFn, how: dict[str, object]) -> tuple[Aggregate, ...]:
    """One to four statistics of every kind, with limits where the unit needs them."""
    asked = draw(st.lists(_statistics(limited=how["unit"] != ROW), min_size=1, max_size=4))
    found = declared([], **how)
    return tuple(a for statistic in asked for a in statistic.aggregates(found))


@st.composite
def _statistics(draw: st.DrawFn, *, limited: bool) -> object:
    by = draw(st.sampled_from([None, "ward", "floor", ["ward", "floor"]]))
    column = draw(st.sampled_from(["cost", "age"]))
    limits = {}
    if limited:
        limits["max_rows_per_group"] = draw(st.integers(1, 3))
        limits["max_groups"] = draw(st.integers(1, 3))
    kind = draw(
        st.sampled_from(["count", "units", "sum", "mean", "spread", "vector", "bins", "edges"])
    )
    if kind == "count":
        return count(by, **limits)
    if kind == "units":
        return count_units(by, **limits)
    if kind == "sum":
        return sum_(column, by, **limits)
    if kind == "mean":
        return mean(column, by, **limits)
    if kind == "spread":
        return variance(column, by, **limits)
    if kind == "vector":
        return mean(["cost", "age"], by, ball=draw(st.sampled_from(BALLS)), **limits)
    edges = {"cost": [-3, 0, 0.5, 9], "age": [0, 1, 4]}[column] if kind == "edges" else None
    return histogram(column, by, bins=edges or 4, **limits)


def salts() -> st.SearchStrategy[int]:
    """Any salt that the release may draw."""
    return st.integers(0, 2**64 - 1)
