"""The last or first value that holds: whole numbers, losses of six digits, factors of a few."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import cast

from ..errors import InputError
from ..privacy.loss import Kind, Loss

_DIGITS = range(10**5, 10**6)
_POWERS = range(-25, 8)


def most(holds: Callable[[int], bool]) -> int:
    """Return the largest whole number that holds, where all below it hold; 0 if none does."""
    high = 1
    while holds(high):
        high *= 2
    return max(0, bisect_left(range(high), x=True, key=lambda n: not holds(n)) - 1)


def least_loss(kind: str, holds: Callable[[Loss], bool]) -> Loss:
    """Return the least loss of six digits that holds, where all above it hold.

    A loss so small or so large that no law has its noise counts as the side it is on.
    """

    def at(size: Fraction) -> Loss:
        return Loss(cast("Kind", kind), (size,))

    def keeps(size: Fraction) -> bool:
        try:
            return holds(at(size))
        except InputError:
            return size > 1

    return at(least_few(keeps))


def least_few(holds: Callable[[Fraction], bool], digits: range = _DIGITS) -> Fraction:
    """Return the least number of as many digits that holds, where all above it hold."""
    power = _first(_POWERS, lambda power: holds(digits[-1] * Fraction(10) ** power))
    unit = Fraction(10) ** power
    return unit * _first(digits, lambda found: holds(found * unit))


def _first(values: Sequence[int], holds: Callable[[int], bool]) -> int:
    """Return the first value that holds, where all after it hold too; the last if none does."""
    return values[bisect_left(values[:-1], x=True, key=holds)]
