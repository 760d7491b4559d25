"""Exact discrete Gaussian draws: choose a strip by table, a place in it, and accept.

Strip (j, s), for j >= 0 and s in {0, 1}, holds the width W = 2^k values X = mask ^ (jW + l),
0 <= l < W, with mask = 0 for s = 0 and -1 for s = 1: X = jW + l, or X = -1 - (jW + l). So every
integer lies in exactly one strip, |X| = m + l with m = jW + s, and m is |X| at the strip's near
edge. A strip is chosen in proportion to e^(-m^2 / (2 sigma2)), l evenly, and X is accepted with
probability e^(-d / (2 sigma2)), d = (m + l)^2 - m^2 = (2m + l) l. The product is the law.

Exact discrete Gaussian draws, many at once, by strips.

Rules of this module:
- the same comparison of a lazily revealed uniform real as in `table` decides every acceptance;
- one draw is made in whole numbers; where they do not decide, balls do;
- how many tries a draw takes is independent of its value;
- floats only filter: what lies within their proven error is decided by `Strips.keeps`, exactly.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..exact.enclosure import Ball, ball
from .inversion import InversionTable, Longs, Look, Outcomes, Uniform, Words, longer, word, words
from .law import CoinSource

_SINGLE = 1 << 15  # up to this sigma2 a strip is one value, and the table is the whole sampler
_STRIPS = 6  # else sigma spans between 2^6 and 2^7 strips
_CUT = 68  # z^2 at the table's end: e^(-68/2) is below 2^-49


class Streams(Protocol):
    """Streams of secret bytes by name."""

    def stream(self, name: bytes) -> CoinSource:
        """Return the stream of a name, from its first byte."""

    def blocks(self, prefix: bytes, names: Iterable[bytes]) -> bytes:
        """Return the first 64 bytes of the stream of each name behind a prefix, one by one."""


class Strips:
    """An exact sampler of the discrete Gaussian, one draw at a time; made once, never changed."""

    __slots__ = ("bits", "sigma2", "table")

    def __init__(self, sigma2: Fraction) -> None:
        self.sigma2 = sigma2
        self.bits = 0 if sigma2 <= _SINGLE else isqrt(int(sigma2)).bit_length() - 1 - _STRIPS
        self.table = InversionTable(strips(sigma2, self.bits))

    def one(self, coins: CoinSource) -> int:
        """Return one draw, in whole numbers only."""
        if self.bits == 0:
            return self.table.one(coins)
        while True:
            base, place, height = self.table.one(coins), self._place(coins), word(coins)
            if self.keeps((2 * abs(base) + place) * place, height, coins):
                return base ^ place

    def keeps(self, d: int, height: int, coins: CoinSource) -> bool:
        """Tell whether U < e^-x, x = d / (2 sigma2), for a U that begins with these 64 bits.

        Nearly always by 1 - x <= e^-x <= 1 - x + x^2 / 2 in whole numbers, else by balls.
        """
        top = 2 * self.sigma2.numerator
        x = d * self.sigma2.denominator  # over top
        if (height + 1) * top <= (top - x) << 64:
            return True
        if 2 * height * top**2 >= (2 * top * (top - x) + x * x) << 64:
            return False
        exponent = -d / (2 * self.sigma2)
        return Uniform(height, 64, coins).is_below(lambda: ball(exponent).exp())

    def _place(self, coins: CoinSource) -> int:
        size = (self.bits + 7) // 8
        return int.from_bytes(coins.bytes(size), "little") & ((1 << self.bits) - 1)


def strips(sigma2: Fraction, bits: int) -> Outcomes:
    """List the strips, nearest first: 2j is strip (j, 0), 2j + 1 is strip (j, 1)."""
    width = 1 << bits

    def cumulative(n: int) -> list[Ball]:
        weights, rest = _weights(sigma2, width, n)
        inverse = 1 / sum(weights, rest)
        found, so_far = [], ball(Fraction(0))
        for weight in weights[:n]:
            so_far = so_far + weight
            found.append(so_far * inverse)
        return found

    def label(i: int) -> int:
        return (i >> 1) << bits ^ -(i & 1)

    reach = 2 * (isqrt(int(_CUT * sigma2)) // width + 1)
    return Outcomes(cumulative, label, reach, "more")


def _weights(sigma2: Fraction, width: int, least: int) -> tuple[list[Ball], Ball]:
    """Return the weights of at least so many strips, and a ball that holds the sum of the rest.

    From one j to the next, e^(-(jW + s)^2 rate) falls by a factor that itself falls by
    e^(-2 W^2 rate); so the rest is at most twice a geometric series from the first weight left.
    """
    from flint import ctx

    rate = ball(1 / (2 * sigma2))
    small = ball(Fraction(1, 1 << ctx.prec))
    near, far = ball(Fraction(1)), (-rate).exp()
    near_ratio = (-rate * width**2).exp()
    far_ratio = (-rate * (width**2 + 2 * width)).exp()
    fall = (-rate * (2 * width**2)).exp()
    found: list[Ball] = []
    while len(found) < least or not near < small:
        found += [near, far]
        near, far = near * near_ratio, far * far_ratio
        near_ratio, far_ratio = near_ratio * fall, far_ratio * fall
    return found, ball(Fraction(0)).union(2 * near / (1 - near_ratio))


_TERMS = 10
_BLOCK, _LONG = 64, 8  # bytes of a block, and of a number
_MARGIN = 2.0**-32  # above the error of the filter, which is below 2^-35; see `_filtered`


class ManyStrips:
    """The same sampler for many draws at once, whose values all fit into 64 bits."""

    __slots__ = ("_half", "_look", "_quick", "_strips")

    def __init__(self, strips: Strips) -> None:
        self._strips = strips
        self._look = Look(strips.table)
        self._half = float(1 / (2 * strips.sigma2))
        self._quick = self._quick_bits() if strips.bits else np.empty(0, dtype=np.uint16)

    def into(self, out: Longs, coins: CoinSource) -> None:
        """Fill `out` with independent draws."""
        if self._strips.bits == 0:
            self._look.into(out, coins)
        else:
            self._fill(out, coins)

    def _fill(self, out: Longs, coins: CoinSource) -> None:
        look, first = self._look, words(out.size, coins)
        place, height = self._places(out.size, coins), words(out.size, coins)
        found = look.entries.take(first, mode="wrap")
        np.bitwise_xor(found, place, out=out)
        slow = np.flatnonzero(height >= self._quick.take(first, mode="wrap"))
        base, place = found[slow].astype(np.int64), place[slow].astype(np.int64)
        late = np.flatnonzero(base == look.unknown)
        base[late] = look.late(first[slow[late]], coins)
        out[slow] = base ^ place
        again = slow[~self._filtered(base, place, height[slow], coins)]
        if again.size:
            fresh = np.empty(again.size, dtype=np.int64)
            self._fill(fresh, coins)
            out[again] = fresh

    def _filtered(
        self, base: Longs, place: Longs, height: Words, coins: CoinSource
    ) -> NDArray[np.bool_]:
        """Tell which draws are accepted, from 48 bits more and, where these do not tell, exactly.

        With u = 2^-53: m, l and 1 / (2 sigma2) become floats within a relative u, the sum 2m + l
        and the two products add u each, so that x is within a relative 8u. For x <= 1/2, Horner's
        sum of 10 terms errs by at most 20 e^x u < 2^-47 by rounding and by x^11 / 11! < 2^-36 by
        stopping; e^-x moves by at most 4u with x; U is known to 2^-64 and rounded once. That is
        below 2^-35 in all, and a margin of 2^-32 is left to `keeps`, which is exact.
        """
        tall = longer(height, coins)
        near = np.abs(base)
        gap, open_ = self._gap(near, place, tall)
        keep: NDArray[np.bool_] = gap > 0
        for i in np.flatnonzero(open_):
            d = (2 * int(near[i]) + int(place[i])) * int(place[i])
            keep[i] = self._strips.keeps(d, int(tall[i]), coins)
        return keep

    def _gap(
        self, near: Longs, place: Longs, tall: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return by how much each chance exceeds its U, and where that is within its error."""
        x = (2.0 * near + place) * place * self._half
        chance = np.ones_like(x)
        for term in range(_TERMS, 0, -1):
            chance = 1.0 - chance * x / term
        gap = chance - tall.astype(np.float64) * 2.0**-64
        return gap, (np.abs(gap) <= _MARGIN) | (x > 0.5)

    def begun(self, blocks: bytes) -> tuple[list[int], list[int]]:
        """Return what `Strips.one` makes of coins that begin with each 64 bytes, where they tell.

        They are read as there: 64 bits for the strip, whole bytes for the place, 64 bits for the
        height. The second list holds the places of the draws that these leave open.
        """
        rows = np.frombuffer(blocks, dtype=np.uint8).reshape(-1, _BLOCK)
        size = (self._strips.bits + 7) // 8
        first, tall = _long(rows[:, :8]), _long(rows[:, 8 + size : 16 + size])
        mask = np.int64((1 << self._strips.bits) - 1)
        place = _long(rows[:, 8 : 8 + size]).astype(np.int64) & mask
        base, many = self._look.begun(first)
        gap, open_ = self._gap(np.abs(base), place, tall)
        drawn: list[int] = (base ^ place).tolist()
        left: list[int] = np.flatnonzero(many | open_ | (gap <= 0)).tolist()
        return drawn, left

    def _quick_bits(self) -> Words:
        """Return, for each 16 bits of a strip, the 16-bit heights sure to be accepted in it.

        The far end of the strip is accepted with probability at least 1 - x, and heights below
        2^16 (1 - x) are below that. The floats err by less than 2^16 times 2^-49; one is taken
        off for that. Where 16 bits leave the strip open, none is sure.
        """
        far = (1 << self._strips.bits) - 1
        x = (2.0 * np.abs(self._look.labels) + far) * far * self._half
        sure = np.maximum(0, np.floor((1 << 16) * (1 - x)) - 1)
        return self._look.spread(sure.astype(np.uint16), 0)

    def _places(self, count: int, coins: CoinSource) -> NDArray[np.int64] | Words:
        mask = (1 << self._strips.bits) - 1
        if mask < 1 << 16:
            return words(count, coins) & np.uint16(mask)
        long = np.frombuffer(coins.bytes(8 * count), dtype="<i8")
        return long & np.int64(mask)


def _long(bytes_: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the whole number, lowest byte first, of each row of at most eight bytes."""
    whole = np.zeros((len(bytes_), _LONG), dtype=np.uint8)
    whole[:, : bytes_.shape[1]] = bytes_
    return whole.view("<u8")[:, 0]
