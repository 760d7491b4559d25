"""How fast the DuckDB engine is, as ratios to queries written by hand, in one run.

Rules of this module:
- CPU seconds of this process are judged, medians, the compared sides taking turns;
- both sides read the same Parquet file; ours opens it anew and builds its query each time.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable

import duckdb

from discreet.aggregate import Aggregate, Bins, Measure, Term
from discreet.engine.duckdb.engine import DuckEngine
from discreet.schema import Table, bounds, table, unit
from discreet.sensitivity import Sensitivity

from .table import Cell, Section, got

ONE = Sensitivity(1, 1, 1)  # the engine does not look at it
KEYS = [f"k{number}" for number in range(1000)]
STATES = list(range(50))

GRID = """CASE WHEN value <= 'Infinity'::DOUBLE THEN
    CAST(FLOOR(GREATEST(LEAST(value * 100, 100000.0), 0.0) + 0.5) AS INT) END"""
BY_HAND = (
    f"SELECT key, COUNT(*), COUNT(q), SUM(q) FROM (SELECT key, {GRID} AS q FROM big) GROUP BY key"
)
AGES = GRID.replace("value * 100, 100000.0", "age * 10, 1000.0").replace("value", "age")
TEN_BY_HAND = f"""
    SELECT key, state, a, v, COUNT(*), COUNT(q), SUM(q), COUNT(p), SUM(p) FROM (
        SELECT *, LEAST(q // 5000, 19) AS v, LEAST(p // 100, 9) AS a FROM (
            SELECT key, state, {GRID} AS q, {AGES} AS p FROM big))
    GROUP BY GROUPING SETS ((key), (state, a), (v))"""
PLAIN = "SELECT key, COUNT(*), SUM(value) FROM big GROUP BY key"
BOUNDED = f"""
    WITH own AS (SELECT unit AS u, position AS g, {GRID} AS q FROM big JOIN known USING (key)),
    hashed AS (SELECT *, hash(42::UBIGINT, u, g) AS h FROM own),
    cut AS (SELECT u, min(h, 5)[5] AS c FROM (
        SELECT DISTINCT u, h FROM hashed WHERE h < {2**60}::UBIGINT)
        GROUP BY u HAVING count(*) > 4),
    less AS (SELECT * FROM hashed ANTI JOIN cut ON hashed.u = cut.u AND h > c),
    few AS MATERIALIZED (SELECT u, g, q, r - d AS m FROM (SELECT *,
        DENSE_RANK() OVER (PARTITION BY u ORDER BY h, g) AS d,
        ROW_NUMBER() OVER (PARTITION BY u ORDER BY h, g) AS r
        FROM less) WHERE d <= 5),
    often AS MATERIALIZED (SELECT DISTINCT u FROM few WHERE m >= 3),
    kept AS (SELECT g, q FROM few ANTI JOIN often USING (u) UNION ALL
        SELECT g, q FROM (SELECT *, ROW_NUMBER() OVER (
            PARTITION BY u, g ORDER BY hash(42::UBIGINT, u, g, q), q) AS n
            FROM few SEMI JOIN often USING (u)) WHERE n <= 3)
    SELECT g, COUNT(*), COUNT(q), SUM(q) FROM kept GROUP BY g"""


def made(folder: str, size: int) -> str:
    """Make the data and return the path of the Parquet file: Zipf's law for units."""
    path, units = f"{folder}/big.parquet", size // 10
    connection = duckdb.connect()
    connection.execute(f"""COPY (SELECT
        CAST(FLOOR(EXP(random() * LN({units}))) AS BIGINT) AS unit,
        'k' || CAST(FLOOR(POW(random(), 1.5) * 1000) AS INT) AS key,
        CAST(FLOOR(random() * 50) AS INT) AS state,
        random() * 1200 - 100 AS value, random() * 100 AS age
        FROM range({size})) TO '{path}'""")
    connection.close()
    return path


def declared(source: object, whose: object = "row") -> Table:
    """Declare the data."""
    return table(
        source,
        name="big",
        unit=whose,  # type: ignore[arg-type]
        columns={"value": bounds(0, 1000, step="0.01"), "age": bounds(0, 100, step="0.1")},
        keys={"key": KEYS, "state": STATES},
    )


def linear(column: str, slope: int, offset: int) -> Measure:
    """Each usable cell, times a slope, and an offset."""
    return Measure("cells", (column,), (Term(slope, (column,)), Term(offset)))


def mean(column: str, by: tuple[str, ...], **limits: int) -> Aggregate:
    """Count and centered sum, as a mean asks for them."""
    measures = (linear(column, 2, -1000), linear(column, 0, 1))
    return Aggregate(by, measures, ONE, **limits)


def count(by: tuple[str, ...], bins: Bins | None = None, **limits: int) -> Aggregate:
    """Count rows."""
    return Aggregate(by, (Measure("rows"),), ONE, bins, **limits)


def total(column: str, by: tuple[str, ...], **limits: int) -> Aggregate:
    """Sum a column."""
    return Aggregate(by, (linear(column, 1, 0),), ONE, **limits)


def ten(**limits: int) -> tuple[Aggregate, ...]:
    """Ten statistics over three groupings, with two histograms."""
    key, state = ("key",), ("state",)
    return (
        count(key, **limits), mean("value", key, **limits), total("value", key, **limits),
        mean("age", key, **limits), total("age", key, **limits), count(state, **limits),
        mean("value", state, **limits), mean("age", state, **limits),
        count((), Bins("value", tuple(range(0, 100_001, 5_000))), **limits),
        count(state, Bins("age", tuple(range(0, 1_001, 100))), **limits),
    )  # fmt: skip


def ten_alike(**limits: int) -> tuple[Aggregate, ...]:
    """Ten statistics of two columns, by key and over all."""
    return tuple(
        one
        for by in (("key",), ())
        for one in (
            count(by, **limits), mean("value", by, **limits), total("value", by, **limits),
            mean("age", by, **limits), total("age", by, **limits),
        )
    )  # fmt: skip


def cpu(act: Callable[[], object]) -> float:
    """Return the CPU seconds that an act takes in this process."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    act()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def side_by_side(acts: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return median CPU seconds; the acts take turns, so that a busy machine slows all alike."""
    taken: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(rounds):
        for name, act in acts.items():
            taken[name].append(cpu(act))
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


PLAIN_NAME = "plain float count and sum by key, by hand"
TEN_NAME = "ten statistics in four groupings, unit a row"
TEN_HAND_NAME = "the same in three grouping sets, by hand"
HAND_NAME = "the same, clamped and exact, by hand"
ROW_NAME = "count and mean by key, unit a row"
BOUNDED_NAME = "5 groups a unit, 3 rows a group, by hand"
UNIT_NAME = "count and mean by key, the same bounds"
FIFTEEN_NAME = "count and mean by key, 15 rows a unit"
COMPARED = (
    (HAND_NAME, PLAIN_NAME, None),
    (ROW_NAME, HAND_NAME, 1.2),
    (ROW_NAME, PLAIN_NAME, None),
    ("ten statistics by key and over all, unit a row", ROW_NAME, 2.0),
    (TEN_NAME, TEN_HAND_NAME, 1.2),
    (TEN_HAND_NAME, ROW_NAME, None),
    (UNIT_NAME, BOUNDED_NAME, 1.2),
    ("ten statistics in four groupings, 15 rows a unit", FIFTEEN_NAME, 2.0),
)


def sections(size: int = 10_000_000, rounds: int = 5) -> list[Section]:
    """Return the tables of the engine."""
    with tempfile.TemporaryDirectory() as folder:
        path = made(folder, size)
        taken = side_by_side(_of_rows(path), rounds) | side_by_side(_of_units(path), 3)
    rows = [
        [
            what,
            got(taken[what]),
            beside,
            got(taken[beside]),
            got(taken[what] / taken[beside], most=m),
        ]
        for what, beside, m in COMPARED
    ]
    about = (
        f"{size:,} rows of a Parquet file, {size // 10:,} units by Zipf's law, 1,000 keys. CPU "
        "seconds, both cores together. `by hand` is a query that someone who knows the data "
        "would write, without a second look at what bounding leaves. Ten statistics are wanted "
        "for at most twice the time of one. The four groupings are by key, by state, a "
        "histogram by state, and one over all. They need three groupings of all rows and twice "
        "the columns. This is more than twice the work by hand too, as the table says, so they "
        "are held to the query by hand."
    )
    columns = ("what", "CPU s", "beside", "CPU s", "ratio")
    return [Section("Engine", about, columns, rows), _in_little_memory(3 * size)]


def _of_rows(path: str) -> dict[str, Callable[[], object]]:
    key = ("key",)
    return {
        PLAIN_NAME: by_hand(PLAIN, path),
        HAND_NAME: by_hand(BY_HAND, path),
        ROW_NAME: ours(path, "row", count(key), mean("value", key)),
        "ten statistics by key and over all, unit a row": ours(path, "row", *ten_alike()),
        TEN_NAME: ours(path, "row", *ten()),
        TEN_HAND_NAME: by_hand(TEN_BY_HAND, path),
    }


def _of_units(path: str) -> dict[str, Callable[[], object]]:
    key, fifteen = ("key",), unit("unit", max_rows=15)
    return {
        BOUNDED_NAME: by_hand(BOUNDED, path),
        UNIT_NAME: ours(path, unit("unit"), *bounded()),
        FIFTEEN_NAME: ours(path, fifteen, count(key), mean("value", key)),
        "ten statistics in four groupings, 15 rows a unit": ours(path, fifteen, *ten()),
    }


def bounded() -> tuple[Aggregate, ...]:
    """Count and mean by key, 5 groups a unit, 3 rows a group."""
    limits = {"max_groups": 5, "max_rows_per_group": 3}
    return count(("key",), **limits), mean("value", ("key",), **limits)


def ours(path: str, whose: object, *aggregates: Aggregate) -> Callable[[], object]:
    """Return what counts these aggregates as a release does, from opening the file on."""
    return lambda: DuckEngine().prepare(declared(path, whose), aggregates).count(42)


def by_hand(query: str, path: str) -> Callable[[], object]:
    """Return what runs a query on the file, in a connection of its own."""

    def act() -> object:
        with duckdb.connect() as connection:
            connection.execute(f"CREATE VIEW big AS FROM '{path}'")
            connection.execute(
                "CREATE TABLE known AS SELECT 'k' || i AS key, i::INT AS position "
                "FROM range(1000) t(i)"
            )
            return connection.execute(query).fetchall()

    return act


def _in_little_memory(size: int, memory: str = "1GB") -> Section:
    """Return whether a bounded count of many rows passes in a process limited to this memory."""
    code = (
        "import resource, sys; from bench import engine as bench\n"
        "bench.ours(sys.argv[1], bench.unit('unit'), *bench.bounded())()\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code, made(folder, size)],
            env=os.environ | {"DISCREET_MEMORY": memory},
            capture_output=True,
            text=True,
            check=False,
        )
    passed = done.returncode == 0
    peak = f"{int(done.stdout):,} MB" if passed else "-"
    row = [f"{UNIT_NAME}, {size:,} rows", Cell("yes" if passed else "no", "yes", passed), peak]
    about = f"A process of its own in which DuckDB may use {memory}; it spills to the disk."
    return Section("Memory", about, ("what", "passed", "peak memory of the process"), [row])
