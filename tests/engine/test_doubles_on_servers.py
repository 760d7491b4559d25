"""Every operator on doubles at the ends of what they hold, on servers; random ones on Spark.

Where an engine has whole numbers for what is a double here, a cell beyond them would stop all.
"""

import itertools

import pyarrow as pa
import pytest

from discreet import bounds, count, derived, table
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.statistic.sum import sum_
from engine.sources import opened
from engine.test_expressions_agree import arrow, compare, numbered
from servers import placed

pytestmark = [pytest.mark.claim("C51"), pytest.mark.slow]

ENDS = [0.0, 5e-324, 0.5, 2.5, 2.0**31, 2.0**53, 2.0**63 - 1024, 2.0**63, 2.0**64, 1e150, 1.7e308]
CELLS = [*ENDS, *(-one for one in ENDS), float("inf"), -float("inf"), float("nan"), None]
NUMBERS = [
    *("floor(x)", "round(x)", "round(x, 2)", "round(x, -1)", "round(x, 12)", "-x", "abs(x)"),
    *("x + y", "x - y", "x * y", "x / y", "least(x, y)", "greatest(x, y)", "coalesce(x, y)"),
    *("floor(x * y)", "floor(x / y)", "floor(-x) - y", "band(x, -1, 0, 18, 65)"),
    *("CASE WHEN x < y THEN floor(x) ELSE round(y, 3) END", "floor(floor(x) + floor(y))"),
]
TRUTHS = [
    *("x = floor(x)", "x BETWEEN y AND 1", "x IN (1, 2.5, -0.5)", "NOT x > y", "floor(x) = 0"),
    *("x IS NULL", "x / 0 IS NULL", "round(x) <> x OR y < 1"),
]


def rows():
    """Each cell beside itself and beside each of four others."""
    pairs = [
        (one, CELLS[(place + step) % len(CELLS)])
        for place, one in enumerate(CELLS)
        for step in (0, 1, 5, 11, 14)
    ]
    return [{"i": number, "x": x, "y": y} for number, (x, y) in enumerate(pairs)]


def counted(source, engine=None):
    """What each expression gives for each row, a row being a group."""
    any_, keys = bounds(0, 1, step=1), range(len(rows()))
    found = table(source, unit="row", columns={"x": any_, "y": any_}, keys={"i": keys}, name="t")
    asked = [count(by="i", where=where) for where in TRUTHS]
    for number, expression in enumerate(NUMBERS):
        name = f"n{number}"
        ends = bounds(-(10**6), 10**6, step="0.001")
        found = found.derive({name: derived(expression, bounds=ends)})
        asked += [sum_(name, by="i"), count(by="i", where=f"{name} IS NULL")]
    aggregates = tuple(itertools.chain(*(one.aggregates(found) for one in asked)))
    return opened((engine or engine_for(source)).prepare(found, aggregates).count(0))


@pytest.mark.parametrize("server", ["postgres", "spark"])
def test_no_double_stops_an_expression(server):
    """The integers are those of the reference, whatever the doubles are."""
    schema = pa.schema({"i": pa.int32(), "x": pa.float64(), "y": pa.float64()})

    expected = counted(rows(), MemoryEngine())

    assert counted(placed(server, pa.Table.from_pylist(rows(), schema=schema))) == expected
    assert all(any(vector) for vector in expected)


@pytest.mark.parametrize("server", ["spark"])
def test_random_expressions_agree_on_spark(server):
    """Two worlds of those that other sources are tried with; `poison` has many more."""
    for seed in range(2):
        data = numbered(seed)

        compare(placed(server, arrow(data)), data, seed, 4)
