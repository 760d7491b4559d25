"""Intervals around noisy integers, what public facts make of them, and how they are rounded.

Rules of this module:
- where an end of an interval becomes a double, it is rounded outward: never inside the exact one.
"""

from collections.abc import Sequence
from math import inf, nextafter


def around(values: Sequence[int], half_width: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ends `value - half_width` and `value + half_width` of each value."""
    return (
        tuple(value - half_width for value in values),
        tuple(value + half_width for value in values),
    )


def at_least(least: int, values: Sequence[int]) -> tuple[int, ...]:
    """Return the values, raised to `least`: an interval keeps its coverage of a truth above it."""
    return tuple(max(least, value) for value in values)


def down(top: int, bottom: int = 1) -> float:
    """Return the largest double that is at most the rational top / bottom, bottom above 0.

    Example:
        >>> down(2**53 + 1) == 2**53, down(1, 3) < up(1, 3)
        (True, True)
    """
    near = top / bottom
    numerator, denominator = near.as_integer_ratio()
    return nextafter(near, -inf) if numerator * bottom > top * denominator else near


def up(top: int, bottom: int = 1) -> float:
    """Return the smallest double that is at least the rational top / bottom, bottom above 0."""
    return 0.0 - down(-top, bottom)
