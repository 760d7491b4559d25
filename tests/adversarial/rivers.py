"""A small real river for adversarial tests: data, a declaration, a plan and a ledger.

Rules of this module:
- real parts only: the engines, the ledger file and the coins are those that are shipped;
- the data is small, so that a thousand rivers take seconds.
"""

import csv
from collections.abc import Sequence
from pathlib import Path

import discreet as dp
from discreet.engine import reading
from discreet.ledgers.book import Book
from discreet.ledgers.file import Ledger
from discreet.plans.plan import Plan
from discreet.schema import Table
from servers import filled

Rows = Sequence[dict[str, object]]
ROWS: Rows = [{"who": f"p{i // 2}", "ward": "AB"[i % 2], "cost": f"{i % 50}"} for i in range(60)]
KINDS = ("rows", "csv", "csvs", "parquet", "frame", "connection", "postgres")


def source_of(kind: str, folder: Path, rows: Rows = ROWS) -> object:
    """The same rows as one kind of source; the first of KINDS is read by the reference engine.

    A source that has types holds the costs as numbers: text is refused there. Without a PostgreSQL
    server the test that asks for one skips.
    """
    if kind == "rows":
        return list(rows)
    if kind in ("csv", "csvs"):
        parts = 1 if kind == "csv" else 2
        return [in_csv(rows[at::parts], folder / f"visits {at}.csv") for at in range(parts)]
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    typed = [{**row, "cost": reading.number(row["cost"])} for row in rows]
    if kind == "postgres":
        columns = {name: "float8" if name == "cost" else "text" for name in rows[0]}
        return filled(columns, [[*row.values()] for row in typed], name="visits")
    kinds = [(name, pa.float64() if name == "cost" else pa.string()) for name in rows[0]]
    frame = pa.Table.from_pylist(typed, schema=pa.schema(kinds))
    if kind == "frame":
        return frame
    if kind == "parquet":
        pq.write_table(frame, folder / "visits.parquet")
        return folder / "visits.parquet"
    connection = duckdb.connect()
    connection.register("given", frame)
    connection.execute("CREATE TABLE visits AS SELECT * FROM given")
    connection.unregister("given")
    return connection


def in_csv(rows: Rows, path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def declared(source: object, *, neighbors: str = "add_remove", vouched: str | None = None) -> Table:
    """The declaration that fits the rows: a person with at most two of them."""
    return dp.table(
        source,
        name="visits",
        unit=dp.unit("who", max_rows=2),
        columns={"cost": dp.bounds(0, 50, step=1)},
        keys={"ward": ["A", "B", "C"]},
        neighbors=neighbors,
        vouched=vouched,
    )


def planned(source: object, spend: object = "1/10", *, vouched: str | None = None) -> Plan:
    """Two questions, so that rows and cells are used; `spend` is a rho or a loss."""
    loss = dp.zcdp(spend) if isinstance(spend, str) else spend
    table = declared(source, vouched=vouched)
    return dp.plan(table, dp.count(by="ward"), dp.mean("cost", by="ward"), spend=loss)


def started(folder: Path, *, rho: int | str = 1, name: str = "visits.ledger") -> Ledger:
    """A new ledger."""
    return dp.ledger(folder / name, budget=dp.zcdp(rho), subject="visits")


def kinds_of(book: Book) -> list[str]:
    """What stands in the book, in order: charge, result or void."""
    return [entry.kind for entry in book.entries]


def integers(release: object) -> list[list[int]]:
    """The noisy integers of a release, vector by vector."""
    found = release.document.statistics
    return [vector.noisy for released in found for vector in released.vectors]


class Torn(list):
    """Rows that can be gone through once; the second time they end in an error, which quotes one."""

    __slots__ = ("is_used",)

    def __iter__(self):
        if hasattr(self, "is_used"):
            raise ValueError(str(self[0]))
        self.is_used = True
        return super().__iter__()
