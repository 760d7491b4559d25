"""Several tables that DuckDB joins: opened on one connection, each as it would be alone."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, cast

from ...aggregate import Aggregate
from ...schema import Table
from ..files import files
from ..one_source import Mark, check_apart, marks_of
from ..parts import OneTable, check_together, parts_of
from ..protocol import check_columns
from ..source import is_connection, is_database, is_paths
from ..sql.cells import Reader
from ..sql.joined import Scanned, joined
from ..sql.portable import dialect_of
from ..sql.types import check_kinds
from .connect import OpenSource, opened
from .connection import SOURCE, Opening, own_connection

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


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
        found = [
            _opened(part, opening(f"{SOURCE}_of_{number}")) for number, part in enumerate(parts)
        ]
        scanned = [
            Scanned(part, one.table, one.kinds, one.cell)
            for part, one in zip(parts, found, strict=True)
        ]
        check_apart(table, lambda: [_marks(*one) for one in zip(found, parts, strict=True)])
        whole = joined(table, scanned, Reader(dialect_of(table), table.csv))
    except BaseException:
        close()
        raise

    of_files = all(one.paths for one in found)  # else none: a frame can change where no file does

    return OpenSource(
        connection=found[0].connection,
        table=whole.address,
        kinds=whole.kinds,
        close=close,
        cell=whole.cell,
        hand_over=_all(one.hand_over for one in found),
        again=_all(again) if (again := [one.again for one in found if one.again]) else None,
        paths=tuple(path for one in found for path in one.paths if of_files),
        tables=tuple((part.table, one.paths) for part, one in zip(parts, found, strict=True)),
    )


def _marks(one: OpenSource, part: OneTable) -> frozenset[Mark]:
    """Return where an opened table lies; on a connection the tables that it is made of."""
    if is_connection(part.table.source):
        return frozenset(("table", *address) for address in one.bases)
    return marks_of(part.table.source, one.paths)


def _all(acts: Iterable[Callable[[], None]]) -> Callable[[], None]:
    """Return what does all of these."""
    listed = list(acts)

    def act() -> None:
        for one in listed:
            one()

    return act


def _opened(part: OneTable, at: Opening) -> OpenSource:
    """Open one table, and look at its names and types."""
    found = opened(part.table, part.aggregates, at)
    check_columns(part.table, part.aggregates, found.kinds)
    check_kinds(part.table, part.aggregates, found.kinds)
    return found


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
