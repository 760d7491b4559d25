"""One noisy curve of a column in each group, which all its quantiles and shares are read from.

The bounds are cut into N bins. With h the counts of usable cells by bin and n their sum, B h with
B_ij = 1 where j <= i and -1 elsewhere is twice the number of cells up to each edge, less n. B is
skew-circulant: with w = e^(-i pi (2 k + 1) / N), w^N = -1, its eigenvalues are 2 / (1 - w), of size
1 / sin(pi (2 k + 1) / (2 N)). What passes the door is R h with noise, where R is the skew-circulant
matrix with the square roots of these sizes as eigenvalues, times 2^10, in whole numbers; and B R^-1
leads back. Both factors of B then have rows and columns of one length, and no other two factors
have a smaller product of the longest row of one and the longest column of the other.

A quantile t other than the median asks F(e) - t n, which is half of what B leads back to and
d = 1/2 - t times n. So n is counted beside the root, times b: with v the square of the lengths of
both factors, a column's square is then v + b^2, a row's v / 4 + d^2 / b^2, and their product is
least, (v / 2 + |d|)^2, at b^2 = 2 |d|. Of several quantiles the farthest one decides. Read from the
last row of B R^-1 alone, n would make it (1/2 + |d|)^2 v^2, up to four times as much. Least squares
of both counts of n (`post/curve.py`) leave the worst edge as it is, and make all others better.

Sensitivity: that of counts by bin after a matrix; every column of R has the same
numbers, up to signs, so that nothing of the bound is given away.

Whatever whole numbers R holds, the release is as private as it says and intervals hold: how near R
is to the root decides only how wide they are.

How far one unit moves a count of rows after a public matrix.

Sensitivity. Let the aggregate count rows in the cells of a group, so that a row adds a column of
the matrix R to the group's block, or nothing. Let a, c be the largest sum of sizes and of squares
of a column, and all entries lie in [-n, p]. A unit's x rows in a block add R h with h >= 0 and
sum(h) <= x: in l1 at most a x, in length at most sqrt(c) x, in one number between -n x and p x.

add_remove: with x_i rows in block i, at most a sum(x_i) in l1, c sum(x_i^2) in squares and
max(n, p) max(x_i) in one number. replace: with the y_i rows of the unit that comes, l1 at most
doubles. A number moves by at most (n + p) max(x_i, y_i). In squares block i moves by at most
c (x_i^2 + y_i^2) - 2 <R h, R h'>. Without negative entries the product is not below 0; else it is
at least -c x_i y_i, and 2 x_i y_i <= x_i^2 + y_i^2: over all blocks 2 c, or 4 c, times the squares
of one unit's rows.

Blocks are groups, of which `row_sensitivity` knows sum(x_i), sum(x_i^2) and max(x_i); or the whole
vector is one block, with all rows of the unit: r, r^2 and r.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil, inf, isqrt, nextafter

from ..aggregate import Aggregate, Bins, Measure
from ..exact.enclosure import floor_of
from ..exact.number import text_of
from ..noise.law import Law
from ..post.curve import CurvePlaces, Kernel, furthest
from ..post.interval import downs, nearest, ups
from ..schema import STEPS, Bounds, End, Table
from ..sensitivity import Reach, Sensitivity, row_sensitivity
from ..transform import Beside, Leaning, Shifts, Transform
from .ask import Ask, check_groups
from .edges import BINS, MOST_BINS

_PLACES = 20  # binary, of what the root is made of
_SCALE = 10  # binary, of the root
_FINE = 2**20  # parts of a length that expected half-widths are rounded up to


@cache
def root(size: int) -> tuple[int, ...]:
    """Return the kernel of R: its first column.

    Entry j is 2^10 / N times the sum over k of the root of eigenvalue k times
    cos(pi j (2 k + 1) / N).

    Example:
        >>> root(1), root(3)
        ((1024,), (1307, 141, -141))
    """
    import numpy as np

    odd = 2 * np.arange(size, dtype=np.int64) + 1
    roots = np.array([_root(k, size) for k in odd.tolist()], dtype=np.int64)
    waves = np.array([_wave(m, size) for m in range(2 * size)], dtype=np.int64)
    # a sum is at most N 2^41, because the roots add up to less than 2 N
    sums = [int((roots * waves[j * odd % (2 * size)]).sum()) for j in range(size)]
    whole = size << (2 * _PLACES - _SCALE)
    return tuple([(2 * total + whole) // (2 * whole) for total in sums])


def listed(at: End | Sequence[End]) -> list[End]:
    """Return what is asked of a curve as a list: one value, or several."""
    return list(at) if isinstance(at, Sequence) and not isinstance(at, str) else [at]


def beside(at: Sequence[Fraction]) -> int:
    """Return the weight of the number of rows beside the root, for these quantiles: 0 for a median.

    Example:
        >>> beside([Fraction(1, 2)]), beside([Fraction(1, 10), Fraction(1, 2)])
        (0, 915)
    """
    far = max(abs(Fraction(1, 2) - share) for share in at)
    return isqrt(int(2 * far * 4**_SCALE))  # exact: a rational


def curve_of(
    table: Table,
    ask: Ask,
    column: str,
    edges: tuple[int, ...],
    weight: int = 0,
    kernel: Kernel = (),
) -> Aggregate:
    """Return the curve of a column over these edges in each group, with the rows beside it."""
    bins = Bins(column, edges)
    check_groups(table, ask, cells_per_group=bins.count)
    limits = ask.reach(table)
    shifts = (
        kernel
        if isinstance(kernel, Leaning)
        else Shifts(bins.count, tuple(kernel) or root(bins.count), -1)
    )
    matrix = Transform(Beside(shifts, weight) if weight else shifts)
    return ask.aggregate(
        table,
        measures=(Measure("rows"),),
        sensitivity=transformed_sensitivity(table, limits, matrix),
        bins=bins,
        transform=matrix,
    )


def counts_of(table: Table, ask: Ask, column: str, edges: tuple[int, ...]) -> Aggregate:
    """Return the counts of a column by bin in each group, as a histogram has them."""
    bins = Bins(column, edges)
    check_groups(table, ask, cells_per_group=bins.count)
    cells = table.most_groups(ask.by) * bins.count
    return ask.aggregate(
        table,
        measures=(Measure("rows"),),
        sensitivity=row_sensitivity(table, ask.reach(table), cells),
        bins=bins,
    )


def alone(size: int) -> tuple[int, ...]:
    """Return the kernel of the identity, whose vector is the counts by bin themselves."""
    return (1, *[0] * (size - 1))


def expected_off(
    law: Law,
    alpha: Fraction,
    kernel: Kernel,
    at: Sequence[Fraction],
    weight: int = 0,
) -> Fraction:
    """Return how many cells a curve is off at some shares at most, except with chance alpha."""
    fine = _FINE**2 if isinstance(kernel, Leaning) else _FINE  # its numbers are larger
    return law.half_width(alpha) * Fraction(ceil(furthest(kernel, at, weight) * fine), fine)


def coarse_note(name: str, table: Table, column: str, edges: tuple[int, ...]) -> str:
    """Return how coarse the curve is, where a bin holds more than one step; else nothing."""
    wide = _widest(edges)
    if wide == 1:
        return ""
    bounds = table.columns[column]
    size = f"{text_of(wide * bounds.step)} {STEPS.get(bounds.kind, '')}".rstrip()
    finer = f"bins={MOST_BINS:,}," if len(edges) > BINS else "more bins"
    return (
        f"The {name} of {column} cannot be finer than a bin, which is {size} wide: "
        f"narrower bounds, or {finer} make it finer."
    )


@cache
def _widest(edges: tuple[int, ...]) -> int:
    """Return how wide the widest bin is: found once, for a search asks thousands of times."""
    return max(b - a for a, b in pairwise(edges))


@dataclass(frozen=True, slots=True)
class Cut:
    """One quantile of each group in the column's measure, with the ends of its interval."""

    values: tuple[float | None, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @classmethod
    def of(cls, crossings: CurvePlaces, edges: Sequence[int], bounds: Bounds) -> "Cut":
        """Return where the bins lie; a bin's last step is its end."""
        top, bottom = bounds.step.numerator, bounds.step.denominator
        starts = [edge * top for edge in edges[:-1]]
        ends = [(edge - 1) * top for edge in edges[1:]]
        first, last = nearest(starts, bottom), nearest(ends, bottom)
        below, above = downs(starts, bottom), ups(ends, bottom)
        low = tuple([below[i] for i in crossings.low.tolist()])
        high = tuple([above[i] for i in crossings.high.tolist()])
        places = zip(
            crossings.bins.tolist(), crossings.parts.tolist(), crossings.told.tolist(), strict=True
        )
        inside = [
            first[i] + part * (last[i] - first[i]) if is_known else None
            for i, part, is_known in places
        ]
        values = [
            None if x is None else min(max(x, a), b)
            for x, a, b in zip(inside, low, high, strict=True)
        ]
        return cls(tuple(values), low, high)

    def less(self, other: "Cut", bounds: Bounds) -> "Cut":
        """Return how far this is above another, in which neither end is crossed."""
        most = ups([bounds.width * bounds.step.numerator], bounds.step.denominator)[0]
        values: list[float | None] = []
        low, high = list[float](), list[float]()
        for at, (x, y) in enumerate(zip(self.values, other.values, strict=True)):
            bottom = self.low[at] - other.high[at]
            top = self.high[at] - other.low[at]
            a, b = max(0.0, nextafter(bottom, -inf)), min(most, nextafter(top, inf))
            if x is None or y is None:
                a, b = 0.0, most
            values.append(None if x is None or y is None else min(max(x - y, a), b))
            low.append(a)
            high.append(b)
        return Cut(tuple(values), tuple(low), tuple(high))


def _root(odd: int, size: int) -> int:
    """Return the root of an eigenvalue, to the nearest 2^-20."""
    from flint import arb, fmpq

    def real() -> object:
        sine = arb.sin_pi_fmpq(fmpq(odd, 2 * size))
        return (1 / sine).sqrt() * 2**_PLACES + arb(0.5)

    return floor_of(real)


def _wave(place: int, size: int) -> int:
    """Return cos(pi place / size), to the nearest 2^-20."""
    from flint import arb, fmpq

    return floor_of(lambda: arb.cos_pi_fmpq(fmpq(place, size)) * 2**_PLACES + arb(0.5))


def transformed_sensitivity(table: Table, limits: Reach, transform: Transform) -> Sensitivity:
    """Return the sensitivity of a count of rows, by group and bin, after a transform."""
    rows = row_sensitivity(table, limits, 1)  # of one unit's rows alone
    if transform.of == "vector":
        rows = Sensitivity(limits.rows, limits.rows**2, limits.rows)
    matrix = transform.matrix
    size, square = max(matrix.sizes()), max(matrix.squares())
    least, most = matrix.ends()
    if table.neighbors == "add_remove":
        return Sensitivity(
            l1=size * rows.l1,
            l2_squared=square * rows.l2_squared,
            linf=max(-least, most) * rows.linf,
        )
    return Sensitivity(
        l1=2 * size * rows.l1,
        l2_squared=(4 if least < 0 else 2) * square * rows.l2_squared,
        linf=(most - least) * rows.linf,
    )
