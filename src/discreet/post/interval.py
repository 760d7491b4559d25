"""Intervals around noisy integers, what public facts make of them, and how they are rounded.

Rules of this module:
- where an end of an interval becomes a double, it is rounded outward: never inside the exact one.
"""

from collections.abc import Sequence
from math import inf, nextafter


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
