"""More rows than memory: `nice python -m bench.large 1e8 duckdb spark --memory 2GB`.

A bounded grouped count and mean, of units with ten random groups each, from Parquet files in a
private folder, which is deleted. Each engine gets as much memory as is said, else DuckDB 2 GB and
Spark, with two workers, 6 GB. Each runs in a process of its own, whose time, memory and disk are
printed; the integers must be the same, but with `spark:native` rows are chosen by the engine's own
hash, and others stay.
"""

import argparse
import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from discreet.engine.select_engine import engine_for

from .engines import GROUPS, asked, spark_session, used

PARTS = 20
MEMORY = {"duckdb": "2GB", "spark": "6g"}


def make(folder: str, rows: int) -> None:
    """Write Parquet files of rows that follow from their number alone."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET memory_limit = '1GB'; SET threads = 2")
    part = rows // PARTS
    for number in range(PARTS):
        connection.execute(
            f"""COPY (SELECT (hash(n, 1) % {rows // 10})::BIGINT AS u,
            (hash(n, 2) % {GROUPS})::INT AS g, (hash(n, 3) % 100000) / 1000.0 AS v
            FROM range({number * part}, {(number + 1) * part}) t(n))
            TO '{folder}/{number}.parquet'"""
        )


def source_of(engine: str, folder: str, memory: str) -> object:
    if engine == "duckdb":
        os.environ["DISCREET_MEMORY"] = memory
        return f"{folder}/*.parquet"
    of_java = memory.lower().removesuffix("b")  # which knows 6g and no 6GB
    session = spark_session(f"{folder}/scratch", of_java)
    return session.read.parquet(*(f"{folder}/{number}.parquet" for number in range(PARTS)))


def count(engine: str, folder: str, sampling: str, memory: str) -> None:
    """Count, and print the seconds and a digest of the integers."""
    source = source_of(engine, folder, memory)
    table, aggregates = asked(source, sampling)
    prepared = engine_for(source).prepare(table, aggregates)
    start, before = time.perf_counter(), used(source)
    found = [one.opened_by_the_door() for one in prepared.count(7)]
    taken, of_cpu = time.perf_counter() - start, used(source) - before
    digest = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
    print(f"{taken:.0f} s, {of_cpu:.0f} s of CPU, integers {digest}", end="")


def largest(folder: str, ended: threading.Event) -> list[int]:
    """Watch how many bytes a folder holds, and return the most, as a list of one."""
    most = [0]

    def watch() -> None:
        while not ended.wait(2):
            sizes = []
            for path in Path(folder).rglob("*"):
                try:
                    sizes.append(path.stat().st_size if path.is_file() else 0)
                except OSError:
                    continue
            most[0] = max(most[0], sum(sizes))

    threading.Thread(target=watch, daemon=True).start()
    return most


def main(rows: int, engines: list[str], memory: str | None) -> None:
    folder = tempfile.mkdtemp(prefix="large-")
    os.environ["TMPDIR"] = folder
    try:
        make(folder, rows)
        size = sum(path.stat().st_size for path in Path(folder).glob("*.parquet"))
        print(f"{rows:,} rows, {size / 1e9:.1f} GB of Parquet", flush=True)
        for engine in engines:
            name, _, sampling = engine.partition(":")
            given = memory or MEMORY[name]
            ended = threading.Event()
            most = largest(folder, ended)
            act = [
                sys.executable,
                "-m",
                "bench.large",
                "count",
                name,
                folder,
                sampling or "portable",
                given,
            ]
            print(f"{engine} in {given}: ", end="", flush=True)
            ending = subprocess.run(act, check=False, stderr=subprocess.DEVNULL).returncode
            ended.set()
            print("did not end" if ending else "", end="")
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
            print(
                f", {used:.1f} GB of memory, {(most[0] - size) / 1e9:.1f} GB beside the data",
                flush=True,
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def asked_for() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=lambda typed: int(float(typed)), help="as 1e8")
    parser.add_argument("engines", nargs="+", help="duckdb or spark, or duckdb:native")
    parser.add_argument("--memory", help="of each engine, as 512MB")
    return parser.parse_args()


if __name__ == "__main__":
    if sys.argv[1:2] == ["count"]:  # in a process of its own
        count(*sys.argv[2:])
    else:
        main(**vars(asked_for()))
