"""Losses as whole numbers of one small unit, in which the book adds.

Rules of this module:
- a unit is 1/(10^18 * lcm(1..40)), about 1.9e-34: every decimal of 18 places, and every fraction
  with a denominator of at most 40, is a whole number of units;
- a cost is rounded up, once, when it is charged; a budget is whole, or it is refused. So a cost
  that is within a budget fits into it, and n charges lose less than n units to rounding;
- there are three purses, the losses that are added apart. A loss in one number uses the first, one
  in two numbers the first and the second; the third is for a ledger that keeps three.

Exact sums of fractions would be shorter to say, but their denominators grow with every charge.
"""

from fractions import Fraction
from functools import lru_cache
from math import lcm

from ..privacy.loss import Loss
from .entry import Entry, Purses, loss_in

UNIT = 10**18 * lcm(*range(1, 41))  # so many units are 1
NOTHING: Purses = (0, 0, 0)


@lru_cache(maxsize=4096)
def units_up(loss: Loss) -> Purses:
    """Return a loss in whole units, each of its numbers rounded up.

    Example:
        >>> from discreet.privacy.loss import pure
        >>> [3 * units_up(pure("1/3"))[0] == UNIT, 41 * units_up(pure("1/41"))[0] - UNIT]
        [True, 6]
    """
    first, second, third, *_ = (*(-(-n * UNIT // 1) for n in loss.numbers), *NOTHING)
    return first, second, third


def charged(charge: Entry, budget: Loss) -> Loss:
    """Return what a charge costs; one that cannot be read costs the whole budget."""
    loss = loss_in(charge.loss)
    return budget if loss is None or loss.kind != budget.kind else loss


def is_whole(loss: Loss) -> bool:
    """Tell whether a loss is a whole number of units."""
    return all((UNIT * number).denominator == 1 for number in loss.numbers)


def loss_of_units(purses: Purses, budget: Loss) -> Loss:
    """Return so many units as a loss of the budget's kind."""
    plain = budget.plain()
    names = [name for name in plain if name != "kind"]
    texts = [str(Fraction(units, UNIT)) for units in purses]
    loss = loss_in({"kind": plain["kind"], **dict(zip(names, texts, strict=False))})
    if loss is None:
        raise ValueError("units of a budget are a loss of its kind")
    return loss


def added(first: Purses, second: Purses) -> Purses:
    """Return the sum, purse by purse."""
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]


def taken(first: Purses, second: Purses) -> Purses:
    """Return the difference, purse by purse, never below zero."""
    return max(0, first[0] - second[0]), max(0, first[1] - second[1]), max(0, first[2] - second[2])


def most(first: Purses, second: Purses) -> Purses:
    """Return the larger of two amounts, purse by purse."""
    return max(first[0], second[0]), max(first[1], second[1]), max(first[2], second[2])


def fit(spent: Purses, budget: Purses) -> bool:
    """Tell whether no purse holds more than its budget."""
    return all(units <= whole for units, whole in zip(spent, budget, strict=True))
