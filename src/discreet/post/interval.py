"""Intervals around noisy integers, what public facts make of them, and how they are rounded.

Noisy counts that are publicly known to lie between two whole numbers: clamped, or remapped.

Rules of this module:
- where an end of an interval becomes a double, it is rounded outward: never inside the exact one;
- everything here is arithmetic on public numbers, so it costs nothing;
- clamping moves no number away from a truth between the bounds; what it leaves is smaller on the
  side of a bound, so that an interval may be shorter.

Proof of the half-width. Let the truth x lie in [low, high], R = high - low, and the clamped number
be off by more than a. Upward that takes Z > a and x + a < high, downward Z < -a and x - a > low.
Both are possible for one x only if 2 a + 2 <= R. So from a = R // 2 on one side is enough:
Pr[Z > a], half of Pr[|Z| > a]. Below, both are: Pr[|Z| > a]. From a = R on no error is that large.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf, nextafter

from ..noise.law import Law


def around(values: Sequence[int], half_width: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ends `value - half_width` and `value + half_width` of each value."""
    return (
        tuple([value - half_width for value in values]),
        tuple([value + half_width for value in values]),
    )


def at_least(least: int, values: Sequence[int]) -> tuple[int, ...]:
    """Return the values, raised to `least`: an interval keeps its coverage of a truth above it."""
    return tuple([value if value > least else least for value in values])


def nearest(tops: Sequence[int], bottom: int = 1) -> tuple[float, ...]:
    """Return for each the double that is nearest to the rational top / bottom, bottom above 0."""
    return tuple([top / bottom for top in tops])


def downs(tops: Sequence[int], bottom: int = 1) -> tuple[float, ...]:
    """Return for each the largest double that is at most the rational top / bottom, bottom above 0.

    Example:
        >>> downs([2**53 + 1]) == (2**53,), downs([1, 2], 3) < ups([1, 2], 3)
        (True, True)
    """
    near = nearest(tops, bottom)
    parts = map(float.as_integer_ratio, near)
    return tuple(
        [
            nextafter(x, -inf) if numerator * bottom > top * denominator else x
            for x, top, (numerator, denominator) in zip(near, tops, parts, strict=True)
        ]
    )


def ups(tops: Sequence[int], bottom: int = 1) -> tuple[float, ...]:
    """Return for each the smallest double that is at least the rational top / bottom."""
    return tuple([0.0 - x for x in downs([-top for top in tops], bottom)])


def down(top: int, bottom: int = 1) -> float:
    """Return the largest double that is at most the rational top / bottom, bottom above 0.

    Example:
        >>> down(2**53 + 1) == 2**53, down(1, 3) < up(1, 3)
        (True, True)
    """
    return downs([top], bottom)[0]


def up(top: int, bottom: int = 1) -> float:
    """Return the smallest double that is at least the rational top / bottom, bottom above 0."""
    return ups([top], bottom)[0]


def clamped(values: Sequence[int], low: int, high: int) -> tuple[int, ...]:
    """Return each value, moved to the nearer bound where it lies outside.

    Example:
        >>> clamped([-4, 7, 99], 0, 30)
        (0, 7, 30)
    """
    return tuple([min(max(value, low), high) for value in values])


@dataclass(frozen=True, slots=True)
class ClampedLaw:
    """How far a number with this noise is off once it is moved to the nearer bound, at the worst
    truth between the bounds: whatever asks a level or a step of such a number asks this.

    Example: three numbers, which hold together, take 17 where one alone takes 15.

        >>> from ..noise.discrete_laplace import DiscreteLaplace
        >>> law = ClampedLaw(DiscreteLaplace(Fraction(5)), 0, 30)
        >>> law.half_width(Fraction(1, 20)), law.half_width(Fraction(1, 60))
        (15, 17)
    """

    law: Law
    low: int
    high: int

    def half_width(self, alpha: Fraction) -> int:
        """Return the least a that it is off by more than at most with chance alpha."""
        return half_width_between(self.law, alpha, self.low, self.high)

    def tail_up(self, a: int) -> Fraction:
        """Return a rational at least the chance that it is off by more than a, by the proof."""
        if a >= self.high - self.low:
            return Fraction(0)
        both = self.law.tail_up(a)
        return both / 2 if a >= (self.high - self.low) // 2 else both

    def widest(self, half_width: int, alpha: Fraction) -> Law:
        """Return the noise of the least cost, of six digits, that keeps a half-width below R."""
        one_side = half_width >= (self.high - self.low) // 2
        return type(self.law).widest(half_width, 2 * alpha if one_side else alpha)


def half_width_between(law: Law, alpha: Fraction, low: int, high: int) -> int:
    """Return the least a that a clamped number is off by more than at most with chance alpha.

    Example: 23 where a number without bounds takes 30.

        >>> from ..noise.discrete_laplace import DiscreteLaplace
        >>> half_width_between(DiscreteLaplace(Fraction(10)), Fraction(1, 20), 0, 30)
        23
    """
    width = high - low
    one_side = law.half_width(2 * alpha) if 2 * alpha < 1 else 0
    return min(law.half_width(alpha), max(one_side, width // 2), width)


def remapped(values: Sequence[int], law: Law, low: int, high: int) -> tuple[int, ...]:
    """Return for each value the median of what the truth can be, all between the bounds being alike
    likely beforehand: of all functions of the noisy number the one of the least mean error then.

    Source: Ghosh, Roughgarden and Sundararajan 2012 for the geometric law.

    Example: near a bound noise that is wide tells little.

        >>> from ..noise.discrete_laplace import DiscreteLaplace
        >>> remapped([-50, 15, 30, 50], DiscreteLaplace(Fraction(10)), 0, 30)
        (6, 15, 24, 24)
    """

    @cache
    def likely(distance: int) -> float:
        return float(law.mass(distance))

    @cache
    def middle(value: int) -> int:
        # far outside all weights would be 0; there they are those of the place where they are not
        near = min(max(value, low - (high - low)), high + (high - low))
        weights = [likely(abs(near - x)) for x in range(low, high + 1)]
        half, so_far = sum(weights) / 2, 0.0
        for x, weight in zip(range(low, high), weights, strict=False):
            so_far += weight
            if so_far >= half * (1 - 1e-12):
                return x
        return high

    return tuple([middle(value) for value in values])
