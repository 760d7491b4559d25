"""What an engine brings is not trusted: cells of no vector, and sums that are no whole numbers."""

from decimal import Decimal

import pandas as pd
import pytest

from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.sql.query import vectors
from discreet.schema import ROW, table
from discreet.statistic.count import count

TABLE = table(pd.DataFrame({"k": ["a"]}), name="t", unit=ROW, keys={"k": ["a", "b", "c"]})
ASKED = count("k").aggregates(TABLE)
PARTS = DuckEngine().prepare(TABLE, ASKED)._query.parts


def counts(cells):
    rows = [(0, cell, number) for cell, number in cells]
    return vectors(TABLE, ASKED, PARTS, rows)[0].opened_by_the_door()


@pytest.mark.claim("C35")
def test_cells_without_rows_count_nothing_and_decimals_are_whole_numbers():
    assert counts([]) == (0, 0, 0)
    assert counts([(2, Decimal(4)), (0, None)]) == (0, 0, 4)


@pytest.mark.claim("C35")
@pytest.mark.parametrize("cell", [-1, -3, 3, 10**9, 2**70])
def test_a_cell_that_is_not_of_the_vector_is_left_out(cell):
    assert counts([(0, 3), (cell, 999), (1, 4)]) == (3, 4, 0)


@pytest.mark.claim("C35")
@pytest.mark.parametrize("number", [1.0, True, "1", b"1", Decimal("1.5"), Decimal("NaN")])
def test_a_sum_that_is_no_whole_number_stops_the_count(number):
    """What a driver makes of a whole number is an int or a decimal, and of none at all None."""
    with pytest.raises((TypeError, ValueError)):
        counts([(0, 3), (1, number)])


@pytest.mark.claim("C35")
@pytest.mark.parametrize("part", [1, 2**70, True, 0.0, "0", None])
@pytest.mark.parametrize("is_alone", [True, False])
def test_a_row_of_no_part_is_in_no_other(part, is_alone):
    """A number that is none of a part, or no number; the rows of one part alone are not looked at."""
    rows = [(part, 1, 3)] if is_alone else [(0, 0, 3), (part, 1, 3)]
    if part is None:  # NULL is 0, as in every column
        assert vectors(TABLE, ASKED, PARTS, rows)[0].opened_by_the_door()[1] == 3
        return
    with pytest.raises((TypeError, IndexError)):
        vectors(TABLE, ASKED, PARTS, rows)
