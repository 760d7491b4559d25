"""Every way to hand over rows: each makes a source of columns, or says that it cannot hold them."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

Rows = Sequence[Mapping[str, object]]
Made = tuple[object, dict[str, object]]  # a source, and how it is declared

ORDER = ("u", "k", "v", "z")


def _plain(source: object) -> Made:
    return source, {"name": "t"}


def of_arrow(table: pa.Table, _folder: Path) -> Made:
    return _plain(table)


def of_reader(table: pa.Table, _folder: Path) -> Made:
    return _plain(table.to_reader())


def of_parquet(table: pa.Table, folder: Path) -> Made:
    pq.write_table(table, folder / "t.parquet", store_schema=False)
    return _plain(folder / "t.parquet")


def of_folder(table: pa.Table, folder: Path) -> Made:
    half = table.num_rows // 2
    pq.write_table(table.slice(0, half), folder / "a.parquet")
    pq.write_table(table.slice(half), folder / "b.parquet")
    return _plain(str(folder / "*.parquet"))


def of_feather(table: pa.Table, folder: Path) -> Made:
    from pyarrow import feather

    feather.write_feather(table, folder / "t.feather")
    return _plain(folder / "t.feather")


def of_dataset(table: pa.Table, folder: Path) -> Made:
    pq.write_table(table, folder / "t.parquet")
    return _plain(ds.dataset(folder / "t.parquet"))


def of_polars(table: pa.Table, _folder: Path) -> Made:
    return _plain(pl.from_arrow(table))


def of_pandas_arrow(table: pa.Table, _folder: Path) -> Made:
    return _plain(table.to_pandas(types_mapper=pd.ArrowDtype))


def of_pandas(table: pa.Table, _folder: Path) -> Made:
    return _plain(table.to_pandas())


def of_duckdb(table: pa.Table, _folder: Path) -> Made:
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("CREATE TABLE t AS SELECT * FROM given")
    connection.unregister("given")
    return _plain(connection)


def of_view(table: pa.Table, folder: Path) -> Made:
    connection, how = of_duckdb(table, folder)
    connection.execute("CREATE VIEW w AS SELECT u, k, v, z FROM t")  # type: ignore[attr-defined]
    return connection, how | {"name": "w"}


def of_relation(table: pa.Table, folder: Path) -> Made:
    connection, how = of_duckdb(table, folder)
    return connection.sql("SELECT * FROM t"), how  # type: ignore[attr-defined]


TYPED: dict[str, Callable[[pa.Table, Path], Made]] = {
    "arrow": of_arrow, "reader": of_reader, "parquet": of_parquet, "parquets": of_folder,
    "feather": of_feather, "dataset": of_dataset, "polars": of_polars, "pandas": of_pandas,
    "pandas arrow": of_pandas_arrow, "duckdb": of_duckdb, "view": of_view, "relation": of_relation,
}  # fmt: skip


def _names(rows: Rows) -> list[str]:
    """The columns of rows, in their order; a table of a join may lack some."""
    return [name for name in ORDER if name in rows[0]]


def of_rows(rows: Rows, _folder: Path) -> Made:
    return list(rows), {"name": "t"}


def of_objects(rows: Rows, _folder: Path) -> Made:
    columns = {}
    for name in _names(rows):
        cells = np.empty(len(rows), dtype=object)
        for place, row in enumerate(rows):
            cells[place] = row[name]
        columns[name] = pd.Series(cells, dtype=object)
    return _plain(pd.DataFrame(columns))


def of_polars_objects(rows: Rows, _folder: Path) -> Made:
    return _plain(
        pl.DataFrame({n: pl.Series(n, [r[n] for r in rows], dtype=pl.Object) for n in _names(rows)})
    )


LOOSE: dict[str, Callable[[Rows, Path], Made]] = {
    "rows": of_rows, "pandas objects": of_objects, "polars objects": of_polars_objects,
}  # fmt: skip
CHOSEN = [of_pandas, of_objects]  # where the cells choose what the columns are


def _file(text: bytes, folder: Path, name: str = "t.csv") -> Path:
    (folder / name).write_bytes(text)
    return folder / name


def by_csv_lf(rows: Rows, folder: Path) -> Made:
    """Python's writer with line feeds, as many programs use it."""
    return _plain(_file(_written(rows, lineterminator="\n"), folder))


def by_csv_crlf(rows: Rows, folder: Path) -> Made:
    """Python's writer as it is."""
    return _plain(_file(_written(rows), folder))


def by_csv_all(rows: Rows, folder: Path) -> Made:
    """Every cell between quotation marks."""
    return _plain(_file(_written(rows, lineterminator="\n", quoting=csv.QUOTE_ALL), folder))


def by_pandas(rows: Rows, folder: Path) -> Made:
    pd.DataFrame(list(rows)).to_csv(folder / "t.csv", index=False)
    return _plain(folder / "t.csv")


def by_polars(rows: Rows, folder: Path) -> Made:
    pl.DataFrame(list(rows), schema=dict.fromkeys(ORDER, pl.String)).write_csv(folder / "t.csv")
    return _plain(folder / "t.csv")


def by_duckdb(rows: Rows, folder: Path) -> Made:
    connection = duckdb.connect()
    connection.register("given", pa.Table.from_pylist(list(rows)))
    connection.execute(f"COPY (SELECT * FROM given) TO '{folder / 't.csv'}' (HEADER true)")
    return _plain(folder / "t.csv")


def by_gzip(rows: Rows, folder: Path) -> Made:
    import gzip

    return _plain(_file(gzip.compress(_written(rows, lineterminator="\n")), folder, "t.csv.gz"))


def _written(rows: Rows, **how: Any) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, ORDER, **how)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode("utf-8", "surrogatepass")


WRITERS: dict[str, Callable[[Rows, Path], Made]] = {
    "csv LF": by_csv_lf, "csv CRLF": by_csv_crlf, "csv quoted": by_csv_all, "csv by pandas": by_pandas,
    "csv by polars": by_polars, "csv by duckdb": by_duckdb, "csv gz": by_gzip,
}  # fmt: skip


def of_lines(lines: Sequence[bytes], folder: Path, end: bytes) -> Made:
    """A CSV file of lines as they are."""
    return _plain(_file(end.join([b"u,k,v,z", *lines, b""]), folder))
