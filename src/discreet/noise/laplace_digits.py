"""The digits that discrete Laplace noise is drawn by: independent, each from one small table.

Rules of this module:
- no float decides anything: a table's thresholds are balls, as fine as the coins that meet them;
- what lies beyond a table is the same law again, further out.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from ..exact.enclosure import Ball, ball
from .inversion import InversionTable, Outcomes
from .law import CoinSource

if TYPE_CHECKING:
    from .inversion_batch import Look

# A draw is mask ^ G: G geometric, Pr[G = g] = (1 - q) q^g, and mask = -1 with probability
# q / (1 + q), else 0. For k >= 0, Pr = (1 - q) q^k / (1 + q); for k < 0, mask ^ G = -1 - G = k
# when G = -1 - k, so that Pr = q (1 - q) q^(-1 - k) / (1 + q): the law. G = l + K h has
# independent digits l < K and h, Pr[l] = (1 - q) q^l / (1 - q^K) and Pr[h] = (1 - q^K) q^(K h).
# For K a power of two, mask ^ G is the xor of (mask ^ lowest digit) and the shifted others.

_SINGLE = 32  # up to this scale, one table holds sign and magnitude
_TOP = 32  # else the top digit's scale is between half of this and this
_DIGIT = 10  # bits of a digit, at most


@lru_cache(maxsize=16)
def tables_of(scale: Fraction) -> tuple[InversionTable, ...]:
    """Return the tables of a scale's digits, the signed one first."""
    if scale <= _SINGLE:
        return (InversionTable(_signed(scale)),)
    shift = (scale.numerator // (_TOP * scale.denominator)).bit_length()
    count = -(-shift // _DIGIT)
    cuts = [shift * i // count for i in range(count + 1)]
    tables = [InversionTable(_signed(scale, bits=cuts[1]))]
    for low, high in pairwise(cuts[1:]):
        tables.append(InversionTable(_middle(scale, low, bits=high - low)))
    tables.append(InversionTable(_top(scale, shift)))
    return tuple(tables)


@lru_cache(maxsize=16)
def looks_of(scale: Fraction) -> "tuple[Look, ...]":
    """Return the same tables as whole arrays of draws look into them."""
    from .inversion_batch import Look

    return tuple(Look(table) for table in tables_of(scale))


def one_draw(tables: tuple[InversionTable, ...], coins: CoinSource) -> int:
    """Return one draw: the exclusive or of one draw of each digit."""
    value = 0
    for digit in tables:
        value ^= digit.one(coins)
    return value


def _signed(scale: Fraction, *, bits: int | None = None) -> Outcomes:
    """List mask ^ G for G < reach, and beyond it the same law again; or, with bits, its low digit.

    Outcome 2l is l and outcome 2l + 1 is -1 - l, with a sum of probabilities up to them of
    1 - 2 q^(l + 1) / (1 + q) and 1 - q^(l + 1), both over 1 - q^(2^bits).
    """
    size = _memory(scale) if bits is None else 1 << bits

    def cumulative(n: int) -> list[Ball]:
        q = ball(-1 / scale).exp()
        power, half = q, 2 / (1 + q)
        whole = ball(Fraction(1)) if bits is None else _one_minus(size / scale)
        found = []
        for _ in range(0, n, 2):
            found += [(1 - power * half) / whole, (1 - power) / whole]
            power = power * q
        return found[:n]

    def label(i: int) -> int:
        return i >> 1 ^ -(i & 1)

    if bits is None:
        return Outcomes(cumulative, label, 2 * size, lambda x: x + size if x >= 0 else x - size)
    return Outcomes(cumulative, label, 2 * size - 1, "last")


def _middle(scale: Fraction, place: int, *, bits: int) -> Outcomes:
    """List a digit of G, `bits` wide and worth 2^place."""
    size, rate = 1 << bits, (1 << place) / scale

    def cumulative(n: int) -> list[Ball]:
        whole = _one_minus(size * rate)
        return [t / whole for t in _geometric(rate, n)]

    return Outcomes(cumulative, lambda i: i << place, size - 1, "last")


def _top(scale: Fraction, place: int) -> Outcomes:
    """List the digits of G from 2^place on, and beyond the table the same law again."""
    size, rate = _memory(scale / (1 << place)), (1 << place) / scale
    return Outcomes(
        lambda n: _geometric(rate, n),
        lambda i: i << place,
        size,
        lambda x: x + (size << place),
    )


def _geometric(rate: Fraction, n: int) -> list[Ball]:
    """Return 1 - r^(l + 1) for l < n, with r = e^-rate."""
    r = ball(-rate).exp()
    power, found = r, []
    for _ in range(n):
        found.append(1 - power)
        power = power * r
    return found


def _one_minus(exponent: Fraction) -> Ball:
    """Return 1 - e^-exponent, without loss for a small exponent."""
    return -ball(-exponent).expm1()


def _memory(scale: Fraction) -> int:
    """Return after how many values a table ends and the law starts afresh: beyond 2^-64."""
    return int(45 * scale) + 1
