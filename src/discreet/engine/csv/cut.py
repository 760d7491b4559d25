"""The cells of a block of rows of a CSV file: where each begins and ends, as columns of text.

Rules of this module:
- every line is read by itself: a quotation mark that its line does not close, more or fewer cells
  than the header names, or more than 2 MB damage that line alone; a damaged line and an empty one
  are no rows;
- a cell between quotation marks loses them (a doubled one inside becomes one in the query:
  `csv_cells`); a quotation mark that does not begin a cell opens nothing: it is a letter;
- only the columns that are used are made, and no byte is copied that needs not be;
- lines whose marks stand where no writer of quoted cells puts them are read once more, one by one.

Decisions 8, 106.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrow_stream import Batch, Flags, Texts
from ..spelled import LONGEST
from .header import LOST, LineLayout
from .lines import RETURN, Bytes, Places, is_quoted, line_ends

_BLANK = 32
_INLINE = 12  # bytes of a text that stand in its view itself
_SHORT = [b"\xff" * n + bytes(_INLINE - n) for n in range(_INLINE + 1)]  # the bytes of n that count
_FIRST = np.array([int.from_bytes(mask[:4], "little") for mask in _SHORT], dtype="<u4")
_REST = np.array([int.from_bytes(mask[4:], "little") for mask in _SHORT], dtype="<u8")


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The good rows of a block: where each begins and ends, and its separators, a column each."""

    starts: Places
    ends: Places
    separators: NDArray[np.int64]

    def cell(self, place: int) -> tuple[Places, Places]:
        """Return where the cells of a column begin and end."""
        last = self.separators.shape[1]
        start = self.starts if place == 0 else self.separators[:, place - 1] + 1
        return start.copy(), (self.ends if place == last else self.separators[:, place]).copy()


def cut(block: bytes, layout: LineLayout, names: int, used: Sequence[int]) -> Batch:
    """Return the used cells of a block of rows: of each column its texts, and which were quoted.

    Args:
        block: whole rows, in UTF-8.
        layout: how its lines are cut.
        names: how many the header has.
        used: the places of the columns that are wanted; with none, one column of truths stands for
            the rows.
    """
    data = np.frombuffer(block + bytes(_INLINE), dtype=np.uint8)
    if layout.options.fixed:
        return _at_places(data, len(block), layout, used)
    rows = _rows(data[: len(block)], layout, names)
    lost = np.flatnonzero(data == LOST) if bytes([LOST]) in block else None
    columns: list[Texts | Flags] = []
    for place in used:
        start, end = rows.cell(place)
        quoted = _strip(data, start, end, layout)
        columns += [_texts(data, start, end, lost, layout), Flags(quoted)]
    rows_alone = (Flags(np.ones(len(rows.starts), dtype=np.bool_)),)
    return Batch(len(rows.starts), tuple(columns) or rows_alone)


def _rows(data: Bytes, layout: LineLayout, names: int) -> _Rows:
    """Return the rows that have as many cells as the header, and no open quotation mark."""
    ends = line_ends(data, layout.line_end)
    is_separator = data == layout.separator[0]
    damaged = None
    if layout.options.quote and (data == ord(layout.options.quote)).any():
        inside = is_quoted(data, layout.options.quote)
        ends, damaged = _closed(inside, ends, layout)
        is_separator &= inside == 0
        if not (layout.options.multiline or layout.options.trim):
            damaged = _read_again(data, inside, ends, damaged, is_separator, layout)
    separators = np.flatnonzero(is_separator)
    starts = _starts(ends)
    stops = _stops(data, starts, ends, layout)
    good = (stops > starts) & (stops - starts <= LONGEST)
    if damaged is not None:
        good &= ~damaged
    counts = _counts(separators, starts, ends, names - 1)
    if counts is not None:
        complete = counts == names - 1
        separators, good = separators[np.repeat(good & complete, counts)], good & complete
    elif not good.all():
        separators = separators[np.repeat(good, names - 1)]
    if not good.all():
        starts, stops = starts[good], stops[good]
    return _Rows(starts, stops, separators.reshape(len(starts), names - 1))


def _at_places(data: Bytes, size: int, layout: LineLayout, used: Sequence[int]) -> Batch:
    """Return cells that stand at places of their own, in characters, without blanks around them.

    A line that ends before a place has nothing there; an empty line is no row.
    """
    ends = line_ends(data[:size], layout.line_end)
    starts = _starts(ends)
    stops = _stops(data, starts, ends, layout)
    good = (stops > starts) & (stops - starts <= LONGEST)
    starts, stops = starts[good], stops[good]
    letters = np.flatnonzero((data[:size] & 0xC0) != 0x80)  # where characters of UTF-8 begin
    first = np.searchsorted(letters, starts)
    letters = np.append(letters, size)
    edges = np.concatenate([[-1], np.flatnonzero(data[:size] != _BLANK), [size]])
    lost = np.flatnonzero(data == LOST) if (data == LOST).any() else None
    columns: list[Texts | Flags] = []
    for place in used:
        _, low, high = layout.options.fixed[place]
        begin = np.minimum(letters[np.minimum(first + low - 1, len(letters) - 1)], stops)
        end = np.minimum(letters[np.minimum(first + high, len(letters) - 1)], stops)
        begin, end = _within_blanks(edges, begin, end)
        quoted = np.zeros(len(begin), dtype=np.bool_)
        columns += [_texts(data, begin, end, lost, layout), Flags(quoted)]
    rows_alone = (Flags(np.ones(len(starts), dtype=np.bool_)),)
    return Batch(len(starts), tuple(columns) or rows_alone)


def _within_blanks(edges: Places, begin: Places, end: Places) -> tuple[Places, Places]:
    """Return the ends of cells moved inward, over blanks.

    Args:
        edges: -1, then where all other bytes than blanks are, then the size.
        begin, end: of the cells.
    """
    inner = np.minimum(edges[np.searchsorted(edges[1:-1], begin) + 1], end)
    return inner, np.maximum(edges[np.searchsorted(edges[1:-1], end)] + 1, inner)


def _starts(ends: Places) -> Places:
    """Return where lines begin that end there."""
    return np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends


def _stops(data: Bytes, starts: Places, ends: Places, layout: LineLayout) -> Places:
    """Return where the last cells end: before LF, or CR LF; lines that end in LF may end in both.

    A carriage return before it is then no part of the cell, of each line by itself.
    """
    stops: Places = ends - (len(layout.line_end) - 1)
    if len(layout.line_end) == 1:
        stops -= (ends > starts) & (data[ends - 1] == RETURN)
    return stops


def _closed(
    inside: Bytes, ends: Places, layout: LineLayout
) -> tuple[Places, NDArray[np.bool_] | None]:
    """Return where rows end, and which lines leave a quotation mark open; `inside` is mended.

    In lines, each counts its quotes anew. In rows of several lines, an end between quotes is none.
    """
    open_at_end = inside[ends] == 1
    if layout.options.multiline:
        return ends[~open_at_end], None
    if not open_at_end.any():
        return ends, None
    before = np.concatenate([[False], open_at_end[:-1]])
    inside[: ends[-1] + 1] ^= np.repeat(before, np.diff(ends, prepend=-1)).view(np.uint8)
    return ends, inside[ends] == 1


def _read_again(
    data: Bytes,
    inside: Bytes,
    ends: Places,
    damaged: NDArray[np.bool_] | None,
    is_separator: NDArray[np.bool_],
    layout: LineLayout,
) -> NDArray[np.bool_] | None:
    """Mend what parity says of lines with a quotation mark where no quoted cell begins or ends.

    Where each mark that opens stands behind a separator, and each that closes before one, or beside
    another mark, parity says what reading from the left would. All other lines are read from the
    left: `is_separator` is mended, and which lines leave a mark open is returned.
    """
    quote, separator = ord(layout.options.quote), layout.separator[0]
    marks = np.flatnonzero(data[: ends[-1] + 1] == quote) if len(ends) else ends
    lines = np.searchsorted(ends, marks)
    padded = np.concatenate([data[:0], [0], data, [0]])
    starts = _starts(ends)[lines]
    begins = (marks == starts) | np.isin(padded[marks], (separator, quote))
    is_last = marks + 1 == _stops(data, _starts(ends), ends, layout)[lines]
    sound = np.where(
        inside[marks] == 1, begins, is_last | np.isin(padded[marks + 2], (separator, quote))
    )
    if sound.all():
        return damaged
    strange = np.unique(lines[~sound]).tolist()
    broken = np.zeros(len(ends), dtype=np.bool_) if damaged is None else damaged.copy()
    for line in strange:
        start = int(ends[line - 1]) + 1 if line else 0
        stop = int(ends[line]) + 1 - len(layout.line_end)
        places = _separators(data[start:stop].tobytes(), quote, layout.separator)
        broken[line] = places is None
        is_separator[start:stop] = False
        is_separator[[start + place for place in places or ()]] = True
    return broken


def _separators(line: bytes, quote: int, separator: bytes) -> list[int] | None:
    """Return where the separators of a line are; None if a quoted cell is not closed in it."""
    separators: list[int] = []
    place, mark = 0, bytes([quote])
    while place < len(line):
        if line[place] == quote:
            place = line.find(mark, place + 1)
            while place >= 0 and line[place + 1 : place + 2] == mark:  # doubled: a letter
                place = line.find(mark, place + 2)
            if place < 0:
                return None
        place = line.find(separator, place)
        if place < 0:
            break
        separators.append(place)
        place += 1
    return separators


def _counts(separators: Places, starts: Places, ends: Places, wanted: int) -> Places | None:
    """Return how many separators each line has; None if all have as many as wanted."""
    if len(separators) == len(ends) * wanted:
        if not wanted:
            return None
        lines = separators.reshape(len(ends), wanted)
        if bool(((lines[:, 0] >= starts) & (lines[:, -1] < ends)).all()):
            return None
    return np.diff(np.searchsorted(separators, ends), prepend=0)


def _strip(data: Bytes, start: Places, end: Places, layout: LineLayout) -> NDArray[np.bool_]:
    """Move the ends of cells between quotation marks inward, and return which these are."""
    if not layout.options.quote or layout.options.trim:  # trimmed cells lose them in the query
        return np.zeros(len(start), dtype=np.bool_)
    quote = ord(layout.options.quote)
    quoted: NDArray[np.bool_] = (
        (end - start > 1) & (data[start] == quote) & (data[end - 1] == quote)
    )
    start += quoted
    end -= quoted
    return quoted


def _texts(
    data: Bytes, start: Places, end: Places, lost: Places | None, layout: LineLayout
) -> Texts:
    """Return cells as views of a block; missing where they are empty, or hold what was no text."""
    lengths = end - start
    valid = lengths > 0 if "" in layout.options.missing else np.ones(len(lengths), dtype=np.bool_)
    if lost is not None:
        valid &= np.searchsorted(lost, start) == np.searchsorted(lost, end)
    views = np.empty((len(lengths), 4), dtype="<u4")
    inline = np.minimum(lengths, _INLINE)
    views[:, 0] = lengths
    views[:, 1] = _words(data, "<u4")[start] & _FIRST[inline]
    views.view("<u8")[:, 1] = _words(data, "<u8")[start + 4] & _REST[inline]
    longer = np.flatnonzero(lengths > _INLINE)
    views[longer, 2] = 0  # the number of the buffer
    views[longer, 3] = start[longer]
    return Texts(valid, views, data)


def _words(data: Bytes, kind: str) -> NDArray[np.uint32] | NDArray[np.uint64]:
    """Return the number that the bytes from each place on make, lowest first."""
    size = np.dtype(kind).itemsize
    return np.ndarray((len(data) - size + 1,), dtype=kind, buffer=data, strides=(1,))
