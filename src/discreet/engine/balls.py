"""Points of several columns, and how they are moved into a ball, as parts of a query.

Rules of this module:
- whether a point is there, and how long it is, is worked out once for all its coordinates;
- a root is guessed in doubles and found by comparing whole numbers: no float decides anything. The
  guess is at most one off, because lengths stay below `aggregate.MAX_LENGTH`; one that was farther
  off would shorten the row more, or leave it out;
- only whole numbers of at least 0 are divided, because engines round others in different ways.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from ..aggregate import Ball, Point
from . import cells

_NARROW = 2**62  # what stays below is held in 64 bits


def with_length(
    source: exp.Expression,
    steps: Sequence[exp.Expression],
    point: Point,
    number: int,
    widths: Sequence[int],
) -> exp.Expression:
    """Return a source with one more column: the length of a point, NULL where a cell is missing.

    Without a ball it is 1; with one it is its radius at least, and never below the true length.
    """
    name, kind = f"n{number}", _kind(sum(width**2 for width in widths))
    if point.ball is None:
        there = _balanced([cells.is_there(cell) for cell in steps], exp.And)
        return _beside(source, name, exp.Case().when(there, cells.whole(1)))
    lines = zip(steps, point.ball.middle, strict=True)
    away = [from_center(cell, middle, kind) for cell, middle in lines]
    squares = [exp.Mul(this=_paren(u), expression=_paren(u.copy())) for u in away]
    found = _beside(source, f"s{number}", _balanced(squares, exp.Add))
    found = _beside(found, f"g{number}", _guess(exp.column(f"s{number}"), kind))
    return _beside(found, name, _length(number, point.ball.radius))


def from_center(cell: exp.Expression, middle: int, kind: str) -> exp.Expression:
    """Return how many half steps a cell is from the center."""
    twice = exp.Mul(this=exp.cast(cell.copy(), kind), expression=cells.whole(2))
    return exp.Sub(this=twice, expression=_paren(cells.whole(middle)))


def moved(
    cell: exp.Expression, length: exp.Expression, ball: Ball, place: int, width: int
) -> exp.Expression:
    """Return a coordinate in half steps from the center, moved into the ball."""
    kind = _kind(width * ball.radius)
    away = _paren(from_center(cell, ball.middle[place], kind))
    product = exp.Mul(this=exp.Abs(this=away), expression=cells.whole(ball.radius))
    shorter = exp.IntDiv(this=_paren(product), expression=length)
    below = exp.LT(this=away.copy(), expression=cells.whole(0))
    return exp.Case().when(below, exp.Neg(this=_paren(shorter))).else_(shorter.copy())


def _kind(most: int) -> str:
    """Return the type that holds numbers up to this one."""
    return "BIGINT" if most < _NARROW else "INT128"


def _guess(squares: exp.Expression, kind: str) -> exp.Expression:
    """Return about the square root, as a whole number."""
    root = exp.Sqrt(this=exp.cast(squares, "DOUBLE"))
    return exp.cast(exp.Floor(this=root), kind)


def _length(number: int, radius: int) -> exp.Expression:
    """Return the radius for points inside, else the least whole number not below the length."""
    squares, guess = exp.column(f"s{number}"), exp.column(f"g{number}")
    found = exp.Case().when(
        exp.LTE(this=squares, expression=cells.whole(radius**2)), cells.whole(radius)
    )
    for more in range(-1, 3):
        near = _paren(exp.Add(this=guess.copy(), expression=_paren(cells.whole(more))))
        square = exp.Mul(this=near, expression=near.copy())
        found = found.when(exp.GTE(this=square, expression=squares.copy()), near.copy())
    return found


def _beside(source: exp.Expression, name: str, found: exp.Expression) -> exp.Expression:
    """Return a source with one more column."""
    more = exp.alias_(found, name, copy=False)
    return exp.select("*", more, copy=False).from_(source, copy=False).subquery("w", copy=False)


def _balanced(
    parts: Sequence[exp.Expression], join: Callable[..., exp.Expression]
) -> exp.Expression:
    """Return parts joined two by two, so that no engine's limit on nesting is met."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    one, other = _balanced(parts[:half], join), _balanced(parts[half:], join)
    return join(this=_paren(one), expression=_paren(other))


def _paren(part: exp.Expression) -> exp.Expression:
    return exp.paren(part, copy=False)
