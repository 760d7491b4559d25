"""What a question costs at each error that somebody might want, for a page to look up.

Rules of this module:
- a wanted error is a short number, as a person types it; noise and price are those that a plan of
  this error has, so that a page can copy the number and Python finds the same price;
- a price is a whole number of parts of 10^-9, rounded up: a page adds them without a mistake.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

from ..errors import InputError
from ..statistic.ask import Within
from .line import Line, acts_of, cost_in
from .price import Act
from .within import ROWS, Goal

PARTS = 10**9  # of a price
_NARROWER, _WIDER = Fraction(1, 8), 16  # how far from the plan's own error a page may go
_MARKS = (*range(100, 200, 4), *range(200, 500, 10), *range(500, 1000, 20))  # of each decade
_WHOLE = 50  # up to here each whole number is a mark
_POWERS = range(-12, 13)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One error of a question.

    Attributes:
        typed, half_width: as it is typed, and as it is kept.
        price: in parts of the first kind of loss.
        noise: which keeps it, in each kind.
        goal: the question with this error.
    """

    typed: str
    half_width: Fraction
    price: int
    noise: tuple[tuple[Act, ...], ...]
    goal: Goal

    @property
    def allowed(self) -> Fraction:
        """The widest half-width; of a mean, times its rows."""
        laws = [act.law for act in self.noise[0]]
        return self.goal.most(self.goal.statistic.expected(self.goal.table, laws, self.goal.alpha))


Curve = tuple[list[CurvePoint], int]  # and the place of the question's own error


def points(goal: Goal, line: Line, kinds: Sequence[str]) -> Curve:
    """Return the prices of a question by its error, and the place of its own among them.

    Args:
        goal: the question; a mean's errors are those of its `rows`, or of a group of 1,000 rows.
        line: the same in its plan: with its wanted error, or the one that its weight gives.
        kinds: of loss in which noise is found; it is priced in the first of them.
    """
    own = line.statistic.ask.within or Within(_given(goal, line))
    goal = replace(goal, shares={})
    curve: list[CurvePoint] = []
    at = 0
    for amount in _amounts(own.amount * (100 if own.relative else 1)):
        within = Within(amount / 100 if own.relative else amount, own.relative)  # exact: rationals
        point = _point(goal, within, kinds)
        if point is None:
            continue
        if curve and point.half_width == curve[-1].half_width:
            if within != own:
                continue
            curve.pop()
        if within == own:
            at = len(curve)
        curve.append(point)
    return curve, at


def _point(goal: Goal, within: Within, kinds: Sequence[str]) -> CurvePoint | None:
    """Return the price of a question at an error, or None where no noise keeps it."""
    ask: Any = goal.statistic.ask
    wanted = replace(ask, within=within, weight=1, rows=ask.rows or ROWS)
    statistic: Any = goal.statistic
    asked = replace(goal, statistic=replace(statistic, ask=wanted))
    try:
        laws = [asked.laws(kind) for kind in kinds]
    except InputError:
        return None
    counted = [goal.counted(kind) for kind in kinds]
    (cost,) = cost_in(kinds[0], laws[0], counted[0]).numbers
    expected = [statistic.expected(goal.table, tried, goal.alpha) for tried in laws]
    size = wanted.rows if expected[0].per_row else 1
    half = max(error.half_width for error in expected) / size  # exact: rationals
    noise = tuple(map(acts_of, laws, counted))
    return CurvePoint(within.plain(), half, ceil(cost * PARTS), noise, asked)


def _given(goal: Goal, line: Line) -> Fraction:
    """Return the half-width that a question has by its weight, in three digits, rounded up."""
    expected = line.statistic.expected(goal.table, line.laws, goal.alpha)
    rows = line.statistic.ask.rows or ROWS
    half = expected.half_width / (rows if expected.per_row else 1)  # exact: rationals
    unit = next((unit for unit in map(_ten, _POWERS) if half < 1000 * unit), Fraction(1))
    return max(ceil(half / unit), 1) * unit  # exact: rationals


def _amounts(own: Fraction) -> list[Fraction]:
    """Return numbers of few digits around one of them, which is among them."""
    low, high = own * _NARROWER, own * _WIDER
    marks = {mark * _ten(power) for power in _POWERS for mark in _MARKS}
    small = {Fraction(number) for number in range(1, _WHOLE)}
    return sorted({own, *(mark for mark in marks | small if low <= mark <= high)})


def _ten(power: int) -> Fraction:
    return Fraction(10) ** power
