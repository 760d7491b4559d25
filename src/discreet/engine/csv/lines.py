"""A CSV file as blocks of whole rows, in UTF-8.

Where lines end in a block of bytes, and which bytes stand between quotation marks.

Rules of this module:
- a row is a line: it ends at the line end that the file's first line has, and at no other. Where
  the declaration says `multiline`, it ends at the first line end outside of quotation marks;
- where lines end in LF, a carriage return before it is no cell's: lines in CR LF among them are
  read as the others (`cut`);
- a file is never in memory as a whole: a row that is too long is cut off as it comes, and stays too
  long;
- bytes that are no text become U+001A, and so do U+FFFD and U+001A themselves; a cell that holds it
  is missing;
- whole blocks at once, by eights of bytes: some nanoseconds a byte, whatever the bytes are.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ..spelled import LONGEST
from .header import LOST, LineLayout, opened

_BLOCK = 1 << 18  # bytes that are read at once
_REPLACED = "\ufffd".encode()
_MARK = "\ufeff".encode()  # of the order of bytes, at the start of a file


def blocks_of_rows(path: str, layout: LineLayout) -> Iterator[bytes]:
    """Return the rows of a file, line ends and all, in blocks."""
    with closing(opened(path)) as file:
        for block in _whole_rows(_decoded(file, layout.options.encoding), layout):
            yield _as_text(block)


def _decoded(file: IO[bytes], encoding: str) -> Iterator[bytes]:
    """Return the blocks of a file as UTF-8, whatever their encoding, without the mark of order."""
    first = True
    for block in _blocks(file, encoding):
        yield block.removeprefix(_MARK) if first else block
        first = False


def _blocks(file: IO[bytes], encoding: str) -> Iterator[bytes]:
    if encoding == "utf-8":
        while block := file.read(_BLOCK):
            yield block
        return
    import codecs

    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    while block := file.read(_BLOCK):
        yield decoder.decode(block).encode()
    yield decoder.decode(b"", final=True).encode()


def _whole_rows(blocks: Iterator[bytes], layout: LineLayout) -> Iterator[bytes]:
    """Return blocks that end where a row ends, without the lines before the first row."""
    rest, skipped = b"", 0
    for block in blocks:
        rest += block
        while skipped < layout.skipped and (end := rest.find(layout.line_end)) >= 0:
            rest, skipped = rest[end + len(layout.line_end) :], skipped + 1
        if skipped < layout.skipped:
            continue
        end = _last_end(rest, layout)
        if end:
            yield rest[:end]
            rest = rest[end:]
        if len(rest) > _cut_length():
            rest = _cut(rest, layout)
    if rest and skipped == layout.skipped:
        yield rest + layout.line_end


def _last_end(rest: bytes, layout: LineLayout) -> int:
    """Return how many bytes are whole rows."""
    if not layout.options.multiline:
        end = rest.rfind(layout.line_end)
        return end + len(layout.line_end) if end >= 0 else 0
    data = np.frombuffer(rest, dtype=np.uint8)
    ends = line_ends(data, layout.line_end)
    outside = ends[is_quoted(data, layout.options.quote)[ends] == 0]
    return int(outside[-1]) + 1 if len(outside) else 0


def _cut_length() -> int:
    """Return how many bytes are too many, even if each three of them become one: `_as_text`."""
    return 3 * (LONGEST + 1)


def _cut(rest: bytes, layout: LineLayout) -> bytes:
    """Return a row that is too long already so that it stays so, and needs no more memory."""
    kept, gone = rest[: _cut_length()], rest[_cut_length() :]
    quote = layout.options.quote.encode()
    odd = quote if layout.options.multiline and gone.count(quote) % 2 else b""
    if gone.endswith(b"\r"):
        return kept + odd + b"\r"
    filler = b"x" if kept.endswith(b"\r") else b""  # else it would end a row with what follows
    return kept + filler + odd


def _as_text(block: bytes) -> bytes:
    """Return a block as UTF-8, with LOST in place of each piece that is none."""
    if block.isascii():
        return block
    try:
        block.decode()
    except UnicodeDecodeError:
        block = block.decode(errors="replace").encode()
    return block.replace(_REPLACED, bytes([LOST]))


Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]

_FEED, RETURN = 10, 13


def line_ends(data: Bytes, line_end: bytes) -> Places:
    """Return where the line feeds are that end lines: all, or those after a carriage return."""
    feeds = np.flatnonzero(data == _FEED)
    if line_end == b"\n":
        return feeds
    ends: Places = feeds[(feeds > 0) & (data[feeds - 1] == RETURN)]
    return ends


def is_quoted(data: Bytes, quote: str) -> Bytes:
    """Return for each byte 1 if an odd number of quotes has come up to it, itself included, else 0.

    Eight bytes are one here: a table says what eight quotes or none make of the parity, and the
    parity before each eight is the sum of those before it.

    Example:
        >>> is_quoted(np.frombuffer(b'a"b"c', dtype=np.uint8), '"').tolist()
        [0, 1, 1, 0, 0]
    """
    marks = np.packbits(data == ord(quote))
    parity = _PARITY[marks]
    before = np.cumsum(parity, dtype=np.uint8) - parity
    before &= 1
    inside = _PREFIX[marks] ^ (before * np.uint8(255))
    return np.unpackbits(inside, count=len(data))


_PREFIX = np.arange(256, dtype=np.uint8)  # of eight bits, the first one highest: the parity of all
for _bits in (1, 2, 4):  # bits up to each
    _PREFIX ^= _PREFIX >> np.uint8(_bits)
_PARITY = _PREFIX & np.uint8(1)
