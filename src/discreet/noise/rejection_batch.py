"""Exact discrete Gaussian draws, many at once, by the strips of `strips`.

Rules of this module:
- floats only filter: what lies within their proven error is decided by `Strips.keeps`, exactly;
- how many tries a draw takes is independent of its value.
"""

import numpy as np
from numpy.typing import NDArray

from .inversion_batch import Longs, Look, Words, longer, words
from .law import CoinSource
from .rejection import Strips

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
        drawn = look.entries.take(first, mode="wrap")
        np.bitwise_xor(drawn, place, out=out)
        slow = np.flatnonzero(height >= self._quick.take(first, mode="wrap"))
        base, place = drawn[slow].astype(np.int64), place[slow].astype(np.int64)
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
        if self._strips.bits == 0:  # a strip is one value, and takes nothing else
            values, unknown = self._look.begun(_long(rows[:, :8]))
            return values.tolist(), np.flatnonzero(unknown).tolist()
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
