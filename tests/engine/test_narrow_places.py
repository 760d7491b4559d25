"""Even bins are found in 32 bits where all of it fits, in 64 or 128 elsewhere: the same bins."""

import pyarrow as pa
import pytest

import discreet as dp
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from engine.sources import opened
from servers import filled

pytestmark = pytest.mark.claim("C587")

ENDS = 2**30
CASES = {  # the lower bound, how many steps up to the upper one, and how many bins
    "the last product in 32 bits": (0, 1_073_740, 1_000),
    "the first one beyond": (0, 1_073_741, 1_000),
    "a product of 2^31": (0, 2_147_483, 1_000),
    "a product of 2^33": (-5, 8_589_937, 1_000),
    "the least bound in 32 bits": (2 - ENDS, 1_000, 7),
    "a bound beyond": (-(2**31) - 5, 1_000, 7),
    "the largest bound in 32 bits": (ENDS - 1_001, 1_000, 7),
    "one beyond": (2**31 - 500, 1_000, 7),
    "all of 32 bits": (-(2**31), 2**32 - 1, 7),
}


@pytest.mark.parametrize("place", ["duckdb", "postgres"])
@pytest.mark.parametrize("case", CASES)
def test_a_bin_is_that_of_the_reference_where_products_end(case, place):
    low, width, count = CASES[case]
    edges = [low + width * number // count for number in range(0, count + 1, max(1, count // 9))]
    cells = [edge + more for edge in [low, low + width, *edges] for more in (-1, 0, 1)]
    values = [float(cell) for cell in cells] + [None, float("nan"), float("inf"), -1e300]
    if place == "duckdb":
        source = pa.table({"v": pa.array(values, pa.float64())})
    else:
        source = filled({"v": "double precision"}, [(value,) for value in values])
    columns = {"v": dp.bounds(low, low + width, step=1)}

    def counted(where, engine=None):
        found = dp.table(where, name="t", unit="row", columns=columns)
        asked = dp.histogram("v", bins=count).aggregates(found)
        return opened((engine or engine_for(where)).prepare(found, asked).count(3))

    expected = counted([{"v": value} for value in values], MemoryEngine())

    assert width % count
    assert counted(source) == expected
    assert sum(expected[0]) == len(cells) + 1
