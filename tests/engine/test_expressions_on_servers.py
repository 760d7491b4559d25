"""Filters and derived columns on Postgres: extremes, beside the random ones of `agree`."""

from datetime import date

import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.schema import unit
from engine.sources import opened
from servers import filled

TYPES = {
    "k": "text",
    "v": "double precision",
    "u": "text",
    "d": "date",
    "b": "boolean",
    "i": "int",
    "n": "numeric",
}
ROWS = [
    ("a", 1.0, "u1", date(2026, 11, 3), True, 1, 1),
    ("b", 2.0, "u1", date(2025, 1, 31), False, 2, None),
    ("é", 30.5, "u2", None, None, 3, 7),
    (None, 4.0, "u2", date(1999, 12, 31), True, None, -3),
    ("a", float("inf"), None, date(1969, 12, 31), True, 7, 0),
    ("a", 1e307, "u9", date(9999, 12, 31), True, 2**31 - 1, 10**300),
    ("A", -5e-324, "u9", date(1, 1, 1), True, -(2**31), 10**200),
    ("a ", float("nan"), "u10", date(2000, 2, 29), False, 0, 2),
]
WHERE = [
    *("v >= 2", "k = 'a' OR v > 3", "b", "i IN (1, 2, 7)", "k IN ('a', 'é') AND NOT b"),
    *("v IS NULL", "floor(v / 2) = 1", "CASE WHEN v < 3 THEN k = 'a' ELSE b END", "n * n > 1"),
    *("year(d) >= 2000", "i / 0 IS NULL", "k <> 'a'"),
]
DERIVED = [
    *("v * 2 + i", "floor(v / 10)", "year(d)", "v / i", "abs(v) - 1", "round(v)", "log2(v)"),
    *("CASE WHEN k = 'a' THEN 1 ELSE v END", "month(d)", "n * n * n", "v * v - v", "i * i * i"),
]
UNITS = ["row", unit("u", max_rows=1, sampling="portable")]


def rows():
    return [dict(zip(TYPES, row, strict=True)) for row in ROWS]


def counted(source, whose, where=None, derived=None):
    table = dp.table(
        source,
        unit=whose,
        name="t",
        keys={"k": ["a", "A", "b", "é"]},
        columns={"v": dp.bounds(0, 5)},
    )
    asked = [dp.count("k")]
    if where is not None:
        table = table.where(where)
    if derived is not None:
        ends = dp.bounds(-10, 3_000, step="0.5")
        table = table.derive(z=dp.derived(derived, bounds=ends))
        asked.append(dp.sum("z", "k"))
    aggregates = tuple(a for one in asked for a in one.aggregates(table))
    return opened(engine_for(source).prepare(table, aggregates).count(3))


@pytest.mark.exhaustive
@pytest.mark.claim("C83")
@pytest.mark.parametrize("whose", UNITS, ids=str)
def test_postgres_filters_and_derives_as_the_reference_does(whose):
    """Extremes of every type, three-valued logic, products that overflow."""
    source = filled(TYPES, ROWS)

    for where in WHERE:
        assert counted(source, whose, where=where) == counted(rows(), whose, where=where), where
    for derived in DERIVED:
        expected = counted(rows(), whose, derived=derived)
        assert counted(source, whose, derived=derived) == expected, derived


def test_text_that_is_read_as_a_day_is_refused_on_a_server():
    """A cell that spells none would stop the count there, and stand in its log."""
    source = filled({"k": "text", "v": "double precision"}, [("2026-02-30", 1.0), ("CANARY", 2.0)])

    with pytest.raises(InputError, match="cannot be read on a server"):
        counted(source, "row", where="year(k) = 2026")
