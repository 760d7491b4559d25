"""Some rows of each unit where equal ones are told apart, on each engine that is here.

Rules of this module:
- beside each count stand queries by hand that do the same in three ways, each with the engine's
  own quick hash, and one that lets equal rows share one hash: what it costs to number them;
- each of them must keep as many rows as the count itself, or nothing is told;
- CPU seconds of the process that counts, the least of some turns in one run.

Decision 71.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import discreet as dp
from discreet.engine.select_engine import engine_for

from . import engines
from .servers import BEFORE, NAMES, source_on
from .table import Cell, Section, got

ROWS, LIMIT = 1_000_000, 5  # rows; rows that stay of each unit, which has ten
TURNS = {"duckdb": 7, "postgres": 4, "spark": 6}
BY_HAND, UNNUMBERED = 1.3, 2.5  # at most so many times the best by hand; what it cost before
CASES = {  # what is asked: the key, how many there are, and what a row is for the choice
    "count and mean by 1,000 keys": ("g", 1_000, ("g", "q")),
    "count by 50 keys": ("s", 50, ("s",)),
}
GRID = "CAST(FLOOR(LEAST(GREATEST(v, 0), 100) * 100 + 0.5) AS BIGINT)"
COLUMNS = (
    "engine, what",
    "equal rows share a hash, by hand",
    "two windows, by hand",
    "groups, by hand",
    "one sort, by hand",
    "discreet",
    "beside the best by hand",
    "beside a shared hash",
)
TOLD = "SELECT {key}, COUNT(*){more} FROM ({rows}) AS k WHERE r <= {limit} GROUP BY {key}"
SHARED = "SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {first}, {row}) AS r FROM own"
TWO_WINDOWS = """
    SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {hashed}, {row}, n) AS r FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {row})
            - RANK() OVER (PARTITION BY u ORDER BY {row}) AS n FROM own) AS a"""
GROUPS = """
    SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY h, {row}, n) AS r FROM (
        SELECT u, {row}, CAST(0 AS BIGINT) AS n, {first} AS h FROM alike UNION ALL
        SELECT u, {row}, n, {hashed} AS h FROM (
            SELECT u, {row}, {others} WHERE many > 1) AS l) AS a"""
ONE_SORT = """
    SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY h, {row}, n) AS r FROM (
        SELECT u, {row}, n, CASE WHEN n > 0 THEN {hashed} ELSE h END AS h FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY h, {row})
                - RANK() OVER (PARTITION BY u ORDER BY h, {row}) AS n,
                DENSE_RANK() OVER (PARTITION BY u ORDER BY h, {row}) AS d
            FROM (SELECT *, {first} AS h FROM own) AS f) AS c
        WHERE d <= {limit} OR n > 0) AS a"""
WAYS = (SHARED, TWO_WINDOWS, GROUPS, ONE_SORT)
OTHERS = {  # the numbers of all equal rows but the first
    "duckdb": "UNNEST(RANGE(1, many)) AS n FROM alike",
    "postgres": "n FROM alike CROSS JOIN LATERAL generate_series(1, many - 1) AS n",
    "spark": "n FROM alike LATERAL VIEW EXPLODE(SEQUENCE(1, many - 1)) AS n",
}


def sections(rows: int = ROWS) -> list[Section]:
    """Return what each engine takes for each question."""
    lines: list[Sequence[Cell | str]] = []
    data = source_of(rows)
    with tempfile.TemporaryDirectory(prefix="numbered-") as folder:
        for name in NAMES:
            source = source_on(name, data, folder)
            if source is not None:
                lines += _lines(name, source)
    about = (
        f"{rows:,} rows of units that have ten each, of which {LIMIT} stay. Seconds of CPU of the "
        "process that counts, the least of some turns in one run. A query by hand has the engine's "
        "own quick hash; each keeps as many rows as the count, or this part ends with an error. "
        "Where equal rows share a hash they stand or fall together (C08): that is what was "
        "counted before they were numbered."
    )
    return [Section("Equal rows, numbered", about, COLUMNS, lines)]


def source_of(rows: int) -> pa.Table:
    """Return rows whose values differ, and whose fifty keys often do not."""
    random = np.random.default_rng(1)
    return pa.table(
        {
            "u": random.integers(0, rows // 10, rows),
            "g": random.integers(0, 1_000, rows).astype("i4"),
            "s": random.integers(0, 50, rows).astype("i4"),
            "v": random.random(rows) * 100,
        }
    )


def _lines(name: str, source: Any) -> Iterator[list[Cell | str]]:
    for case in CASES:
        own = _counted(source, case)
        by_hand = [ran(name, source, query) for query in _queries(name, case)]
        kept = {sum(_column(act())) for act in by_hand} | {own()}
        if len(kept) > 1:
            raise AssertionError(f"{name}, {case}: {kept} rows stay")
        acts, first = [*by_hand, own], BEFORE.get(name, 2)
        *hand, ours = engines.least(source, *acts, turns=TURNS[name], first=first)
        yield [
            f"{NAMES[name]}: {case}",
            *(got(taken) for taken in hand),
            got(ours),
            got(ours / min(hand[1:]), most=BY_HAND),
            got(ours / hand[0], most=UNNUMBERED),
        ]


def _counted(source: object, case: str) -> Callable[[], int]:
    """Return what counts the source once, and says how many rows stayed."""
    key, many, row = CASES[case]
    table = dp.table(
        source,
        name="t",
        unit=dp.unit("u", max_rows=LIMIT, sampling="native"),
        keys={key: range(many)},
        columns={"v": dp.bounds(0, 100, step="0.01")},
    )
    questions = [dp.count(key), *([dp.mean("v", key)] if "q" in row else [])]
    aggregates = tuple(a for question in questions for a in question.aggregates(table))

    def count() -> int:
        vectors = engine_for(source).prepare(table, aggregates).count(7)
        return int(sum(vectors[0].opened_by_the_door()))

    return count


def _queries(name: str, case: str) -> Iterator[str]:
    """Return the queries by hand: with one hash for equal rows, then in three ways with numbers."""
    key, _, row = CASES[case]
    words = {
        "key": key,
        "row": ", ".join(row),
        "limit": LIMIT,
        "first": _hash(name, row, "0"),
        "hashed": _hash(name, row, "n"),
        "others": OTHERS[name],
        "more": ", COUNT(q), SUM(q)" if "q" in row else "",
    }
    columns = ", ".join(f"{GRID} AS q" if cell == "q" else cell for cell in row)
    own = f"own AS (SELECT u, {columns} FROM t)"
    alike = f"alike AS (SELECT u, {words['row']}, COUNT(*) AS many FROM own GROUP BY u, "
    for way in WAYS:
        steps = f"{own}, {alike}{words['row']})" if way is GROUPS else own
        yield f"WITH {steps} " + TOLD.format(rows=way.format(**words), **words)


def _hash(name: str, row: Sequence[str], number: str) -> str:
    """Return a hash of a unit, its row and the number of that row among its equals."""
    if name == "postgres":
        seed = f"u * 1000 + {row[0]}"
        return f"hashint8extended({'q * 64 + ' if 'q' in row else ''}{number}, {seed})"
    function = "hash" if name == "duckdb" else "xxhash64"
    return f"{function}(42, u, {', '.join(row)}, {number})"


def ran(name: str, source: Any, query: str) -> Callable[[], Any]:
    """Return what runs a query once, in the engine's own way; on DuckDB with a connection."""
    if name == "postgres":
        return lambda: source.execute(query).fetchall()
    if name == "spark":
        source.createOrReplaceTempView("t")
        return lambda: source.sparkSession.sql(query).collect()

    def act() -> object:
        connection = duckdb.connect()
        connection.register("t", source)
        return connection.execute(query).fetchall()

    return act


def _column(rows: Sequence[Any]) -> Iterator[int]:
    return (row[1] for row in rows)
