"""Lazy bits: an exact draw from a known discrete law by looking up its first 16 random bits.

A draw is a uniform real U in [0, 1), revealed only as far as needed; the outcome is the first i
with U < t_i, where t_i is the i-th cumulative probability. 16 bits decide nearly every draw by
one look-up; the others take 48 more bits and a binary search among floor(2^64 t_i); what is
still undecided (one in 2^64 a threshold) takes word after word until the enclosed t_i decides.

Rules of this module:
- nothing is rounded: a draw is decided by a proof, or postponed until more bits are there;
- what 16 or 64 bits leave open is open in the table too, never settled by a nearest entry;
- one draw alone takes 64 bits whatever its value; many together take 16 each, and 64 for each
  open one.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InternalError
from ..exact.enclosure import Ball, Real, ball, floor_of
from .law import Coins

_FIRST_BITS = 128
_LAST_BITS = 1 << 17
_WORD = 64
_LOOK = 16  # bits of the first look-up
_REST = np.uint64(_WORD - _LOOK)
_FEW = 24  # below this many draws, one by one is faster than arrays
CHUNK = 1 << 15  # draws made at once, so that the working set stays in the cache

_SMALL: tuple[type[np.signedinteger[Any]], ...] = (np.int16, np.int32)

Longs = NDArray[np.int64]
Words = NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """A discrete law, listed.

    cumulative: returns the first n cumulative probabilities t_0 < t_1 < ... at the working
        precision, each in a ball.
    label: the i-th outcome's value.
    reach: how many thresholds the table holds.
    then: what U >= t_(reach - 1) means: "last", one more outcome; "more", the outcomes that
        `cumulative` goes on to list; or a function: draw the same law again and apply it.
    """

    cumulative: Callable[[int], list[Ball]]
    label: Callable[[int], int]
    reach: int
    then: Literal["last", "more"] | Callable[[int], int]


class Uniform:
    """A uniform real in [0, 1) of which the first bits are known; more are drawn when needed."""

    __slots__ = ("_bits", "_coins", "_prefix")

    def __init__(self, prefix: int, bits: int, coins: Coins) -> None:
        self._prefix = prefix
        self._bits = bits
        self._coins = coins

    def is_below(self, threshold: Real) -> bool:
        """Tell whether U < threshold, exactly, for a threshold in [0, 1]."""
        while True:
            scale = 1 << self._bits
            floor = floor_of(lambda scale=scale: threshold() * scale)  # type: ignore[misc]
            if self._prefix != floor:
                return self._prefix < floor
            self._prefix = self._prefix << _WORD | word(self._coins)
            self._bits += _WORD


class Table:
    """An exact sampler for listed outcomes, one draw at a time; made once, never changed."""

    __slots__ = ("floors", "law")

    def __init__(self, law: Outcomes) -> None:
        self.law = law
        self.floors = floors_of(law)

    def one(self, coins: Coins) -> int:
        """Return one draw; it takes 64 bits, but for one draw in 2^64 or one beyond the table."""
        first = word(coins)
        place = bisect_left(self.floors, first)
        if place < len(self.floors):
            if self.floors[place] != first:
                return self.law.label(place)
        elif self.law.then == "last":
            return self.law.label(place)
        return self.beyond(first, place, coins)

    def beyond(self, first: int, place: int, coins: Coins) -> int:
        """Return the draw that begins with these 64 bits and is not below t_(place - 1)."""
        law, real = self.law, Uniform(first, _WORD, coins)
        while place < law.reach or law.then == "more":
            if real.is_below(lambda place=place: law.cumulative(place + 1)[place]):  # type: ignore[misc]
                return law.label(place)
            place += 1
        if callable(law.then):
            return law.then(self.one(coins))
        return law.label(place)


class Look:
    """The same sampler for many draws at once, whose outcomes all fit into 64 bits.

    labels: the outcomes' values, as far as the table goes.
    entries: for each 16 bits the value that they decide, else `unknown`.
    """

    __slots__ = ("_edges", "_open", "_table", "entries", "labels", "unknown")

    def __init__(self, table: Table) -> None:
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

    def into(self, out: Longs, coins: Coins, *, mix: bool = False) -> None:
        """Fill `out` with independent draws; with `mix`, xor them into what is there."""
        first = words(out.size, coins)
        found = self.entries.take(first, mode="wrap")
        if mix:
            np.bitwise_xor(out, found, out=out)
        else:
            np.copyto(out, found)
        still = np.flatnonzero(found == self.unknown)
        if still.size:
            late = self.late(first[still], coins)
            out[still] = out[still] ^ np.int64(self.unknown) ^ late if mix else late

    def late(self, first: Words, coins: Coins) -> Longs:
        """Return the draws that begin with these 16 bits, by 48 bits more and a binary search."""
        long = longer(first, coins)
        place = np.searchsorted(self._edges, long)
        values = self.labels[np.minimum(place, self._open - 1)]
        equal = self._edges[np.minimum(place, self._edges.size - 1)] == long
        for i in np.flatnonzero(equal | (place >= self._open)):
            values[i] = self._table.beyond(int(long[i]), int(place[i]), coins)
        return values

    def spread(self, facts: NDArray[Any], mark: int) -> NDArray[Any]:
        """Return, for each 16 bits, the fact about the outcome they decide, else the mark.

        16 bits decide if no threshold begins with them. Facts are one an outcome.
        """
        begin = np.bincount((self._edges >> _REST).astype(np.int64), minlength=1 << _LOOK)
        place = np.cumsum(begin) - begin  # how many thresholds lie before these bits
        spread: NDArray[Any] = facts[np.minimum(place, self._open - 1)]
        spread[(begin > 0) | (place >= self._open)] = mark
        return spread


def _fits(labels: Longs, kind: type[np.signedinteger[Any]]) -> bool:
    return int(np.abs(labels).max()) < np.iinfo(kind).max


def few(count: int) -> bool:
    """Tell whether so few draws are faster one by one."""
    return count < _FEW


def word(coins: Coins) -> int:
    """Return 64 random bits as an integer."""
    return int.from_bytes(coins.bytes(8), "little")


def words(count: int, coins: Coins) -> Words:
    """Return `count` times 16 random bits."""
    return np.frombuffer(coins.bytes(2 * count), dtype="<u2")


def longer(first: Words, coins: Coins) -> NDArray[np.uint64]:
    """Return 64 random bits for each of these 16, which they begin with."""
    more = np.frombuffer(coins.bytes(8 * first.size), dtype="<u8") >> np.uint64(_LOOK)
    long: NDArray[np.uint64] = first.astype(np.uint64) << _REST | more
    return long


def floors_of(law: Outcomes) -> list[int]:
    """Return floor(2^64 t_i) for the thresholds of the table, each proved by an enclosure."""
    from flint import ctx

    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        with ctx.workprec(bits):
            scale = ball(Fraction(1 << _WORD))
            found = [(t * scale).floor().unique_fmpz() for t in law.cumulative(law.reach)]
        if None not in found:
            return [int(floor) for floor in found]
        bits *= 2
    raise InternalError(
        "a noise table was not decided by a hundred thousand bits.",
        why="a cumulative probability seems to be a multiple of 2^-64 exactly",
        fix="please report it, with the parameters of the law",
    )
