"""The waist: an integer vector over public keys, with its sensitivity, from engine to door.

How far bins lie from a rank: the whole numbers by which a quantile is chosen.

With share = a / b, n rows, and F the rows before and after a bin, the bin holds the ranks from
b F(before) to b F(after), times b; the rank that is sought is a n + shift, and a bin's number is
how far it lies from it, negative: the bin that holds the rank has 0, the largest.

To the left or right of all bins stands one more where an end of an interval is chosen, which holds
all ranks below 0, or above b n: there is always a bin that holds the rank.

Rules of this module:
- what an engine counts is plain data: it needs no statistic to be read, and no data to be made;
- `Exact` holds private integers: it does not print, compare, hash, copy or pickle;
- whole numbers in, whole numbers out: `share` and `shift` are public, the counts are private.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from math import isqrt
from typing import Literal, Never

from .errors import InternalError
from .expressions import Typed
from .schema import Table
from .sensitivity import Sensitivity
from .transform import Transform

Side = Literal[-1, 0, 1]
_SURE = Fraction(999, 1000)  # a chance below 1


@dataclass(frozen=True, slots=True)
class Rank:
    """A rank among the rows that are counted by bin: where a share of them lies below.

    Attributes:
        share: above 0 and below 1.
        side: 0 for the rank itself; -1 or 1 for one so far below or above it that what is chosen
            is beyond it, except with probability `miss`.
        miss: of a side.
    """

    share: Fraction
    side: Side = 0
    miss: Fraction = Fraction(1, 2)

    def candidates(self, bins: int) -> int:
        """Return how many places there are to choose from."""
        return bins + abs(self.side)

    def off(self, half_width: Callable[[Fraction], int], bins: int) -> int:
        """Return how far, times b, a choice by a law's half-width may lie from the rank that it
        seeks, except with probability `miss`: of its candidates but one, all lie further."""
        others = self.candidates(bins) - 1
        odds = self.miss / (1 - self.miss)  # exact: rationals
        return half_width(min(odds / others, _SURE))  # exact: rationals

    def numbers(self, counts: Sequence[int], off: int) -> list[int]:
        """Return the number of each candidate, from the private counts by bin.

        Args:
            counts: the rows in each bin.
            off: as `off` says; not looked at without a side.

        Example: of four rows the median is in the second bin; what is below it, but for 1.

            >>> Rank(Fraction(1, 2)).numbers([1, 2, 1], 0)
            [-2, 0, -2]
            >>> Rank(Fraction(1, 2), -1).numbers([1, 2, 1], 1)
            [-2, 0, 0, -4]
        """
        a, b = self.share.numerator, self.share.denominator
        ends = [b * rows for rows in accumulate(counts, initial=0)]
        shift = (0, off, -off - 1)[self.side]
        sought = a * ends[-1] // b + shift
        scores = [-max(0, start - sought, sought - end) for start, end in pairwise(ends)]
        if self.side < 0:
            return [-max(0, sought), *scores]
        return [*scores, -max(0, ends[-1] - sought)] if self.side else scores


MAX_LENGTH = 2**52  # of a point that is moved into a ball, in half steps: doubles guess its root


@dataclass(frozen=True, slots=True)
class Choice:
    """What leaves of a vector is where its largest numbers stand: one pick after the other.

    `spread` bounds, over what one unit can do, the largest of its moves less the least. With a
    `rank` what is compared is how far each bin lies from it, in each group by itself; then `whole`
    bounds the spreads of all groups together, and is `spread` where a unit is in one.

    What is paid for holds in each kind of loss f that grows no slower than the spread: a part u of
    at most R costs f(u) <= (u / R) f(R), hence all parts together (whole / R) f(R). Pure loss is a
    multiple of u, zCDP of u^2 or of u tanh(u / 2); for Gaussian loss see docs/laws/choosing.md.

    The last `spare` numbers, the group of all keys that were not found, are no choice where there
    is another.
    """

    picks: int
    spread: int
    rank: Rank | None = None
    whole: int | None = None
    spare: int = 0

    def among(self, numbers: int) -> int:
        """Return how many of so many numbers, the first ones, there are to choose from."""
        return numbers - self.spare if numbers > self.spare else numbers

    @property
    def moved(self) -> Sensitivity:
        """Return the spreads of all picks, added up and squared, which is what is paid for."""
        whole = self.picks * (self.spread if self.whole is None else self.whole)
        return Sensitivity(whole, whole * self.spread, self.spread)


@dataclass(frozen=True, slots=True)
class Ball:
    """A ball that points are moved into, in half steps of the columns.

    A cell of v steps lies u = 2 v - middle half steps from the center. With n the larger of the
    radius and the square root of the sum of u^2, rounded up, each u becomes u * radius / n, rounded
    toward zero: a point inside stays where it is.

    No moved point is longer than the radius: rounding toward zero only shortens, so that the sum of
    its squares is at most sum(u^2) * radius^2 / n^2, and n^2 is at least sum(u^2).
    """

    middle: tuple[int, ...]
    radius: int

    def moved(self, steps: Sequence[int]) -> list[int]:
        """Return a point in half steps from the center, moved into the ball.

        Example:
            >>> Ball((0, 0), 5).moved([-1, 2]), Ball((0, 0), 5).moved([-3, 4])
            ([-2, 4], [-3, 4])
        """
        point = [2 * v - middle for v, middle in zip(steps, self.middle, strict=True)]
        squares = sum(u * u for u in point)
        length = max(self.radius, isqrt(squares - 1) + 1) if squares else self.radius
        return [abs(u) * self.radius // length * (1 if u > 0 else -1) for u in point]


@dataclass(frozen=True, slots=True)
class Point:
    """Columns read together: a row is a point where all their cells are usable, and else none.

    Its coordinates are the cells in steps, or where they lie after they were moved into a ball.
    """

    columns: tuple[str, ...]
    ball: Ball | None = None

    def read(self, cells: Mapping[str, int | None]) -> list[int] | None:
        """Return the coordinates of a row's cells in steps; None if one is missing."""
        numbers = [cells[column] for column in self.columns]
        steps = [value for value in numbers if value is not None]
        if len(steps) < len(numbers):
            return None
        return self.ball.moved(steps) if self.ball else steps


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One number of a point, by its place."""

    point: Point
    place: int


@dataclass(frozen=True, slots=True)
class Coarse:
    """A column's cell on a coarser grid: the nearest of parts + 1 points that cut its bounds alike.

    For a cell of v steps, of bounds L and L + W, it is floor((v - L) parts / W + 1/2).
    """

    column: str
    parts: int

    def of(self, steps: int, low: int, high: int) -> int:
        """Return the point of a cell between these bounds, all in steps."""
        width = high - low
        return (2 * (steps - low) * self.parts + width) // (2 * width)


Value = str | Coordinate | Coarse  # a whole number of a row: a cell in steps, or made of cells


@dataclass(frozen=True, slots=True)
class Term:
    """A whole number, times the product of none, one or two values of a row."""

    factor: int
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """An integer that each row (or each unit) of a group adds.

    rows: 1 for each row. units: 1 for each distinct unit. cells: for each row in which all of
    `values` are usable, the sum of `terms`; another row adds nothing.
    """

    kind: Literal["rows", "units", "cells"]
    values: tuple[Value, ...] = ()
    terms: tuple[Term, ...] = ()
    columns: tuple[str, ...] = field(init=False, repr=False, compare=False)  # that are looked at

    def __post_init__(self) -> None:
        names = [name for value in self.values for name in columns_of(value)]
        with suppress(TypeError):  # what is no name is refused by a table
            names = [*dict.fromkeys(names)]
        object.__setattr__(self, "columns", tuple(names))


def columns_of(value: Value) -> tuple[str, ...]:
    """Return the columns that a value is made of."""
    if isinstance(value, Coordinate):
        return value.point.columns
    return (value.column,) if isinstance(value, Coarse) else (value,)


@dataclass(frozen=True, slots=True)
class Bins:
    """Cut points of a column in steps, rising, from its lower bound to its upper, or one beyond.

    Bin i holds edges[i] <= v < edges[i + 1]; the last one holds its upper edge too.
    """

    column: str
    edges: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many bins there are."""
        return len(self.edges) - 1


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many keys of a column have at least so many units; of one unit `most` keys count.

    Attributes:
        column: whose keys, which nobody knows.
        most: how many keys of one unit count.
        at_least: the sizes, rising.
    """

    column: str
    most: int
    at_least: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sparse:
    """A vector of which only the sums that reach a threshold are told.

    Attributes:
        threshold: from which noisy sum on, at least 1.
        most: how many are shown at most.
    """

    threshold: int
    most: int


@dataclass(frozen=True, slots=True)
class Aggregate:
    """What an engine counts: for each group (and bin), one integer a measure.

    The vector's order: groups as the cross product of the public keys, the last column fastest;
    bins; measures. `max_groups` and `max_rows_per_group` bound one unit's part further, beside the
    table's own `max_rows`; None means no such limit. A `transform` is applied to what an engine has
    counted; `sensitivity` is that of its result. Only rows for which `where` is true count. Where
    there is a `choice`, no number passes the door, but places in the vector. With `sizes` no engine
    counts it: it is made of the pairs of unit and key that one pools, a measure for each size. With
    `sparse` an engine returns the cells that hold rows alone, with their places.
    """

    by: tuple[str, ...]
    measures: tuple[Measure, ...]
    sensitivity: Sensitivity
    bins: Bins | None = None
    max_groups: int | None = None
    max_rows_per_group: int | None = None
    transform: Transform | None = None
    where: Typed | None = None
    choice: Choice | None = None
    sizes: Sizes | None = None
    sparse: Sparse | None = None

    def shape(self, table: Table) -> tuple[int, int, int]:
        """Return how many groups, bins (1 if none) and measures there are."""
        return table.groups(self.by), self.bins.count if self.bins else 1, len(self.measures)

    @property
    def paid(self) -> Sensitivity:
        """The sensitivity that the price of its noise, or of its choice, follows from."""
        return self.choice.moved if self.choice else self.sensitivity

    def size(self, table: Table) -> int:
        """Return how many whole numbers pass the door."""
        if self.choice and not self.choice.rank:  # of keys that were found there may be fewer
            return min(self.choice.picks, self.choice.among(table.groups(self.by)))
        groups, bins, measures = self.shape(table)
        if self.choice:
            return self.choice.picks * groups
        cells = bins * measures
        return self.transform.size(groups, cells) if self.transform else groups * cells


@dataclass(frozen=True, slots=True)
class Noisy:
    """Integers that have passed the door: public; with places, those of a sparse vector that are
    told, in their order."""

    values: tuple[int, ...]
    places: tuple[int, ...] | None = None


class Exact:
    """Private integers on their way from an engine to the door; only the door opens it.

    Of a sparse vector the places of its cells are as private as what is in them.
    """

    __slots__ = ("_cell_places", "_values")

    def __init__(self, values: tuple[int, ...], places: tuple[int, ...] | None = None) -> None:
        self._values = values
        self._cell_places = places

    def opened_by_the_door(self) -> tuple[int, ...]:
        """Return the private integers; `release.door` is the only caller."""
        return self._values

    def cells_opened_by_the_door(self) -> dict[int, int]:
        """Return the private integers by their places, all others being 0."""
        places = range(len(self._values)) if self._cell_places is None else self._cell_places
        return dict(zip(places, self._values, strict=True))

    def transformed(self, transform: Transform | None) -> "Exact":
        """Return the integers times a public matrix, as sealed as before."""
        return Exact(transform.applied(self._values)) if transform else self

    def __repr__(self) -> str:
        return "Exact(sealed)"

    def __eq__(self, _other: object) -> bool:
        self._refuse()

    def __hash__(self) -> int:
        self._refuse()

    def __reduce_ex__(self, _protocol: object) -> str:
        self._refuse()

    def __copy__(self) -> "Exact":
        self._refuse()

    def __deepcopy__(self, _memo: object) -> "Exact":
        self._refuse()

    def _refuse(self) -> Never:
        raise InternalError(
            "private integers were compared, hashed, copied or stored.",
            kind="not-to-be-copied",
            why="they may only pass the door, where noise is added",
            fix="please report it, with the plan",
        )
