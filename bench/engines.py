"""One plan on every engine that is here, as ratios to DuckDB in one run: `python -m bench.engines`.

A bounded grouped count and mean, of rows whose units have ten random groups each. Beside each
engine stands the query that someone who knows it would write by hand, with its own quick hash.
Judged are seconds of CPU of the process that counts (of Spark those of the clock), so that other
work on the machine falsifies little.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import discreet as dp
from discreet.aggregate import Aggregate
from discreet.engine.choose import engine_for
from discreet.schema import Table

GROUPS = 1_000
BY_HAND = """
    WITH own AS (SELECT u, g, CAST(FLOOR(LEAST(GREATEST(v, 0), 100) * 100 + 0.5) AS BIGINT) AS q
        FROM t WHERE g BETWEEN 0 AND 999),
    chosen AS (SELECT * FROM (SELECT *, DENSE_RANK() OVER (
        PARTITION BY u ORDER BY {group}, g) AS d FROM own) AS a WHERE d <= 5),
    few AS (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (
        PARTITION BY u, g ORDER BY {row}, q) AS r FROM chosen) AS b WHERE r <= 3)
    SELECT g, COUNT(*), COUNT(q), SUM(q) FROM few GROUP BY g"""
HASHES = {
    "DuckDB": ("hash(42, u, g)", "hash(42, u, g, q)"),
    "postgres": ("hashint8extended(u, g)", "hashint8extended(q, u + g)"),
    "spark": ("xxhash64(42, u, g)", "xxhash64(42, u, g, q)"),
}


def source_of(rows: int) -> pa.Table:
    random = np.random.default_rng(1)
    return pa.table(
        {
            "u": random.integers(0, rows // 10, rows),
            "g": random.integers(0, GROUPS, rows).astype("i4"),
            "v": random.random(rows) * 100,
        }
    )


def used(source: object) -> float:
    """The seconds that the process that counts has used so far; of Spark those of the clock."""
    if hasattr(source, "sparkSession"):
        return time.perf_counter()
    pid = source.info.backend_pid if hasattr(source, "info") else os.getpid()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


LIMITS = {"max_groups": 5, "max_rows_per_group": 3}


def asked(
    source: object, sampling: str, limits: Mapping[str, int] = LIMITS
) -> tuple[Table, tuple[Aggregate, ...]]:
    """A count and a mean by group, of units that are limited; without limits of rows."""
    table = dp.table(
        source,
        name="t",
        unit=dp.unit("u", sampling=sampling) if limits else "row",
        keys={"g": range(GROUPS)},
        columns={"v": dp.bounds(0, 100, step="0.01")},
    )
    both = dp.count("g", **limits), dp.mean("v", "g", **limits)
    aggregates = tuple(a for one in both for a in one.aggregates(table))
    return table, aggregates


def seconds(
    source: object, sampling: str, limits: Mapping[str, int] = LIMITS
) -> tuple[float, object]:
    """The second of two runs, and what it counts."""
    table, aggregates = asked(source, sampling, limits)
    for _ in range(2):
        prepared, start = engine_for(source).prepare(table, aggregates), used(source)
        found = prepared.count(7)
    return used(source) - start, [one.opened_by_the_door() for one in found]


def hand_query(name: str) -> str:
    group, row = HASHES[name]
    return BY_HAND.format(group=group, row=row)


def second_of_two(source: object, act: Callable[[], object]) -> float:
    for _ in range(2):
        start = used(source)
        act()
    return used(source) - start


def by_hand(name: str, source: object) -> float:
    """The seconds of the second of two runs of the query by hand, in the engine's own way."""
    query = hand_query(name)
    if name == "postgres":
        return second_of_two(source, lambda: source.execute(query).fetchall())  # type: ignore[attr-defined]
    if name == "spark":
        source.createOrReplaceTempView("t")  # type: ignore[attr-defined]
        session = source.sparkSession  # type: ignore[attr-defined]
        return second_of_two(source, lambda: session.sql(query).collect())
    with duckdb.connect() as connection:
        connection.register("t", source)
        return second_of_two(source, lambda: connection.execute(query).fetchall())


def in_postgres(data: pa.Table) -> object:
    from servers import filled

    rows = zip(*(data[name].to_pylist() for name in "ugv"), strict=True)
    source = filled({"u": "bigint", "g": "int", "v": "double precision"}, rows)
    source.execute("ANALYZE t")
    return source


def in_spark(data: pa.Table) -> object:
    import tempfile

    import pyarrow.parquet as pq

    from servers import spark

    path = f"{tempfile.mkdtemp()}/t.parquet"
    pq.write_table(data, path)
    return spark().read.parquet(path)


def print_costs(rows: int, names: list[str]) -> None:
    """Print microseconds a row: what `discreet.engine.cost` tells before a count."""
    data = source_of(rows)
    few = [
        dict(zip("ugv", row, strict=True))
        for row in zip(*data.slice(0, 100_000).to_pydict().values(), strict=True)
    ]
    made = {
        "duckdb": lambda: data,
        "memory": lambda: few,
        "postgres": lambda: in_postgres(data),
        "spark": lambda: in_spark(data),
    }
    for name in names:
        source = made[name]()
        size = 100_000 if name == "memory" else rows
        for words, sampling, limits in (
            ("all rows stay", "native", {}),
            ("some are chosen", "native", LIMITS),
            ("by the portable hash", "portable", LIMITS),
        ):
            if (name, sampling, bool(limits)) == ("spark", "native", True):
                continue
            took, _ = seconds(source, sampling, limits)
            print(f"{name:9} {words:21} {1e6 * took / size:.2f} microseconds a row")


def main(rows: int, names: list[str]) -> None:
    data = source_of(rows)
    first, _ = seconds(data, "native")
    hand = by_hand("DuckDB", data)
    print(
        f"{rows:,} rows\nDuckDB, its own hash    1.00  ({first:.2f} s), {first / hand:.2f} by hand"
    )
    again, expected = seconds(data, "portable")
    print(f"DuckDB, portable        {again / first:.2f}, {again / hand:.2f} by hand")
    for name, make in (("postgres", in_postgres), ("spark", in_spark)):
        if name in names:
            source = make(data)
            hand = by_hand(name, source)
            if name == "postgres":
                own, _ = seconds(source, "native")
                print(f"postgres, its own hash  {own / first:.2f}, {own / hand:.2f} by hand")
            took, found = seconds(source, "portable")
            same = f"same integers: {found == expected}"
            print(f"{name:23} {took / first:.2f}, {took / hand:.2f} by hand; {same}")


if __name__ == "__main__":
    act = print_costs if sys.argv[1] == "cost" else main
    rest = sys.argv[2:] if sys.argv[1] == "cost" else sys.argv[1:]
    act(int(float(rest[0])), rest[1:])
