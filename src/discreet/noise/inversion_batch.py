"""Lazy bits for many draws at once: look up the first 16 random bits of each.

16 bits decide nearly every draw by one look-up; the others take 48 more bits and a binary search
among floor(2^64 t_i); what is still undecided is left to the law's `InversionTable`.

Rules of this module:
- nothing is rounded: what 16 or 64 bits leave open is open here too, never settled by a nearest
  entry;
- a draw takes 16 bits, and 64 if these leave it open.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .inversion import InversionTable
from .law import CoinSource

_WORD = 64
_LOOK = 16  # bits of the first look-up
_REST = np.uint64(_WORD - _LOOK)
_WORDS = 8  # of 64 bits in a block
_CHUNK = 1 << 15  # draws made at once, so that the working set stays in the cache

_SMALL: tuple[type[np.signedinteger[Any]], ...] = (np.int16, np.int32)

Longs = NDArray[np.int64]
Words = NDArray[np.uint16]


class Look:
    """The same sampler for many draws at once, whose outcomes all fit into 64 bits.

    labels: the outcomes' values, as far as the table goes.
    entries: for each 16 bits the value that they decide, else `unknown`.
    """

    __slots__ = ("_edges", "_open", "_table", "entries", "labels", "unknown")

    def __init__(self, table: InversionTable) -> None:
        law = table.law
        closed = law.then == "last"
        self._table = table
        self._open = law.reach + closed  # the first outcome that only the table can tell
        self.labels = np.array([law.label(i) for i in range(self._open)], dtype=np.int64)
        self._edges = np.array(table.floors, dtype=np.uint64)
        small = [kind for kind in _SMALL if _fits(self.labels, kind)]
        kind: type[np.signedinteger[Any]] = small[0] if small else np.int64
        self.unknown = int(np.iinfo(kind).min)
        self.entries = self.spread(self.labels.astype(kind), self.unknown)

    def into(self, out: Longs, coins: CoinSource, *, mix: bool = False) -> None:
        """Fill `out` with independent draws; with `mix`, xor them into what is there."""
        first = words(out.size, coins)
        drawn = self.entries.take(first, mode="wrap")
        if mix:
            np.bitwise_xor(out, drawn, out=out)
        else:
            np.copyto(out, drawn)
        still = np.flatnonzero(drawn == self.unknown)
        if still.size:
            late = self.late(first[still], coins)
            out[still] = out[still] ^ np.int64(self.unknown) ^ late if mix else late

    def late(self, first: Words, coins: CoinSource) -> Longs:
        """Return the draws that begin with these 16 bits, by 48 bits more and a binary search."""
        long = longer(first, coins)
        values, open_ = self.begun(long)
        for i in open_.nonzero()[0]:
            place = int(self._edges.searchsorted(long[i]))
            values[i] = self._table.beyond(int(long[i]), place, coins)
        return values

    def begun(self, long: NDArray[np.uint64]) -> tuple[Longs, NDArray[np.bool_]]:
        """Return the draws that begin with these 64 bits, and which of them these leave open."""
        place = self._edges.searchsorted(long)
        equal = self._edges[np.minimum(place, self._edges.size - 1)] == long
        return self.labels[np.minimum(place, self._open - 1)], equal | (place >= self._open)

    def spread(self, facts: NDArray[Any], mark: int) -> NDArray[Any]:
        """Return, for each 16 bits, the fact about the outcome they decide, else the mark.

        16 bits decide if no threshold begins with them. Facts are one an outcome.
        """
        begin = np.bincount((self._edges >> _REST).astype(np.int64), minlength=1 << _LOOK)
        place = np.cumsum(begin) - begin  # how many thresholds lie before these bits
        spread: NDArray[Any] = facts[np.minimum(place, self._open - 1)]
        spread[(begin > 0) | (place >= self._open)] = mark
        return spread


def begun(looks: Sequence[Look], blocks: bytes) -> tuple[list[int], list[int]]:
    """Return the exclusive or of one draw of each look, from coins that begin with each 64 bytes.

    Each look reads 64 bits, one after the other. The second list holds the places of the draws
    that these leave open.
    """
    long = np.frombuffer(blocks, dtype="<u8").reshape(-1, _WORDS)
    drawn, open_ = np.zeros(len(long), dtype=np.int64), np.zeros(len(long), dtype=np.bool_)
    for number, look in enumerate(looks):
        values, unknown = look.begun(long[:, number])
        drawn ^= values
        open_ |= unknown
    return drawn.tolist(), np.flatnonzero(open_).tolist()


def _fits(labels: Longs, kind: type[np.signedinteger[Any]]) -> bool:
    return int(np.abs(labels).max()) < np.iinfo(kind).max


def filled(count: int, fill: Callable[[Longs], None]) -> Longs:
    """Return an array of draws that `fill` made, chunk by chunk."""
    out = np.empty(count, dtype=np.int64)
    for start in range(0, count, _CHUNK):
        fill(out[start : start + _CHUNK])
    return out


def words(count: int, coins: CoinSource) -> Words:
    """Return `count` times 16 random bits."""
    return np.frombuffer(coins.bytes(2 * count), dtype="<u2")


def longer(first: Words, coins: CoinSource) -> NDArray[np.uint64]:
    """Return 64 random bits for each of these 16, which they begin with."""
    more = np.frombuffer(coins.bytes(8 * first.size), dtype="<u8") >> np.uint64(_LOOK)
    long: NDArray[np.uint64] = first.astype(np.uint64) << _REST | more
    return long
