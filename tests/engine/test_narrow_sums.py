"""What leaves a query in 64 bits cannot pass them: else a count ended by how large cells are."""

import pyarrow as pa
import pytest
from sqlglot import exp

import discreet as dp
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.engine.sql.query import counting
from discreet.sums import ROWS
from engine.sources import opened
from servers import placed

pytestmark = [pytest.mark.claim("C610"), pytest.mark.filterwarnings("ignore")]

SERVERS = ["duckdb", "postgres", "spark"]
WIDE = {"w": 2**52, "r": -(2**38), "e": 2**31, "n": 4_000}  # r and e are squared
FIELDS = pa.schema([("u", pa.int64()), ("k", pa.int32()), *((name, pa.int64()) for name in WIDE)])
MANY = 2_049
UNITS = {"a row": "row", "one row at most": dp.unit("u", max_rows=1)}


def rows():
    """Units of one row: each sum of w, and of squares of r and e, is beyond 2^63; of squares by key, too."""
    return [{"u": number, "k": number % 3, **WIDE} for number in range(MANY)]


def declared(source, unit="row", columns=WIDE):
    ends = {name: dp.bounds(min(0, end), max(0, end), step=1) for name, end in columns.items()}
    return dp.table(source, name="t", unit=unit, columns=ends, keys={"k": range(3)})


def asked(table):
    statistics = [dp.sum(name, by) for name in WIDE for by in (None, "k")]
    statistics += [dp.count("k"), *(dp.variance(name, "k") for name in "ren")]
    return tuple(a for statistic in statistics for a in statistic.aggregates(table))


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("unit", UNITS)
def test_huge_sums_are_those_of_the_reference(server, unit):
    """A cast to 64 bits that is not proved would end the count: a row's value decided that."""
    source = pa.Table.from_pylist(rows(), schema=FIELDS)
    table = declared(source if server == "duckdb" else placed(server, source), UNITS[unit])
    reference = declared(rows(), UNITS[unit])

    counted = opened(engine_for(table.source).prepare(table, asked(table)).count(3))

    assert counted == opened(MemoryEngine().prepare(reference, asked(reference)).count(3))
    assert counted[0] == (MANY * 2**52,)


@pytest.mark.parametrize("more", [0, 1])
def test_a_sum_is_narrow_exactly_where_as_many_rows_as_may_be_fit(more):
    """The widest column whose sum over 10^15 rows stays below 2^62, and the next one."""
    widest = (2**62 - 1) // ROWS
    table = declared([], columns={"n": widest + more})
    asked = tuple(dp.sum("n").aggregates(table))

    query = counting(table, asked, kinds={"n": "BIGINT"}, source=exp.table_("t")).query

    casts = [cast for cast in query.find_all(exp.Cast) if cast.parent.alias == "s0"]
    assert [cast.to.sql() for cast in casts] == ["BIGINT"] * (1 - more)
    assert ROWS * widest < 2**62 <= ROWS * (widest + 1)
