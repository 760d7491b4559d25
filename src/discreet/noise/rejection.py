"""Exact discrete Gaussian draws: choose a strip by table, a place in it, and accept.

Strip (j, s), for j >= 0 and s in {0, 1}, holds the width W = 2^k values X = mask ^ (jW + l),
0 <= l < W, with mask = 0 for s = 0 and -1 for s = 1: X = jW + l, or X = -1 - (jW + l). So every
integer lies in exactly one strip, |X| = m + l with m = jW + s, and m is |X| at the strip's near
edge. A strip is chosen in proportion to e^(-m^2 / (2 sigma2)), l evenly, and X is accepted with
probability e^(-d / (2 sigma2)), d = (m + l)^2 - m^2 = (2m + l) l. The product is the law.

Rules of this module:
- the same comparison of a lazily revealed uniform real as in `table` decides every acceptance;
- one draw is made in whole numbers; where they do not decide, balls do;
- how many tries a draw takes is independent of its value.
"""

from fractions import Fraction
from math import isqrt

from ..exact.enclosure import Ball, ball
from .inversion import InversionTable, Outcomes, Uniform, word
from .law import CoinSource

_SINGLE = 1 << 15  # up to this sigma2 a strip is one value, and the table is the whole sampler
_STRIPS = 6  # else sigma spans between 2^6 and 2^7 strips
_CUT = 68  # z^2 at the table's end: e^(-68/2) is below 2^-49


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
        chances, so_far = [], ball(Fraction(0))
        for weight in weights[:n]:
            so_far = so_far + weight
            chances.append(so_far * inverse)
        return chances

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
    weights: list[Ball] = []
    while len(weights) < least or not near < small:
        weights += [near, far]
        near, far = near * near_ratio, far * far_ratio
        near_ratio, far_ratio = near_ratio * fall, far_ratio * fall
    return weights, ball(Fraction(0)).union(2 * near / (1 - near_ratio))
