"""One plan on every engine that is here, as ratios to DuckDB in one run: `python -m bench.engines`.

A bounded grouped count and mean, of rows whose units have ten random groups each. Beside each
engine stands the query that someone who knows it would write by hand, with its own quick hash.
Judged are seconds of CPU of the process that counts, of Spark of its two workers together, so that
other work on the machine falsifies little; of Spark those after the first runs, which it compiles.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import discreet as dp
from discreet.aggregate import Aggregate
from discreet.engine.select_engine import engine_for
from discreet.schema import Table

GROUPS, FEW, TURNS = 1_000, 100_000, 5  # rows of a list in memory; turns that are judged
BY_HAND = """
    WITH own AS (SELECT u, g, CAST(FLOOR(LEAST(GREATEST(v, 0), 100) * 100 + 0.5) AS BIGINT) AS q
        FROM t WHERE g BETWEEN 0 AND 999),
    chosen AS (SELECT * FROM (SELECT *, DENSE_RANK() OVER (
        PARTITION BY u ORDER BY {group}, g) AS d FROM own) AS a WHERE d <= 5),
    few AS (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (
        PARTITION BY u, g ORDER BY {row}, q) AS r FROM chosen) AS b WHERE r <= 3)
    SELECT g, COUNT(*), COUNT(q), SUM(q) FROM few GROUP BY g"""
ON_DUCKDB = """
    WITH own AS (SELECT u, g, CAST(FLOOR(LEAST(GREATEST(v, 0), 100) * 100 + 0.5) AS BIGINT) AS q
        FROM t WHERE g BETWEEN 0 AND 999),
    few AS MATERIALIZED (SELECT u, g, q, r - d AS m FROM (SELECT *,
        DENSE_RANK() OVER (PARTITION BY u ORDER BY {group}, g) AS d,
        ROW_NUMBER() OVER (PARTITION BY u ORDER BY {group}, g) AS r FROM own) WHERE d <= 5),
    often AS MATERIALIZED (SELECT DISTINCT u FROM few WHERE m >= 3),
    kept AS (SELECT g, q FROM few ANTI JOIN often USING (u) UNION ALL
        SELECT g, q FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY u, g ORDER BY {row}, q) AS n
            FROM few SEMI JOIN often USING (u)) WHERE n <= 3)
    SELECT g, COUNT(*), COUNT(q), SUM(q) FROM kept GROUP BY g"""
ON_POSTGRES = """
    WITH own AS (SELECT u, g, CAST(FLOOR(LEAST(GREATEST(v, 0), 100) * 100 + 0.5) AS INT) AS q
        FROM t WHERE g BETWEEN 0 AND 999),
    few AS MATERIALIZED (SELECT u, g, q, r - d AS m FROM (SELECT *,
        DENSE_RANK() OVER (PARTITION BY u ORDER BY {group}, g) AS d,
        ROW_NUMBER() OVER (PARTITION BY u ORDER BY {group}, g) AS r FROM own) AS a WHERE d <= 5),
    often AS MATERIALIZED (SELECT DISTINCT u FROM few WHERE m >= 3),
    kept AS (SELECT g, q FROM few WHERE u NOT IN (SELECT u FROM often) UNION ALL
        SELECT g, q FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY u, g ORDER BY {row}, q) AS n
            FROM few WHERE u IN (SELECT u FROM often)) AS b WHERE n <= 3)
    SELECT g, COUNT(*), COUNT(q), SUM(q) FROM kept GROUP BY g"""
TEXTS = {"duckdb": ON_DUCKDB, "postgres": ON_POSTGRES}
HASHES = {
    "duckdb": ("hash(42, u, g)", "hash(42, u, g, q)"),
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
    """The seconds that the process that counts has used so far."""
    if hasattr(source, "info"):
        one = Path(f"/proc/{source.info.backend_pid}/schedstat")  # of one thread
        return int(one.read_text().split()[0]) / 1e9
    if not hasattr(source, "sparkSession"):
        return time.process_time()
    here = os.getpid()
    begun = Path(f"/proc/{here}/task/{here}/children").read_text().split()
    java = next(p for p in begun if Path(f"/proc/{p}/comm").read_text() == "java\n")
    fields = Path(f"/proc/{java}/stat").read_text().rpartition(")")[2].split()
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


def counter(
    source: object, sampling: str, limits: Mapping[str, int] = LIMITS
) -> Callable[[], object]:
    """What counts the source once."""
    table, aggregates = asked(source, sampling, limits)

    def count() -> object:
        found = engine_for(source).prepare(table, aggregates).count(7)
        return [one.opened_by_the_door() for one in found]

    return count


def by_hand(name: str, source: Any) -> Callable[[], object]:
    """What runs the query by hand once, in the engine's own way."""
    group, row = HASHES[name]
    query = TEXTS.get(name, BY_HAND).format(group=group, row=row)
    if name == "postgres":
        return lambda: source.execute(query).fetchall()
    if name == "spark":
        source.createOrReplaceTempView("t")
        return lambda: source.sparkSession.sql(query).collect()
    connection = duckdb.connect()
    connection.register("t", source)
    return lambda: connection.execute(query).fetchall()


def least(
    source: object, *acts: Callable[[], object], turns: int = TURNS, first: int = 2
) -> list[float]:
    """The least seconds of each act: they take turns, of which the first ones are not judged."""
    taken: list[list[float]] = [[] for _ in acts]
    for _ in range(turns + first):
        for found, act in zip(taken, acts, strict=True):
            start = used(source)
            act()
            found.append(used(source) - start)
    return [min(found[first:]) for found in taken]


def in_postgres(data: pa.Table) -> object:
    from servers import connected

    source = connected()
    copied(source, "t", data)
    for alone in ("max_parallel_workers_per_gather = 0", "jit = off"):
        source.execute(f"SET {alone}")  # `used` sees one process; by hand JIT gained nothing
    return source


def copied(source: Any, name: str, data: pa.Table) -> None:
    """Put the rows into a new table of a server, and have it look at them."""
    from pyarrow import csv

    types = {"int64": "bigint", "int32": "int", "double": "double precision"}
    listed = ", ".join(f'"{field.name}" {types[str(field.type)]}' for field in data.schema)
    source.execute(f'CREATE TABLE "{name}" ({listed})')
    plain = csv.WriteOptions(include_header=False)
    with source.cursor() as cursor, cursor.copy(f'COPY "{name}" FROM STDIN (FORMAT csv)') as copy:
        for batch in data.to_batches(max_chunksize=100_000):
            buffer = pa.BufferOutputStream()
            csv.write_csv(batch, buffer, plain)
            copy.write(buffer.getvalue().to_pybytes())
    source.execute(f'ANALYZE "{name}"')


def spark_session(folder: str, memory: str) -> Any:
    """A session of two workers in this process, as Spark is by itself."""
    from servers import session_of

    session = session_of(folder, "local[2]", {"spark.driver.memory": memory})
    session.sparkContext.setLogLevel("ERROR")
    return session


def in_spark(data: pa.Table, folder: str, name: str = "t") -> Any:
    import pyarrow.parquet as pq

    path = f"{folder}/{name}.parquet"
    pq.write_table(data, path)
    return spark_session(folder, "3g").read.parquet(path)


def sources(data: pa.Table, names: list[str], folder: str) -> Iterator[tuple[str, object]]:
    """Each engine's source, made when its turn comes."""
    few = data.slice(0, FEW).to_pylist() if "memory" in names else None
    made: dict[str, Callable[[], object]] = {
        "duckdb": lambda: data,
        "memory": lambda: few,
        "postgres": lambda: in_postgres(data),
        "spark": lambda: in_spark(data, folder),
    }
    for name in names:
        yield name, made[name]()


def print_costs(rows: int, names: list[str]) -> None:
    """Print microseconds a row: what `discreet.engine.cost` tells before a count."""
    with tempfile.TemporaryDirectory(prefix="engines-") as folder:
        for name, source in sources(source_of(rows), names, folder):
            size = FEW if name == "memory" else rows
            hows = ("native", {}), ("native", LIMITS), ("portable", LIMITS)
            acts = (counter(source, sampling, limits) for sampling, limits in hows)
            found = least(source, *acts, turns=3)
            words = ("all rows stay", "some are chosen", "by the portable hash")
            for said, took in zip(words, found, strict=True):
                print(f"{name:9} {said:21} {1e6 * took / size:.2f} microseconds a row", flush=True)


def main(rows: int, names: list[str]) -> None:
    data, first, expected = source_of(rows), 0.0, None
    print(f"{rows:,} rows; seconds, times DuckDB's own hash, times the query by hand")
    with tempfile.TemporaryDirectory(prefix="engines-") as folder:
        for name, source in sources(data, ["duckdb", *names], folder):
            own, portable = (counter(source, sampling) for sampling in ("native", "portable"))
            found = portable()
            expected = expected or found
            hand, *each = least(source, by_hand(name, source), own, portable)
            first = first or each[0]
            for said, took in zip(("its own hash", "portable"), each, strict=True):
                ratios = f"{took:6.2f} s  {took / first:5.2f}  {took / hand:5.2f}"
                print(
                    f"{name:9} {said:13} {ratios}  same integers: {found == expected}", flush=True
                )


if __name__ == "__main__":
    act = print_costs if sys.argv[1] == "cost" else main
    rest = sys.argv[2:] if sys.argv[1] == "cost" else sys.argv[1:]
    act(int(float(rest[0])), rest[1:])
