"""What safe reading costs: CSV beside DuckDB's own reader, odd bins, questions, the second look.

Rules of this module:
- the compared sides take turns and answer the same question; CPU seconds of this process, medians;
- a peer that is not safe is named as what it is.
"""

import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import duckdb
from sqlglot import exp

import discreet as dp
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.sql import guard, query
from discreet.schema import Table

from .engine import cpu, declared, made, side_by_side, ten
from .table import Cell, Section, got

ROWS = 10_000_000
ROUNDS = 3
NUMBER = r"^[ \t\n\v\f\r]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t\n\v\f\r]*$"
OWN = f"""
    SELECT k, count(*), sum(CASE WHEN regexp_full_match(v, '{NUMBER}') THEN
        CAST(floor(greatest(least(TRY_CAST(v AS DOUBLE), 1000.0), 0.0) + 0.5) AS INT) END)
    FROM read_csv(?, all_varchar = true, header = true, strict_mode = false) GROUP BY k"""

Act = Callable[[], object]


def sections(rows: int = ROWS) -> list[Section]:
    """Return the tables; `rows` is the size of the data."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [_csv(folder, rows, quoted=quoted) for quoted in (False, True)]
        big = made(folder, rows)
        costs = [_bins(big), _questions(big), *_looks(big)]
    reading = Section(
        "Reading CSV",
        f"{rows:,} rows of five columns, two of them used: a count and a sum by one of 100 keys. "
        "DuckDB's own reader is told to be lenient, and its cells pass the same check of numbers. "
        "There an open quotation mark takes other rows with it, and not here.",
        ("file", "DuckDB's own reader, CPU s", "discreet, CPU s", "ratio"),
        lines,
    )
    about = f"Parquet, {rows:,} rows; preparing reads none."
    columns = ("what", "beside, CPU s", "CPU s", "ratio")
    return [reading, Section("Bins, questions, and the second look", about, columns, costs)]


def _csv(folder: str, rows: int, *, quoted: bool) -> list[Cell | str]:
    path = Path(folder) / "lines.csv"
    force = "FORCE_QUOTE *," if quoted else ""
    with duckdb.connect() as connection:
        connection.execute(f"""COPY (SELECT 'p' || i // 10 AS u, 'k' || i % 100 AS k,
            round(random() * 1200 - 100, 2) AS v, 'other' AS z, i AS n
            FROM range({rows}) r(i)) TO '{path}' (HEADER true, {force} DELIMITER ',')""")
    keys = {"k": [f"k{number}" for number in range(100)]}
    columns = {"v": dp.bounds(0, 1000, step=1)}
    table = dp.table(path, unit="row", columns=columns, keys=keys)
    names = {
        "own": lambda: _own(path),
        "ours": lambda: _counted(table, dp.count("k"), dp.sum("v", "k")),
    }
    found = side_by_side(names, ROUNDS)
    size = path.stat().st_size / 1e6
    path.unlink()
    name = f"{size:,.0f} MB, {'every cell quoted' if quoted else 'no cell quoted'}"
    ratio = got(found["ours"] / found["own"], most=2.0)
    return [name, got(found["own"]), got(found["ours"]), ratio]


def _own(path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"SET threads = {os.environ.get('DISCREET_THREADS', '2')}")
        connection.execute(OWN, [str(path)]).fetchall()


def _counted(table: Table, *asked: object) -> None:
    aggregates = tuple(a for one in asked for a in one.aggregates(table))  # type: ignore[attr-defined]
    DuckEngine().prepare(table, aggregates).count(1)


def _bins(path: str) -> list[Cell | str]:
    """A histogram whose bins do not divide the width of the bounds, beside one whose bins do."""
    table = declared(path)
    found = side_by_side(
        {
            "even": lambda: _counted(table, dp.histogram("value", bins=250)),
            "odd": lambda: _counted(table, dp.histogram("value", bins=300)),
        },
        ROUNDS,
    )
    ratio = got(found["odd"] / found["even"], most=1.3)
    return ["300 bins beside 250 of 100,000 steps", got(found["even"]), got(found["odd"]), ratio]


def _questions(path: str) -> list[Cell | str]:
    """100 histograms, prepared."""
    table = declared(path)
    edges = [[0, 1 + number, 1000] for number in range(100)]
    aggregates = tuple(
        a for one in edges for a in dp.histogram("value", bins=one).aggregates(table)
    )
    found = cpu(lambda: DuckEngine().prepare(table, aggregates))
    return ["100 histograms prepared, nothing read", "", got(found, most=1.0), ""]


def _looks(path: str) -> list[list[Cell | str]]:
    """The second look on and off, where the unit is a row and where it is a person."""
    found = []
    whose = {"a row": ("row", {}), "15 rows a unit": (dp.unit("unit", max_rows=15), {})}
    whose["5 groups, 3 rows each"] = (dp.unit("unit"), {"max_groups": 5, "max_rows_per_group": 3})
    for name, (unit, limits) in whose.items():
        table = declared(path, unit)
        aggregates = ten(**limits)

        def count(table: Table = table, aggregates: tuple = aggregates) -> None:  # type: ignore[type-arg]
            DuckEngine().prepare(table, aggregates).count(1)

        acts: dict[str, Act] = {"off": lambda count=count: _unguarded(count), "on": count}
        both = side_by_side(acts, ROUNDS)
        ratio = got(both["on"] / both["off"], most=1.1)
        what = f"ten statistics, unit {name}: the second look beside none"
        found.append([what, got(both["off"]), got(both["on"]), ratio])
    return found


def _unguarded(act: Act) -> None:
    """Act without the second look, which a user cannot do."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(guard, "clamped", lambda value, _low, _high: value))
        stack.enter_context(patch.object(query, "within", lambda _unfit: exp.true()))
        act()
