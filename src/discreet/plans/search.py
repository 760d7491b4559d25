"""The last or first value that holds: whole numbers, losses of six digits, factors of a few."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import cast

from ..errors import InputError
from ..privacy.loss import Kind, Loss

_DIGITS = range(10**5, 10**6)
_POWERS = range(-25, 8)


def most(holds: Callable[[int], bool], guess: int = 1) -> int:
    """Return the largest whole number that holds, where all below it hold; 0 if none does.

    Args:
        holds: tells whether a number does.
        guess: where to look first, above 0; any would do.
    """
    low, high, step = 0, guess, 1
    if holds(guess):
        low, high = guess, guess + 1
        while holds(high):
            step *= 2
            low, high = high, high + step
    while high > step + low and not holds(high - step):
        high, step = high - step, 2 * step
    low = max(low, high - step)
    return low + bisect_left(range(low + 1, high), x=True, key=lambda n: not holds(n))


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
    return unit * _first(digits, lambda digit: holds(digit * unit))


def least_near(holds: Callable[[Fraction], bool], guess: Fraction, digits: range) -> Fraction:
    """Return the same as `least_few`, found from a guess; any would do."""
    power = _first(_POWERS, lambda power: digits[-1] * Fraction(10) ** power >= guess)
    known: dict[int, bool] = {}

    def at(place: int) -> Fraction:
        more, digit = divmod(place, len(digits))
        return digits[digit] * Fraction(10) ** (_POWERS[0] + more)

    def fits(place: int) -> bool:
        if place not in known:
            known[place] = holds(at(place))
        return known[place]

    unit = Fraction(10) ** power
    here = bisect_left(digits, guess / unit)  # exact: rationals
    here = min((power - _POWERS[0]) * len(digits) + here, len(digits) * len(_POWERS) - 1)
    low, high, step = here - 1, here, 1
    while high < len(digits) * len(_POWERS) - 1 and not fits(high):
        low, high, step = high, high + step, 2 * step
    while low >= 0 and fits(low):
        low, high, step = low - step, low, 2 * step
    high = min(high, len(digits) * len(_POWERS) - 1)
    low = max(low, -1) + 1
    return at(low + bisect_left(range(low, high), x=True, key=fits))


def _first(values: Sequence[int], holds: Callable[[int], bool]) -> int:
    """Return the first value that holds, where all after it hold too; the last if none does."""
    return values[bisect_left(values[:-1], x=True, key=holds)]
