"""How long a count takes is told before it is paid for, from public numbers alone."""

import pytest

import discreet as dp
from discreet.engine.cost import cost_words
from discreet.engine.remote import Address

LIMITS = {"max_groups": 2, "max_rows_per_group": 3}


def told(source, rows, unit, **limits):
    table = dp.table(source, name="t", unit=unit, keys={"g": [1, 2, 3]}, rows=rows)
    return cost_words(table, dp.count("g", **limits).aggregates(table))


def test_nothing_is_told_where_the_number_of_rows_is_not_public():
    assert told("gone.parquet", None, dp.unit("u"), **LIMITS) is None


def test_nothing_is_told_of_what_takes_no_time():
    assert told("gone.parquet", 1_000_000, dp.unit("u"), **LIMITS) is None


@pytest.mark.parametrize(
    ("source", "sampling", "words"),
    [
        ("gone.parquet", "native", "takes DuckDB some 20 seconds"),
        ("gone.parquet", "portable", "takes DuckDB some 90 seconds"),
        (Address("postgresql://warehouse/sales"), "native", "takes Postgres some 2 minutes"),
    ],
)
def test_the_source_is_told_by_its_type_and_not_opened(source, sampling, words):
    unit = dp.unit("u", sampling=sampling)
    said = told(source, 100_000_000, unit, **LIMITS)
    assert words in said
    assert "100,000,000 rows that are declared" in said


def test_where_a_row_is_the_unit_none_is_chosen():
    assert "some 5 seconds" in told("gone.parquet", 100_000_000, "row")


def test_each_grouping_takes_its_time():
    table = dp.table("gone.parquet", name="t", unit="row", keys={"g": [1], "h": [1]}, rows=10**8)
    both = dp.count("g").aggregates(table), dp.count("h").aggregates(table)
    assert "some 10 seconds" in cost_words(table, [one for part in both for one in part])


def test_a_source_that_no_engine_reads_is_told_elsewhere():
    assert told(object(), 10**9, "row") is None
