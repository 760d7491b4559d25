"""pandas' own types of numbers and truth values that may be missing, and its columns of Arrow, are counted by value."""

import pandas as pd
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from engine.sources import opened

pytestmark = pytest.mark.claim("C39")

SIGNED, UNSIGNED = ("Int8", "Int16", "Int32", "Int64"), ("UInt8", "UInt16", "UInt32", "UInt64")
WHOLE = [*SIGNED, *UNSIGNED, "int8[pyarrow]", "int64[pyarrow]", "uint64[pyarrow]"]
BROKEN = ["Float32", "Float64", "double[pyarrow]"]
TRUTH = ["boolean", "bool[pyarrow]"]
CELLS = [1, 2, None, 3, 0, 2, None, 5, 4, 1]


def counted(cells, dtype=None, is_category=False, *, is_unit=True):
    """Counts by the column as keys, a sum of it, rows that a condition leaves, and it as the unit."""
    rows = {"g": cells, "v": [n % 3 for n in range(len(cells))]}
    source = [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]
    if dtype is not None:
        held = pd.Series(pd.array(cells, dtype=dtype))
        source = pd.DataFrame({**rows, "g": held.astype("category") if is_category else held})
    listed = [True, False] if isinstance(cells[0], bool) else dp.keys(1, 2, 3, missing=9)
    found = dp.table(source, name="t", unit="row", keys={"g": listed})
    asked = [(found, dp.count("g")), (found, dp.count(where="g IS NULL"))]
    if not isinstance(cells[0], bool):
        numbers = dp.table(source, name="t", unit="row", columns={"g": dp.bounds(0, 4, step=1)})
        asked += [(numbers, dp.sum("g"))]
    if is_unit:
        whose = dp.unit("g", max_rows=1, sampling="portable")
        owned = dp.table(source, name="t", unit=whose, keys={"v": range(3)})
        asked += [(owned, dp.count("v")), (owned, dp.count_units())]
    return [
        opened(engine_for(source).prepare(table, question.aggregates(table)).count(5))
        for table, question in asked
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("is_category", [False, True], ids=["plain", "category"])
@pytest.mark.parametrize("dtype", [*WHOLE, *BROKEN, *TRUTH])
def test_a_column_with_a_mask_is_counted_as_its_cells_are(dtype, is_category):
    """With missing cells and without."""
    cells = [None if c is None else c > 1 for c in CELLS] if dtype in TRUTH else CELLS
    for some in (cells, [cell for cell in cells if cell is not None]):
        expected = counted(some, is_unit=dtype in WHOLE)

        assert counted(some, dtype, is_category, is_unit=dtype in WHOLE) == expected
        assert any(map(any, expected[0]))
