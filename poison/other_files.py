"""Writers of other programs' files: workbooks, databases, JSON lines, ORC, Avro."""

import datetime as dt
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

Write = Callable[[pd.DataFrame, Path], None]


def rows_of(frame: pd.DataFrame) -> list[list[Any]]:
    """Rows of plain cells; None where one is missing."""

    def plain(cell: Any) -> Any:
        if cell is None or cell is pd.NaT or (isinstance(cell, float) and cell != cell):
            return None
        return cell.item() if hasattr(cell, "item") else cell

    return [[*map(plain, row)] for row in frame.astype(object).itertuples(index=False)]


def xlsx_by_openpyxl(frame: pd.DataFrame, path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in ([*frame.columns], *rows_of(frame)):
        book.active.append(row)
    book.save(path)


def _as_days(book: Any) -> Any:
    return book.add_format({"num_format": "yyyy-mm-dd"})


def xlsx_by_xlsxwriter(frame: pd.DataFrame, path: Path) -> None:
    """Numbers as they are, infinite ones as errors; days in the format of days."""
    import xlsxwriter

    book = xlsxwriter.Workbook(
        str(path), {"nan_inf_to_errors": True, "default_date_format": "yyyy-mm-dd"}
    )
    sheet = book.add_worksheet("of rows")
    for number, row in enumerate(([*frame.columns], *rows_of(frame))):
        sheet.write_row(number, 0, row)
    book.close()


def xlsx_of_days(frame: pd.DataFrame, path: Path) -> None:
    """Every number of the column x in the format of days, whatever day it is."""
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path), {"nan_inf_to_errors": True})
    sheet, place = book.add_worksheet(), [*frame.columns].index("x") if "x" in frame else -1
    days = _as_days(book)
    for number, row in enumerate(([*frame.columns], *rows_of(frame))):
        sheet.write_row(number, 0, row)
        if number and isinstance(row[place], (int, float)):
            sheet.write_number(number, place, row[place], days)
    book.close()


def xls(frame: pd.DataFrame, path: Path) -> None:
    import xlwt

    book = xlwt.Workbook()
    sheet = book.add_sheet("of rows")
    for number, row in enumerate(([*frame.columns], *rows_of(frame))):
        for place, cell in enumerate(row):
            how = xlwt.easyxf(num_format_str="yyyy-mm-dd") if isinstance(cell, dt.date) else None
            sheet.write(number, place, cell, *([how] if how else []))
    book.save(str(path))


def ods(frame: pd.DataFrame, path: Path) -> None:
    pd.DataFrame(rows_of(frame), columns=frame.columns, dtype=object).to_excel(
        path, index=False, engine="odf"
    )


def _stored(cell: Any) -> Any:
    return cell.isoformat() if isinstance(cell, dt.date) else cell


def sqlite(declared: str) -> Write:
    """A table whose columns are all declared so, which decides nothing of what is stored."""

    def write(frame: pd.DataFrame, path: Path) -> None:
        marks = ", ".join("?" for _ in frame)
        columns = ", ".join(f'"{name}" {declared if name == "x" else ""}' for name in frame)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"CREATE TABLE t ({columns})")
            for row in rows_of(frame):
                connection.execute(f"INSERT INTO t VALUES ({marks})", [*map(_stored, row)])
            connection.commit()

    return write


def json_lines(frame: pd.DataFrame, path: Path) -> None:
    """As `json` writes it: NaN, Infinity and whole numbers of any size among it."""
    lines = [json.dumps(dict(zip(frame, map(_stored, row), strict=True))) for row in rows_of(frame)]
    path.write_text("\n".join(lines) + "\n")


def json_by_pandas(frame: pd.DataFrame, path: Path) -> None:
    frame.to_json(path, orient="records", lines=True, date_format="iso")


_KINDS = {"int": "long", "float": "double", "str": "string", "date": "day", "datetime": "moment"}


def _kind_of(frame: pd.DataFrame, name: str) -> str:
    """What the cells of the ordinary rows are: a writer declares that, and no more."""
    kinds = {type(row[[*frame].index(name)]).__name__ for row in rows_of(frame.iloc[:4])} - {
        "NoneType"
    }
    if kinds == {"int", "float"}:
        return "double"
    return _KINDS[kinds.pop()] if len(kinds) == 1 else "string"


def orc(frame: pd.DataFrame, path: Path) -> None:
    import pyarrow as pa
    from pyarrow import orc as arrow_orc

    types = {"long": pa.int64(), "double": pa.float64(), "string": pa.string(), "day": pa.date32(), "moment": pa.timestamp("ns")}  # fmt: skip
    schema = pa.schema([(name, types[_kind_of(frame, name)]) for name in frame])
    rows = [dict(zip(frame, row, strict=True)) for row in rows_of(frame)]
    arrow_orc.write_table(pa.Table.from_pylist(rows, schema), str(path))


def avro(frame: pd.DataFrame, path: Path) -> None:
    import fastavro

    types = {
        "day": {"type": "int", "logicalType": "date"},
        "moment": {"type": "long", "logicalType": "local-timestamp-micros"},
    }
    kinds = {name: _kind_of(frame, name) for name in frame}
    fields = [{"name": n, "type": ["null", types.get(kind, kind)]} for n, kind in kinds.items()]
    rows = [dict(zip(frame, row, strict=True)) for row in rows_of(frame)]
    with path.open("wb") as file:
        fastavro.writer(file, {"type": "record", "name": "row", "fields": fields}, rows)


def duckdb_file(frame: pd.DataFrame, path: Path) -> None:
    import duckdb

    types = {"long": "BIGINT", "double": "DOUBLE", "string": "VARCHAR", "day": "DATE", "moment": "TIMESTAMP"}  # fmt: skip
    columns = ", ".join(f'"{name}" {types[_kind_of(frame, name)]}' for name in frame)
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE t ({columns})")
        marks = ", ".join("?" for _ in frame)
        for row in rows_of(frame):
            connection.execute(f"INSERT INTO t VALUES ({marks})", row)


FILES: dict[str, tuple[str, Write]] = {
    "xlsx by openpyxl": (".xlsx", xlsx_by_openpyxl), "xlsx by xlsxwriter": (".xlsx", xlsx_by_xlsxwriter),
    "xlsx of days": (".xlsx", xlsx_of_days), "xls": (".xls", xls), "ods": (".ods", ods),
    "sqlite": (".sqlite", sqlite("")), "sqlite INTEGER": (".sqlite", sqlite("INTEGER")), "sqlite TEXT": (".sqlite", sqlite("TEXT")),
    "json lines": (".jsonl", json_lines), "json lines by pandas": (".jsonl", json_by_pandas), "avro": (".avro", avro),
}  # fmt: skip
TYPED: dict[str, tuple[str, Write]] = {  # whose schema says what a cell can be
    "orc": (".orc", orc), "duckdb": (".duckdb", duckdb_file),
}  # fmt: skip
BY_CELL = {"sqlite TEXT", *TYPED}  # into which no other program's type changes a cell
