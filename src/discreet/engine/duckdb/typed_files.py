"""Parquet files by DuckDB's own reader, or by pyarrow where it could stop; Arrow and ORC files.

Parquet files in which some text is no UTF-8: read a second time, with such cells as missing.

Rules of this module:
- text that is no UTF-8 stops DuckDB's reader, and is then read as missing;
- times of day, and moments in a time zone or in milliseconds, can be out of range in a Parquet
  file, where DuckDB's reader stops: such columns are read by pyarrow, which looks at no cell, and
  those that nobody uses are not there at all;
- a folder named `column=value` is a column of text that nobody gave a type;
- DuckDB checks the text of Parquet files while it reads them. Told to go on, it hands over what is
  left without the odd bytes: two persons would have one name, and count as one;
- so it is told to stop, which costs nothing where all is text. Where it did stop the files are read
  in both ways of going on, and a text in which these differ is missing;
- nobody is told which of the two it was.

Proof of the second. Where a text is UTF-8 both ways hand it over as it is. Where it is not, one way
has left each odd part out, and the other has put a mark of its own there: they differ in length.

Decision 60.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from glob import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote_to_bytes

from sqlglot import exp

from ...errors import EngineError, InputError, shown
from ...schema import Table
from ..files import Files
from ..sql.tree import whole

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_MILLISECONDS = "TIMESTAMP in milliseconds"
_UNSAFE = {
    _MILLISECONDS,
    *("TIME", "TIME_NS", "TIME WITH TIME ZONE"),
    *("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"),
}
_STORED = ("name", "num_children", "logical_type", "converted_type", "precision", "scale")
_DIGITS = 38  # of DuckDB's widest DECIMAL
_FINE = re.compile("=(Micro|Nano)Seconds|_MICROS$")
PLACE = ("file_index", "file_row_number")  # of a row: columns that DuckDB adds
_FOLDER = re.compile(r"([^/\\=]+)=[^/\\]*")


def parquet_rows(
    files: Files, columns: Iterable[str] | None = None, odd: str = "strict"
) -> exp.Select:
    """Return the query of the rows of all files, their columns matched by name; of some or all.

    Args:
        odd: what DuckDB does at a text that is no UTF-8.
    """
    listed = exp.Array(expressions=[exp.Literal.string(escape(path)) for path in files.paths])
    options: dict[str, exp.Expression] = {
        "union_by_name": exp.true(),
        "hive_partitioning": exp.Boolean(this=files.is_hive),
        "hive_types_autocast": exp.false(),
        "utf8_validation": exp.Literal.string(odd),
    }
    named = [exp.EQ(this=exp.column(name), expression=value) for name, value in options.items()]
    read = exp.Anonymous(this="READ_PARQUET", expressions=[listed, *named])
    names = [exp.column(name, quoted=True) for name in columns or ()]
    return exp.select(*(names if columns else ["*"])).from_(exp.Table(this=read))


def show(connection: "DuckDBPyConnection", name: str, rows: exp.Select) -> None:
    """Give the rows of a query a name on a connection, in the place of those that had it."""
    connection.execute(f"CREATE OR REPLACE VIEW {name} AS {rows.sql(dialect='duckdb')}")


def hive_columns(files: Files) -> list[str]:
    """Return the columns that are told by the names of folders."""
    if not files.is_hive:
        return []
    folders = Path(files.paths[0]).parts[:-1]
    return [match[1] for folder in folders if (match := _FOLDER.fullmatch(folder))]


def check_folders(table: Table, files: Files) -> None:
    """Refuse folders that say no text: DuckDB would stop at one after the charge.

    Raises:
        EngineError: the value of a folder, with %41 read as A, is no UTF-8.
    """
    folders = {part for path in files.paths for part in Path(path).parts[:-1]}
    values = (
        unquote_to_bytes(folder.partition("=")[2])
        for folder in folders
        if _FOLDER.fullmatch(folder)
    )
    if files.is_hive and not all(map(_is_text, values)):
        raise EngineError(
            f"{shown(table.name)} cannot be opened.",
            kind="cannot-open",
            why="the name of a folder says a text that is no UTF-8",
            fix="rename that folder, with the data's owner; nothing was charged",
        )


def check_hidden(
    connection: "DuckDBPyConnection", table: Table, files: Files, used: Iterable[str]
) -> None:
    """Refuse a column that files have and the names of their folders say once more.

    Raises:
        InputError: it is used, and what the folder says would stand for every cell.
    """
    if files.is_hive:
        own = parquet_rows(replace(files, is_hive=False)).limit(0).sql(dialect="duckdb")
        names = [name for name, *_ in connection.execute(own).description or ()]
        refuse_hidden(table, hidden(hive_columns(files), names, used))


def stored_schema(connection: "DuckDBPyConnection", files: Files) -> list[tuple[Any, ...]]:
    """Return what Parquet files say of their columns and of the parts of these, file by file."""
    listed = exp.Array(expressions=[exp.Literal.string(escape(path)) for path in files.paths])
    schemas = exp.Table(this=exp.Anonymous(this="PARQUET_SCHEMA", expressions=[listed]))
    query = exp.select(*map(exp.column, _STORED)).from_(schemas)
    return connection.execute(query.sql(dialect="duckdb")).fetchall()


def check_case(
    table: Table, found: Files, schema: Iterable[tuple[Any, ...]], used: Iterable[str]
) -> set[str]:
    """Return the columns of Parquet files, of which none that is used is like another but for case.

    DuckDB reads a column of one file under the name of another file, and calls the second of two in
    one file by a name that no file has, or another one: v, v and v_1 are v, v_1 and v_1_1 there.

    Raises:
        InputError: names are the same, or differ in the case of ASCII letters alone, and one of
            them is used, or a name that DuckDB may give it.
    """
    files = _top_names(schema)
    names = list(dict.fromkeys(name for file in files for name in file))
    wanted = {_alike(name) for name in used}
    for file in files:
        _check_twice(table, file, wanted)
    for name in names:
        same = [other for other in names if _alike(other) == _alike(name)]
        if len(same) > 1 and _alike(name) in wanted:
            raise _by_case(table, *same[:2])
    return {*names, *hive_columns(found)}


def _check_twice(table: Table, names: Sequence[str], wanted: Iterable[bytes]) -> None:
    """Refuse a column that one file names twice, if it is used, or what DuckDB may call it."""
    counts = Counter(map(_alike, names))
    alike = [name for name in names if counts[_alike(name)] > 1]
    for name in alike:
        start = _alike(name) + b"_"
        if any(one == start[:-1] or one.startswith(start) for one in wanted):
            both = [other for other in alike if _alike(other) == start[:-1]]
            raise _twice(table, name) if both[0] == both[1] else _by_case(table, *both[:2])


def _twice(table: Table, name: str) -> InputError:
    return InputError(
        f"{shown(table.name)} names the column {shown(name)} twice.",
        kind="column-twice",
        why="then a name does not say which column is meant",
        fix="give each column of a file a name of its own",
    )


def _by_case(table: Table, name: str, other: str) -> InputError:
    return InputError(
        f"{shown(table.name)} has the columns {shown(name)} and {shown(other)}, which "
        "differ in their case alone.",
        kind="column-twice",
        why="DuckDB, which reads these files, would take one for the other",
        fix="rename one of them in each file, or pass the files as a data set of pyarrow",
    )


def _alike(name: str) -> bytes:
    return name.encode(errors="surrogatepass").lower()  # of bytes: ASCII letters alone


def _top_names(schema: Iterable[tuple[Any, ...]]) -> list[list[str]]:
    """Return the names of each file's columns, without those of their parts."""
    files: list[list[str]] = []
    to_come: list[int] = []  # how many parts are still to come, of the file and of each part in it
    for name, parts, *_ in schema:
        while to_come and not to_come[-1]:
            to_come.pop()
        if not to_come:
            files.append([])
        if len(to_come) == 1:
            files[-1].append(name)
        if to_come:
            to_come[-1] -= 1
        to_come.append(parts or 0)
    return files


def hidden(in_folders: Iterable[str], names: Iterable[str], used: Iterable[str]) -> list[str]:
    """Return the columns that folders tell, that files below have, too, and that are used."""
    own, wanted = ({name.casefold() for name in some} for some in (names, used))
    return sorted(name for name in in_folders if name.casefold() in own & wanted)


def refuse_hidden(table: Table, columns: Sequence[str]) -> None:
    """Refuse columns that folders tell and files have.

    Raises:
        InputError: there is one.
    """
    if columns:
        raise InputError(
            f"{shown(columns[0])} of {shown(table.name)} is a column of its files and the name of "
            "their folders.",
            kind="column-twice",
            why="what a folder says would stand in the place of each cell",
            fix="name the files by a glob, data/**/*.parquet, and their own column is read; or "
            "rename the folders",
        )


def _is_text(raw: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        raw.decode()
        return True
    return False


def stored_kinds(schema: Iterable[tuple[Any, ...]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the columns whose cells DuckDB would change, with a type that says what is stored.

    Decimals of more digits than its own, which it rounds to doubles; and moments that the file does
    not say are in micro- or nanoseconds, which it converts. Older writers say that by the converted
    type alone.
    """
    wide, moments = {}, {}
    for name, _, logical, converted, digits, places in schema:
        stored = logical or converted or ""
        if digits is not None and digits > _DIGITS:
            wide[name] = f"decimal256({digits}, {places})"
        if stored.lower().startswith("timestamp") and not _FINE.search(stored):
            moments[name] = _MILLISECONDS
    return wide, moments


def needs_arrow(kinds: Mapping[str, str], used: Iterable[str], table: Table) -> bool:
    """Say whether a column that is used must be read by pyarrow.

    Raises:
        InputError: it must, and pyarrow is not installed.
    """
    unsafe = [name for name in used if kinds.get(name) in _UNSAFE]
    unsafe += [name for name in kinds if name.lower() in PLACE]  # else a row has no place
    if unsafe and find_spec("pyarrow") is None:
        raise InputError(
            f"{shown(unsafe[0])} of {shown(table.name)} is of type {shown(kinds[unsafe[0]])}, "
            "which needs pyarrow.",
            kind="package-missing",
            why="one cell could stop DuckDB's reader there, and pyarrow is not installed",
            fix="pip install pyarrow",
        )
    return bool(unsafe)


def by_arrow(table: Table, files: Files, used: Iterable[str]) -> Table:
    """Return the declaration over the same files, as a data set of pyarrow.

    Raises:
        InputError: a column that is used is one of files and of their folders.
        EngineError: a file cannot be opened, or two have a column of different types.
    """
    data, names, twice = None, list[str](), list[str]()
    try:
        twice = _named_twice(files)
        data = _dataset(files) if not twice else None
        names = _dataset(replace(files, is_hive=False)).schema.names if files.is_hive else []
    except Exception:  # noqa: BLE001 - its words may quote the data
        data = None
    refuse_hidden(table, hidden(hive_columns(files), names, used))
    if twice:
        raise _twice(table, twice[0])
    if data is None:
        raise EngineError(
            f"{shown(table.name)} cannot be opened.",
            kind="cannot-open",
            why="a file is damaged, or a column has one type here and another one there",
            fix="open the files with another program, with the data's owner; nothing was charged",
        )
    return replace(table, source=data)


def _named_twice(found: Files) -> list[str]:
    """Return the columns that one file names twice; pyarrow makes no data set of such files."""
    import pyarrow.dataset as ds
    from pyarrow.fs import LocalFileSystem

    forms = {"parquet": ds.ParquetFileFormat, "arrow": ds.IpcFileFormat}
    form = forms[found.kind]() if found.kind in forms else ds.OrcFileFormat()
    each = [form.inspect(path, LocalFileSystem()).names for path in found.paths]
    return [name for names in each for name, count in Counter(names).items() if count > 1]


def _dataset(files: Files) -> Any:
    import pyarrow as pa
    import pyarrow.dataset as ds

    each = [ds.dataset(path, format=files.kind).schema for path in files.paths]
    folders = pa.schema([(name, pa.string()) for name in hive_columns(files)])
    schema = pa.unify_schemas([*each, folders])
    return ds.dataset(
        files.paths,
        format=files.kind,
        schema=schema,
        partitioning=ds.partitioning(folders, flavor="hive") if files.is_hive else None,
    )


Found = TypeVar("Found")


def of_any_text(read: Callable[[], Found], again: Callable[[], None] | None) -> Found:
    """Return what is read; where DuckDB stopped at a text that is none, after `again`."""
    import duckdb

    if again is None:
        return read()
    with suppress(duckdb.InvalidInputException):
        return read()
    again()
    return read()


def rows_of_any_text(files: Files, columns: Mapping[str, str]) -> exp.Select:
    """Return the query of the rows of all files in which odd text is missing.

    Args:
        columns: the type of each column that is wanted.
    """
    ways = {"a": "ignore", "b": "replace"}
    ignored, other = (
        parquet_rows(files, [*columns, *PLACE], odd).subquery(name) for name, odd in ways.items()
    )
    same = exp.and_(*(exp.EQ(this=_of("a", name), expression=_of("b", name)) for name in PLACE))
    cells: list[exp.Expression] = [
        _cell(name) if _has_text(kind) else _of("a", name) for name, kind in columns.items()
    ]
    return (
        exp.select(*(cells or [exp.Alias(this=whole(1), alias=exp.to_identifier("one"))]))
        .from_(ignored)
        .join(other, on=same)
    )


def _of(way: str, name: str) -> exp.Column:
    return exp.column(name, table=way, quoted=True)


def _cell(name: str) -> exp.Alias:
    same = exp.EQ(this=_of("a", name), expression=_of("b", name))
    cell = exp.Case().when(same, _of("a", name))
    return exp.Alias(this=cell, alias=exp.to_identifier(name, quoted=True))


def _has_text(kind: str) -> bool:
    """Say whether cells of a type of DuckDB hold text, alone or in lists and records."""
    return "VARCHAR" in kind or kind == "JSON"
