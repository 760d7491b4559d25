"""Intervals around noisy integers, and what public facts make of them."""

from collections.abc import Sequence


def around(values: Sequence[int], half_width: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ends `value - half_width` and `value + half_width` of each value."""
    return (
        tuple([value - half_width for value in values]),
        tuple([value + half_width for value in values]),
    )


def at_least(least: int, values: Sequence[int]) -> tuple[int, ...]:
    """Return the values, raised to `least`: an interval keeps its coverage of a truth above it."""
    return tuple([value if value > least else least for value in values])
