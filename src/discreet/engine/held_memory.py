"""Where in memory the cells of a frame lie: the spans of what each of its columns holds.

Rules of this module:
- a span is of memory that the frame holds itself: what a library makes while it is asked is none,
  because it is gone afterwards, and another frame may lie there then;
- whether a column has a span follows from its type, never from a cell;
- what was looked at stays alive with the spans (`keeps`), until both frames are compared.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from .source import library_of

Span = tuple[int, int]  # where it begins, and where it ends

_ZEROS = 2**20  # bytes that Polars has of them
_HELD = ("_pa_array", "_ndarray", "_data", "_mask", "_sparse_values", "_left", "_right")


@dataclass(frozen=True, slots=True)
class Memory:
    """What memory a frame holds.

    Attributes:
        spans: of all its columns.
        unseen: the columns of which nothing is seen, by name.
        keeps: what must live until the spans are compared.
    """

    spans: frozenset[Span]
    unseen: tuple[str, ...]
    keeps: tuple[object, ...]


def memory_of(frame: object) -> Memory | None:
    """Return what memory a frame holds; None of what is no frame of a known library in memory."""
    columns = _COLUMNS.get(library_of(frame))
    if columns is None or hasattr(frame, "collect") or not hasattr(frame, "columns"):
        return None
    spans: set[Span] = set()
    unseen: list[str] = []
    keeps: list[object] = []
    for name, find in columns(cast("Any", frame)):
        column_spans = None
        with suppress(Exception):  # what a library cannot export has no memory that is seen
            column_spans = find(keeps)
        if column_spans is None:
            unseen.append(str(name))
        spans.update(span for span in column_spans or () if span[0] < span[1])
    return Memory(frozenset(spans), tuple(unseen), (frame, *keeps))


# Returns the spans of a column, None where its type shows none; adds what must live to a list.
Find = Callable[[list[object]], set[Span] | None]


def _of_arrow(frame: Any) -> Iterator[tuple[object, Find]]:
    for field, column in zip(frame.schema, frame.columns, strict=True):
        if str(field.type) != "null":  # such a column has no cells
            yield field.name, partial(_arrow_spans, column)


def _arrow_spans(column: Any, keeps: list[object]) -> set[Span]:
    return {*_chunks(column, keeps)}


def _of_polars(frame: Any) -> Iterator[tuple[object, Find]]:
    for series in frame.get_columns():
        if str(series.dtype) != "Null":
            yield series.name, partial(_polars_spans, series)


def _polars_spans(series: Any, keeps: list[object]) -> set[Span] | None:
    """Return what two looks at a column have in common: what is made for a look is not.

    An empty column tells as much as one of its type that has a cell.
    """
    if not len(series):
        series = series.extend_constant(None, 1)
    first, second = (set(_polars_look(series, keeps)) for _ in range(2))
    held = first & second
    start = _zeros_of_polars(keeps)
    return {span for span in held if not start <= span[0] < start + _ZEROS} if held else None


def _zeros_of_polars(keeps: list[object]) -> int:
    """Return where the zeros lie that Polars lends to all frames whose cells are all missing."""
    import polars as pl

    lent = pl.Series([], dtype=pl.Int8).extend_constant(None, 1).to_arrow()
    keeps.append(lent)
    return int(lent.buffers()[1].address)


def _polars_look(series: Any, keeps: list[object]) -> Iterator[Span]:
    from polars import CompatLevel

    is_numbered = str(series.dtype).startswith(("Categorical", "Enum"))
    for chunk in series.get_chunks():
        plain = chunk.to_physical() if is_numbered else chunk
        yield from _chunks(plain.to_arrow(compat_level=CompatLevel.newest()), keeps)


def _of_pandas(frame: Any) -> Iterator[tuple[object, Find]]:
    for place, name in enumerate(frame.columns):
        yield name, partial(_pandas_spans, frame.iloc[:, place].array)


def _pandas_spans(array: Any, keeps: list[object]) -> set[Span] | None:
    return {*_arrays(array, keeps)} or None


def _arrays(array: Any, keeps: list[object]) -> Iterator[Span]:
    """Return what an array of pandas holds: arrays of NumPy or Arrow, or of pandas in their turn.

    Nothing is converted: `to_numpy` makes a new array where a cell is missing, and else none.
    """
    if hasattr(array, "__array_interface__") and hasattr(array, "strides"):
        yield _root(array, keeps)
        return
    if hasattr(array, "chunks") or hasattr(array, "buffers"):
        yield from _chunks(array, keeps)
        return
    for name in _HELD:
        held = getattr(array, name, None)
        if held is not None:
            yield from _arrays(getattr(held, "array", held), keeps)


def _chunks(column: Any, keeps: list[object]) -> Iterator[Span]:
    for chunk in getattr(column, "chunks", [column]):
        keeps.append(chunk)
        for buffer in chunk.buffers():
            if buffer is not None:
                yield buffer.address, buffer.address + buffer.size


def _root(array: Any, keeps: list[object]) -> Span:
    """Return where the array lies that this one is a view of; an empty one holds a byte, too."""
    while getattr(array, "base", None) is not None and hasattr(array.base, "__array_interface__"):
        array = array.base
    keeps.append(array)
    steps = [(n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)]
    start = int(array.__array_interface__["data"][0]) + sum(min(0, step) for step in steps)
    size = sum(abs(step) for step in steps) + int(array.itemsize)
    return start, start + (size if array.size else int(array.flags.owndata))


_COLUMNS: dict[str, Callable[[Any], Iterator[tuple[object, Find]]]] = {
    "pandas": _of_pandas,
    "polars": _of_polars,
    "pyarrow": _of_arrow,
}


def overlap(first: Iterable[Span], other: Iterable[Span]) -> bool:
    """Say whether two frames have memory in common."""
    listed: Sequence[tuple[int, int, int]] = sorted(
        (*span, of) for of, spans in enumerate((first, other)) for span in spans
    )
    reach = [0, 0]  # how far the spans of each reached
    for start, end, of in listed:
        if start < reach[1 - of]:
            return True
        reach[of] = max(reach[of], end)
    return False
