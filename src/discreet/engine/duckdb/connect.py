"""How DuckDB opens a source: a private connection for files and frames, a cursor for the user's.

Several tables that DuckDB joins: opened on one connection, each as it would be alone.

Rules of this module:
- a table is addressed by its full name, which is looked up and never guessed; a view is read down
  to its tables, and is counted only if each of its rows is made of one row;
- before the charge names and types are looked at; `hand_over` comes after it.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlglot import exp

from ...aggregate import Aggregate
from ...errors import EngineError, InputError, shown
from ...fix import write
from ...schema import Table
from ..arrow_stream import Batch, BatchStream, Flags, Texts
from ..csv.cut import cut
from ..csv.header import check_decimal, check_written, places_of, rows_query
from ..csv.lines import blocks_of_rows
from ..files import Files, files, settings_of
from ..formats.listed import FORMATS
from ..one_source import Origin, check_apart, hidden, place_of, place_of_tables
from ..parts import OneTable, check_together, parts_of
from ..protocol import check_columns, reads_numbers, used_columns
from ..source import is_connection, is_database, is_paths, library_of
from ..sql.cells import LINES, OBJECTS, Reader, check_kinds
from ..sql.columns import Cell, check_free, plain_cell
from ..sql.dialect import dialect_of
from ..sql.joined import Scanned, joined
from ..sql.tree import column
from ..table_names import Parts, of_two, quoted, readings
from .cell_files import cell_frame
from .connection import SOURCE, Opening, check_memory, own_connection
from .database_file import check_alone, table_of_file
from .declared_text import text_as_declared
from .frames import Frame, frame_of
from .relation import place_of_relation
from .row_by_row import bases_of, catalog_of, checked
from .typed_files import (
    by_arrow,
    check_case,
    check_folders,
    check_hidden,
    hive_columns,
    needs_arrow,
    parquet_rows,
    rows_of_any_text,
    show,
    stored_kinds,
    stored_schema,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


T = TypeVar("T")

ALONE = Opening()
_PARTS = 3  # of a full name: database, schema, table


def nothing() -> None:
    """Hand nothing over: DuckDB reads the source itself."""


@dataclass(frozen=True, slots=True)
class OpenSource:
    """A source that DuckDB can count.

    Attributes:
        connection: the connection to count on; `close` ends it.
        table: what to scan.
        kinds: the type of each column.
        cell: where the scanned table holds a column for a role.
        hand_over: gives the connection the data; called after the charge, before each reading.
        again: of files whose text may be none; called where DuckDB stopped at such a text.
        is_text: whether each cell of text that reaches the query is UTF-8.
        paths: the files that are read, if it is files; of a join, `tables` has those of each.
        place: of a table of the user's connection, where it lies.
    """

    connection: "DuckDBPyConnection"
    table: exp.Expression
    kinds: Mapping[str, str]
    close: Callable[[], None]
    cell: Cell = plain_cell
    hand_over: Callable[[], None] = nothing
    again: Callable[[], None] | None = None
    is_text: bool = False
    paths: tuple[str, ...] = ()
    tables: tuple[tuple[Table, tuple[str, ...]], ...] = ()
    place: Origin | None = None


def opened(table: Table, aggregates: Iterable[Aggregate], at: Opening = ALONE) -> OpenSource:
    """Open a source and return it with its names and types; no row is read.

    Raises:
        InputError: there is no such file or table, or one that cannot be counted row by row.
        EngineError: it is there, but cannot be opened.
    """
    wanted = tuple(aggregates)
    if not isinstance(table.source, (str, os.PathLike, list, tuple)):
        if is_connection(table.source):
            return text_as_declared(_of_user(table, at), table)
        return text_as_declared(_of_frame(table, frame_of(table, wanted), at), table)
    source_files = files(table, wanted)
    kind = "cells" if source_files.kind in FORMATS else source_files.kind
    source = _OPENERS.get(kind, _of_typed_files)(table, source_files, wanted, at)
    source = replace(source, paths=tuple(source_files.paths))
    return source if kind == "csv" else text_as_declared(source, table)


def _of_user(table: Table, at: Opening) -> OpenSource:
    connection = cast("DuckDBPyConnection", table.source)
    cursor = _attempt(at.cursor or connection.cursor)
    if cursor is None:
        raise _unopened(table, "the connection is closed")
    try:
        _check_settings(cursor)
        address, place = _row_by_row(cursor, table, at.name)
        kinds = _kinds(cursor, address, table)
        return OpenSource(cursor, address, kinds, cursor.close, place=place)
    except BaseException:
        cursor.close()
        raise


def _row_by_row(cursor: "DuckDBPyConnection", table: Table, name: str) -> tuple[exp.Table, Origin]:
    """Return the table to scan, of a view one of our own that no cell can stop, and its place."""
    address = _address(cursor, table)
    catalog = catalog_of(lambda query: cursor.execute(query).fetchall())
    parts = (address.catalog, address.db, address.name)
    if parts not in catalog.views:
        if parts in catalog.tables.values():
            return address, place_of_tables([parts])
        if not table.vouched:
            raise _of_another(table)
        return address, _foreign()
    place = place_of_tables(bases_of(parts, catalog))
    query = exp.select("*").from_(address.copy()).sql(dialect="duckdb")
    total = checked(query, catalog, table.name, vouched=table.vouched is not None)
    if total is None:
        check_free(parts[-1] for parts in catalog.tables)
        return address, place
    if _attempt(lambda: cursor.execute(f"CREATE TEMP VIEW {name} AS {total}")) is None:
        raise _unopened(table, "its view cannot be read")
    return exp.to_table(name), place


def _foreign() -> Origin:
    """Return where a table of another kind of database lies: it may be a view of any, there."""
    return hidden(
        "is a table of a database of another kind, which can be a view there",
        "copy it into DuckDB",
        unseen=frozenset({"foreign"}), kind="foreign",
    )  # fmt: skip


def _of_another(table: Table) -> InputError:
    return InputError(
        f"{shown(table.name)} is a table of a database of another kind.", kind="table-not-found",
        why="its cells reach DuckDB by an extension: one that does not fit its type may stop all",
        fix=(
            "copy it into DuckDB",
            write("with the reason why no cell can", of="table", vouched="?"),
        ),
    )  # fmt: skip


def _address(cursor: "DuckDBPyConnection", table: Table) -> exp.Table:
    """Return the full address of the one table or view of the user's database that a name means."""
    tables = cursor.execute(
        "SELECT table_catalog, table_schema, table_name FROM information_schema.tables"
    ).fetchall()
    here = cursor.execute("SELECT current_database(), current_schema()").fetchall()[0]
    meanings = readings(table.name, _PARTS)
    full = [(*here[: _PARTS - len(parts)], *parts) for parts in meanings]
    there = [parts for parts in dict.fromkeys(full) if parts in tables]
    own = next((name for parts in meanings if (name := _own(table, parts))), None)
    if own is not None:
        raise _of_one_connection(table.name, own, there)
    if len(there) > 1:
        raise of_two(table.name, there)
    for parts in there:
        catalog, schema, last = (exp.to_identifier(part, quoted=True) for part in parts)
        return exp.Table(this=last, db=schema, catalog=catalog)
    raise InputError(
        f"the database has no table {shown(table.name)!r}.", kind="table-not-found",
        why="the table's name says which table of the connection is read, with its schema or "
        "without",
        fix="name a table of the connection, or pass the frame itself as the source",
    )  # fmt: skip


def _own(table: Table, parts: Parts) -> str | None:
    """Return the name of the connection's temporary table, or frame, that parts of a name mean.

    The connection is asked itself, because no cursor of it sees them; it binds a name, and runs
    nothing, so that a result of the user's that is still open stays so.
    """
    if parts[:-1] in {(), ("main",), ("temp",), ("temp", "main")}:
        name = quoted(("temp", "main", parts[-1]))
        source = cast("DuckDBPyConnection", table.source)
        return name if _attempt(lambda: source.table(name)) is not None else None
    return None


def _of_one_connection(name: str, own: str, there: Sequence[Parts]) -> InputError:
    """Return the refusal of what only the user's connection sees, whatever else is called so."""
    stored = tuple(write(of="table", name=quoted(parts)) for parts in there)
    return InputError(
        f"{shown(name)!r} is a temporary table or a frame of this connection.",
        kind="table-not-found",
        why="these are counted by another one, which cannot see them"
        + (", and sees a stored table of that name" if there else ""),
        fix=(f"pass the frame itself, or connection.table({own!r}), as the source", *stored),
    )


def _check_settings(cursor: "DuckDBPyConnection") -> None:
    check_memory(cursor)
    setting = cursor.execute("SELECT current_setting('ieee_floating_point_ops')").fetchall()
    if setting != [(True,)]:
        raise EngineError(
            "this connection has ieee_floating_point_ops switched off.", kind="engine-settings",
            why="then one large cell would stop the query, where it should be moved to its bound",
            fix="SET ieee_floating_point_ops = true",
        )  # fmt: skip


def _of_csv(
    table: Table, source_files: Files, wanted: tuple[Aggregate, ...], at: Opening
) -> OpenSource:
    """Return CSV files, of which lines are handed over, each cut into cells by the query."""
    used = used_columns(table, wanted)
    if table.csv.columns and not table.links:  # of a join, another table may have them
        each = {name for header in source_files.headers for name in header.names}
        check_written(table.name, each, table.csv)
    is_told = any(one.layout.separator == b";" for one in source_files.headers)
    if is_told and reads_numbers(table, wanted):
        with settings_of(table):
            check_decimal(table.name, source_files.headers, table.csv)
    connection, close = at.connect(source_files.reached())
    alike: dict[tuple[str, ...], list[int]] = {}
    for number, header in enumerate(source_files.headers):
        alike.setdefault(header.names, []).append(number)
    rows: exp.Query | None = None
    there = [name for name in used if any(name in header.names for header in source_files.headers)]
    for group, names in enumerate(alike):
        query = rows_query(f"{at.name}_{group}", names, there, table.csv)
        rows = query if rows is None else exp.union(rows, query, distinct=False, copy=False)

    def hand_over() -> None:
        for group, (names, numbers) in enumerate(alike.items()):
            places = [*places_of(names, used).values()]
            kinds = {f"{kind}{i}": of for i in range(len(places)) for kind, of in _KINDS.items()}
            stream = BatchStream(kinds or {"rows": Flags}, _batches(source_files, numbers, places))
            connection.register(f"{at.name}_{group}", stream)

    def cell(_role: str, name: str) -> exp.Expression:
        return column(f"x{there.index(name)}", "s")

    kinds = {name: LINES for header in source_files.headers for name in header.names}
    source = cast("exp.Query", rows).subquery(at.name, copy=False)
    return OpenSource(connection, source, kinds, close, cell, hand_over)


_KINDS: dict[str, type[Texts | Flags]] = {"c": Texts, "q": Flags}


def _batches(
    source_files: Files, numbers: list[int], places: list[int]
) -> Callable[[], Iterator[Batch]]:
    """Return what makes the batches of some files that have one header, in their order."""

    def made() -> Iterator[Batch]:
        for number in numbers:
            header = source_files.headers[number]
            for block in blocks_of_rows(source_files.paths[number], header.layout):
                yield cut(block, header.layout, len(header.names), places)

    return made


def _of_typed_files(
    table: Table, source_files: Files, wanted: tuple[Aggregate, ...], at: Opening
) -> OpenSource:
    """Return Parquet files, or what pyarrow must read."""
    check_folders(table, source_files)
    used = used_columns(table, wanted)
    if source_files.kind in ("arrow", "orc"):
        data = by_arrow(table, source_files, used)
        source = _of_frame(data, frame_of(data, wanted), at)
        return source if used else replace(source, kinds=_arrow_kinds(source, data))
    connection, close = at.connect(source_files.reached())
    try:
        kinds = _kinds(connection, parquet_rows(source_files).subquery(), table)
        schema = stored_schema(connection, source_files)
        wide, moments = stored_kinds(schema)
        check_hidden(connection, table, source_files, used)
        own = check_case(table, source_files, schema, used)
        kinds = {name: kind for name, kind in kinds.items() if name in own}
        if needs_arrow(kinds | moments, used, table):
            close()
            return _of_frame(table, frame_of(by_arrow(table, source_files, used), wanted), at)
        there = {name: kinds[name] for name in used if name in kinds}
        _view(lambda: show(connection, at.name, parquet_rows(source_files, there)), table)
        kinds |= wide | dict.fromkeys(hive_columns(source_files), LINES)
    except BaseException:
        close()
        raise
    again = partial(show, connection, at.name, rows_of_any_text(source_files, there))
    rows = exp.to_table(at.name)
    return OpenSource(connection, rows, kinds, close, again=again, is_text=True)


def _arrow_kinds(source: OpenSource, data: Table) -> dict[str, str]:
    """Return the types of all columns of a data set, where none is used: for a draft."""
    source.connection.register("discreet_columns", cast("Any", data.source).schema.empty_table())
    return _kinds(source.connection, exp.to_table("discreet_columns"), data)


def _of_database(
    table: Table, source_files: Files, _wanted: tuple[Aggregate, ...], at: Opening
) -> OpenSource:
    """Return a table of a DuckDB file, attached to a connection of our own, to be read alone."""
    check_alone(source_files)
    connection, close = at.connect(source_files.reached())
    try:
        address, place = table_of_file(connection, table, source_files.paths[0], at.name)
        kinds = _kinds(connection, address, table)
        return OpenSource(connection, address, kinds, close, place=place)
    except BaseException:
        close()
        raise


def _of_cell_files(
    table: Table, found: Files, wanted: tuple[Aggregate, ...], at: Opening
) -> OpenSource:
    """Return files of other programs, of which cells are handed over; types are of no matter."""
    frame, names, place = cell_frame(table, found, wanted)
    kinds = dict.fromkeys(names, OBJECTS)
    return replace(_of_frame(table, frame, at), kinds=kinds, place=place)


_OPENERS = {"csv": _of_csv, "duckdb": _of_database, "cells": _of_cell_files}


def _of_frame(table: Table, frame: Frame, at: Opening) -> OpenSource:
    connection, close = at.connect([])
    name = f"{at.name}_frame"
    try:
        _view(lambda: connection.register(name, frame.empty), table)
        seen = _seen(lambda: connection.table(name), table)
    except BaseException:
        close()
        raise
    kinds = {used.name: frame.kinds.get(used.name) or seen[used.called()] for used in frame.used}

    def hand_over() -> None:
        connection.register(name, frame.whole())  # in the place of the other

    return OpenSource(connection, exp.table_(name), kinds, close, frame.cell, hand_over)


def opened_columns(columns: Mapping[str, object], kinds: Mapping[str, str]) -> OpenSource:
    """Return columns of NumPy arrays that our own code made, as a source."""
    connection, close = own_connection([])
    try:
        connection.register(SOURCE, dict(columns))
    except BaseException:
        close()
        raise
    return OpenSource(connection, exp.to_table(SOURCE), kinds, close)


def _view(make: Callable[[], object], table: Table) -> None:
    if _attempt(lambda: [make()]) is None:
        raise _unopened(table, "it is damaged, or not of the kind that its name says")


def _kinds(connection: "DuckDBPyConnection", rows: exp.Expression, table: Table) -> dict[str, str]:
    empty = exp.select(exp.Star()).from_(rows.copy()).limit(0).sql(dialect="duckdb")
    return _seen(lambda: connection.sql(empty), table)


def _seen(look: Callable[[], "DuckDBPyRelation"], table: Table) -> dict[str, str]:
    relation = _attempt(look)
    if relation is None:
        raise _unopened(table, "it is damaged, or not of the kind that its name says")
    return {name: str(kind) for name, kind in zip(relation.columns, relation.types, strict=True)}


def _unopened(table: Table, why: str) -> EngineError:
    return EngineError(
        f"{shown(table.name)} cannot be opened.", kind="cannot-open", why=why,
        fix="open it with another program, with the data's owner; nothing was charged",
    )  # fmt: skip


def _attempt(act: Callable[[], T]) -> T | None:
    with suppress(Exception):
        return act()
    return None


def opened_together(table: Table, aggregates: Sequence[Aggregate]) -> OpenSource:
    """Open the tables of a join, and return them as one source; no row is read.

    Raises:
        InputError: a table that cannot be opened, or that does not fit what is declared of it.
        EngineError: it is there, but cannot be opened.
    """
    first = table.source
    if is_connection(first):
        check_together(table, lambda other: other is first)
    else:
        check_together(table, lambda other: is_database(other) and not is_connection(other))
    parts = parts_of(table, aggregates)
    opening, close = _opening(parts)
    try:
        sources = [
            _opened(part, opening(f"{SOURCE}_of_{number}")) for number, part in enumerate(parts)
        ]
        scanned = [
            Scanned(part, source.table, source.kinds, source.cell)
            for part, source in zip(parts, sources, strict=True)
        ]
        check_apart(table, lambda: [_place(*source) for source in zip(sources, parts, strict=True)])
        whole = joined(table, scanned, Reader.of_table(dialect_of(table), table))
    except BaseException:
        close()
        raise

    of_files = all(source.paths for source in sources)  # a frame can change where no file does
    return OpenSource(
        connection=sources[0].connection,
        table=whole.address,
        kinds=whole.kinds,
        close=close,
        cell=whole.cell,
        hand_over=_all(source.hand_over for source in sources),
        again=_all(again)
        if (again := [source.again for source in sources if source.again])
        else None,
        paths=tuple(path for source in sources for path in source.paths if of_files),
        tables=tuple(
            (part.table, source.paths) for part, source in zip(parts, sources, strict=True)
        ),
    )


def _place(open_source: OpenSource, part: OneTable) -> Origin:
    """Return where an opened table lies."""
    source = part.table.source
    if library_of(source) == "duckdb" and not is_connection(source):
        return place_of_relation(source)
    return open_source.place or place_of(source, open_source.paths)


def _all(acts: Iterable[Callable[[], None]]) -> Callable[[], None]:
    """Return what does all of these."""
    listed = list(acts)

    def act() -> None:
        for step in listed:
            step()

    return act


def _opened(part: OneTable, at: Opening) -> OpenSource:
    """Open one table, and look at its names and types."""
    open_source = opened(part.table, part.aggregates, at)
    check_columns(part.table, part.aggregates, open_source.kinds)
    check_kinds(part.table, part.aggregates, open_source.kinds)
    return open_source


def _opening(parts: Sequence[OneTable]) -> tuple[Callable[[str], Opening], Callable[[], None]]:
    """Return where tables of these names are opened, all on one connection, and how to end it."""
    first = parts[0].table.source
    if is_connection(first):
        cursor = cache(cast("DuckDBPyConnection", first).cursor)  # made where its failure is told
        return lambda name: Opening(name=name, cursor=cursor), lambda: None
    listed = [part for part in parts if is_paths(part.table.source)]
    reached = [path for part in listed for path in files(part.table, part.aggregates).reached()]
    connection, close = own_connection(reached)
    return lambda name: Opening(lambda _: (connection, lambda: None), name), close
