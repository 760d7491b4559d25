"""Where lines end in a block of bytes, and which bytes stand between quotation marks.

Rules of this module:
- whole blocks at once, by eights of bytes: some nanoseconds a byte, whatever the bytes are.
"""

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]

_FEED, _RETURN = 10, 13


def line_ends(data: Bytes, line_end: bytes) -> Places:
    """Return where the line feeds are that end lines: all, or those after a carriage return."""
    feeds = np.flatnonzero(data == _FEED)
    if line_end == b"\n":
        return feeds
    found: Places = feeds[(feeds > 0) & (data[feeds - 1] == _RETURN)]
    return found


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


def _prefix_of(marks: int) -> int:
    """Return of eight bits, the first one highest, the parity of all bits up to each."""
    found, parity = 0, 0
    for place in range(7, -1, -1):
        parity ^= (marks >> place) & 1
        found |= parity << place
    return found


_PREFIX = np.array([_prefix_of(marks) for marks in range(256)], dtype=np.uint8)
_PARITY = _PREFIX & np.uint8(1)
