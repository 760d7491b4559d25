"""Which part of a cube's noise each of its tables gets: precision in closed form, in hundredths.

A table's weight is the product of a weight for each attribute, by the level that it shows.

Gaussian noise costs by squares, so that a weight is a precision, and what a unit costs is the sum
of the weights. With n_j groups at level j, m_j = n_j / n_(j+1) and t_j^2 = 1 + m_j^2 t_(j+1)^2 from
1 at the keys upward, w_j = t_j - m_j t_(j+1) > 0 has the least mean variance over all tables, each
counted once; docs/laws/tables.md has the proof. It holds where all groups of a level have as many
keys; else the weights are valid, and close to the best.

Laplace noise costs by sizes: shares v of epsilon are weights, and precisions their squares. The
mean variance is again a product over the attributes, whose best shares, in hundredths, are looked
for by moving one hundredth at a time. A share can be 0: of an attribute with few keys, the keys
alone are best.

Rules of this module:
- whole numbers decide: the same weights come out everywhere, and `verify` makes them again.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt

_PARTS = 100
_DIGITS = 10**20


@lru_cache(maxsize=1024)
def precisions(sizes: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Return the weight of each level under Gaussian noise: that of the keys is 1.

    Args:
        sizes: how many groups each level has, from 1 to the number of keys.

    Example:
        >>> [float(weight) for weight in precisions((1, 2))]
        [0.62, 1.0]
    """
    found, below = [Fraction(1)], Fraction(1)
    for groups, finer in zip(sizes[-2::-1], sizes[:0:-1], strict=True):
        part = Fraction(groups, finer) * below
        below = Fraction(isqrt(int((1 + part * part) * _DIGITS**2)), _DIGITS)
        found.append(max(Fraction(1, _PARTS), Fraction(round((below - part) * _PARTS), _PARTS)))
    return tuple(reversed(found))


@lru_cache(maxsize=1024)
def shares(sizes: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Return the share of each level under Laplace noise; they add up to 1.

    Example:
        >>> [float(share) for share in shares((1, 2))], [float(s) for s in shares((1, 50))]
        ([0.0, 1.0], [0.5, 0.5])
    """
    last = len(sizes) - 1
    even = [_PARTS // (last + 1)] * last
    starts = [[0] * last + [_PARTS], [*even, _PARTS - sum(even)]]
    found = min(
        (_descended(start, sizes) for start in starts), key=lambda v: mean_variance(v, sizes)
    )
    return tuple(Fraction(part, _PARTS) for part in found)


def mean_variance(parts: Sequence[int], sizes: Sequence[int]) -> Fraction:
    """Return the mean variance of one attribute's tables under Laplace noise, but for a factor."""
    found = Fraction(0)
    for j, groups in enumerate(sizes):
        finer = range(j, len(sizes))
        known = sum(Fraction(parts[i] ** 2 * groups, sizes[i]) for i in finer)
        spread = sum(Fraction(groups, sizes[i]) ** 2 for i in finer)
        above = sizes[j - 1] if j else 0
        found += Fraction(groups - above, groups) * spread / known
    return found


def _descended(parts: list[int], sizes: Sequence[int]) -> list[int]:
    """Return shares from which no move of one hundredth leads to a smaller mean variance."""
    best = mean_variance(parts, sizes)
    while True:
        tried = [(mean_variance(moved, sizes), moved) for moved in _moves(parts)]
        least, moved = min(tried, default=(best, parts))
        if least >= best:
            return parts
        best, parts = least, moved


def _moves(parts: Sequence[int]) -> Iterator[list[int]]:
    """Return the shares with one hundredth moved; some is left for the keys, which tell all."""
    for start in range(len(parts)):
        for end in range(len(parts)):
            if start != end and parts[start] > (start == len(parts) - 1):
                moved = list(parts)
                moved[start] -= 1
                moved[end] += 1
                yield moved
