"""Where the logarithm of a number takes its next step: cut points, never a logarithm of a cell.

The last digit of a logarithm differs from one machine's library to another's. So log2 and log10 are
step functions: the nearest multiple of 1/32 (of a coarser power of two, where that makes more than
1,024 steps). x is compared with public doubles, and comparisons are exact everywhere.
"""

from fractions import Fraction
from functools import cache
from math import isqrt

_FINEST = 32
_MOST = 1_024
_DIGITS = 52  # a double has one bit more
_LEAST = Fraction(1, 10**150)


@cache
def cuts(base: int, low: Fraction, high: Fraction) -> tuple[tuple[str, str], ...]:
    """Return each cut with the step that begins there, for numbers between two bounds.

    Args:
        base: 2 or 10.
        low: the least number above 0 that is told from others.
        high: the largest.

    Example:
        >>> cuts(2, Fraction(1), Fraction(2))[:2]
        (('1e-150', '0'), ('1.0108892860517005', '0.03125'))
    """
    parts = _FINEST
    while parts > 1 and _place(base, high, parts) - _place(base, low, parts) >= _MOST:
        parts //= 2
    first, last = _place(base, low, parts), _place(base, high, parts)
    found = [(_text(_LEAST), _text(Fraction(first, parts)))]
    for step in range(first + 1, last + 1):
        cut = _power_up(base, 2 * step - 1, 2 * parts)
        found.append((_text(cut), _text(Fraction(step, parts))))
    return tuple(found)


def _text(value: Fraction) -> str:
    said = repr(float(value))  # exact: doubles, or 10^-150, whose nearest one the language means
    return said.removesuffix(".0")


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
    found = root if exact else root + 1
    extra = max(found.bit_length() - _DIGITS - 1, 0)
    return Fraction(-(-found >> extra) << extra) * Fraction(2) ** e
