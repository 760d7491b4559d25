"""What a cell, a key, a unit and a bin mean, by tables that a person can check; both engines."""

import csv
import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import pairwise
from uuid import UUID

import duckdb
import pytest

from discreet.aggregate import Aggregate, Bins, Measure
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.memory import MemoryEngine
from discreet.schema import ROW, bounds, table, unit
from discreet.sensitivity import Sensitivity
from engine.sources import REFERENCE, opened
from measures import linear

ONE = Sensitivity(1, 1, 1)


def counted(engine, cells_of, aggregate, **how):
    """Count named columns of (type, cells) on one engine; what is not said is not there.

    A column of type CSV is text that nobody gave a type.
    """
    folder = how.pop("folder", None)
    rows = [
        dict(zip(cells_of, cells, strict=True))
        for cells in zip(*(c for _, c in cells_of.values()), strict=True)
    ]
    source = rows
    if engine == "duckdb" and any(kind == "CSV" for kind, _ in cells_of.values()):
        source = folder / "cells.csv"
        with source.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(cells_of), quoting=csv.QUOTE_MINIMAL)
            writer.writeheader()
            writer.writerows(rows)
    elif engine == "duckdb":
        source = duckdb.connect()
        made = ", ".join(f'"{name}" {kind}' for name, (kind, _) in cells_of.items())
        source.execute(f"CREATE TABLE t ({made})")
        marks = ", ".join("?" for _ in cells_of)
        for row in rows:
            source.execute(f"INSERT INTO t VALUES ({marks})", list(row.values()))
    found = table(source, name="t", **{"unit": ROW, **how})
    make = DuckEngine() if engine == "duckdb" else MemoryEngine()
    ((values),) = (v.opened_by_the_door() for v in make.prepare(found, (aggregate,)).count(3))
    return values


ENGINES = pytest.mark.parametrize("engine", ["memory", "duckdb"])

NUMBERS = [
    (0.0, 0), (-0.0, 0), (0.5, 1), (1.5, 2), (-0.5, 0), (-1.5, -1), (0.49999999999999994, 1),
    (2.4, 2), (99.0, 10), (-99.0, -5), (1e308, 10), (-1e308, -5), (5e-324, 0), (9.5, 10),
    (-4.5, -4), (math.nan, None), (math.inf, None), (-math.inf, None), (None, None),
]  # fmt: skip
TEXTS = [
    ("1", 1), (" 1 ", 1), ("+1", 1), ("-1", -1), ("1.", 1), (".5", 1), ("1e0", 1), ("1E+00", 1),
    ("1e+05", 10), ("-1e400", None), ("1e400", None), ("1e-400", 0), ("0" * 50 + "2", 2),
    ("Miller", None), ("1_000", None), ("0x10", None), ("nan", None), ("inf", None), ("", None),
    ("1,5", None), ("1 1", None), ("--1", None), ("e5", None), (".", None), ("1e", None),
    ("\t1", None), ("1\n", None), ("\u0661", None), ("1\u00a0", None), ("\uff11", None),
    ("true", 1), ("False", 0), (" TRUE ", 1), ("truee", None), ("t", None), (None, None),
]  # fmt: skip


@pytest.mark.exhaustive
@ENGINES
@pytest.mark.parametrize(
    ("kind", "cell", "steps"),
    [
        *(("DOUBLE", cell, steps) for cell, steps in NUMBERS),
        *(("CSV", cell, steps) for cell, steps in TEXTS),
        *(("BOOLEAN", cell, steps) for cell, steps in [(True, 1), (False, 0), (None, None)]),
        *(("BIGINT", cell, steps) for cell, steps in [(2**62, 10), (-(2**62), -5), (3, 3)]),
        *(("HUGEINT", cell, steps) for cell, steps in [(2**126, 10), (-4, -4)]),
        *(("DECIMAL(9,3)", Decimal(cell), s) for cell, s in [("2.500", 3), ("-2.501", -3)]),
    ],
)
def test_a_cell_has_one_meaning(engine, kind, cell, steps, tmp_path):
    """Clamped to -5 .. 10, halves up, and missing if it is no finite number."""
    measures = (linear("v", 1), linear("v", 0, 1), Measure("rows"))
    columns = {"v": (kind, [cell]), "w": (kind, ["1"] if kind == "CSV" else [None])}

    found = counted(
        engine,
        columns,
        Aggregate((), measures, ONE),
        columns={"v": bounds(-5, 10, step=1)},
        folder=tmp_path,
    )

    assert found == (steps or 0, 0 if steps is None else 1, 1)


@pytest.mark.exhaustive
@ENGINES
@pytest.mark.parametrize(
    ("step", "cell", "steps"),
    [("0.1", 0.15, 2), ("0.1", 0.25, 3), ("3", 4.5, 2), ("3", 4.4, 1), ("0.75", 1.1, 1)],
)
def test_the_grid_is_reached_in_doubles(engine, step, cell, steps):
    """step = p/q: (v * q) / p, and then the nearest whole number, halves up."""
    found = counted(
        engine,
        {"v": ("DOUBLE", [cell])},
        Aggregate((), (linear("v", 1),), ONE),
        columns={"v": bounds(0, 9, step=step)},
    )

    assert found == (steps,)


@ENGINES
def test_sums_pass_64_bits(engine):
    """Forty cells of 2^52 steps, with a slope, are summed without wrapping."""
    found = counted(
        engine,
        {"v": ("DOUBLE", [2.0**52] * 40)},
        Aggregate((), (linear("v", 2**20, -1),), ONE),
        columns={"v": bounds(0, 2**52, step=1)},
    )

    assert found == (40 * (2**72 - 1),)


MOMENTS = [
    datetime(2026, 11, 3),
    datetime(2026, 11, 3, 10),
    datetime(2026, 11, 4),
    datetime(1969, 12, 31, 23, 59, 59),
    None,
]
HUNDREDTHS = [".25", "-0.250", "0", "-0.99"]
TINY, TINIEST = ["0", "1e-18", "-0.0000001", "1.5"], ["0.0", "1e-38", "-1e-7", ".5"]
KEYS = [
    ("VARCHAR", ["A", "a", "A ", "", "Ä", None], ["A", "Ä"], (1, 1)),
    ("CSV", ["1", "01", " 1 ", "1e0", "1.5", "x", "2", None, "True"], [1, 2], (5, 1)),
    ("CSV", ["A", "a", "A ", "", "Ä", None], ["A", "Ä"], (1, 1)),
    ("CSV", ["true", "True", "1", "false", "FALSE ", "0.0", "no"], [False, True], (3, 3)),
    ("DOUBLE", [1.0, 1.5, math.nan, -0.0, None], [1, 0], (1, 1)),
    ("DOUBLE", [1.0, 0.0, 2.0, None], [True, False], (1, 1)),
    ("DOUBLE", [1.0, 1e16, 0.1, None], ["1", "1e+16", "0.1", "1.25"], (1, 1, 1, 0)),
    ("FLOAT", [0.5, 0.25], ["0.50", "2.5e-1"], (1, 1)),
    ("BIGINT", [1, 2, 3, None], ["1", "2.0"], (1, 1)),
    ("BIGINT", [2**53, 2**53 + 1, -(2**62)], ["9007199254740993", "-4611686018427387904"], (1, 1)),
    ("HUGEINT", [10**30, 10**30 + 1], ["1000000000000000000000000000001"], (1,)),
    (
        "DECIMAL(10,2)",
        [Decimal("1.00"), Decimal("0.50"), Decimal("-1.25")],
        ["1", ".5", "-1.25"],
        (1, 1, 1),
    ),
    ("DECIMAL(10,2)", [Decimal("1.00"), Decimal("0.50")], [1, 0], (1, 0)),
    ("DECIMAL(2,2)", [*map(Decimal, ("0.25", "-0.25", "0", "-.99"))], HUNDREDTHS, (1, 1, 1, 1)),
    ("DECIMAL(38,18)", [*map(Decimal, ("0", "1e-18", "-1e-7", "1.5"))], TINY, (1, 1, 1, 1)),
    ("DECIMAL(38,38)", [*map(Decimal, ("0", "1e-38", "-1e-7", "0.5"))], TINIEST, (1, 1, 1, 1)),
    ("BOOLEAN", [True, True, False, None], [False, True], (1, 2)),
    ("BOOLEAN", [True, False, True], [1, 0], (2, 1)),
    ("BOOLEAN", [True, False, True], ["True", "false"], (2, 1)),
    ("DATE", [date(2026, 11, 3), date(2026, 11, 4), None], [date(2026, 11, 3)], (1,)),
    ("TIMESTAMP", MOMENTS, ["2026-11-03", "1969-12-31"], (2, 1)),
    ("TIMESTAMP_S", MOMENTS, ["2026-11-03", "1969-12-31"], (2, 1)),
    ("TIMESTAMP_MS", MOMENTS, ["2026-11-03", "1969-12-31"], (2, 1)),
    ("TIMESTAMP_NS", MOMENTS, ["2026-11-03", "1969-12-31"], (2, 1)),
    ("TIMESTAMP", MOMENTS, ["2026-11-03 10:00", "2026-11-03T00:00:00.000"], (1, 1)),
    ("TIMESTAMPTZ", [m and m.replace(tzinfo=UTC) for m in MOMENTS], ["2026-11-03"], (2,)),
    ("TIME", [time(10), time(10, 0, 0, 500_000), None], ["10:00", "10:00:00.5"], (1, 1)),
    ("UUID", [UUID(int=7), UUID(int=8)], [str(UUID(int=7))], (1,)),
]


@pytest.mark.exhaustive
@ENGINES
@pytest.mark.claim("C39")
@pytest.mark.parametrize(("kind", "cells", "keys", "expected"), KEYS)
def test_a_key_matches_by_its_value(engine, kind, cells, keys, expected, tmp_path):
    """Numbers and truth values as numbers, text byte by byte, a day all moments of it in UTC."""
    columns = {"k": (kind, cells), "w": (kind, ["1"] * len(cells) if kind == "CSV" else cells)}

    found = counted(
        engine,
        columns,
        Aggregate(("k",), (Measure("rows"),), ONE),
        keys={"k": keys},
        folder=tmp_path,
    )

    assert found == expected


UNITS = [
    ("DOUBLE", [0.0, -0.0, math.nan, math.inf, None, 1.0], 2),
    ("VARCHAR", ["a", "A", "a ", "", "é", "e\u0301", "a|b", None], 7),
    ("BIGINT", [1, 1, 2, None], 2),
]


@ENGINES
@pytest.mark.parametrize(("kind", "cells", "people"), UNITS)
def test_a_unit_is_told_by_its_bytes(engine, kind, cells, people):
    """-0.0 is 0.0, a missing or infinite one is nobody, the empty text is somebody."""
    aggregate = Aggregate((), (Measure("units"), Measure("rows")), ONE, max_rows_per_group=1)

    found = counted(engine, {"who": (kind, cells)}, aggregate, unit=unit("who"))

    assert found == (people, people)


@pytest.mark.exhaustive
@ENGINES
@pytest.mark.parametrize("edges", [(-4, -2, 0, 2), (-4, -1, 0, 2), (-4, 2)])
def test_bins_hold_their_lower_edge_and_the_last_one_both(engine, edges):
    """Every value from bound to bound, and the missing ones nowhere."""
    values = [*range(-6, 5), None]
    inside = [min(max(v, -4), 2) for v in values if v is not None]
    last = len(edges) - 2
    expected = tuple(
        sum(a <= v < b or (v == b and i == last) for v in inside)
        for i, (a, b) in enumerate(pairwise(edges))
    )

    found = counted(
        engine,
        {"v": ("INTEGER", values)},
        Aggregate((), (Measure("rows"),), ONE, Bins("v", edges)),
        columns={"v": bounds(-4, 2, step=1)},
    )

    assert found == expected


def test_a_column_that_ignores_case_does_not_merge_keys_or_units():
    """Collations of the user's database, by column and by default, are not followed."""
    source = duckdb.connect()
    source.execute("SET GLOBAL default_collation = 'nocase'")
    source.execute("CREATE TABLE t (who VARCHAR COLLATE nocase, k VARCHAR)")
    source.execute("INSERT INTO t VALUES ('a', 'x'), ('A', 'X')")
    found = table(source, name="t", unit=unit("who", max_rows=1), keys={"k": ["x"]})
    aggregates = (
        Aggregate((), (Measure("units"),), ONE),
        Aggregate(("k",), (Measure("rows"),), ONE),
    )

    units, keyed = DuckEngine().prepare(found, aggregates).count(1)

    assert (units.opened_by_the_door(), keyed.opened_by_the_door()) == ((2,), (1,))


@pytest.mark.parametrize(
    "setting", ["default_order = 'DESC'", "default_null_order = 'NULLS_FIRST'"]
)
def test_the_rows_that_stay_are_the_same_whatever_order_a_connection_prefers(setting):
    """Which they are follows from their hashes alone."""
    rows = [{"who": f"p{n % 5}", "k": n // 5 if n % 7 else None} for n in range(100)]
    source = duckdb.connect()
    source.execute("CREATE TABLE t (who VARCHAR, k BIGINT)")
    source.executemany("INSERT INTO t VALUES ($who, $k)", rows)
    how = {"unit": unit("who", max_rows=3), "keys": {"k": range(20)}, "name": "t"}
    aggregates = (
        Aggregate(("k",), (Measure("rows"),), ONE),
        Aggregate(("k",), (Measure("units"),), ONE, max_groups=2, max_rows_per_group=1),
    )
    source.execute(f"SET {setting}")

    found = DuckEngine().prepare(table(source, **how), aggregates).count(1)

    assert opened(found) == opened(REFERENCE.prepare(table(rows, **how), aggregates).count(1))


def test_categories_are_hashed_by_their_text_not_by_their_code():
    """A code depends on what others wrote; the rows kept must not."""
    kept = []
    for extra in ([], ["'0th'"]):
        source = duckdb.connect()
        names = ", ".join([*extra, *(f"'p{i}'" for i in range(20))])
        source.execute(f"CREATE TABLE t (who ENUM ({names}), k BIGINT)")
        source.execute("INSERT INTO t SELECT 'p' || (i % 20), i // 20 FROM range(100) s(i)")
        found = table(source, name="t", unit=unit("who", max_rows=1), keys={"k": range(5)})
        (one,) = DuckEngine().prepare(found, (Aggregate(("k",), (Measure("rows"),), ONE),)).count(8)
        kept.append(one.opened_by_the_door())

    assert kept[0] == kept[1]
