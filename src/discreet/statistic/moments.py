"""Counts, sums, squares and products of several columns in each group, in one noisy vector.

A row counts where the cells of all columns are usable. A cell v of a column in [L, U] is read as
u = 2 v - (L + U), at most W = U - L in size, so that x = u / W lies in [-1, 1]. Each row adds 1,
each x, x^2 - 1/2 for columns whose squares are asked, and x times the x of another, each times
a whole number of about 2^30, chosen so that the noise is least where it is shared out best.

Sensitivity. The squares of what a row adds make a sum that is convex in each x^2: so it is
largest where each x^2 is 0 or 1. There (x^2 - 1/2)^2 is the same, and all else is more where x^2 is
1: it is largest where each x is -1 or 1, and there it is P, made of the whole numbers as they are.
The sizes make at most their sum A there, because |x^2 - 1/2| is at most 1/2; the largest is M. With
r1, r2, r the l1, squares and largest cell of counting a unit's rows (`row_sensitivity`).
add_remove: norms add up over the rows of a group, so A r1 in l1, P r2 in squares, M r in one
number. replace: l1 and the largest number double; with x_i and y_i rows group i moves by at most
sqrt(P) (x_i + y_i), in squares at most 2 P (x_i^2 + y_i^2): over all groups 4 P r2.

Weights. Noise of variance P / (2 rho) on a number of weight w errs by P / w^2. The sum of these is
least where w^2 is in proportion to the root of what its term adds to P at weight 1: 1 for all but
x^2 - 1/2, which adds 1/4, and so has 2^(1/2) times the square.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from ..aggregate import Aggregate, Coarse, Measure, Term, Value
from ..errors import InputError, as_given
from ..fix import name_columns
from ..schema import Bounds, Table
from ..sensitivity import Sensitivity, row_sensitivity
from .ask import Ask, bounds_of, check_groups

_FINEST = 2**12  # parts of the bounds
_SIZE = 2**30  # of what a row adds at most to a number, about
_ROOTS = (1_189, 1_000)  # 2^(1/4), the weight of a square


@dataclass(frozen=True, slots=True)
class Column:
    """One column as it is read: a value of whole numbers between two ends."""

    value: Value
    low: int
    high: int

    @property
    def width(self) -> int:
        """The length of the range."""
        return self.high - self.low

    @property
    def middle(self) -> int:
        """Twice the middle of the range."""
        return self.low + self.high


@dataclass(frozen=True, slots=True)
class MomentPart:
    """One number of a group: which columns are multiplied in it, and what 1 in [-1, 1] adds."""

    columns: tuple[int, ...]
    weight: int
    measure: Measure

    @property
    def most(self) -> Fraction:
        """The largest size that a row adds."""
        is_square = len(self.columns) == 2 and self.columns[0] == self.columns[1]
        return Fraction(self.weight, 2 if is_square else 1)


def parts_of(table: Table, names: Sequence[str], squares: Sequence[int]) -> list[MomentPart]:
    """Return the numbers of a group: the count, the sums, the squares that are asked, the products.

    Args:
        table: the declaration.
        names: the columns.
        squares: the places of the columns of which squares are needed.
    """
    columns = [_column(table, name) for name in names]
    values = tuple(column.value for column in columns)
    parts = [MomentPart((), _SIZE, Measure("cells", values, (Term(_SIZE),)))]
    for i, one in enumerate(columns):
        a = max(1, _SIZE // one.width)
        line = (Term(2 * a, (one.value,)), Term(-a * one.middle))
        parts.append(MomentPart((i,), a * one.width, Measure("cells", values, line)))
    for i in squares:
        one = columns[i]
        # 2 a (u^2 - W^2 / 2) with u = 2 v - m
        a = max(1, _SIZE * _ROOTS[0] // (2 * _ROOTS[1] * one.width**2))
        square = (
            Term(8 * a, (one.value, one.value)),
            Term(-8 * a * one.middle, (one.value,)),
            Term(2 * a * one.middle**2 - a * one.width**2),
        )
        parts.append(MomentPart((i, i), 2 * a * one.width**2, Measure("cells", values, square)))
    for i, j in combinations(range(len(columns)), 2):
        one, other = columns[i], columns[j]
        a = max(1, _SIZE // (one.width * other.width))
        both = (
            Term(4 * a, (one.value, other.value)),
            Term(-2 * a * other.middle, (one.value,)),
            Term(-2 * a * one.middle, (other.value,)),
            Term(a * one.middle * other.middle),
        )
        weight = a * one.width * other.width
        parts.append(MomentPart((i, j), weight, Measure("cells", values, both)))
    return parts


def moments_of(table: Table, ask: Ask, parts: Sequence[MomentPart]) -> Aggregate:
    """Return the vector of these numbers, in each group."""
    check_groups(table, ask, cells_per_group=len(parts))
    limits = ask.reach(table)
    rows = row_sensitivity(table, limits, 1)  # of one unit's rows alone
    most = [part.most for part in parts]
    sizes, squares = sum(most), sum(one * one for one in most)
    largest, twice = max(most), 1 if table.neighbors == "add_remove" else 2
    return ask.aggregate(
        table,
        measures=tuple(part.measure for part in parts),
        sensitivity=Sensitivity(
            l1=-(-sizes.numerator * twice * rows.l1 // sizes.denominator),
            l2_squared=-(-squares.numerator * twice**2 * rows.l2_squared // squares.denominator),
            linf=-(-largest.numerator * twice * rows.linf // largest.denominator),
        ),
    )


def several(given: object, least: int) -> tuple[str, ...]:
    """Return the names of different columns, or raise InputError."""
    names = (
        [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence) else []
    )
    found = tuple(name for name in names if isinstance(name, str))
    if len(found) < max(least, len(names)) or len(set(found)) < len(found):
        raise InputError(
            f"{as_given(given)} is not a list of {least} or more different columns.",
            why="each column is read with all the others, in the rows where all are usable",
            fix=name_columns("column", names, least=least, most=max(least, len(names))),
            at="column",
        )
    return found


def steps_of(found: Bounds) -> int:
    """Return into how many parts the bounds of a column are cut."""
    return min(found.width, _FINEST)


def _column(table: Table, name: str) -> Column:
    """Return a column's own grid, or a coarser one where that is too fine."""
    found = bounds_of(table, name, may_be_time=True)
    if found.width <= _FINEST and max(abs(found.lower_step), abs(found.upper_step)) <= _SIZE:
        return Column(name, found.lower_step, found.upper_step)
    return Column(Coarse(name, steps_of(found)), 0, steps_of(found))
