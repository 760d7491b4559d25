"""How fast the DuckDB engine is, as ratios to queries written by hand, in one run.

`rows()` returns plain rows; `python bench/engine.py [--quick]` prints them. The data are made by
DuckDB: Zipf-like units, 1,000 keys, one state, two floats. CPU seconds of the process, medians.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb

from discreet.aggregate import Aggregate, Bins, Measure, Sensitivity
from discreet.engine.duck import DuckEngine
from discreet.schema import Table, bounds, table, unit

ONE = Sensitivity(1, 1, 1)  # the engine does not look at it
KEYS = [f"k{number}" for number in range(1000)]
STATES = list(range(50))

GRID = """CASE WHEN value <= 'Infinity'::DOUBLE THEN
    CAST(FLOOR(GREATEST(LEAST(value * 100, 100000.0), 0.0) + 0.5) AS BIGINT) END"""
BY_HAND = (
    f"SELECT key, COUNT(*), COUNT(q), SUM(q) FROM (SELECT key, {GRID} AS q FROM big) GROUP BY key"
)
PLAIN = "SELECT key, COUNT(*), SUM(value) FROM big GROUP BY key"
BOUNDED = f"""
    WITH own AS (SELECT unit AS u, position AS g, {GRID} AS q FROM big JOIN known USING (key)),
    chosen AS (SELECT * FROM (SELECT *, DENSE_RANK() OVER (
        PARTITION BY u ORDER BY hash(42::UBIGINT, u, g), g) AS d FROM own) WHERE d <= 5),
    few AS (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (
        PARTITION BY u, g ORDER BY hash(42::UBIGINT, u, g, q), q) AS r FROM chosen) WHERE r <= 3)
    SELECT g, COUNT(*), COUNT(q), SUM(q) FROM few GROUP BY g"""


def made(folder: str, size: int) -> str:
    """Make the data and return the path of the database."""
    path = f"{folder}/big.duckdb"
    connection = duckdb.connect(path)
    connection.execute(f"""CREATE TABLE big AS SELECT
        CAST(FLOOR(POW(random(), 3) * {size // 10}) AS BIGINT) AS unit,
        'k' || CAST(FLOOR(POW(random(), 1.5) * 1000) AS INT) AS key,
        CAST(FLOOR(random() * 50) AS INT) AS state,
        random() * 1200 - 100 AS value, random() * 100 AS age
        FROM range({size})""")
    connection.execute(
        "CREATE TABLE known AS SELECT 'k' || i AS key, i::INT AS position FROM range(1000) t(i)"
    )
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


def mean(column: str, by: tuple[str, ...], **limits: int) -> Aggregate:
    """Count and centered sum, as a mean asks for them."""
    measures = (Measure("cells", column, 2, -1000), Measure("cells", column, 0, 1))
    return Aggregate(by, measures, ONE, **limits)


def count(by: tuple[str, ...], bins: Bins | None = None, **limits: int) -> Aggregate:
    """Count rows."""
    return Aggregate(by, (Measure("rows"),), ONE, bins, **limits)


def total(column: str, by: tuple[str, ...], **limits: int) -> Aggregate:
    """Sum a column."""
    return Aggregate(by, (Measure("cells", column, 1, 0),), ONE, **limits)


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


def side_by_side(acts: dict[str, Callable[[], object]], times: int) -> dict[str, float]:
    """Return median CPU seconds; the acts take turns, so that a busy machine slows all alike."""
    taken: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(times):
        for name, act in acts.items():
            taken[name].append(cpu(act))
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def rows(size: int = 10_000_000, times: int = 5) -> list[dict[str, object]]:
    """Return what was measured: name, CPU seconds, what it is compared with, ratio, goal."""
    with tempfile.TemporaryDirectory() as folder:
        path = made(folder, size)
        connection = duckdb.connect(path)

        def ours(whose: object, *aggregates: Aggregate) -> Callable[[], object]:
            return lambda: DuckEngine().prepare(declared(connection, whose), aggregates).count(42)

        def by_hand(query: str) -> Callable[[], object]:
            return lambda: connection.execute(query).fetchall()

        key, limits = ("key",), {"max_groups": 5, "max_rows_per_group": 3}
        person = unit("unit")
        fast = side_by_side(
            {
                "plain float group-by": by_hand(PLAIN),
                "exact by hand": by_hand(BY_HAND),
                "count and mean by key, unit a row": ours("row", count(key), mean("value", key)),
                "ten statistics by key and over all, unit a row": ours("row", *ten_alike()),
                "ten statistics in four groupings, unit a row": ours("row", *ten()),
                "the same ten, one query each": lambda: [ours("row", one)() for one in ten()],
            },
            times,
        )
        slow = side_by_side(
            {
                "exact bounded by hand": by_hand(BOUNDED),
                "count and mean by key, unit bounded": ours(
                    person, count(key, **limits), mean("value", key, **limits)
                ),
                "ten statistics, unit max_rows=15": ours(unit("unit", max_rows=15), *ten()),
                "count and mean by key, unit max_rows=15": ours(
                    unit("unit", max_rows=15), count(key), mean("value", key)
                ),
            },
            max(1, times // 2),
        )
        connection.close()
    seconds = fast | slow
    compared = [
        ("exact by hand", "plain float group-by", None),
        ("count and mean by key, unit a row", "exact by hand", 1.2),
        ("count and mean by key, unit a row", "plain float group-by", None),
        (
            "ten statistics by key and over all, unit a row",
            "count and mean by key, unit a row",
            2.0,
        ),
        ("ten statistics in four groupings, unit a row", "count and mean by key, unit a row", None),
        ("ten statistics in four groupings, unit a row", "the same ten, one query each", None),
        ("count and mean by key, unit bounded", "exact bounded by hand", 1.2),
        ("ten statistics, unit max_rows=15", "count and mean by key, unit max_rows=15", 2.0),
    ]
    return [
        {
            "what": what,
            "cpu_seconds": round(seconds[what], 3),
            "beside": beside,
            "beside_seconds": round(seconds[beside], 3),
            "ratio": round(seconds[what] / seconds[beside], 2),
            "goal": goal,
        }
        for what, beside, goal in compared
    ]


def in_little_memory(size: int = 30_000_000, memory: str = "1GB") -> dict[str, object]:
    """Return whether a bounded count of many rows passes in a process limited to this memory."""
    code = (
        "import sys, resource; sys.path.insert(0, sys.argv[1]); import engine as bench\n"
        "engine = bench.DuckEngine()\n"
        "table = bench.declared(sys.argv[2], bench.unit('unit'))\n"
        "limits = {'max_groups': 5, 'max_rows_per_group': 3}\n"
        "asked = bench.count(('key',), **limits), bench.mean('value', ('key',), **limits)\n"
        "engine.prepare(table, asked).count(42)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/big.parquet"
        connection = duckdb.connect(made(folder, size))
        connection.execute(f"COPY big TO '{path}'")
        connection.close()
        done = subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parent), path],
            env=os.environ | {"DISCREET_MEMORY": memory},
            capture_output=True,
            text=True,
            check=False,
        )
    return {
        "what": f"{size:,} bounded rows, DuckDB limited to {memory}",
        "passed": done.returncode == 0,
        "peak_mb": int(done.stdout or 0),
    }


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one million rows, no memory run")
    quick = parser.parse_args().quick
    for row in rows(1_000_000, 3) if quick else rows():
        goal = f"(goal {row['goal']})" if row["goal"] else ""
        print(
            f"{row['what']:48} {row['cpu_seconds']:7} s = {row['ratio']:5} x {row['beside']} {goal}"
        )
    if not quick:
        print(in_little_memory())


if __name__ == "__main__":
    main()
