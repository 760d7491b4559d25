"""Lazy bits: an exact draw from a known discrete law, one at a time.

A draw is a uniform real U in [0, 1), revealed only as far as needed; the outcome is the first i
with U < t_i, where t_i is the i-th cumulative probability. 64 bits and a binary search among
floor(2^64 t_i) decide nearly every draw; what is still undecided (one in 2^64 a threshold) takes
word after word until the enclosed t_i decides. `look` does the same for many draws at once.

Lazy bits for many draws at once: look up the first 16 random bits of each.

16 bits decide nearly every draw by one look-up; the others take 48 more bits and a binary search
among floor(2^64 t_i); what is still undecided is left to the law's `InversionTable`.

Rules of this module:
- nothing is rounded: a draw is decided by a proof, or postponed until more bits are there;
- what 64 bits leave open is open in the table too, never settled by a nearest entry;
- one draw alone takes 64 bits whatever its value;
- nothing here needs NumPy, so that a plan does not load it;
- nothing is rounded: what 16 or 64 bits leave open is open here too, never settled by a nearest
  entry;
- a draw takes 16 bits, and 64 if these leave it open.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InternalError
from ..exact.enclosure import Ball, Real, ball, floor_of
from .law import CoinSource, Integers

_FIRST_BITS = 128
_LAST_BITS = 1 << 17
_WORD = 64
_FEW = 24  # below this many draws, one by one is faster than arrays


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

    def __init__(self, prefix: int, bits: int, coins: CoinSource) -> None:
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


class InversionTable:
    """An exact sampler for listed outcomes, one draw at a time; made once, never changed."""

    __slots__ = ("floors", "law")

    def __init__(self, law: Outcomes) -> None:
        self.law = law
        self.floors = floors_of(law)

    def one(self, coins: CoinSource) -> int:
        """Return one draw; it takes 64 bits, but for one draw in 2^64 or one beyond the table."""
        first = word(coins)
        place = bisect_left(self.floors, first)
        if place < len(self.floors):
            if self.floors[place] != first:
                return self.law.label(place)
        elif self.law.then == "last":
            return self.law.label(place)
        return self.beyond(first, place, coins)

    def beyond(self, first: int, place: int, coins: CoinSource) -> int:
        """Return the draw that begins with these 64 bits and is not below t_(place - 1)."""
        law, real = self.law, Uniform(first, _WORD, coins)
        while place < law.reach or law.then == "more":
            if real.is_below(lambda place=place: law.cumulative(place + 1)[place]):  # type: ignore[misc]
                return law.label(place)
            place += 1
        if callable(law.then):
            return law.then(self.one(coins))
        return law.label(place)


def few(count: int) -> bool:
    """Tell whether so few draws are faster one by one."""
    return count < _FEW


def word(coins: CoinSource) -> int:
    """Return 64 random bits as an integer."""
    return int.from_bytes(coins.bytes(8), "little")


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


_LOOK = 16  # bits of the first look-up
_REST = np.uint64(_WORD - _LOOK)
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
        found = self.entries.take(first, mode="wrap")
        if mix:
            np.bitwise_xor(out, found, out=out)
        else:
            np.copyto(out, found)
        still = np.flatnonzero(found == self.unknown)
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


def _fits(labels: Longs, kind: type[np.signedinteger[Any]]) -> bool:
    return int(np.abs(labels).max()) < np.iinfo(kind).max


def filled(count: int, fill: Callable[[Longs], None]) -> Longs:
    """Return an array of draws that `fill` made, chunk by chunk."""
    out = np.empty(count, dtype=np.int64)
    for start in range(0, count, _CHUNK):
        fill(out[start : start + _CHUNK])
    return out


def listed(draws: Sequence[int], *, wide: bool) -> Integers:
    """Return draws as an array: of int64, or of Python ints where the law is too wide for it."""
    return np.array(draws, dtype=object if wide else np.int64)


def words(count: int, coins: CoinSource) -> Words:
    """Return `count` times 16 random bits."""
    return np.frombuffer(coins.bytes(2 * count), dtype="<u2")


def longer(first: Words, coins: CoinSource) -> NDArray[np.uint64]:
    """Return 64 random bits for each of these 16, which they begin with."""
    more = np.frombuffer(coins.bytes(8 * first.size), dtype="<u8") >> np.uint64(_LOOK)
    long: NDArray[np.uint64] = first.astype(np.uint64) << _REST | more
    return long
