"""Points of several columns, and how they are moved into a ball, as parts of a query.

Rules of this module:
- whether a point is there, and how long it is, is worked out once for all its coordinates;
- a root is guessed in doubles and found by comparing whole numbers: no float decides anything. The
  guess is at most one off, because lengths stay below `aggregate.MAX_LENGTH`; one that was farther
  off would shorten the row more, or leave it out;
- only whole numbers of at least 0 are divided, because engines round others in different ways.
"""

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from ...aggregate import Ball, Point
from ...schema import Table
from . import guard
from .tree import is_there, paren, picked, to_type, whole

_NARROW = 2**62  # what stays below is held in 64 bits


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
            exp.Case().when(there.copy(), guard.clamped(cell, b.lower_step, b.upper_step))
            for cell, b in zip(steps, bounds, strict=True)
        ]
        return _beside(source, {f"p{number}_{i}": cell for i, cell in enumerate(whole_steps)})
    widths = [b.width for b in bounds]
    found = _with_length(source, steps, point.ball, number, widths)
    moved = {
        f"w{number}_{i}": _moved(cell, exp.column(f"n{number}"), point.ball, i, widths[i])
        for i, cell in enumerate(steps)
    }
    found, radius = _beside(found, moved), point.ball.radius
    kind = _kind(len(moved) * max(radius, *widths) ** 2)
    squares = [exp.Mul(this=_wide(name, kind), expression=_wide(name, kind)) for name in moved]
    inside = is_inside(_balanced(squares, exp.Add), radius)
    kept = {
        f"p{number}_{i}": exp.Case().when(inside.copy(), exp.column(name))
        for i, name in enumerate(moved)
    }
    return _beside(found, kept)


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
    found = _beside(source, {f"s{number}": _balanced(squares, exp.Add)})
    found = _beside(found, {f"g{number}": _guess(exp.column(f"s{number}"), kind)})
    return _beside(found, {f"n{number}": _length(number, ball.radius)})


def from_center(cell: exp.Expression, middle: int, kind: str) -> exp.Expression:
    """Return how many half steps a cell is from the center."""
    twice = exp.Mul(this=to_type(cell.copy(), kind), expression=whole(2))
    return exp.Sub(this=twice, expression=paren(whole(middle)))


def _moved(
    cell: exp.Expression, length: exp.Expression, ball: Ball, place: int, width: int
) -> exp.Expression:
    """Return a coordinate in half steps from the center, moved into the ball."""
    kind = _kind(width * ball.radius)
    away = paren(from_center(cell, ball.middle[place], kind))
    product = exp.Mul(this=exp.Abs(this=away), expression=whole(ball.radius))
    shorter = exp.IntDiv(this=paren(product), expression=length)
    below = exp.LT(this=away.copy(), expression=whole(0))
    return exp.Case().when(below, exp.Neg(this=paren(shorter))).else_(shorter.copy())


def _kind(most: int) -> str:
    """Return the type that holds numbers up to this one."""
    return "BIGINT" if most < _NARROW else "INT128"


def _guess(squares: exp.Expression, kind: str) -> exp.Expression:
    """Return about the square root, as a whole number."""
    root = exp.Sqrt(this=to_type(squares, "DOUBLE"))
    return to_type(to_type(exp.Floor(this=root), "BIGINT"), kind)  # below 2^62


def _length(number: int, radius: int) -> exp.Expression:
    """Return the radius for points inside, else the least whole number not below the length."""
    squares, guess = exp.column(f"s{number}"), exp.column(f"g{number}")
    found = exp.Case().when(exp.LTE(this=squares, expression=whole(radius**2)), whole(radius))
    for more in range(-1, 3):
        near = paren(exp.Add(this=guess.copy(), expression=paren(whole(more))))
        square = exp.Mul(this=near, expression=near.copy())
        found = found.when(exp.GTE(this=square, expression=squares.copy()), near.copy())
    return found


def _beside(source: exp.Expression, found: Mapping[str, exp.Expression]) -> exp.Expression:
    """Return a source with more columns."""
    more = [exp.alias_(expression, name, copy=False) for name, expression in found.items()]
    return picked(source, exp.Star(), *more).subquery("w", copy=False)


def _balanced(
    parts: Sequence[exp.Expression], join: Callable[..., exp.Expression]
) -> exp.Expression:
    """Return parts joined two by two, so that no engine's limit on nesting is met."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    one, other = _balanced(parts[:half], join), _balanced(parts[half:], join)
    return join(this=paren(one), expression=paren(other))
