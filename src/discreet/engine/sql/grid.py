"""A number on the grid of its bounds: floor(v / step + 1/2), as IEEE doubles give it, in SQL.

Which bin holds a value: by one division where bins are even, else by a table of steps or edges.

Points of several columns, and how they are moved into a ball, as parts of a query.

Rules of this module:
- `memory.in_steps` says the same in Python: both change together;
- what is no number is missing, or what a missing cell counts as; nothing raises;
- every literal of a double is a text, so that no dialect chooses a type for us;
- the cost of a row does not grow with the number of bins: no branch a bin;
- a value is a whole number within its bounds here, or NULL, and stays in 64 bits; where a product
  could be longer it is taken in 128;
- whether a point is there, and how long it is, is worked out once for all its coordinates;
- a root is guessed in doubles and found by comparing whole numbers: no float decides anything. The
  guess is at most one off, because lengths stay below `aggregate.MAX_LENGTH`; one that was farther
  off would shorten the row more, or leave it out;
- only whole numbers of at least 0 are divided, because engines round others in different ways.

Even bins. With W steps from bound to bound and n bins, bin i begins at the step lower + floor(W i /
n) (`Histogram.edges`). So v is in bin i or a later one exactly if v - lower >= floor(W i / n), that
is if v - lower + 1 > W i / n, that is if i < (v - lower + 1) n / W; and the largest such i is
ceil((v - lower + 1) n / W) - 1 = floor(((v - lower + 1) n - 1) / W). The upper bound itself gives
n, and belongs to bin n - 1. Where W = k n, the place is floor((v - lower + 1) / k - 1 / (k n)), and
so floor((v - lower) / k).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any

import numpy as np
from sqlglot import exp

from ...aggregate import Ball, Bins, Point
from ...schema import Bounds, Table, even_edges
from .tree import Operand, clamped, if_, is_there, number, par, paren, picked, to_type, whole

_TINY = "6.223015277861142e-61"  # 2^-200
_LONG, _BITS = Struct("<q"), Struct("<d")
_LAST = 0x7FEF_FFFF_FFFF_FFFF  # the bits of the largest double, as a whole number


def on_grid(value: exp.Expression, bounds: Bounds) -> exp.Expression:
    """Return floor(value / step + 1/2) within the bounds, as a whole number.

    Where a cell is missing it is what that counts as, or NULL.

    The common case comes first. NULL compares as unknown and passes every branch, and so do NaN,
    which is above all numbers, and infinities, which the last two branches leave out. A number
    that overflows on its way to the grid is clamped.
    """
    steps = _steps(value, bounds)
    ends = whole(bounds.lower_step), whole(bounds.upper_step)
    return _within(value, bounds, steps, steps, ends)


def on_grid_by_ends(value: exp.Expression, bounds: Bounds) -> exp.Expression:
    """Return the same, where an engine raises if a product or a quotient of doubles is no double.

    Proof. With x the steps of a double v, rounded as IEEE doubles are, x never falls where v grows.
    So x is below the lower bound exactly if v is below the least double whose x is not, and
    likewise for the upper bound: both ends are looked for beforehand, by the same arithmetic. NaN
    is above all numbers, and so beyond both ends, as infinities are. Arithmetic is done between the
    ends alone, where x is finite, as its larger product is: if that was not, x would not be, and
    beyond a bound. Where v is divided, x could be less than the least double: there |v| <= 2^-200
    is 0 steps, because a step is 2^-52 at least. It is above 0 in size otherwise, because a step is
    2^52 at most.
    """
    low, high = (
        _double(repr(_least(bounds, step))) for step in (bounds.lower_step, bounds.upper_step)
    )
    first: list[Case] = []
    if bounds.step.numerator > 1 and bounds.lower_step <= 0 < bounds.upper_step:
        tiny = exp.LTE(this=exp.Abs(this=value.copy()), expression=_double(_TINY))
        first = [(tiny, whole(0))]
    return _within(value, bounds, _steps(value, bounds), value, (low, high), first)


Case = tuple[exp.Expression | exp.Condition, exp.Expression]


def _within(
    value: exp.Expression,
    bounds: Bounds,
    steps: exp.Expression,
    compared: exp.Expression,
    ends: tuple[exp.Expression, exp.Expression],
    first: Sequence[Case] = (),
) -> exp.Expression:
    """Return the nearest whole number of steps, and beyond the ends the bounds of a number.

    Args:
        value, bounds: a double, and what lays the grid over it.
        steps: how many the double is, not rounded.
        compared: what is compared with the ends.
        ends: the least that is inside, and the least that is above.
        first: cases that are looked at before.
    """
    low, high = ends
    is_from = exp.GTE(this=compared.copy(), expression=low.copy())
    is_to = exp.LT(this=compared.copy(), expression=high.copy())
    inside = exp.and_(is_from, is_to, copy=False)
    nearest = exp.Floor(this=exp.Add(this=steps.copy(), expression=_double("0.5")))
    above = exp.GTE(this=compared.copy(), expression=high.copy())
    below = exp.LT(this=compared.copy(), expression=low.copy())
    kind = "INT" if max(abs(bounds.lower_step), abs(bounds.upper_step)) < 2**31 else "BIGINT"
    is_less = exp.LT(this=value.copy(), expression=_double("Infinity"))
    is_more = exp.GT(this=value.copy(), expression=_double("-Infinity"))
    cases: list[Case] = [
        *first,
        (inside, nearest),
        (exp.and_(above, is_less, copy=False), whole(bounds.upper_step)),
        (exp.and_(below, is_more, copy=False), whole(bounds.lower_step)),
    ]
    case = exp.Case()
    for condition, number_of_steps in cases:
        case.when(condition, to_type(number_of_steps, kind), copy=False)
    if bounds.missing is None:
        return case
    return exp.Coalesce(this=case, expressions=[to_type(whole(bounds.missing_step or 0), kind)])


def _steps(value: exp.Expression, bounds: Bounds) -> exp.Expression:
    up, down = bounds.step.denominator, bounds.step.numerator
    scaled = value.copy()
    if up > 1:
        scaled = exp.Mul(this=scaled, expression=whole(up))
    if down > 1:
        scaled = exp.Div(this=exp.paren(scaled), expression=to_type(whole(down), "DOUBLE"))
    return scaled


def _least(bounds: Bounds, step: int) -> float:
    """Return the least double that is at least so many steps."""
    up, down = bounds.step.denominator, bounds.step.numerator
    low, high = -_LAST, _LAST
    while high - low > 1:
        middle = (low + high) // 2
        steps = _placed(middle) * up / down  # exact: the grid is defined in IEEE doubles
        if steps >= step:
            high = middle
        else:
            low = middle
    return _placed(high)


def _placed(number: int) -> float:
    """Return the double of a number: both are ordered alike, and 0 is 0."""
    size: float = _BITS.unpack(_LONG.pack(abs(number)))[0]
    return -size if number < 0 else size


def _double(text: str) -> exp.Expression:
    return to_type(exp.Literal.string(text), "DOUBLE")


_INT = 2**30  # the difference of two steps below stays in 32 bits, and the product of bins does
_NARROW = 2**20  # steps that are listed one by one; wider ones are looked up between edges
_MOST_PRODUCT = 2**62  # products below stay in 64 bits


@dataclass(frozen=True, slots=True)
class Places:
    """How the bins of one kind are found.

    Attributes:
        bins: the bins.
        name: the table of steps or edges that the query joins, where it needs one.
        is_even: whether a division finds the bin.
    """

    bins: Bins
    name: str
    is_even: bool

    def place(self, value: exp.Expression) -> exp.Expression:
        """Return the number of the bin of a value; NULL for NULL.

        A value is clamped, and so at most one step beyond the last edge, or has the last bin: no
        product is above (width + 1) count.
        """
        if not self.is_even:
            return exp.column("place", table=self.name)
        low, width, count = self.bins.edges[0], _width(self.bins), self.bins.count
        if width % count == 0:
            return self._place_of_whole_widths(value)
        most, ends = (width + 1) * count, max(abs(low - 1), abs(self.bins.edges[-1]))
        kind = "INT" if max(most, ends) < _INT else "BIGINT" if most < _MOST_PRODUCT else "INT128"
        cell = Operand(value)
        from_low = cell.cast(kind) - par(number(low - 1))
        place = par(par(from_low) * count - 1) // width
        is_last = cell >= self.bins.edges[-1]
        return if_(is_last, number(count - 1), place.cast("BIGINT")).take()

    def _place_of_whole_widths(self, value: exp.Expression) -> exp.Expression:
        """Return the number of the bin, where each is as many steps wide: at most 2^52."""
        low, high = self.bins.edges[0], self.bins.edges[-1]
        kind = "INT" if max(abs(low), abs(high)) < _INT else "BIGINT"
        cell = Operand(value)
        above = cell.cast(kind)
        if low:
            above = par(above - par(number(low)))
        place = above // (_width(self.bins) // self.bins.count)
        is_last = cell >= high
        return if_(is_last, number(self.bins.count - 1), place.cast("BIGINT")).take()

    def join(self, query: exp.Select, value: exp.Expression) -> None:
        """Join to a query over rows what tells the bin of each, where a division does not."""
        if self.is_even:
            return
        known = exp.column("step", table=self.name)
        is_listed = _width(self.bins) < _NARROW
        compared = exp.EQ if is_listed else exp.GTE  # the nearest edge that is not above
        method = {} if is_listed else {"method": "ASOF"}
        lookup = exp.Join(this=exp.table_(self.name), side="LEFT", **method)
        lookup.set("on", compared(this=value, expression=known))
        query.append("joins", lookup)

    def table(self) -> dict[str, Any] | None:
        """Return the table to give the query: steps, ends and places; None where it needs none."""
        if self.is_even:
            return None
        edges = np.array(self.bins.edges, dtype=np.int64)
        if _width(self.bins) < _NARROW:
            steps = np.arange(edges[0], edges[-1] + 1, dtype=np.int64)
            places = np.searchsorted(edges[1:-1], steps, side="right")
            return {"step": steps, "place": places.astype(np.int32)}
        until = np.append(edges[1:-1], edges[-1] + 1)  # the last bin holds the upper bound, too
        place = np.arange(self.bins.count, dtype=np.int32)
        return {"step": edges[:-1], "until": until, "place": place}


def places_of(bins: Bins, name: str) -> Places:
    """Return how the bins are found; `name` is free for a table that only this query sees."""
    low, width, count = bins.edges[0], _width(bins), bins.count
    return Places(bins, name, bins.edges == even_edges(low, width, count))


def _width(bins: Bins) -> int:
    return bins.edges[-1] - bins.edges[0]


_MOST_LONG = 2**62  # what stays below is held in 64 bits


def with_coordinates(
    source: exp.Expression, point: Point, number: int, steps: Sequence[exp.Expression], table: Table
) -> exp.Expression:
    """Return a source with the coordinates of a point beside: p0_0 ..., NULL where it is missing.

    Without a ball they are the cells, clamped. With one, cells are moved into it, and then looked
    at again: a point that were longer than the radius is left out.
    """
    bounds = [table.columns[column] for column in point.columns]
    if point.ball is None:
        there = _balanced([is_there(cell) for cell in steps], exp.And)
        whole_steps = [
            exp.Case().when(there.copy(), clamped(cell, b.lower_step, b.upper_step))
            for cell, b in zip(steps, bounds, strict=True)
        ]
        return _beside(source, {f"p{number}_{i}": cell for i, cell in enumerate(whole_steps)})
    widths = [b.width for b in bounds]
    wider = _with_length(source, steps, point.ball, number, widths)
    moved = {
        f"w{number}_{i}": _moved(cell, exp.column(f"n{number}"), point.ball, i, widths[i])
        for i, cell in enumerate(steps)
    }
    wider, radius = _beside(wider, moved), point.ball.radius
    kind = _kind(len(moved) * max(radius, *widths) ** 2)
    squares = [exp.Mul(this=_wide(name, kind), expression=_wide(name, kind)) for name in moved]
    inside = is_inside(_balanced(squares, exp.Add), radius)
    kept = {
        f"p{number}_{i}": exp.Case().when(inside.copy(), exp.column(name))
        for i, name in enumerate(moved)
    }
    return _beside(wider, kept)


def is_inside(squares: exp.Expression, radius: int) -> exp.Expression:
    """Return the condition that a point is no longer than the radius."""
    return exp.LTE(this=squares, expression=whole(radius**2))


def _wide(name: str, kind: str) -> exp.Expression:
    return to_type(exp.column(name), kind)


def _with_length(
    source: exp.Expression,
    steps: Sequence[exp.Expression],
    ball: Ball,
    number: int,
    widths: Sequence[int],
) -> exp.Expression:
    """Return a source with a length beside: at least the radius, and never below the true one."""
    kind = _kind(sum(width**2 for width in widths))
    away = [from_center(cell, mid, kind) for cell, mid in zip(steps, ball.middle, strict=True)]
    squares = [exp.Mul(this=paren(u), expression=paren(u.copy())) for u in away]
    lengths = _beside(source, {f"s{number}": _balanced(squares, exp.Add)})
    lengths = _beside(lengths, {f"g{number}": _guess(exp.column(f"s{number}"), kind)})
    return _beside(lengths, {f"n{number}": _length(number, ball.radius)})


def from_center(cell: exp.Expression, middle: int, kind: str) -> exp.Expression:
    """Return how many half steps a cell is from the center."""
    return (Operand(cell, is_used=True).cast(kind) * 2 - par(number(middle))).take()


def _moved(
    cell: exp.Expression, length: exp.Expression, ball: Ball, place: int, width: int
) -> exp.Expression:
    """Return a coordinate in half steps from the center, moved into the ball."""
    kind = _kind(width * ball.radius)
    away = par(Operand(from_center(cell, ball.middle[place], kind)))
    size = Operand(exp.Abs(this=away.take()))
    shorter = par(size * ball.radius) // Operand(length)
    return if_(away < 0, -par(shorter), shorter).take()


def _kind(most: int) -> str:
    """Return the type that holds numbers up to this one."""
    return "BIGINT" if most < _MOST_LONG else "INT128"


def _guess(squares: exp.Expression, kind: str) -> exp.Expression:
    """Return about the square root, as a whole number."""
    root = exp.Sqrt(this=to_type(squares, "DOUBLE"))
    return to_type(to_type(exp.Floor(this=root), "BIGINT"), kind)  # below 2^62


def _length(point: int, radius: int) -> exp.Expression:
    """Return the radius for points inside, else the least whole number not below the length."""
    squares, guess = Operand(exp.column(f"s{point}")), Operand(exp.column(f"g{point}"))
    case = exp.Case().when((squares <= radius**2).take(), whole(radius))
    for more in range(-1, 3):
        near = par(guess + par(number(more)))
        case = case.when((near * near >= squares).take(), near.take())
    return case


def _beside(source: exp.Expression, columns: Mapping[str, exp.Expression]) -> exp.Expression:
    """Return a source with more columns."""
    more = [exp.alias_(expression, name, copy=False) for name, expression in columns.items()]
    return picked(source, exp.Star(), *more).subquery("w", copy=False)


def _balanced(
    parts: Sequence[exp.Expression], join: Callable[..., exp.Expression]
) -> exp.Expression:
    """Return parts joined two by two, so that no engine's limit on nesting is met."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    left, other = _balanced(parts[:half], join), _balanced(parts[half:], join)
    return join(this=paren(left), expression=paren(other))
