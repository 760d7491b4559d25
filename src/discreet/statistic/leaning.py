"""A curve that leans to one end of its bounds, for quantiles that lie nearer to that end.

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
- of several quantiles the one nearest to an end decides to which end R leans, and how far;
- of quantiles that lie about as far from one end as from the other, and under a loss that is paid
  by sums of sizes, `curve` has the root. In between, the less of both products decides.

Decisions 152, 156.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import isqrt

from ..post.curve import told_worst
from ..transform import Leaning
from .curve import root

_NEAREST = Fraction(3, 10)  # of the rows: so far from an end the nearest quantile is at most
_BOTH = Fraction(3, 4)  # and so far from it are the nearest and the farthest at most, added up
_FAR = Fraction(1, 10)
_BINARY = 40  # places of what the kernel is made of
_SCALE = 10  # binary places of the kernel
_SQUARE = 46  # the square of a column, as a power of 2
_BELOW = {True: 8, False: 5}  # d: with a quantile so near to the end, and without
_BESIDE = {True: 4, False: 7}  # the square of the weight beside a column, as a power of 1 / 2


def leans(at: Sequence[Fraction]) -> bool:
    """Tell whether these quantiles lie nearer to one end, all taken together.

    Example:
        >>> leans([Fraction(1, 20), Fraction(1, 2)]), leans([Fraction(1, 20), Fraction(19, 20)])
        (True, False)
    """
    nearest, farthest = _from_end(at)
    return nearest <= _NEAREST and nearest + farthest <= _BOTH


def leaning(size: int, at: Sequence[Fraction]) -> Leaning:
    """Return R for quantiles that lie nearer to one end.

    Example:
        >>> leaning(3, [Fraction(1, 20)])
        Leaning(kernel=(987, 480, 355), weights=(909, 954, 1059), below=8, turned=False)
    """
    turned = min(at) + max(at) > 1
    return _leaning(size, _BELOW[_from_end(at)[0] <= _FAR], turned=turned)


def beside_leaning(at: Sequence[Fraction]) -> int:
    """Return the weight of the number of rows beside R.

    Example:
        >>> beside_leaning([Fraction(1, 20)])
        2097152
    """
    return isqrt(1 << (_SQUARE - _BESIDE[_from_end(at)[0] <= _FAR]))  # exact: a whole number


@cache
def tells_more(size: int, at: tuple[Fraction, ...]) -> bool:
    """Tell whether the product of price and worst variance is less than the root's.

    The root's is known: its rows are of one length (`curve`).

    Example:
        >>> half = Fraction(1, 2)
        >>> tells_more(16, (Fraction(1, 5), half)), tells_more(16, (Fraction(3, 10), half))
        (True, False)
    """
    if not leans(at):
        return False
    matrix, weight = leaning(size, at), beside_leaning(at)
    price = max(matrix.squares()) + weight**2
    square = Fraction(sum(entry * entry for entry in root(size)), 4**_SCALE)
    farthest = max(abs(Fraction(1, 2) - share) for share in at)
    return price * told_worst(matrix, at, weight) ** 2 < float(square / 2 + farthest) ** 2


def _from_end(at: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Return how far the nearest and the farthest quantile lie from the end nearer to them."""
    low, high = min(at), max(at)
    return (low, high) if low + high <= 1 else (1 - high, 1 - low)


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
