"""Every way to hand the same rows to an engine, and the reference with DuckDB's own hash."""

import csv
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.aggregate import Aggregate
from discreet.engine import reading
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.memory import MemoryEngine
from property.strategies import declared

Rows = Sequence[dict[str, object]]
NAMES = ("who", "ward", "floor", "cost", "age")
NUMBERS = {"floor", "cost", "age"}  # in a source that has types, text is no number
SCHEMA = pa.schema([(name, pa.float64() if name in NUMBERS else pa.string()) for name in NAMES])

_HASHER = duckdb.connect()
_SHARED = duckdb.connect()


@cache
def _hashed(content: tuple[tuple[type, object], ...]) -> int:
    marks = "".join(", ?" for _ in content[2:])
    query = f"SELECT hash(hash(?::UBIGINT, ?::UHUGEINT{marks}))"
    return int(_HASHER.execute(query, [value for _, value in content]).fetchall()[0][0])


def native_hash(salt: int, unit: str, *content: object) -> int:
    """DuckDB's hash, as its engine asks for it: over the salt, the digest of a unit, and content."""
    found = (salt, _digest(salt, unit), *content)
    return _hashed(tuple((type(value), value) for value in found))


@cache
def _digest(salt: int, unit: str) -> int:
    query = "SELECT md5_number(lpad(?::UBIGINT::VARCHAR, 20, '0') || ?)"
    return int(_HASHER.execute(query, [salt, unit]).fetchall()[0][0])


REFERENCE = MemoryEngine(hash_of=native_hash)


def opened(found) -> list[tuple[int, ...]]:
    """The private integers: tests may look at them."""
    return [one.opened_by_the_door() for one in found]


def by_memory(rows: Rows, aggregates: tuple[Aggregate, ...], salt: int = 0, **how):
    """What the reference says."""
    return opened(REFERENCE.prepare(declared(list(rows), **how), aggregates).count(salt))


def by_duckdb(source: object, aggregates: tuple[Aggregate, ...], salt: int = 0, **how):
    """What DuckDB says."""
    return opened(DuckEngine().prepare(declared(source, **how), aggregates).count(salt))


def quickly(rows: Rows, aggregates: tuple[Aggregate, ...], salt: int = 0, **how):
    """What DuckDB says of a table in a database that is open already."""
    given = arrow(rows)
    _SHARED.register("given", given)
    _SHARED.execute("CREATE OR REPLACE TABLE t AS SELECT * FROM given")
    _SHARED.unregister("given")
    return by_duckdb(_SHARED, aggregates, salt, **how)


def arrow(rows: Rows) -> pa.Table:
    numbers = ({name: reading.number(row[name]) for name in NUMBERS} for row in rows)
    typed = [{**row, **found} for row, found in zip(rows, numbers, strict=True)]
    return pa.Table.from_pylist(typed, schema=SCHEMA)


def polars(rows: Rows, _folder: Path) -> object:
    import polars as pl

    return pl.from_arrow(arrow(rows))


def pandas(rows: Rows, _folder: Path) -> object:
    return arrow(rows).to_pandas()


def pandas_objects(rows: Rows, _folder: Path) -> object:
    import pandas as pd

    return pd.DataFrame({name: pd.Series([r[name] for r in rows], dtype=object) for name in NAMES})


def connection(rows: Rows, _folder: Path) -> object:
    found = duckdb.connect()
    given = arrow(rows)
    found.register("given", given)
    found.execute("CREATE TABLE t AS SELECT age, cost, floor, ward, who FROM given")
    return found


def parquet(rows: Rows, folder: Path) -> object:
    pq.write_table(arrow(rows), folder / "one.parquet")
    return folder / "one.parquet"


def parquets(rows: Rows, folder: Path) -> object:
    """Several files, the columns of each in another order, found by a glob."""
    for number in range(3):
        order = [*NAMES[number:], *NAMES[:number]]
        part = arrow(rows[number::3]).select(order)
        pq.write_table(part, folder / f"part {number}'s.parquet", row_group_size=2)
    return str(folder / "part*.parquet")


def one_csv(rows: Rows, folder: Path) -> object:
    return _written(rows, folder / "one.csv", NAMES, ",")


def csvs(rows: Rows, folder: Path) -> object:
    """Several files, two of them with another order of columns and another separator."""
    return [
        _written(rows[0::3], folder / "a;b.csv", NAMES, ","),
        str(_written(rows[1::3], folder / "[c].csv", NAMES[::-1], "|")),
        _written(rows[2::3], folder / "d.csv", NAMES[::-1], "|"),
    ]


def _written(rows: Rows, path: Path, order: Sequence[str], separator: str) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, order, delimiter=separator)
        writer.writeheader()
        writer.writerows(rows)
    return path


SOURCES = (
    *(polars, pandas, pandas_objects, connection, parquet, parquets),
    *(one_csv, csvs),
)
