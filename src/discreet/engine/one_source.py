"""Whether tables of a join lie in one source: the rows that name owners, and the rows they own.

Rules of this module:
- what is asked is where data lies, never what a cell holds: files by device and number, frames by
  the memory that they share, tables by their full names;
- facts are looked at beside each table that units bring rows into; `docs/laws/joins.md` says why;
- a copy is another source: what the plan then says of its facts is true of it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from ..errors import InputError, shown
from ..schema import Table
from .source import files_of, is_connection, is_postgres, is_rows, library_of

Mark = tuple[object, ...]


def check_apart(table: Table, marks_of_all: Callable[[], Sequence[frozenset[Any]]]) -> None:
    """Refuse facts that lie where a table lies which names their owners, or holds units' own rows.

    Args:
        table: the declaration, with its joins.
        marks_of_all: returns of each of its tables, the first one first, where its data lies; it is
            called where somebody owns rows.

    Raises:
        InputError: two of them are one source.
    """
    if not any(one.kind == "owner" for one in table.joins):
        return
    marks = marks_of_all()
    for one, there in zip(table.joins, marks[1:], strict=True):
        if marks[0] & there:
            raise InputError(
                f"{shown(table.name)} and {shown(one.name)} are one source.",
                why="whoever comes with a row in it brings a fact that others refer to, and so "
                "moves the rows of others, further than the plan is priced for",
                fix="join rows of one unit by discreet.join, or write facts that name no unit into "
                "a table of their own",
            )


def marks_of(source: object, paths: Iterable[str] = ()) -> frozenset[Mark]:
    """Return where a source lies: files, memory, or the object itself.

    Args:
        source: as it was declared.
        paths: the files that it is, where they are known.
    """
    found: set[Mark] = set()
    for path in (*paths, *files_of(source)):
        with suppress(OSError):
            there = Path(path).stat()
            found.add(("file", there.st_dev, there.st_ino))
    if not (is_connection(source) or is_postgres(source) or isinstance(source, str)):
        found.add(("object", id(source)))
    if is_rows(source):
        with suppress(Exception):  # rows that raise are told where they are counted
            found |= {("object", id(row)) for row in cast("Sequence[object]", source)}
    with suppress(Exception):  # a frame that does not say where its cells lie is itself alone
        found |= {("memory", one) for one in _memory(source)}
    return frozenset(found)


def _memory(source: object) -> Iterator[int]:
    """Return the addresses of the memory that a frame's cells lie in."""
    frame, library = cast("Any", source), library_of(source)
    if library == "polars":
        from polars import CompatLevel

        yield from _arrow(frame.to_arrow(compat_level=CompatLevel.newest()))
    elif library == "pyarrow" and hasattr(frame, "columns"):
        yield from _arrow(frame)
    elif library == "pandas":
        for column in (frame[name] for name in frame.columns):
            held = getattr(column.array, "_pa_array", None)
            if held is not None:
                yield from _buffers(getattr(held, "chunks", [held]))
            else:
                yield _root(getattr(column.array, "_ndarray", column.to_numpy(copy=False)))


def _arrow(table: Any) -> Iterator[int]:
    for column in table.columns:
        yield from _buffers(getattr(column, "chunks", [column]))


def _buffers(chunks: Iterable[Any]) -> Iterator[int]:
    for chunk in chunks:
        yield from (one.address for one in chunk.buffers() if one is not None and one.size)


def _root(array: Any) -> int:
    """Return where the array lies that this one is a view of."""
    while getattr(array, "base", None) is not None and hasattr(array.base, "__array_interface__"):
        array = array.base
    return int(array.__array_interface__["data"][0])
