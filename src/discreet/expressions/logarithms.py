"""How the logarithm of a number is worked out: by public tables, comparisons, + - * and / alone.

The last digit of a logarithm differs from one machine's library to another's, while comparisons
and arithmetic of doubles are alike everywhere. So a number x is compared with public cuts, which
gives a power of the base near to it, c = base^k, and with s = (x - c) / (x + c)

    log(x) = k + (2 / ln(base)) (s + s^3 / 3 + s^5 / 5 + ...).

Rules of this module:
- the power itself has s = 0, or a double that is next to 0 where it is no double, so that the
  logarithm of each whole power is exact;
- what is left out of the series is below 2^-55, because s is below 0.172.
"""

from fractions import Fraction
from functools import cache
from math import isqrt

from ..exact.enclosure import ln_up

_PARTS = {2: 1, 10: 4}  # centres of the table for each power of the base
_TERMS = 10
_DIGITS = 52  # a double has one bit more
_LEAST = Fraction(1, 10**150)


@cache
def series(base: int) -> tuple[str, ...]:
    """Return what s, s^3, s^5 and so on are multiplied with, as the nearest doubles.

    Example:
        >>> series(2)[:2]
        ('2.8853900817779268', '0.9617966939259756')
    """
    scale = 2 / ln_up(Fraction(base))  # exact: rationals
    odd = (2 * term + 1 for term in range(_TERMS))
    return tuple(nearest(scale / divisor) for divisor in odd)  # exact: rationals


@cache
def centres(base: int, low: Fraction, high: Fraction) -> tuple[tuple[str, str, str], ...]:
    """Return each cut with the centre that is the nearest from there on, and its logarithm.

    Args:
        base: 2 or 10.
        low: the least number above 0 that is told from others.
        high: the largest.

    Example:
        >>> centres(2, Fraction(1), Fraction(2))
        (('1e-150', '1', '0'), ('1.4142135623730951', '2', '1'))
    """
    parts = _PARTS[base]
    first, last = _place(base, low, parts), _place(base, high, parts)
    rows = []
    for step in range(first, last + 1):
        cut = _LEAST if step == first else _power_up(base, 2 * step - 1, 2 * parts)
        centre = _power_up(base, step, parts)
        rows.append((nearest(cut), nearest(centre), nearest(Fraction(step, parts))))
    return tuple(rows)


def nearest(value: Fraction) -> str:
    """Return the double nearest to a number, as a decimal of the language."""
    decimal = repr(float(value))  # exact: the nearest double, which the language means by its text
    return decimal.removesuffix(".0")


def _place(base: int, value: Fraction, parts: int) -> int:
    """Return the nearest whole number to parts * log(value): the last step whose cut is reached."""
    low, high = -512 * parts, 512 * parts
    while low < high:
        middle = (low + high + 1) // 2
        if _power_up(base, 2 * middle - 1, 2 * parts) <= value:
            low = middle
        else:
            high = middle - 1
    return low


@cache
def _power_up(base: int, above: int, below: int) -> Fraction:
    """Return the least double that is at least base^(above / below); `below` is a power of two.

    Proof. The floor of a root of a root is that of the root, and floors nest. With e so that the
    power has 53 bits before the point of 2^e, m is the least whole number not below it.
    """
    power = Fraction(base) ** above
    size = power.numerator.bit_length() - power.denominator.bit_length()
    e = size // below - _DIGITS
    scaled = power / Fraction(2) ** (e * below)  # exact: rationals
    root = scaled.numerator // scaled.denominator
    for _ in range(below.bit_length() - 1):
        root = isqrt(root)
    exact = Fraction(root) ** below == scaled
    mantissa = root if exact else root + 1
    extra = max(mantissa.bit_length() - _DIGITS - 1, 0)
    return Fraction(-(-mantissa >> extra) << extra) * Fraction(2) ** e
