"""How the cells of several columns become the whole numbers of a vector, in a box or a ball.

Rules of this module:
- in a box each column counts in a step of its own, so that all are of one width, to a thousandth;
- in a ball all columns count in half steps of their one grid, from the middle of their bounds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import gcd, isqrt, lcm

from ..aggregate import MAX_LENGTH, Ball, Coordinate, Measure, Point, Term
from ..errors import InputError, shown
from ..exact.number import common_step, text_of, value_of
from ..fix import BLANK, Set, call, leave_out, write
from ..schema import Bounds

_SHOWN = 8  # columns that a fix names
_FINE = 1_024  # the widths, made alike, differ by less than one part of this


@dataclass(frozen=True, slots=True)
class Shape:
    """How a row's columns become whole numbers, and how large these can be.

    Attributes:
        measures: one for each column.
        limits: the largest size of each number.
        units: what 1 is worth in the measure of each column.
        squares, sizes: the largest sum of a row's squares, and of its sizes.
    """

    measures: tuple[Measure, ...]
    limits: tuple[int, ...]
    units: tuple[Fraction, ...]
    squares: int
    sizes: int


def in_box(columns: tuple[str, ...], found: Sequence[Bounds]) -> Shape:
    """Return the shape of what the bounds alone hold."""
    widths = [b.width for b in found]
    whole = min(lcm(*widths), _FINE * max(widths))
    factors = [whole // width for width in widths]
    common = gcd(*factors)
    point, slopes = Point(columns), [factor // common for factor in factors]
    limits = tuple(slope * b.width for slope, b in zip(slopes, found, strict=True))
    return Shape(
        measures=tuple(
            _line(Coordinate(point, place), 2 * slope, -slope * _middle(b))
            for place, (slope, b) in enumerate(zip(slopes, found, strict=True))
        ),
        limits=limits,
        units=tuple(b.step / (2 * slope) for slope, b in zip(slopes, found, strict=True)),
        squares=sum(limit**2 for limit in limits),
        sizes=sum(limits),
    )


def in_ball(columns: tuple[str, ...], found: Sequence[Bounds], ball: Fraction) -> Shape:
    """Return the shape of what the bounds and the ball hold, or raise InputError."""
    step = found[0].step
    _check_ball(columns, found, ball)
    radius = (2 * ball / step).numerator
    point = Point(columns, Ball(tuple(map(_middle, found)), radius))
    limits = tuple(min(radius, b.width) for b in found)
    return Shape(
        measures=tuple(_line(Coordinate(point, i), 1, 0) for i in range(len(columns))),
        limits=limits,
        units=(step / 2,) * len(columns),
        squares=radius**2,
        sizes=min(_sizes(radius, len(columns)), sum(limits)),
    )


def _check_ball(columns: tuple[str, ...], found: Sequence[Bounds], ball: Fraction) -> None:
    step, each = found[0].step, dict(zip(columns, found, strict=True))
    other = next((at for at, b in enumerate(found) if b.step != step), None)
    if other is not None:
        raise InputError(
            f"{shown(columns[0])} has steps of {text_of(step)}, {shown(columns[other])} of "
            f"{text_of(found[other].step)}.",
            why="a ball is as wide in each direction, so that its columns need one grid",
            fix=(
                _stepped(each, common_step(*(b.step for b in found))),
                leave_out("ball", note=", without which steps may differ"),
            ),
        )
    if (ball / step).denominator != 1:
        raise InputError(
            f"ball = {text_of(ball)} is not a multiple of the columns' step {text_of(step)}.",
            why="what a row can move is exact only if the radius lies on the grid of the values",
            fix=(
                write(ball=value_of(max(step, ball // step * step))),
                _stepped(each, common_step(step, ball)),
            ),
        )
    squares = sum(b.width**2 for b in found)
    if squares > MAX_LENGTH**2:
        raise InputError(
            f"vectors in these bounds may be longer than 2^51 steps of {text_of(step)}.",
            why="beyond that, lengths and products may pass 128 bits",
            fix=_stepped(each, None),
        )
    if (2 * ball / step) ** 2 >= squares:
        raise InputError(
            f"a ball of {text_of(ball)} holds everything that the bounds hold.",
            why="it would bound nothing: the bounds of the columns are a box inside it",
            fix=(leave_out("ball"), write(", smaller than now", ball=BLANK)),
        )


def _stepped(found: Mapping[str, Bounds], step: Fraction | None) -> Set:
    """Return the advice to declare columns on one grid, or on larger ones."""
    size = BLANK if step is None else value_of(step)
    columns = {
        column: call("discreet.bounds", value_of(b.lower), value_of(b.upper), step=size)
        for column, b in islice(found.items(), _SHOWN)
    }
    note = ", with a larger step" if step is None else ""
    return write(note, of="table", columns=columns)


def _line(at: Coordinate, slope: int, offset: int) -> Measure:
    return Measure("cells", (at,), (Term(slope, (at,)), Term(offset)))


def _middle(found: Bounds) -> int:
    """Return twice the middle of the bounds, in steps."""
    return found.lower_step + found.upper_step


def _sizes(radius: int, places: int) -> int:
    """Return the largest sum of sizes of whole numbers that lie in a ball.

    Of numbers with one sum those nearest to each other have the least squares: they are checked.
    """
    total = isqrt(places * radius**2)
    while True:
        each, more = divmod(total, places)
        if more * (each + 1) ** 2 + (places - more) * each**2 <= radius**2:
            return total
        total -= 1
