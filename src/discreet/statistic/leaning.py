"""A curve that leans to one end of its bounds, for quantiles that all lie near that end.

The rank of the t-quantile is F(e) - t n: counts by bin times a matrix with 1 - t on and below the
diagonal and -t above. Take S whose square is a multiple of the one with 1 and -1 / d there: its
entries are the numbers of (1 - x)^(-1/2) modulo x^N + 1 / d. For d = 1 it is the root of `curve` up
to a rotation, best for the median; for 1 / d = t / (1 - t) its square has the ranks themselves.
Columns of S have different lengths, the first the greatest, and the price is that of the longest.
So each is made as long as the first: R = S D with D diagonal. That costs nothing, and cells at the
other end, of which all counts of rows are made, are told with less noise.

Rules of this module:
- R is whole numbers, made of whole numbers alone: of any processor the same;
- d is one of two numbers, and so is the weight of the number of rows beside R: with few bins and
  with many, of any share, the product of price and variance is near its least (decision 152);
- of quantiles on both sides, and under a loss that is paid by sums of sizes, `curve` has the root.

Decision 152.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import isqrt

from ..transform import Leaning

_SIDE = Fraction(3, 10)  # of the rows: all shares lie below, or above what is left
_FAR = Fraction(1, 10)
_BINARY = 40  # places of what the kernel is made of
_SCALE = 10  # binary places of the kernel
_SQUARE = 46  # the square of a column, as a power of 2
_BELOW = {True: 8, False: 5}  # d: for shares of a tenth at most, and of more
_BESIDE = {True: 4, False: 7}  # the square of the weight beside a column, as a power of 1 / 2


def leans(at: Sequence[Fraction]) -> bool:
    """Tell whether all of these quantiles lie at one end.

    Example:
        >>> leans([Fraction(1, 20)]), leans([Fraction(1, 20), Fraction(19, 20)])
        (True, False)
    """
    return max(at) <= _SIDE or min(at) >= 1 - _SIDE


def leaning(size: int, at: Sequence[Fraction]) -> Leaning:
    """Return R for quantiles that lie at one end.

    Example:
        >>> leaning(3, [Fraction(1, 20)])
        Leaning(kernel=(987, 480, 355), weights=(909, 954, 1059), below=8, turned=False)
    """
    turned = min(at) > _SIDE
    return _leaning(size, _BELOW[_is_far(at)], turned=turned)


def beside_leaning(at: Sequence[Fraction]) -> int:
    """Return the weight of the number of rows beside R.

    Example:
        >>> beside_leaning([Fraction(1, 20)])
        2097152
    """
    return isqrt(1 << (_SQUARE - _BESIDE[_is_far(at)]))  # exact: a whole number


def _is_far(at: Sequence[Fraction]) -> bool:
    return min(max(at), 1 - min(at)) <= _FAR


@cache
def _leaning(size: int, below: int, *, turned: bool) -> Leaning:
    kernel = _kernel(size, below)
    squares, total = [0], 0
    for entry in kernel:
        total += entry * entry
        squares.append(total)
    columns = [below**2 * squares[size - j] + total - squares[size - j] for j in range(size)]
    weights = tuple([isqrt((1 << _SQUARE) // square) for square in columns])
    return Leaning(kernel, weights, below, turned)


def _kernel(size: int, below: int) -> tuple[int, ...]:
    """Return the numbers of (1 - x)^(-1/2) modulo x^size + 1 / below, each rounded.

    A power of x^size is as much as the same power of -1 / below.
    """
    sums, number, place, power = [0] * size, 1 << _BINARY, 0, 1
    while 2 * number >= abs(power):
        quotient = number // abs(power)
        sums[place % size] += quotient if power > 0 else -quotient
        place += 1
        number = number * (2 * place - 1) // (2 * place)
        power *= -below if place % size == 0 else 1
    half = 1 << (_BINARY - _SCALE - 1)
    return tuple([(total + half) >> (_BINARY - _SCALE) for total in sums])
