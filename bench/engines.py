"""One plan on every engine that is here, as ratios to DuckDB in one run: `python -m bench.engines`.

A bounded grouped count and mean, of rows whose units have ten random groups each.
"""

import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import discreet as dp
from discreet.engine.choose import engine_for

GROUPS = 1_000


def source_of(rows: int) -> pa.Table:
    random = np.random.default_rng(1)
    return pa.table(
        {
            "u": random.integers(0, rows // 10, rows),
            "g": random.integers(0, GROUPS, rows).astype("i4"),
            "v": random.random(rows) * 100,
        }
    )


def seconds(source: object, sampling: str) -> tuple[float, object]:
    """The second of two runs, and what it counts."""
    table = dp.table(
        source,
        name="t",
        unit=dp.unit("u", sampling=sampling),
        keys={"g": range(GROUPS)},
        columns={"v": dp.bounds(0, 100, step="0.01")},
    )
    limits = {"max_groups": 5, "max_rows_per_group": 3}
    asked = dp.count("g", **limits), dp.mean("v", "g", **limits)
    aggregates = tuple(a for one in asked for a in one.aggregates(table))
    for _ in range(2):
        prepared, start = engine_for(source).prepare(table, aggregates), time.perf_counter()
        found = prepared.count(7)
    return time.perf_counter() - start, [one.opened_by_the_door() for one in found]


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


def main(rows: int, names: list[str]) -> None:
    data = source_of(rows)
    first, _ = seconds(data, "native")
    print(f"{rows:,} rows\nDuckDB, its own hash    1.00  ({first:.2f} s)")
    again, expected = seconds(data, "portable")
    print(f"DuckDB, portable        {again / first:.2f}")
    for name, make in (("postgres", in_postgres), ("spark", in_spark)):
        if name in names:
            took, found = seconds(make(data), "portable")
            print(f"{name:23} {took / first:.2f}  same integers: {found == expected}")


if __name__ == "__main__":
    main(int(float(sys.argv[1])), sys.argv[2:])
